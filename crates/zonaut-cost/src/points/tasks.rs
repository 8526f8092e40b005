//! Networks of tasks: models in which everything takes a fixed time once it has begun.
//!
//! A process rests, or works on a task: a location that it stays in for a fixed time. [`Tasks::of`] checks
//! on the model at hand what the proof in [`super::system`] needs; where a condition fails, the model
//! is left to zones:
//!
//! - no synchronisation, selection, priority, price, rate of clocks, urgent or committed location, meta
//!   variable, invariant on data, or update around every transition;
//! - invariants are `x <= c`; the location is a *task*, entered only by edges that set x to 0;
//! - a task has at least one exit; all exits have the guard `x >= c` or `x == c` alone, and lead to rests;
//! - guards of other edges have only lower bounds on clocks, with constants;
//! - every clock belongs to one process, and is never copied;
//! - *ending a task earlier loses nothing*: let e end the task of process P in location l. An edge f of
//!   another process that is taken while P is in l commutes with e: they touch no common cell, or f
//!   cannot be taken then, because P in l holds a [lock](super::locks) that f or the process of f needs;
//! - the goal names rests, with conjunction and disjunction alone ([`super::goal`]).
//!
//! Therefore points are compared by dates, and few delays are explored.

use zonaut_analysis::footprint::{Footprint, Footprints};
use zonaut_analysis::interval::{Declared, Intervals};
use zonaut_analysis::{Symbols, Walk};
use zonaut_base::Id;
use zonaut_model::{
    CLOCK_LIMIT, ClockConstraint, ClockId, Condition, Edge, EdgeId, Expression, ExpressionId,
    LocationId, LocationKind, Model, Place, ProcessId, Relation,
};

use super::distance::Span;
use super::locks::{Candidate, Doubt, Keeper, Lock, find_locks};
use crate::costing::Costing;

/// More edges than this are not compared with each other.
const MOST_EDGES: usize = 1 << 12;

/// Why a model is no network of tasks, in a few words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoTasks(pub &'static str);

/// The kind of a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stay {
    /// The process may leave at any time.
    Rest,
    /// The process leaves when the clock, reset on entry, has this value.
    Task { clock: ClockId, length: Span },
}

/// An edge.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    pub(crate) process: ProcessId,
    pub(crate) edge: EdgeId,
    pub(crate) source: LocationId,
    pub(crate) target: LocationId,
    /// Clocks that have to have at least these values.
    pub(crate) after: Vec<(ClockId, i32)>,
    /// The cells and clocks that guard and updates touch.
    pub(crate) reads: Symbols,
    pub(crate) writes: Symbols,
    /// The cells that the updates alone read: what is written may depend on them.
    pub(crate) update_reads: Symbols,
    /// Its least cost; 0 in a network of tasks.
    pub(crate) price: Span,
}

impl Move {
    pub(super) fn content<'m>(&self, model: &'m Model) -> &'m Edge {
        &model.processes[self.process].edges[self.edge]
    }
}

/// A model that meets all conditions of [`Tasks::of`].
#[derive(Clone, Debug)]
pub struct Tasks {
    /// By process and location.
    pub(crate) stays: Vec<Vec<Stay>>,
    pub(crate) moves: Vec<Move>,
    /// By process and location, the moves that leave it.
    pub(crate) leaving: Vec<Vec<Vec<usize>>>,
    pub(crate) locks: Vec<Lock>,
    /// Candidates that are no locks, with the reasons.
    pub(crate) doubts: Vec<(Keeper, Doubt)>,
    /// By move and move, whether they touch a common cell that one of them writes, or belong to one
    /// process.
    depends: Vec<bool>,
}

impl Tasks {
    /// Understands `model` as a network of tasks.
    ///
    /// # Errors
    /// The first condition that fails.
    pub fn of(model: &Model) -> Result<Self, NoTasks> {
        refuse_features(model)?;
        let mut stays = Vec::new();
        let mut moves = Vec::new();
        for (id, process) in model.processes.iter_enumerated() {
            let of_process = process.locations.iter().map(|location| match location.kind {
                LocationKind::Ordinary => stay_of(model, &location.invariant),
                _ => Err(NoTasks("urgent or committed locations")),
            });
            stays.push(of_process.collect::<Result<Vec<_>, _>>()?);
            for (edge_id, edge) in process.edges.iter_enumerated() {
                moves.push(move_of(model, (id, edge_id), edge)?);
            }
        }
        if moves.len() > MOST_EDGES {
            return Err(NoTasks("too many edges"));
        }
        let leaving = leaving_of(model, &moves);
        let depends = dependences(&moves);
        let (locks, doubts) = sorted(find_locks(model, &moves));
        let tasks = Self { stays, moves, leaving, locks, doubts, depends };
        tasks.check_clocks(model)?;
        tasks.check_tasks(model)?;
        tasks.check_ends()?;
        Ok(tasks)
    }

