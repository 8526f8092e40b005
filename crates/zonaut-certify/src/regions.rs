//! The regions of all nodes, packed: the matrices of their zones with as few bytes a bound as the
//! largest one needs, and the tables of constants by number.

use crate::clocks::Region;
use crate::packed::{Form, Packed};
use crate::refusal::Trouble;
use crate::simulation::Simulation;
use crate::zone::{Bound, Matrix, Zone};
use std::sync::Arc;

/// The regions of nodes, by node.
#[derive(Default)]
pub(crate) struct Regions<'t> {
    /// The number of clocks, including the constant 0.
    size: usize,
    zones: Zones<'t>,
    tables: Vec<Table>,
}

/// The zones of nodes.
enum Zones<'t> {
    /// Matrices over all clocks.
    Written {
        bounds: Bounds,
        /// The number of the table of constants of each node, or one of the two below.
        constants: Vec<u32>,
    },
    Packed(Packed<'t>),
}

impl Default for Zones<'_> {
    fn default() -> Self {
        Self::Written { bounds: Bounds::default(), constants: Vec::new() }
    }
}

/// A table that nodes name.
struct Table {
    /// The constants; `None` if nodes are compared by inclusion.
    simulation: Option<Arc<Simulation>>,
    /// The clocks that it names, and before them the constant 0.
    rows: Vec<usize>,
}

/// The mark of a node without constants.
const NO_TABLE: u32 = u32::MAX;
/// The mark of a node without valuations.
const EMPTY: u32 = u32::MAX - 1;

impl<'t> Regions<'t> {
    /// No regions yet, over `size` clocks.
    pub(crate) fn new(size: usize) -> Self {
        Self { size, ..Self::default() }
    }

    /// Adds a table that names these clocks, ascending; returns the number of all tables.
    pub(crate) fn add_table(&mut self, simulation: Option<Simulation>, clocks: &[usize]) -> usize {
        let rows = [&[0], clocks].concat();
        self.tables.push(Table { simulation: simulation.map(Arc::new), rows });
        self.tables.len()
    }

    /// The number of tables.
    pub(crate) fn tables(&self) -> usize {
        self.tables.len()
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        match &self.zones {
            Zones::Written { constants, .. } => constants.len(),
            Zones::Packed(packed) => packed.len(),
        }
    }

    /// Whether zones are as they stand in the certificate, not restricted to invariants.
    pub(crate) fn are_packed(&self) -> bool {
        matches!(self.zones, Zones::Packed(_))
    }

    /// Adds all nodes of a packed set: these bytes.
    pub(crate) fn pack(&mut self, form: Form, bytes: &'t [u8]) -> Result<(), &'static str> {
        let rows: Vec<usize> = self.tables.iter().map(|table| table.rows.len()).collect();
        self.zones = Zones::Packed(Packed::new(form, bytes, &rows)?);
        Ok(())
    }

    /// Adds the region of the next node, with one of the tables; `None` if it has no valuations.
    pub(crate) fn push(&mut self, zone: Option<&Zone>, table: Option<usize>) {
        let Zones::Written { bounds, constants } = &mut self.zones else { return };
        let table = table.map_or(NO_TABLE, |table| table as u32);
        constants.push(if zone.is_some() { table } else { EMPTY });
        match zone {
            Some(zone) => bounds.extend(zone.bounds()),
            None => bounds.extend(Zone::all(self.size).bounds()),
        }
    }

    /// Replaces the zone of a node that is not packed; `None` if it has no valuations.
    pub(crate) fn replace(&mut self, node: usize, zone: Option<&Zone>) {
        let Zones::Written { bounds, constants } = &mut self.zones else { return };
        match zone {
            Some(zone) => bounds.replace(node * self.size * self.size, zone.bounds()),
            None => constants[node] = EMPTY,
        }
    }

    /// The region of a node; `None` if it has no valuations.
    pub(crate) fn get(&self, node: usize) -> Option<Region> {
        match &self.zones {
            Zones::Written { constants, .. } if constants[node] == EMPTY => None,
            Zones::Written { bounds, constants } => {
                let zone = self.matrix(bounds, node).unpacked();
                let table = self.tables.get(constants[node] as usize);
                Some(Region { zone, simulation: table.and_then(|table| table.simulation.clone()) })
            }
            Zones::Packed(packed) => {
                let table = &self.tables[packed.table(node)];
                let zone = packed.zone_of(node).unpacked(&table.rows, self.size);
                Some(Region { zone, simulation: table.simulation.clone() })
            }
        }
    }

    /// Whether a node contains all valuations of `region`.
    pub(crate) fn covers(&self, node: usize, region: &Region) -> Result<bool, Trouble> {
        match &self.zones {
            Zones::Written { constants, .. } if constants[node] == EMPTY => Ok(false),
            Zones::Written { bounds, constants } => {
                let table = self.tables.get(constants[node] as usize);
                let simulation = table.and_then(|table| table.simulation.as_ref());
                region.is_within(&self.matrix(bounds, node), simulation)
            }
            Zones::Packed(packed) => {
                let Table { simulation, rows } = &self.tables[packed.table(node)];
                let zone = packed.zone_of(node);
                Ok(match (&region.simulation, simulation) {
                    (Some(small), Some(large)) => {
                        zone.simulates(rows, large, &region.zone) && small.is_finer_than(large)
                    }
                    _ => zone.includes(rows, &region.zone),
                })
            }
        }
    }

    fn matrix<'r>(&self, bounds: &'r Bounds, node: usize) -> Written<'r> {
        let length = self.size * self.size;
        Written { size: self.size, bounds, first: node * length }
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

/// The matrix of a zone over all clocks.
struct Written<'r> {
    size: usize,
    bounds: &'r Bounds,
    first: usize,
}

impl Written<'_> {
    fn unpacked(&self) -> Zone {
        let length = self.size * self.size;
        let bounds = (self.first..self.first + length).map(|at| self.bounds.get(at));
        Zone::of_bounds(self.size, bounds.collect())
    }
}

impl Matrix for Written<'_> {
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
