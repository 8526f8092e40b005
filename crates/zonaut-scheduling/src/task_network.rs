//! Networks of tasks: models in which everything takes a fixed time once it has begun.
//!
//! A process rests, or works on a task: a location that it stays in for a fixed time. [`TaskNetwork::of`] checks
//! on the model at hand what the proof in [`crate::system`] needs; where a condition fails, the model
//! is left to zones:
//!
//! - no synchronisation, selection, priority, price, rate of clocks, urgent or committed location, meta
//!   variable, invariant on data, or update around every transition;
//! - a clock that is never set is a *date*; an invariant `time <= D` on it is a *deadline*, which does
//!   not become earlier at the end of a task;
//! - other invariants are `x <= c`; the location is a *task*, entered only by edges that set x to 0;
//! - a task has at least one exit; all exits have the guard `x >= c` or `x == c` alone, and lead to rests;
//! - guards of other edges have only lower bounds on clocks, with constants, and upper ones on dates;
//! - every other clock belongs to one process, and is never copied;
//! - *ending a task earlier loses nothing*: let e end the task of process P in location l. An edge f of
//!   another process that is taken while P is in l can be taken after e as well, with the same
//!   result: they touch no common cell but [counters](zonaut_cost::tasks::Counter) that e lowers and both
//!   only count, and that the guard of f allows to be lower; or f cannot be taken then, because P in l
//!   holds a [lock](zonaut_cost::tasks::Lock) that f or the process of f needs;
//! - the goal names rests, with conjunction and disjunction alone ([`crate::goal`]).
//!
//! Therefore points are compared by dates, and few delays are explored.

use zonaut_analysis::footprint::{Footprint, Footprints};
use zonaut_base::{Id, Meter, StopReason};
use zonaut_cost::tasks::{Counter, Move, Span, Stay, Tasks, resets, simple, update_reads};
use zonaut_model::{
    CellId, ClockConstraint, ClockId, Condition, EdgeId, Expression, LocationId, LocationKind,
    Model, ProcessId, Relation,
};

use crate::state::Date;

/// More edges than this are not compared with each other.
const MOST_EDGES: usize = 1 << 12;

/// Why a model is no network of tasks, in a few words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoTasks(pub &'static str);

/// A model that meets all conditions of [`TaskNetwork::of`].
#[derive(Clone, Debug)]
pub struct TaskNetwork {
    /// Its stays, moves and locks.
    pub(crate) tasks: Tasks,
    /// By move and move, whether they touch a common cell that one of them writes, or belong to one
    /// process.
    depends: Vec<bool>,
    /// By clock, whether it is never set, so that it shows the date.
    pub(crate) is_date: Vec<bool>,
    /// By process and location, the last date on which the process may be there.
    pub(crate) deadlines: Vec<Vec<Option<Date>>>,
    /// By move, the last date on which it may be made.
    pub(crate) until: Vec<Option<Date>>,
}