    /// A relaxation of any `model`: the least cost of each location and of each edge in the measure of
    /// `costing`, and the cells that are locks. See [`super::relaxed`].
    pub(crate) fn relaxed(model: &Model, costing: Costing) -> Self {
        let moves = super::relaxed::moves(model, costing);
        let stays = super::relaxed::stays(model, &moves, costing.rate);
        let leaving = leaving_of(model, &moves);
        let is_framed = !model.before_update.is_empty() || !model.after_update.is_empty();
        let candidates = if is_framed { Vec::new() } else { find_locks(model, &moves) };
        let (locks, doubts) = sorted(candidates);
        Self { stays, moves, leaving, locks, doubts, depends: Vec::new() }
    }

    pub(crate) fn stay(&self, process: ProcessId, location: LocationId) -> Stay {
        self.stays[process.index()][location.index()]
    }

    pub(crate) fn is_task(&self, process: ProcessId, location: LocationId) -> bool {
        matches!(self.stay(process, location), Stay::Task { .. })
    }

    pub(crate) fn depends(&self, one: usize, other: usize) -> bool {
        self.depends[one * self.moves.len() + other]
    }

    /// Every clock belongs to one process.
    fn check_clocks(&self, model: &Model) -> Result<(), NoTasks> {
        let mut owner = vec![None; model.clocks.len()];
        for this in &self.moves {
            let touched = this.reads.clocks.iter().chain(this.writes.clocks.iter());
            for clock in touched {
                if *owner[clock.index()].get_or_insert(this.process) != this.process {
                    return Err(NoTasks("clocks shared by several processes"));
                }
            }
        }
        for (process, stays) in self.stays.iter().enumerate() {
            for stay in stays {
                if let Stay::Task { clock, .. } = stay
                    && owner[clock.index()].is_some_and(|owner| owner.index() != process)
                {
                    return Err(NoTasks("clocks shared by several processes"));
                }
            }
        }
        Ok(())
    }

    /// Tasks begin at 0, end when they are over, and lead to a rest.
    fn check_tasks(&self, model: &Model) -> Result<(), NoTasks> {
        for this in &self.moves {
            let Move { process, source, target, .. } = *this;
            let edge = &model.processes[process].edges[this.edge];
            if let Stay::Task { clock, .. } = self.stay(process, target)
                && !resets(model, edge, clock)
            {
                return Err(NoTasks("a task that does not reset its clock"));
            }
            match self.stay(process, source) {
                Stay::Rest => {}
                Stay::Task { clock, length } => {
                    let after = this.after.iter().map(|&(clock, age)| (clock, Span::from(age)));
                    if edge.guard.data.is_some() || !after.eq([(clock, length)]) {
                        return Err(NoTasks("a task whose end depends on more than its duration"));
                    }
                    if self.is_task(process, target) {
                        return Err(NoTasks("a task that is followed immediately by another"));
                    }
                }
            }
        }
        self.check_exits()?;
        let starts_at_work = model.processes.iter_enumerated().any(|(id, process)| {
            match self.stay(id, process.initial) {
                Stay::Rest => false,
                Stay::Task { clock, .. } => model.clocks[clock].initial != 0,
            }
        });
        if starts_at_work {
            Err(NoTasks("a task that has begun before the initial state"))
        } else {
            Ok(())
        }
    }

    /// Every task can end: a location with an invariant that no edge leaves is a deadline for the whole
    /// network. There an earlier entry is worse, so that dates cannot be compared, and edges of others
    /// are enabled at the bound itself.
    fn check_exits(&self) -> Result<(), NoTasks> {
        #[cfg(feature = "faults")]
        if crate::faults::Fault::MoveAtBoundLost.is_selected() {
            return Ok(());
        }
        let processes = self.stays.iter().zip(&self.leaving);
        let mut places = processes.flat_map(|(stays, leaving)| stays.iter().zip(leaving));
        match places.any(|(stay, leaving)| *stay != Stay::Rest && leaving.is_empty()) {
            true => Err(NoTasks("a location with an invariant and no outgoing edge")),
            false => Ok(()),
        }
    }

    /// Whether a process that has got to `from` may come back to `to`.
    pub(crate) fn is_reachable(
        &self,
        process: ProcessId,
        from: LocationId,
        to: LocationId,
    ) -> bool {
        let leaving = &self.leaving[process.index()];
        let mut is_seen = vec![false; leaving.len()];
        let mut open = vec![from];
        while let Some(location) = open.pop() {
            if location == to {
                return true;
            }
            if !std::mem::replace(&mut is_seen[location.index()], true) {
                open.extend(leaving[location.index()].iter().map(|&this| self.moves[this].target));
            }
        }
        false
    }

    /// Ends of tasks commute with all that others may do meanwhile.
    fn check_ends(&self) -> Result<(), NoTasks> {
        for (e, end) in self.moves.iter().enumerate() {
            if !self.is_task(end.process, end.source) {
                continue;
            }
            for (f, other) in self.moves.iter().enumerate() {
                let is_other = other.process != end.process;
                if is_other
                    && self.depends(e, f)
                    && !self.is_excluded(end.process, end.source, other)
                {
                    return Err(NoTasks("an end of a task that other processes may observe"));
                }
            }
        }
        Ok(())
    }

