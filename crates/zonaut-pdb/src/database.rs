//! Databases of distances, and how they are asked.
//!
//! # Why a value is a lower bound
//! Let s be a symbolic state of the parent from which n steps lead to a goal, and v a valuation in s
//! from which they do and that is reachable itself (each valuation of a widened zone is simulated by
//! a reachable one in it, so there is one). The image of v is reachable in the child, so it lies in
//! a stored zone Z of the same discrete part that is closed under the delays possible from it. The
//! child can follow the n steps with at most n steps of its own ([`crate::Child`]), and so can Z,
//! for zones of the child are never too small and covered ones are replaced by larger ones. So Z has
//! a distance of at most n. Z meets s, and the smallest distance of all zones that s meets is taken.
//!
//! In a partial database a state that was not expanded has the distance 0, so that every distance
//! stays a lower bound; a state that meets no zone may be unexplored, and gets no help.

use crate::child::Child;
use crate::distances::{UNREACHABLE, distances};
use crate::exploration::{Exploration, Unexplorable, explore};
use crate::faults::{Clause, is_left_out};
use crate::mapping::{Activity, Mapping, Projection};
use std::collections::HashMap;
use zonaut_base::Id;
use zonaut_compile::{BoundsTable, CompiledNetwork, Packing};
use zonaut_dbm::{Bound, Zone};
use zonaut_model::Model;
use zonaut_space::{Admissible, Arrival, Estimate, Heuristic, Observer};
use zonaut_zonegraph::{Step, SymbolicState};

/// What a database says of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distance {
    /// So many steps at least.
    AtLeast(u32),
    /// No goal can be reached.
    Infinite,
    /// Nothing is known.
    Unknown,
}

/// How a database came about.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Size {
    /// States of the child that were expanded.
    pub explored: usize,
    /// States that are stored.
    pub states: usize,
    /// Stored states that are goals.
    pub goals: usize,
    /// Distinct discrete parts.
    pub keys: usize,
    /// Distinct zones.
    pub zones: usize,
}

/// The distances of a child's states to its goal.
#[derive(Clone, Debug)]
pub struct Database {
    pub(crate) table: Table,
    pub(crate) size: Size,
    pub(crate) is_complete: bool,
    parent_may_fail: bool,
    projection: Projection,
    scratch: Zone,
    other: Zone,
}

/// The stored states: keys, for each key its entries by ascending distance, and the zones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub(crate) words: usize,
    pub(crate) keys: Vec<u64>,
    /// For each key, where its entries begin; one more at the end.
    pub(crate) first: Vec<u32>,
    pub(crate) distances: Vec<u32>,
    /// By entry, where its zone begins.
    pub(crate) zones: Vec<u32>,
    /// By key, the number of rows of its zones.
    pub(crate) dimensions: Vec<u32>,
    pub(crate) bounds: Vec<Bound>,
    /// Slots of a hash table: the number of a key plus one, or 0.
    slots: Vec<u32>,
}

impl Database {
    /// Explores `child` as far as `observer` lets it, and keeps the distances. `bounds` are those
    /// with which the parent is explored.
    ///
    /// # Errors
    /// Where the child cannot be explored.
    pub fn build(
        parent: &Model,
        bounds: &BoundsTable,
        child: &Child,
        observer: &mut dyn Observer<SymbolicState, Step>,
    ) -> Result<Self, Unexplorable> {
        let network =
            CompiledNetwork::new(&child.model).map_err(|_| Unexplorable::TooManyActions)?;
        let child_bounds = BoundsTable::new(&child.model, &child.goal);
        let mut rows: Rows = Vec::new();
        let exploration = explore(child, &network, &child_bounds, observer, |node, state| {
            rows.push((state.key().to_vec(), node.index() as u32, state.zone.clone()));
        })?;
        let Exploration { edges, nodes, sources, goals, is_complete, explored, .. } = exploration;
        let mut distances = distances(nodes, &edges, &sources);
        if is_left_out(Clause::LargeDistance) {
            distances.iter_mut().for_each(|d| *d = d.saturating_add(u32::from(*d > 0)));
        }
        drop(edges);
        for row in &mut rows {
            row.1 = distances[row.1 as usize];
        }
        let states = rows.len();
        let (table, zones) = Table::new(network.packing.words(), rows);
        let size = Size { explored, states, goals, keys: table.dimensions.len(), zones };
        Ok(Self::with_table(parent, bounds, child, (table, size, is_complete), &network.packing))
    }

    pub(crate) fn with_table(
        parent: &Model,
        bounds: &BoundsTable,
        child: &Child,
        (table, size, is_complete): (Table, Size, bool),
        packing: &Packing,
    ) -> Self {
        let child_bounds = BoundsTable::new(&child.model, &child.goal);
        let projection = Projection::new(
            Mapping::new(parent.processes.len(), child),
            packing.clone(),
            Activity::new(parent, bounds),
            Activity::new(&child.model, &child_bounds),
        );
        Self {
            table,
            size,
            is_complete,
            parent_may_fail: child.parent_may_fail,
            projection,
            scratch: Zone::origin(1),
            other: Zone::origin(1),
        }
    }

