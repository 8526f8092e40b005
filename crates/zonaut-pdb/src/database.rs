//! Databases of distances, and how they are asked.
//!
//! # Why a value is a lower bound
//! Let s be a symbolic state of the parent from which n steps lead to a goal, and v a valuation in s
//! from which they do and that is reachable itself (each valuation of a widened zone is simulated by
//! a reachable one in it, so there is one). The image of v is reachable in the child, and the child
//! can follow the n steps with at most n steps of its own ([`crate::Child`]), so it is in a layer of
//! distance n at most. The value of s is the smallest distance of all zones that s meets, among them
//! one that holds the image of v. Where transitions have weights, each of the steps of the child
//! counts no more than the step that it follows, and the same holds of the sums. Clocks that are active on one side only are free in this test.
//!
//! In a partial database discrete states that were not expanded have the distance 0, so that every
//! distance stays a lower bound. Where the backward pass was stopped, what it did not reach is no
//! nearer than what it worked on.

use crate::backward::{Distances, distances};
use crate::child::Child;
use crate::exploration::{Explored, Unexplorable};
use crate::faults::{Clause, is_left_out};
use crate::look::Look;
use crate::mapping::{Activity, Mapping, Projection};
use crate::skeleton::Skeleton;
use std::collections::HashMap;
use zonaut_compile::{BoundsTable, CompileError, CompiledNetwork};
use zonaut_dbm::{Bound, Narrow, Width, Zone};
use zonaut_heuristics::{Units, Weights};
use zonaut_model::Model;
use zonaut_space::{Admissible, Arrival, Estimate, Heuristic, Meter, Observer, Progress};
use zonaut_zonegraph::{Step, SymbolicState};

/// What a pass goes through between two looks at the observer.
const EVENTS_PER_PROGRESS: u32 = 32;

/// About how much memory a pass needs for what it stores.
const BYTES_PER_ZONE: usize = 200;

/// What a database says of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distance {
    /// So many steps at least, or what they count.
    AtLeast(u32),
    /// No goal can be reached.
    Infinite,
    /// Nothing is known.
    Unknown,
}

/// How large a database is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Size {
    /// States of the child that were expanded.
    pub explored: usize,
    /// Discrete states of the child.
    pub keys: usize,
    /// Stored pairs of a discrete state and a zone.
    pub states: usize,
    /// Discrete states in which the goal can hold, or which were not expanded.
    pub goals: usize,
    /// Distinct zones.
    pub zones: usize,
}

/// The distances of a child's states to its goal.
#[derive(Clone, Debug)]
pub struct Database<W: Width = Narrow> {
    pub(crate) table: Table<W>,
    pub(crate) size: Size,
    pub(crate) is_complete: bool,
    /// What meets no zone is at least so far away; none if it is infinitely far away.
    pub(crate) horizon: Option<u32>,
    parent_may_fail: bool,
    projection: Projection<W>,
    scratch: Zone<W>,
    other: Zone<W>,
}

/// What a database holds, apart from how states are mapped.
pub(crate) struct Contents<W: Width> {
    pub(crate) table: Table<W>,
    pub(crate) size: Size,
    pub(crate) is_complete: bool,
    /// What meets no zone is at least so far away; none if it is infinitely far away.
    pub(crate) horizon: Option<u32>,
}

/// The stored zones: keys, for each key its entries by ascending distance, and the zones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table<W: Width> {
    pub(crate) words: usize,
    pub(crate) keys: Vec<u64>,
    /// For each key, where its entries begin; one more at the end.
    pub(crate) first: Vec<u32>,
    pub(crate) distances: Vec<u32>,
    /// By entry, where its zone begins.
    pub(crate) zones: Vec<u32>,
    /// By key, the number of rows of its zones.
    pub(crate) dimensions: Vec<u32>,
    pub(crate) bounds: Vec<Bound<W>>,
    /// Slots of a hash table: the number of a key plus one, or 0.
    pub(crate) slots: Vec<u32>,
}

impl<W: Width> Database<W> {
    /// Explores `child` as far as `observer` lets it, and keeps the numbers of steps to its goal.
    /// `bounds` are those with which the parent is explored.
    ///
    /// # Errors
    /// Where the child cannot be explored.
    pub fn build(
        parent: &Model,
        bounds: &BoundsTable,
        child: &Child,
        observer: &mut dyn Observer<SymbolicState<W>, Step>,
    ) -> Result<Self, Unexplorable> {
        Self::weighted(parent, bounds, child, &Units, observer)
    }

    /// The same where transitions of the parent count as `weights` say.
    ///
    /// # Errors
    /// Where the child cannot be explored.
    pub fn weighted(
        parent: &Model,
        bounds: &BoundsTable,
        child: &Child,
        weights: &dyn Weights,
        observer: &mut dyn Observer<SymbolicState<W>, Step>,
    ) -> Result<Self, Unexplorable> {
        let meter = observer.meter();
        let network =
            CompiledNetwork::metered(&child.model, &meter).map_err(|why| unexplorable(&why))?;
        let child_bounds = BoundsTable::new(&child.model, &child.goal);
        let activity = Activity::new(&child.model, &child_bounds);
        let explored = Explored::new(&network, &child_bounds, observer)?;
        unless_stopped(&meter)?;
        let mut look = Look::at(&meter);
        let passed = (&explored, &mut look);
        let skeleton = Skeleton::new(child, weights, &activity, passed, watch(observer));
        let (is_complete, explored) = (skeleton.is_complete, explored.explored);
        unless_stopped(&meter)?;
        let found = distances(&skeleton, explored, &mut look, watch(observer));
        unless_stopped(&meter)?;
        let horizon = found.horizon.or((!is_complete).then_some(0));
        let goals = skeleton.states.iter().filter(|s| s.goal.is_some() || s.is_open).count();
        let (table, zones) = Table::new(&skeleton, &found, &mut look);
        unless_stopped(&meter)?;
        let (keys, states) = (table.dimensions.len(), table.distances.len());
        let size = Size { explored, keys, states, goals, zones };
        let contents = Contents { table, size, is_complete, horizon };
        Self::with_table(parent, bounds, child, contents).ok_or(Unexplorable::TooManyActions)
    }

