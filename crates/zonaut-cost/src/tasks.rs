//! The stays, moves and locks of a model, which bound its costs from below.
//!
//! A process stays in a location for some time at least, and may need a [lock](Lock) there, which
//! one process at a time can hold, or a part of the capacity of a [counter](Counter). [`Tasks::relaxed`] finds both in any model. A network of tasks,
//! in which every stay takes exactly this time, is built by the same parts: [`Tasks::new`].
//! [`look_ahead`] is the work ahead of a process, [`preemptive`] bounds the uses of one lock.

mod ahead;
mod counters;
mod distance;
mod locks;
mod meetings;
mod relaxed;

use zonaut_analysis::Symbols;
use zonaut_analysis::footprint::Footprints;
use zonaut_analysis::interval::declared_walk;
use zonaut_base::{Id, Meter, StopReason};
use zonaut_model::{
    CLOCK_LIMIT, ClockConstraint, ClockId, Edge, EdgeId, Expression, ExpressionId, LocationId,
    Model, Place, ProcessId,
};

use crate::costing::Costing;
pub use ahead::{
    Ahead, Choice, Follows, Job, Load, Locations, Use, energetic, look_ahead, preemptive,
};
pub use counters::Counter;
use counters::find_counters;
pub use distance::{Distance, FARTHEST, Span};
use locks::{Candidate, find_locks};
pub use locks::{Doubt, Keeper, Lock};
pub use relaxed::price_of;

/// The kind of a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stay {
    /// The process may leave at any time.
    Rest,
    /// The process leaves when the clock, reset on entry, has this value.
    Task {
        /// The clock.
        clock: ClockId,
        /// Its value on exit.
        length: Span,
    },
}

/// An edge.
#[derive(Clone, Debug)]
pub struct Move {
    /// Its process.
    pub process: ProcessId,
    /// The edge of the process.
    pub edge: EdgeId,
    /// The location that it leaves.
    pub source: LocationId,
    /// The location that it enters.
    pub target: LocationId,
    /// Clocks that have to have at least these values.
    pub after: Vec<(ClockId, i32)>,
    /// The cells and clocks that guard and updates read.
    pub reads: Symbols,
    /// The cells and clocks that updates write.
    pub writes: Symbols,
    /// The cells that the updates alone read: what is written may depend on them.
    pub update_reads: Symbols,
    /// Its least cost; 0 in a network of tasks.
    pub price: Span,
}

impl Move {
    /// The edge in its model.
    #[must_use]
    pub fn content<'m>(&self, model: &'m Model) -> &'m Edge {
        &model.processes[self.process].edges[self.edge]
    }
}

/// The stays, moves and locks of a model.
#[derive(Clone, Debug)]
pub struct Tasks {
    /// By process and location.
    pub stays: Vec<Vec<Stay>>,
    /// The edges of all processes.
    pub moves: Vec<Move>,
    /// By process and location, the moves that leave it.
    pub leaving: Vec<Vec<Vec<usize>>>,
    /// The proven locks.
    pub locks: Vec<Lock>,
    /// The proven counters.
    pub counters: Vec<Counter>,
    /// Candidates that are no locks, with the reasons.
    pub doubts: Vec<(Keeper, Doubt)>,
}

impl Tasks {
    /// The tasks with these stays and moves, and the locks of `model`; the analysis counts on
    /// `meter`.
    ///
    /// # Errors
    /// The reason of the meter to stop.
    pub fn new(
        model: &Model,
        stays: Vec<Vec<Stay>>,
        moves: Vec<Move>,
        meter: &Meter,
    ) -> Result<Self, StopReason> {
        let leaving = leaving_of(model, &moves);
        let is_framed = !model.before_update.is_empty() || !model.after_update.is_empty();
        let mut candidates = if is_framed { Vec::new() } else { find_locks(model, &moves, meter)? };
        let counters = if is_framed { Vec::new() } else { find_counters(model, &moves, meter)? };
        candidates.extend(counters.iter().filter_map(Candidate::of_counter));
        let (locks, doubts) = sorted(candidates);
        let is_no_counter = |keeper: Keeper| {
            let mut cells = counters.iter().map(|counter| Keeper::Cell(counter.cell));
            cells.all(|cell| cell != keeper)
        };
        let doubts = doubts.into_iter().filter(|(keeper, _)| is_no_counter(*keeper)).collect();
        Ok(Self { stays, moves, leaving, locks, counters, doubts })
    }