    /// How large it is.
    #[must_use]
    pub fn size(&self) -> Size {
        self.size
    }

    /// Whether all of the child was explored.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether the database shows that no goal can be reached, and nothing goes wrong.
    #[must_use]
    pub fn proves_unreachable(&self) -> bool {
        self.is_complete && self.size.goals == 0 && !self.parent_may_fail
    }

    /// The memory held, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// The distance of the image of `state`.
    #[must_use]
    pub fn lookup(&mut self, state: &SymbolicState) -> Distance {
        self.projection.map(state);
        let Some(key) = self.table.find(&self.projection.key) else { return Distance::Unknown };
        self.projection.project(state);
        let entries = self.table.first[key] as usize..self.table.first[key + 1] as usize;
        let dimension = self.table.dimensions[key] as usize;
        let skipped = usize::from(is_left_out(Clause::MissedZone) && entries.len() > 1);
        for entry in entries.skip(skipped) {
            let start = self.table.zones[entry] as usize;
            let bounds = &self.table.bounds[start..start + dimension * dimension];
            if meets(&self.projection.zone, bounds, &mut self.scratch, &mut self.other) {
                return match self.table.distances[entry] {
                    UNREACHABLE => Distance::Infinite,
                    distance => Distance::AtLeast(distance),
                };
            }
        }
        Distance::Unknown
    }
}

/// Whether `zone` and the zone of `bounds` have a valuation in common.
#[inline]
fn meets(zone: &Zone, bounds: &[Bound], scratch: &mut Zone, other: &mut Zone) -> bool {
    let dimension = zone.dim();
    // Most zones that do not meet are apart in a single difference.
    let own = zone.as_slice();
    for i in 0..dimension {
        for j in 0..dimension {
            if own[i * dimension + j] + bounds[j * dimension + i] < Bound::ZERO {
                return false;
            }
        }
    }
    scratch.assign_from(zone);
    other.assign_slice(dimension, bounds);
    scratch.intersect(other).is_ok()
}

impl Heuristic<SymbolicState, Step> for Database {
    fn estimate(
        &mut self,
        state: &SymbolicState,
        _arrival: Option<Arrival<'_, SymbolicState, Step>>,
    ) -> Estimate<u32> {
        match self.lookup(state) {
            Distance::AtLeast(distance) => Estimate::AtLeast(distance),
            Distance::Unknown => Estimate::AtLeast(0),
            // The child does not see what goes wrong in the parent.
            Distance::Infinite if self.parent_may_fail => Estimate::Last,
            Distance::Infinite => Estimate::DeadEnd,
        }
    }

    fn name(&self) -> &'static str {
        "pdb"
    }
}

impl Admissible for Database {}

/// States with their distances: keys, distances, zones.
pub(crate) type Rows = Vec<(Vec<u64>, u32, Zone)>;

impl Table {
    /// The table of these states, and the number of distinct zones.
    fn new(words: usize, mut rows: Rows) -> (Self, usize) {
        rows.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        let mut table = Self { words, ..Self::default() };
        let mut known: HashMap<Box<[Bound]>, u32> = HashMap::new();
        for group in rows.chunk_by(|a, b| a.0 == b.0) {
            table.keys.extend(&group[0].0);
            table.first.push(table.distances.len() as u32);
            table.dimensions.push(group[0].2.dim() as u32);
            for (_, distance, zone) in group {
                let bounds = zone.as_slice();
                let start = known.get(bounds).copied().unwrap_or_else(|| {
                    let start = table.bounds.len() as u32;
                    table.bounds.extend_from_slice(bounds);
                    known.insert(bounds.into(), start);
                    start
                });
                table.zones.push(start);
                table.distances.push(*distance);
            }
        }
        table.first.push(table.distances.len() as u32);
        table.index();
        (table, known.len())
    }

    /// Fills the hash table.
    pub(crate) fn index(&mut self) {
        let count = self.dimensions.len();
        self.slots = vec![0; (count * 2).next_power_of_two().max(2)];
        for key in 0..count {
            let mut slot = self.slot(&self.keys[key * self.words..(key + 1) * self.words]);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = key as u32 + 1;
        }
    }

    #[inline]
    fn slot(&self, key: &[u64]) -> usize {
        let mut hash = 0u64;
        for &word in key {
            let product = u128::from(hash ^ word ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
            hash = (product as u64) ^ ((product >> 64) as u64);
        }
        hash as usize & (self.slots.len() - 1)
    }

    /// The number of a key.
    #[inline]
    fn find(&self, key: &[u64]) -> Option<usize> {
        let mut slot = self.slot(key);
        loop {
            let number = (self.slots[slot] as usize).checked_sub(1)?;
            if &self.keys[number * self.words..(number + 1) * self.words] == key {
                return Some(number);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    fn bytes(&self) -> usize {
        8 * self.keys.capacity()
            + 4 * (self.first.capacity()
                + self.distances.capacity()
                + self.zones.capacity()
                + self.dimensions.capacity()
                + self.slots.capacity()
                + self.bounds.capacity())
    }
}