    /// A database with these contents; nothing if the child cannot be compiled.
    pub(crate) fn with_table(
        parent: &Model,
        bounds: &BoundsTable,
        child: &Child,
        contents: Contents<W>,
    ) -> Option<Self> {
        let Contents { mut table, size, is_complete, horizon } = contents;
        let packing = CompiledNetwork::packing_of(&child.model);
        let child_bounds = BoundsTable::new(&child.model, &child.goal);
        let projection = Projection::new(
            Mapping::new(parent.processes.len(), child),
            packing,
            Activity::new(parent, bounds),
            Activity::new(&child.model, &child_bounds),
        );
        table.index();
        Some(Self {
            table,
            size,
            is_complete,
            horizon,
            parent_may_fail: child.parent_may_fail,
            projection,
            scratch: Zone::origin(1),
            other: Zone::origin(1),
        })
    }

    /// Whether every key has as many clocks as the child says.
    pub(crate) fn fits_child(&self) -> bool {
        let words = self.table.words;
        let key = |number: usize| &self.table.keys[number * words..(number + 1) * words];
        words == self.projection.words()
            && self.table.dimensions.iter().enumerate().all(|(number, &dimension)| {
                self.projection.dimension(key(number)) == Some(dimension as usize)
            })
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
    pub fn lookup(&mut self, state: &SymbolicState<W>) -> Distance {
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
                let distance = self.table.distances[entry];
                let wrong = u32::from(is_left_out(Clause::LargeDistance) && distance > 0);
                return Distance::AtLeast(distance + wrong);
            }
        }
        self.horizon.map_or(Distance::Infinite, Distance::AtLeast)
    }
}

/// A partial database is for a query that goes on.
fn unless_stopped(meter: &Meter) -> Result<(), Unexplorable> {
    meter.stopped().map_or(Ok(()), |why| Err(Unexplorable::Stopped(why)))
}

fn unexplorable(why: &CompileError) -> Unexplorable {
    match why {
        CompileError::TooManyActions(..) => Unexplorable::TooManyActions,
        CompileError::Stopped(why) => Unexplorable::Stopped(*why),
    }
}

/// Whether `zone` and the zone of `bounds` have a valuation in common.
#[inline]
fn meets<W: Width>(
    zone: &Zone<W>,
    bounds: &[Bound<W>],
    scratch: &mut Zone<W>,
    other: &mut Zone<W>,
) -> bool {
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

impl<W: Width> Heuristic<SymbolicState<W>, Step> for Database<W> {
    fn estimate(
        &mut self,
        state: &SymbolicState<W>,
        _arrival: Option<Arrival<'_, SymbolicState<W>, Step>>,
    ) -> Estimate<u32> {
        match self.lookup(state) {
            Distance::AtLeast(distance) => Estimate::Distance(distance),
            Distance::Unknown => Estimate::Distance(0),
            // The child does not see what goes wrong in the parent.
            Distance::Infinite if self.parent_may_fail => Estimate::Last,
            Distance::Infinite => Estimate::DeadEnd,
        }
    }

    fn name(&self) -> &'static str {
        "pdb"
    }
}

impl<W: Width> Admissible for Database<W> {}

/// Asks the observer of the exploration whether a pass after it may go on. What was explored is not
/// told again: only time and memory can end such a pass.
fn watch<W: Width>(
    observer: &mut dyn Observer<SymbolicState<W>, Step>,
) -> impl FnMut(usize) -> bool {
    let mut asked = 0u32;
    move |stored| {
        asked += 1;
        if !asked.is_multiple_of(EVENTS_PER_PROGRESS) {
            return true;
        }
        let now = Progress { stored, bytes: stored * BYTES_PER_ZONE, ..Progress::default() };
        observer.progress(&now).is_continue()
    }
}

impl<W: Width> Table<W> {
    /// The table of these distances, and the number of distinct zones; a part of it where `look`
    /// finds that the work has to end.
    fn new(skeleton: &Skeleton<W>, found: &Distances<W>, look: &mut Look<'_>) -> (Self, usize) {
        let mut table = Self { words: skeleton.words, ..Self::default() };
        table.keys.clone_from(&skeleton.keys);
        let mut known: HashMap<&[Bound<W>], u32> = HashMap::new();
        for (state, layers) in skeleton.states.iter().zip(&found.layers) {
            if look.is_over() {
                break;
            }
            table.first.push(table.distances.len() as u32);
            table.dimensions.push(state.rows.len() as u32);
            for (distance, zone) in layers {
                let bounds = zone.as_slice();
                let start = *known.entry(bounds).or_insert_with(|| {
                    let start = table.bounds.len() as u32;
                    table.bounds.extend_from_slice(bounds);
                    start
                });
                table.zones.push(start);
                table.distances.push(*distance);
            }
        }
        table.first.push(table.distances.len() as u32);
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
                + self.slots.capacity())
            + size_of::<Bound<W>>() * self.bounds.capacity()
    }
}
