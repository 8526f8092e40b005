//! Pattern databases: distances of abstract states, and their look-up.
//!
//! # Why a value is a lower bound
//! Let s be a symbolic state of the original model from which n steps lead to a goal, and v a
//! valuation in s from which they do and that is reachable itself (each valuation of a widened zone
//! is simulated by a reachable one in it, so there is one). The image of v is reachable in the
//! abstract model, which can simulate the n steps with at most n steps of its own
//! ([`crate::AbstractModel`]), so it is in a layer of distance n at most. The value of s is the
//! smallest distance of all zones that s intersects, among them one that contains the image of v.
//! If transitions have weights, each abstract step weighs no more than the step that it simulates,
//! and the same holds for the sums. Clocks that are active in one of the two models only are free
//! in this test.
//!
//! In a partial database discrete states that were not expanded have the distance 0, so that every
//! distance stays a lower bound. If the backward pass was stopped, states that it did not reach are
//! no nearer than those it worked on.

use crate::abstract_model::AbstractModel;
use crate::backward::{Distances, distances};
use crate::exploration::{Explored, Unexplorable};
use crate::faults::{Clause, is_disabled};
use crate::mapping::{Activity, Mapping, Projection};
use crate::meter_poll::MeterPoll;
use crate::skeleton::Skeleton;
use std::collections::HashMap;
use zonaut_compile::{BoundsTable, CompileError, CompiledNetwork};
use zonaut_dbm::{Bound, Narrow, Width, Zone};
use zonaut_heuristics::{Units, Weights};
use zonaut_model::Model;
use zonaut_space::{Admissible, Arrival, Estimate, Heuristic, Meter, Observer, Progress};
use zonaut_zonegraph::{Step, SymbolicState};

/// Number of events of a pass between two reports to the observer.
const EVENTS_PER_PROGRESS: u32 = 32;

/// Approximate memory of a stored zone during a pass, in bytes.
const BYTES_PER_ZONE: usize = 200;

/// The distance of a state according to a database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distance {
    /// At least this number of steps, or this weight.
    AtLeast(u32),
    /// No goal is reachable.
    Infinite,
    /// The distance is unknown.
    Unknown,
}

/// The size of a database.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Size {
    /// Abstract states that were expanded.
    pub explored: usize,
    /// Discrete abstract states.
    pub keys: usize,
    /// Stored pairs of a discrete state and a zone.
    pub states: usize,
    /// Discrete states in which the goal can hold, or which were not expanded.
    pub goals: usize,
    /// Distinct zones.
    pub zones: usize,
}

/// The distances of abstract states to the goal.
#[derive(Clone, Debug)]
pub struct Database<W: Width = Narrow> {
    pub(crate) table: Table<W>,
    pub(crate) size: Size,
    pub(crate) is_complete: bool,
    /// The least distance of states that intersect no zone; `None` if it is infinite.
    pub(crate) horizon: Option<u32>,
    original_may_fail: bool,
    projection: Projection<W>,
    scratch: Zone<W>,
    other: Zone<W>,
}

/// The contents of a database, without the mapping of states.
pub(crate) struct Contents<W: Width> {
    pub(crate) table: Table<W>,
    pub(crate) size: Size,
    pub(crate) is_complete: bool,
    /// The least distance of states that intersect no zone; `None` if it is infinite.
    pub(crate) horizon: Option<u32>,
}

/// The stored zones: keys, the entries of each key by ascending distance, and the zones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table<W: Width> {
    pub(crate) words: usize,
    pub(crate) keys: Vec<u64>,
    /// For each key, the index of its first entry; one more at the end.
    pub(crate) first: Vec<u32>,
    pub(crate) distances: Vec<u32>,
    /// By entry, the offset of its zone.
    pub(crate) zones: Vec<u32>,
    /// By key, the number of rows of its zones.
    pub(crate) dimensions: Vec<u32>,
    pub(crate) bounds: Vec<Bound<W>>,
    /// Slots of a hash table: the number of a key plus one, or 0.
    pub(crate) slots: Vec<u32>,
}

impl<W: Width> Database<W> {
    /// Explores `abstract_model` until `observer` stops it, and stores the numbers of steps to its
    /// goal. `bounds` are those with which the original is explored.
    ///
    /// # Errors
    /// The reason why the abstract model cannot be explored.
    pub fn build(
        original: &Model,
        bounds: &BoundsTable,
        abstract_model: &AbstractModel,
        observer: &mut dyn Observer<SymbolicState<W>, Step>,
    ) -> Result<Self, Unexplorable> {
        Self::weighted(original, bounds, abstract_model, &Units, observer)
    }

