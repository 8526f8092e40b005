//! Coordinates of addresses: the scalar-set elements that index processes, cells and clocks.

use crate::permutation::Permutation;

/// An element as an index of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Coordinate {
    /// The element, among those of all sets.
    pub(crate) element: u32,
    /// The element within its set.
    pub(crate) number: u32,
    /// The distance to the address of the next element of the set.
    pub(crate) stride: i64,
}

/// The coordinates of all addresses: of processes, cells or clocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coordinates {
    /// The end of the coordinates of each address.
    ends: Vec<u32>,
    all: Vec<Coordinate>,
}

impl Coordinates {
    /// The coordinates of the addresses from 0 on.
    pub(crate) fn new(lists: &[Vec<Coordinate>]) -> Self {
        let mut coordinates = Self::default();
        for list in lists {
            coordinates.all.extend_from_slice(list);
            coordinates.ends.push(coordinates.all.len() as u32);
        }
        coordinates
    }

    /// The number of addresses.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The coordinates of an address; empty if no element indexes it.
    pub(crate) fn of(&self, address: usize) -> &[Coordinate] {
        let Some(&end) = self.ends.get(address) else { return &[] };
        let start = address.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start as usize..end as usize]
    }

    /// The image of an address under a permutation.
    pub(crate) fn image(&self, address: usize, permutation: &Permutation) -> usize {
        let distance = |coordinate: &Coordinate| {
            let Coordinate { element, stride, .. } = *coordinate;
            stride * (i64::from(permutation.of(element)) - i64::from(element))
        };
        let distance: i64 = self.of(address).iter().map(distance).sum();
        (address as i64 + distance) as usize
    }

    /// A representative of all images of an address: the address with the first elements.
    pub(crate) fn class(&self, address: usize) -> i64 {
        let offset = |c: &Coordinate| c.stride * i64::from(c.number);
        address as i64 - self.of(address).iter().map(offset).sum::<i64>()
    }
}