    /// A relaxation of any `model`: the least cost of each location and of each edge in the measure of
    /// `costing`, and the cells that are locks. See `relaxed.rs`.
    ///
    /// # Errors
    /// The reason of the meter to stop.
    pub fn relaxed(model: &Model, costing: Costing, meter: &Meter) -> Result<Self, StopReason> {
        let moves = relaxed::moves(model, costing);
        let stays = relaxed::stays(model, &moves, costing.rate, meter)?;
        Self::new(model, stays, moves, meter)
    }

    /// The kind of a location.
    #[must_use]
    pub fn stay(&self, process: ProcessId, location: LocationId) -> Stay {
        self.stays[process.index()][location.index()]
    }

    /// Whether a process works on a task in a location.
    #[must_use]
    pub fn is_task(&self, process: ProcessId, location: LocationId) -> bool {
        matches!(self.stay(process, location), Stay::Task { .. })
    }
}

/// The locks, each once, and the candidates that are none.
fn sorted(candidates: Vec<Candidate>) -> (Vec<Lock>, Vec<(Keeper, Doubt)>) {
    let (mut locks, mut doubts): (Vec<Lock>, _) = (Vec::new(), Vec::new());
    for Candidate { keeper, found } in candidates {
        match found {
            Ok(lock) if locks.iter().any(|other| other.is_held_like(&lock)) => {}
            Ok(lock) => locks.push(lock),
            Err(doubt) => doubts.push((keeper, doubt)),
        }
    }
    (locks, doubts)
}

/// The clock and the constant of a constraint without condition or difference.
#[must_use]
pub fn simple(model: &Model, constraint: &ClockConstraint) -> Option<(ClockId, i32)> {
    let ClockConstraint { condition, left, right, bound, .. } = constraint;
    // A larger one fails at run time.
    let bound = constant(model, *bound).filter(|bound| (0..=CLOCK_LIMIT).contains(bound));
    match (condition, right, fixed(left), bound) {
        (None, None, Some(clock), Some(bound)) => Some((clock, bound)),
        _ => None,
    }
}

pub(crate) fn fixed(place: &Place<ClockId>) -> Option<ClockId> {
    place.indices.is_empty().then_some(place.root)
}

/// The value of an expression that always has the same.
pub(crate) fn constant(model: &Model, id: ExpressionId) -> Option<i32> {
    let mut walk = declared_walk(model);
    let (low, high) = walk.evaluate(id)?;
    (walk.failures().is_empty() && low == high).then_some(low as i32)
}

/// The symbols that the updates of an edge read.
#[must_use]
pub fn update_reads(model: &Model, edge: &Edge) -> Symbols {
    let mut walk = Footprints::walk(model);
    let _ = walk.update(&edge.updates);
    walk.domain.found.reads
}

/// Whether an edge sets a clock to 0, and to nothing else.
#[must_use]
pub fn resets(model: &Model, edge: &Edge, clock: ClockId) -> bool {
    let mut is_reset = false;
    for &update in &edge.updates {
        match &model.expressions[update] {
            Expression::AssignClock(place, value) if fixed(place) == Some(clock) => {
                is_reset = constant(model, *value) == Some(0);
            }
            Expression::AssignClock(place, _) if fixed(place).is_some() => {}
            other => {
                let mut walk = Footprints::walk(model);
                let _ = walk.update(&[update]);
                let touched = walk.domain.found.writes.clocks.contains(clock);
                if touched || matches!(other, Expression::AssignClock(..)) {
                    return false;
                }
            }
        }
    }
    is_reset
}

fn leaving_of(model: &Model, moves: &[Move]) -> Vec<Vec<Vec<usize>>> {
    let empty = |process: &zonaut_model::Process| vec![Vec::new(); process.locations.len()];
    let mut leaving: Vec<_> = model.processes.iter().map(empty).collect();
    for (index, this) in moves.iter().enumerate() {
        leaving[this.process.index()][this.source.index()].push(index);
    }
    leaving
}
