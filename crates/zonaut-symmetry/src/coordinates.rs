//! Which elements number what: the coordinates of an address.

use crate::permutation::Permutation;

/// An element that numbers something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Coordinate {
    /// The element, among those of all sets.
    pub(crate) element: u32,
    /// The same within its set.
    pub(crate) number: u32,
    /// How far it is to what the next element of the set numbers.
    pub(crate) stride: i64,
}

/// The coordinates of addresses: of processes, cells or clocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coordinates {
    /// Where the coordinates of each address end.
    ends: Vec<u32>,
    all: Vec<Coordinate>,
}

impl Coordinates {
    /// Those of addresses from 0 on.
    pub(crate) fn new(lists: &[Vec<Coordinate>]) -> Self {
        let mut coordinates = Self::default();
        for list in lists {
            coordinates.all.extend_from_slice(list);
            coordinates.ends.push(coordinates.all.len() as u32);
        }
        coordinates
    }

    /// How many addresses there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The coordinates of an address; none of those that no element numbers.
    pub(crate) fn of(&self, address: usize) -> &[Coordinate] {
        let Some(&end) = self.ends.get(address) else { return &[] };
        let start = address.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start as usize..end as usize]
    }

    /// Where a permutation moves an address to.
    pub(crate) fn image(&self, address: usize, permutation: &Permutation) -> usize {
        let distance = |coordinate: &Coordinate| {
            let Coordinate { element, stride, .. } = *coordinate;
            stride * (i64::from(permutation.of(element)) - i64::from(element))
        };
        let distance: i64 = self.of(address).iter().map(distance).sum();
        (address as i64 + distance) as usize
    }

    /// What all images of an address have in common: the address with the first elements.
    pub(crate) fn class(&self, address: usize) -> i64 {
        let offset = |c: &Coordinate| c.stride * i64::from(c.number);
        address as i64 - self.of(address).iter().map(offset).sum::<i64>()
    }
}