    /// Builds a database with weights of the transitions of the original.
    ///
    /// # Errors
    /// The reason why the abstract model cannot be explored.
    pub fn weighted(
        original: &Model,
        bounds: &BoundsTable,
        abstract_model: &AbstractModel,
        weights: &dyn Weights,
        observer: &mut dyn Observer<SymbolicState<W>, Step>,
    ) -> Result<Self, Unexplorable> {
        let meter = observer.meter();
        let network = CompiledNetwork::new(&abstract_model.model, &meter)
            .map_err(|why| unexplorable(&why))?;
        let _held = network.hold(&meter);
        let child_bounds = BoundsTable::new(&abstract_model.model, &abstract_model.goal);
        let activity = Activity::new(&abstract_model.model, &child_bounds);
        let explored = Explored::new(&network, &child_bounds, observer)?;
        unless_stopped(&meter)?;
        let mut meter_poll = MeterPoll::at(&meter);
        let skeleton = Skeleton::new(
            abstract_model,
            weights,
            &activity,
            &explored,
            &mut meter_poll,
            watch(observer),
        );
        let (is_complete, explored) = (skeleton.is_complete, explored.explored);
        unless_stopped(&meter)?;
        let found = distances(&skeleton, explored, &mut meter_poll, watch(observer));
        unless_stopped(&meter)?;
        let horizon = found.horizon.or((!is_complete).then_some(0));
        let goals = skeleton.states.iter().filter(|s| s.goal.is_some() || s.is_open).count();
        let (table, zones) = Table::new(&skeleton, &found, &mut meter_poll);
        unless_stopped(&meter)?;
        let (keys, states) = (table.dimensions.len(), table.distances.len());
        let size = Size { explored, keys, states, goals, zones };
        let contents = Contents { table, size, is_complete, horizon };
        Self::with_table(original, bounds, abstract_model, contents)
            .ok_or(Unexplorable::TooManyActions)
    }

    /// A database with these contents; `None` if the abstract model cannot be compiled.
    pub(crate) fn with_table(
        original: &Model,
        bounds: &BoundsTable,
        abstract_model: &AbstractModel,
        contents: Contents<W>,
    ) -> Option<Self> {
        let Contents { mut table, size, is_complete, horizon } = contents;
        let packing = CompiledNetwork::packing_of(&abstract_model.model);
        let child_bounds = BoundsTable::new(&abstract_model.model, &abstract_model.goal);
        let projection = Projection::new(
            Mapping::new(original.processes.len(), abstract_model),
            packing,
            Activity::new(original, bounds),
            Activity::new(&abstract_model.model, &child_bounds),
        );
        table.index();
        Some(Self {
            table,
            size,
            is_complete,
            horizon,
            original_may_fail: abstract_model.original_may_fail,
            projection,
            scratch: Zone::origin(1),
            other: Zone::origin(1),
        })
    }

    /// Whether every key has as many clocks as the abstract model requires.
    pub(crate) fn fits_abstract_model(&self) -> bool {
        let words = self.table.words;
        let key = |number: usize| &self.table.keys[number * words..(number + 1) * words];
        words == self.projection.words()
            && self.table.dimensions.iter().enumerate().all(|(number, &dimension)| {
                self.projection.dimension(key(number)) == Some(dimension as usize)
            })
    }

    /// The size.
    #[must_use]
    pub fn size(&self) -> Size {
        self.size
    }

    /// Whether all of the abstract model was explored.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether the database proves that neither a goal nor a run-time error is reachable.
    #[must_use]
    pub fn proves_unreachable(&self) -> bool {
        self.is_complete && self.size.goals == 0 && !self.original_may_fail
    }

    /// The memory in bytes.
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
        let skipped = usize::from(is_disabled(Clause::MissedZone) && entries.len() > 1);
        for entry in entries.skip(skipped) {
            let start = self.table.zones[entry] as usize;
            let bounds = &self.table.bounds[start..start + dimension * dimension];
            if meets(&self.projection.zone, bounds, &mut self.scratch, &mut self.other) {
                let distance = self.table.distances[entry];
                let wrong = u32::from(is_disabled(Clause::LargeDistance) && distance > 0);
                return Distance::AtLeast(distance + wrong);
            }
        }
        self.horizon.map_or(Distance::Infinite, Distance::AtLeast)
    }
}

/// Fails if the meter has stopped: a partial database is useful only if the query continues.
fn unless_stopped(meter: &Meter) -> Result<(), Unexplorable> {
    meter.stopped().map_or(Ok(()), |why| Err(Unexplorable::Stopped(why)))
}

fn unexplorable(why: &CompileError) -> Unexplorable {
    match why {
        CompileError::TooManyActions(..) => Unexplorable::TooManyActions,
        CompileError::Stopped(why) => Unexplorable::Stopped(*why),
    }
}

/// Whether `zone` and the zone of `bounds` intersect.
#[inline]
fn meets<W: Width>(
    zone: &Zone<W>,
    bounds: &[Bound<W>],
    scratch: &mut Zone<W>,
    other: &mut Zone<W>,
) -> bool {
    let dimension = zone.dim();
    // Most disjoint zones are separated by a single difference.
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
            // The abstract model does not show run-time errors of the original.
            Distance::Infinite if self.original_may_fail => Estimate::Last,
            Distance::Infinite => Estimate::DeadEnd,
        }
    }

    fn name(&self) -> &'static str {
        "pdb"
    }
}

impl<W: Width> Admissible for Database<W> {}

/// Asks the observer of the exploration whether a later pass may continue. The explored states are
/// not reported again: only time and memory can end such a pass.
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
    /// The table of these distances, and the number of distinct zones; incomplete if `meter_poll`
    /// finds that the meter has stopped.
    fn new(
        skeleton: &Skeleton<W>,
        found: &Distances<W>,
        meter_poll: &mut MeterPoll<'_>,
    ) -> (Self, usize) {
        let mut table = Self { words: skeleton.words, ..Self::default() };
        table.keys.clone_from(&skeleton.keys);
        let mut known: HashMap<&[Bound<W>], u32> = HashMap::new();
        for (state, layers) in skeleton.states.iter().zip(&found.layers) {
            if meter_poll.is_over() {
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

    /// The index of a key.
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