impl TaskNetwork {
    /// Understands `model` as a network of tasks.
    ///
    /// The analysis counts on `meter`.
    ///
    /// # Errors
    /// The reason of the meter to stop; the inner error is the first condition that fails.
    pub fn of(model: &Model, meter: &Meter) -> Result<Result<Self, NoTasks>, StopReason> {
        let Parts { stays, deadlines, moves, until, is_date } = match parts_of(model) {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        let depends = dependences(&moves, meter)?;
        let tasks = Tasks::new(model, stays, moves, meter)?;
        let network = Self { tasks, depends, is_date, deadlines, until };
        let checked = network
            .check_clocks(model)
            .and_then(|()| network.check_tasks(model))
            .and_then(|()| network.check_ends());
        Ok(checked.map(|()| network))
    }

    pub(crate) fn depends(&self, one: usize, other: usize) -> bool {
        self.depends[one * self.tasks.moves.len() + other]
    }

    /// The last date on which a process may be in a location.
    pub(crate) fn deadline(&self, process: ProcessId, location: LocationId) -> Date {
        self.deadlines[process.index()][location.index()].unwrap_or(Date::MAX)
    }

    /// Every clock that is no date belongs to one process.
    fn check_clocks(&self, model: &Model) -> Result<(), NoTasks> {
        let mut owner = vec![None; model.clocks.len()];
        for this in &self.tasks.moves {
            let touched = this.reads.clocks.iter().chain(this.writes.clocks.iter());
            for clock in touched.filter(|clock| !self.is_date[clock.index()]) {
                if *owner[clock.index()].get_or_insert(this.process) != this.process {
                    return Err(NoTasks("clocks shared by several processes"));
                }
            }
        }
        for (process, stays) in self.tasks.stays.iter().enumerate() {
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
        for (index, this) in self.tasks.moves.iter().enumerate() {
            let Move { process, source, target, .. } = *this;
            let edge = &model.processes[process].edges[this.edge];
            if let Stay::Task { clock, .. } = self.tasks.stay(process, target)
                && !resets(model, edge, clock)
            {
                return Err(NoTasks("a task that does not reset its clock"));
            }
            match self.tasks.stay(process, source) {
                Stay::Rest => {}
                Stay::Task { clock, length } => {
                    let after = this.after.iter().map(|&(clock, age)| (clock, Span::from(age)));
                    let is_bounded = self.until[index].is_some() || edge.guard.data.is_some();
                    if is_bounded || !after.eq([(clock, length)]) {
                        return Err(NoTasks("a task whose end depends on more than its duration"));
                    }
                    if self.tasks.is_task(process, target) {
                        return Err(NoTasks("a task that is followed immediately by another"));
                    }
                    let is_earlier =
                        self.deadline(process, target) < self.deadline(process, source);
                    #[cfg(feature = "faults")]
                    let is_earlier =
                        is_earlier && !crate::faults::Fault::DeadlineAfterTask.is_selected();
                    if is_earlier {
                        return Err(NoTasks("an earlier deadline at the end of a task"));
                    }
                }
            }
        }
        self.check_exits()?;
        let starts_at_work = model.processes.iter_enumerated().any(|(id, process)| {
            match self.tasks.stay(id, process.initial) {
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
        let processes = self.tasks.stays.iter().zip(&self.tasks.leaving);
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
        let leaving = &self.tasks.leaving[process.index()];
        let mut is_seen = vec![false; leaving.len()];
        let mut open = vec![from];
        while let Some(location) = open.pop() {
            if location == to {
                return true;
            }
            if !std::mem::replace(&mut is_seen[location.index()], true) {
                open.extend(
                    leaving[location.index()].iter().map(|&this| self.tasks.moves[this].target),
                );
            }
        }
        false
    }

    /// Ends of tasks commute with all that others may do meanwhile.
    fn check_ends(&self) -> Result<(), NoTasks> {
        for (e, end) in self.tasks.moves.iter().enumerate() {
            if !self.tasks.is_task(end.process, end.source) {
                continue;
            }
            for (f, other) in self.tasks.moves.iter().enumerate() {
                let is_other = other.process != end.process;
                if is_other
                    && self.depends(e, f)
                    && !self.is_excluded(end.process, end.source, other)
                    && !self.is_only_counted(e, f)
                {
                    return Err(NoTasks("an end of a task that other processes may observe"));
                }
            }
        }
        Ok(())
    }

    /// Whether the only cells that matter to both moves are counters, the first move lowers them, and
    /// the second one can be made as well if they are lower.
    fn is_only_counted(&self, e: usize, f: usize) -> bool {
        let (end, other) = (&self.tasks.moves[e], &self.tasks.moves[f]);
        let is_counted = |cell: CellId| {
            let Some((_, counter)) = self.counter(cell) else { return false };
            let lowers =
                counter.amount(end.process, end.target) <= counter.amount(end.process, end.source);
            let allows_less = counter.may_be_less_for(f);
            #[cfg(feature = "faults")]
            let allows_less =
                allows_less || crate::faults::Fault::GuardOfCounterForgotten.is_selected();
            lowers && allows_less && [e, f].iter().all(|&this| counter.is_only_counted_by(this))
        };
        let touches = |this: &Move, cell: CellId| {
            this.reads.cells.contains(cell) || this.writes.cells.contains(cell)
        };
        let mut written = end.writes.cells.iter().filter(|&cell| touches(other, cell));
        let mut read = other.writes.cells.iter().filter(|&cell| touches(end, cell));
        written.all(is_counted) && read.all(is_counted)
    }

    /// The counter of a cell, if it is one, with its number.
    pub(crate) fn counter(&self, cell: CellId) -> Option<(usize, &Counter)> {
        self.tasks.counters.iter().enumerate().find(|(_, counter)| counter.cell == cell)
    }

    /// Whether `other`, a move of another process, cannot be taken while `process` is in `location`.
    pub(crate) fn is_excluded(
        &self,
        process: ProcessId,
        location: LocationId,
        other: &Move,
    ) -> bool {
        self.tasks.locks.iter().any(|lock| {
            lock.is_held(process, location)
                && (lock.is_held(other.process, other.source)
                    || lock.is_held(other.process, other.target))
        })
    }
}

/// The parts of a network of tasks; see [`TaskNetwork`].
struct Parts {
    stays: Vec<Vec<Stay>>,
    deadlines: Vec<Vec<Option<Date>>>,
    moves: Vec<Move>,
    until: Vec<Option<Date>>,
    is_date: Vec<bool>,
}

/// The kinds of all locations, and all edges.
fn parts_of(model: &Model) -> Result<Parts, NoTasks> {
    refuse_features(model)?;
    let is_date = dates(model);
    let mut parts = Parts {
        stays: Vec::new(),
        deadlines: Vec::new(),
        moves: Vec::new(),
        until: Vec::new(),
        is_date,
    };
    for (id, process) in model.processes.iter_enumerated() {
        let (mut stays, mut deadlines) = (Vec::new(), Vec::new());
        for location in &process.locations {
            if location.kind != LocationKind::Ordinary {
                return Err(NoTasks("urgent or committed locations"));
            }
            let Place { stay, deadline } = place_of(model, &location.invariant, &parts.is_date)?;
            stays.push(stay);
            deadlines.push(deadline);
        }
        parts.stays.push(stays);
        parts.deadlines.push(deadlines);
        for edge in process.edges.ids() {
            let Start { content, until } = move_of(model, id, edge, &parts.is_date)?;
            parts.moves.push(content);
            parts.until.push(until);
        }
    }
    if parts.moves.len() > MOST_EDGES {
        return Err(NoTasks("too many edges"));
    }
    Ok(parts)
}

/// By clock, whether it is never set.
fn dates(model: &Model) -> Vec<bool> {
    let mut is_date = vec![true; model.clocks.len()];
    for edge in model.processes.iter().flat_map(|process| process.edges.iter()) {
        let mut walk = Footprints::walk(model);
        let _ = walk.update(&edge.updates);
        let written = &walk.domain.found.writes.clocks;
        written.iter().for_each(|clock| is_date[clock.index()] = false);
    }
    is_date
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

/// The kind of a location, and its deadline.
struct Place {
    stay: Stay,
    deadline: Option<Date>,
}

/// The kind of a location with this invariant.
fn place_of(model: &Model, invariant: &Condition, is_date: &[bool]) -> Result<Place, NoTasks> {
    let Condition { data, clocks } = invariant;
    if data.is_some() {
        return Err(NoTasks("invariants on data"));
    }
    let mut place = Place { stay: Stay::Rest, deadline: None };
    for constraint in clocks {
        if constraint.relation != Relation::LessEqual {
            return Err(NoTasks("invariants that are not of the form x <= c"));
        }
        let (clock, bound) = compared(model, constraint)?;
        if is_date[clock.index()] {
            let date = bound - model.clocks[clock].initial;
            if date < 0 {
                return Err(NoTasks("a deadline before the initial state"));
            }
            place.deadline = Some(place.deadline.map_or(date, |other| other.min(date)));
        } else if place.stay == Stay::Rest {
            place.stay = Stay::Task { clock, length: Span::from(bound) };
        } else {
            return Err(NoTasks("invariants that are not of the form x <= c"));
        }
    }
    Ok(place)
}

/// The clock and the constant of a constraint.
fn compared(model: &Model, constraint: &ClockConstraint) -> Result<(ClockId, i32), NoTasks> {
    simple(model, constraint).ok_or(NoTasks("clocks that are not compared with constants"))
}

/// A move, and the last date on which it may be made.
struct Start {
    content: Move,
    until: Option<Date>,
}

fn move_of(
    model: &Model,
    process: ProcessId,
    id: EdgeId,
    is_date: &[bool],
) -> Result<Start, NoTasks> {
    let edge = &model.processes[process].edges[id];
    if edge.synchronisation.is_some() || !edge.select.is_empty() {
        return Err(NoTasks("synchronisations or `select`"));
    }
    let mut after = Vec::new();
    let mut until: Option<Date> = None;
    for constraint in &edge.guard.clocks {
        match constraint.relation {
            Relation::GreaterEqual | Relation::Equal => after.push(compared(model, constraint)?),
            Relation::LessEqual => {
                let (clock, bound) = compared(model, constraint)?;
                if !is_date[clock.index()] {
                    return Err(NoTasks("guards that are not of the form x >= c"));
                }
                let date = bound - model.clocks[clock].initial;
                until = Some(until.map_or(date, |other| other.min(date)));
            }
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
    // An update that always fails is never executed.
    let _ = walk.condition(&edge.guard);
    let _ = walk.update(&edge.updates);
    let Footprint { reads, writes, copies, .. } = walk.domain.found;
    if !copies.is_empty() {
        return Err(NoTasks("clock copies"));
    }
    let update_reads = update_reads(model, edge);
    let (source, target) = (edge.source, edge.target);
    let content =
        Move { process, edge: id, source, target, after, reads, writes, update_reads, price: 0 };
    Ok(Start { content, until })
}

fn dependences(moves: &[Move], meter: &Meter) -> Result<Vec<bool>, StopReason> {
    let mut depends = vec![false; moves.len() * moves.len()];
    for (i, one) in moves.iter().enumerate() {
        meter.spend(moves.len() as u32)?;
        for (j, other) in moves.iter().enumerate() {
            depends[i * moves.len() + j] = one.process == other.process
                || one.writes.cells.meets(&other.reads.cells)
                || one.writes.cells.meets(&other.writes.cells)
                || one.reads.cells.meets(&other.writes.cells);
        }
    }
    Ok(depends)
}
