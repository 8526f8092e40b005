//! The regions of all nodes, packed: the matrices of their zones with as few bytes a bound as the
//! largest one needs, and the tables of constants by number.

use crate::clocks::Region;
use crate::refusal::Trouble;
use crate::simulation::Simulation;
use crate::zone::{Bound, Matrix, Zone};
use std::sync::Arc;

/// The regions of nodes, by node.
#[derive(Default)]
pub(crate) struct Regions {
    /// The number of clocks, including the constant 0.
    size: usize,
    bounds: Bounds,
    /// The number of the table of constants of each node, or one of the two below.
    constants: Vec<u32>,
    tables: Vec<Arc<Simulation>>,
}

/// The mark of a node without constants.
const NO_TABLE: u32 = u32::MAX;
/// The mark of a node without valuations.
const EMPTY: u32 = u32::MAX - 1;

impl Regions {
    /// No regions yet, over `size` clocks.
    pub(crate) fn new(size: usize) -> Self {
        Self { size, ..Self::default() }
    }

    /// Adds a table of constants; returns the number of all tables.
    pub(crate) fn add_table(&mut self, table: Simulation) -> usize {
        self.tables.push(Arc::new(table));
        self.tables.len()
    }

    /// The number of tables of constants.
    pub(crate) fn tables(&self) -> usize {
        self.tables.len()
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.constants.len()
    }

    /// Adds the region of the next node, with one of the tables; `None` if it has no valuations.
    pub(crate) fn push(&mut self, zone: Option<&Zone>, table: Option<usize>) {
        let table = table.map_or(NO_TABLE, |table| table as u32);
        self.constants.push(if zone.is_some() { table } else { EMPTY });
        match zone {
            Some(zone) => self.bounds.extend(zone.bounds()),
            None => self.bounds.extend(Zone::all(self.size).bounds()),
        }
    }

    /// Replaces the zone of a node; `None` if it has no valuations.
    pub(crate) fn replace(&mut self, node: usize, zone: Option<&Zone>) {
        match zone {
            Some(zone) => self.bounds.replace(node * self.size * self.size, zone.bounds()),
            None => self.constants[node] = EMPTY,
        }
    }

    /// The region of a node; `None` if it has no valuations.
    pub(crate) fn get(&self, node: usize) -> Option<Region> {
        if self.constants[node] == EMPTY {
            return None;
        }
        let zone = self.matrix(node).unpacked();
        Some(Region { zone, simulation: self.simulation(node).cloned() })
    }

    /// Whether a node contains all valuations of `region`.
    pub(crate) fn covers(&self, node: usize, region: &Region) -> Result<bool, Trouble> {
        if self.constants[node] == EMPTY {
            return Ok(false);
        }
        region.is_within(&self.matrix(node), self.simulation(node))
    }

    fn simulation(&self, node: usize) -> Option<&Arc<Simulation>> {
        self.tables.get(self.constants[node] as usize)
    }

    fn matrix(&self, node: usize) -> Packed<'_> {
        let length = self.size * self.size;
        Packed { size: self.size, bounds: &self.bounds, first: node * length }
    }
}

/// Bounds in a common width.
enum Bounds {
    Short(Vec<i16>),
    Medium(Vec<i32>),
    Long(Vec<i64>),
}

impl Default for Bounds {
    fn default() -> Self {
        Self::Short(Vec::new())
    }
}

impl Bounds {
    fn extend(&mut self, bounds: &[Bound]) {
        self.fit(bounds);
        match self {
            Self::Short(all) => all.extend(bounds.iter().map(|bound| short(*bound))),
            Self::Medium(all) => all.extend(bounds.iter().map(|bound| medium(*bound))),
            Self::Long(all) => all.extend(bounds.iter().map(|bound| bound.code())),
        }
    }

    fn replace(&mut self, first: usize, bounds: &[Bound]) {
        self.fit(bounds);
        for (at, &bound) in (first..).zip(bounds) {
            match self {
                Self::Short(all) => all[at] = short(bound),
                Self::Medium(all) => all[at] = medium(bound),
                Self::Long(all) => all[at] = bound.code(),
            }
        }
    }

    /// Widens all bounds until `bounds` fit.
    fn fit(&mut self, bounds: &[Bound]) {
        let finite = bounds.iter().filter(|bound| !bound.is_none());
        let largest = finite.map(|bound| bound.code().unsigned_abs()).max().unwrap_or(0);
        if let Self::Short(all) = self
            && largest >= i16::MAX as u64
        {
            let wide = |&code: &i16| if code == i16::MAX { i32::MAX } else { i32::from(code) };
            *self = Self::Medium(all.iter().map(wide).collect());
        }
        if let Self::Medium(all) = self
            && largest >= i32::MAX as u64
        {
            let wide = |&code: &i32| if code == i32::MAX { i64::MAX } else { i64::from(code) };
            *self = Self::Long(all.iter().map(wide).collect());
        }
    }

    fn get(&self, at: usize) -> Bound {
        match self {
            Self::Short(all) if all[at] == i16::MAX => Bound::NONE,
            Self::Short(all) => Bound::of_code(i64::from(all[at])),
            Self::Medium(all) if all[at] == i32::MAX => Bound::NONE,
            Self::Medium(all) => Bound::of_code(i64::from(all[at])),
            Self::Long(all) => Bound::of_code(all[at]),
        }
    }
}

/// A bound that fits 16 bits; the largest number stands for none.
fn short(bound: Bound) -> i16 {
    i16::try_from(bound.code()).unwrap_or(i16::MAX)
}

/// A bound that fits 32 bits; the largest number stands for none.
fn medium(bound: Bound) -> i32 {
    i32::try_from(bound.code()).unwrap_or(i32::MAX)
}

/// The packed matrix of a zone.
struct Packed<'r> {
    size: usize,
    bounds: &'r Bounds,
    first: usize,
}

impl Packed<'_> {
    fn unpacked(&self) -> Zone {
        let length = self.size * self.size;
        let bounds = (self.first..self.first + length).map(|at| self.bounds.get(at));
        Zone::of_bounds(self.size, bounds.collect())
    }
}

impl Matrix for Packed<'_> {
    fn bound(&self, x: usize, y: usize) -> Bound {
        self.bounds.get(self.first + x * self.size + y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clocks::Clocks;
    use crate::zone::Atom;

    fn zone(value: i64) -> Zone {
        let mut zone = Zone::all(3);
        let bound = Bound::new(value, value % 2 == 0).expect("a small number");
        zone.meet(Atom { x: 1, y: 0, bound }).expect("a small bound");
        zone
    }

    #[test]
    fn zones_are_restored_from_every_width() {
        let values = [3, 16_000, 20_000, 1 << 29, 1 << 35, 7];
        let mut regions = Regions::new(3);
        for (count, &value) in values.iter().enumerate() {
            regions.push(Some(&zone(value)), None);
            for (node, &value) in values[..=count].iter().enumerate() {
                assert_eq!(regions.get(node).map(|region| region.zone), Some(zone(value)));
            }
        }
        regions.replace(0, Some(&zone(1 << 38)));
        assert_eq!(regions.get(0).map(|region| region.zone), Some(zone(1 << 38)));
        regions.replace(1, None);
        assert_eq!(regions.get(1), None);
        assert_eq!(regions.get(5).map(|region| region.zone), Some(zone(7)));
    }
}