    /// Whether `other`, a move of another process, cannot be taken while `process` is in `location`.
    pub(crate) fn is_excluded(
        &self,
        process: ProcessId,
        location: LocationId,
        other: &Move,
    ) -> bool {
        self.locks.iter().any(|lock| {
            lock.is_held(process, location)
                && (lock.is_held(other.process, other.source)
                    || lock.is_held(other.process, other.target))
        })
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

/// Rejects features that networks of tasks do not have.
fn refuse_features(model: &Model) -> Result<(), NoTasks> {
    if !model.before_update.is_empty() || !model.after_update.is_empty() {
        return Err(NoTasks("before_update or after_update"));
    }
    if model.has_priorities() || model.has_rates() {
        return Err(NoTasks("priorities or clock rates"));
    }
    if model.cells.iter().any(|cell| cell.meta) {
        return Err(NoTasks("meta variables"));
    }
    let pays = model.expressions.iter().any(|e| matches!(e, Expression::AddCost(_)));
    if pays { Err(NoTasks("costs of edges")) } else { Ok(()) }
}

/// The kind of a location with this invariant.
fn stay_of(model: &Model, invariant: &Condition) -> Result<Stay, NoTasks> {
    let Condition { data, clocks } = invariant;
    if data.is_some() {
        return Err(NoTasks("invariants on data"));
    }
    match clocks.as_slice() {
        [] => Ok(Stay::Rest),
        [constraint] if constraint.relation == Relation::LessEqual => {
            let (clock, length) = simple(model, constraint)?;
            Ok(Stay::Task { clock, length: Span::from(length) })
        }
        _ => Err(NoTasks("invariants that are not of the form x <= c")),
    }
}

/// The clock and the constant of a constraint without condition or difference.
pub(super) fn simple(
    model: &Model,
    constraint: &ClockConstraint,
) -> Result<(ClockId, i32), NoTasks> {
    let ClockConstraint { condition, left, right, bound, .. } = constraint;
    // A larger one fails at run time.
    let bound = constant(model, *bound).filter(|bound| (0..=CLOCK_LIMIT).contains(bound));
    match (condition, right, fixed(left), bound) {
        (None, None, Some(clock), Some(bound)) => Ok((clock, bound)),
        _ => Err(NoTasks("clocks that are not compared with constants")),
    }
}

pub(crate) fn fixed(place: &Place<ClockId>) -> Option<ClockId> {
    place.indices.is_empty().then_some(place.root)
}

/// The value of an expression that always has the same.
pub(super) fn constant(model: &Model, id: ExpressionId) -> Option<i32> {
    let mut walk = Walk::new(model, Intervals::new(model, Declared(model)), Default::default());
    let (low, high) = walk.evaluate(id)?;
    (walk.failures().is_empty() && low == high).then_some(low as i32)
}

fn move_of(
    model: &Model,
    (process, edge_id): (ProcessId, EdgeId),
    edge: &Edge,
) -> Result<Move, NoTasks> {
    if edge.synchronisation.is_some() || !edge.select.is_empty() {
        return Err(NoTasks("synchronisations or `select`"));
    }
    let mut after = Vec::new();
    for constraint in &edge.guard.clocks {
        match constraint.relation {
            Relation::GreaterEqual | Relation::Equal => after.push(simple(model, constraint)?),
            _ => return Err(NoTasks("guards that are not of the form x >= c")),
        }
        // An equation is a lower bound where the invariant is the upper one.
        let location = &model.processes[process].locations[edge.source];
        if constraint.relation == Relation::Equal
            && location
                .invariant
                .clocks
                .iter()
                .all(|upper| simple(model, upper) != simple(model, constraint))
        {
            return Err(NoTasks("guards that become false as time passes"));
        }
    }
    let mut walk = Footprints::walk(model);
    // What never succeeds is never taken.
    let _ = walk.condition(&edge.guard);
    let _ = walk.update(&edge.updates);
    let Footprint { reads, writes, copies, .. } = walk.domain.found;
    if !copies.is_empty() {
        return Err(NoTasks("clock copies"));
    }
    let update_reads = update_reads(model, edge);
    let (source, target) = (edge.source, edge.target);
    let edge = edge_id;
    Ok(Move { process, edge, source, target, after, reads, writes, update_reads, price: 0 })
}

/// The symbols that the updates of an edge read.
pub(super) fn update_reads(model: &Model, edge: &Edge) -> Symbols {
    let mut walk = Footprints::walk(model);
    let _ = walk.update(&edge.updates);
    walk.domain.found.reads
}

/// Whether an edge sets a clock to 0, and to nothing else.
pub(crate) fn resets(model: &Model, edge: &Edge, clock: ClockId) -> bool {
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

fn dependences(moves: &[Move]) -> Vec<bool> {
    let mut depends = vec![false; moves.len() * moves.len()];
    for (i, one) in moves.iter().enumerate() {
        for (j, other) in moves.iter().enumerate() {
            depends[i * moves.len() + j] = one.process == other.process
                || one.writes.cells.meets(&other.reads.cells)
                || one.writes.cells.meets(&other.writes.cells)
                || one.reads.cells.meets(&other.writes.cells);
        }
    }
    depends
}
