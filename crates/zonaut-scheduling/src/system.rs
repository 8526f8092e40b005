//! Networks of tasks as transition systems over points.
//!
//! A run is a list of dated events: *starts*, which are the edges out of rests, and *ends* of tasks,
//! which are forced. A point is a discrete state, the date, the dates on which clocks were last zero,
//! and for each process whether its only edge sleeps and until when. What follows holds for the models
//! that [`crate::task_network`] recognises; it gives the conditions their names.
//!
//! # Covering
//! A point p covers q if both have the same discrete state, no date of p is later than that of q, and
//! what sleeps in p sleeps in q, with a deadline that is no later there. So the date, the origins of
//! clocks and the deadlines may differ, and nothing else.
//!
//! *Claim.* If q has a run to the goal at date d, then p has one with the same starts at the same dates.
//! p waits until q's date, and then makes q's starts. In between, tasks of p end no later than those of
//! q, because their clocks were reset no later; each end commutes with all that others do meanwhile
//! ([`TaskNetwork`], `check_ends`). So every process of p is where it is in q, or has left
//! a task in which q still is: by the exit that q takes later, or by any exit if q's run is over before.
//! Guards of starts hold: their data are the same, and their clocks are at least as old, and have only
//! lower bounds. Clocks have one owner, so that no other process notices their age. The goal names rests and
//! denies nothing, so it holds for p where it holds for q.
//!
//! *Counters.* Where p has ended a task and q has not, p may hold less of a counter. A guard that reads
//! it allows that, and updates only add to it, so that p and q agree again when q ends the task. A
//! sum of amounts is never negative, so p stays in the range of the cell.
//!
//! *Dates and deadlines.* A clock that is never set has the same value in p and q on the same date,
//! so that bounds on it in guards of starts hold for both. A process of p that is where it is in
//! q meets its deadline, because q does. One that has left a task earlier is at the end of that task, where the
//! deadline is no earlier than that of the task, in which q is in time.
//!
//! # Every decision is an event
//! *Measure.* Let N be twice the number of starts of a run, and the number of tasks that go on in its
//! first point. A start makes N smaller by one at least, an end by one; covering keeps N, because
//! both points have the same discrete state and the runs have the same starts. A search that drops
//! covered points is complete by induction over N if every decision is an event. *Waiting alone is
//! never a decision*: a point that only waits is covered by its own parent, and N stays. So
//! [`Decision::Wait`] goes to the date on which the next tasks end and ends one at least; where all
//! tasks that are due then have several exits, the decision is one of the exits.
//!
//! Which starts are looked at, and when:
//!
//! 1. Tasks that end at an instant end before anything starts at it: ends commute.
//!    Deadlines become no earlier by them.
//! 2. A start is made when something has just happened, or when a clock of its guard is just old enough.
//!    Made earlier, it leads to a point that covers the one to which it leads later.
//! 3. A start f that was possible and was not made is not made until an event happens that depends on
//!    it: f *sleeps* (P. Godefroid: "Partial-order methods for the verification of concurrent systems",
//!    DOI 10.1007/3-540-60761-7). Otherwise f is made first, because it commutes with all in between:
//!    with starts by `depends`; and its end with what it now precedes, because a lock that excludes
//!    that was taken by f, or held before. That run has the same starts, so N is the same, and it is one
//!    of those that are looked at before. Only the single edge of a rest sleeps.
//! 4. If f starts a task of length l *without trace*, such an event happens less than l later.
//!    Otherwise f is made at once and over by then. Without trace means: f and the end e of the task
//!    write only locks that f takes and e gives back, and cells that no other process reads or writes;
//!    what they write does not depend on cells that others write; the task has one exit; the goal does
//!    not name the rest that f leaves; the deadline of the task is no earlier than that of the rest; and
//!    *the process cannot come back to that rest*. A counter of which f takes what e gives back is
//!    as it was, too: an event that touches it in between depends on f, and later ones find it lower. The new run has
//!    two more events if f was never made in the old one, so N may grow. The induction is therefore over
//!    pairs: first the number of strongly connected components that processes may still leave, which
//!    depends on the discrete state alone and becomes less by f; then N. In a cycle f would lead to a
//!    point that is covered by the one before f, and all runs that wait would be lost.
//!
//! In scheduling, 3 and 4 are known as active schedules.
//!
//! Dates are exact up to [`LAST`]; beyond it the search fails, and the model is left to zones. Only a
//! deadline that was computed ends a sleep: [`NO_DEADLINE`] is no date.

use std::ops::ControlFlow;

use zonaut_base::{Id, Meter};
use zonaut_compile::{ActionId, BoundsTable, CompiledNetwork, Machine};
use zonaut_cost::Infimum;
use zonaut_cost::tasks::{Keeper, Move, Stay};
use zonaut_model::interpret::{ClockEffect, RunTimeError};
use zonaut_model::{CLOCK_LIMIT, LocationId, Model, ProcessId};
use zonaut_space::{Goal, Pricing, StopReason, Successor, TransitionSystem};
use zonaut_zonegraph::StepError;

use crate::goal::LocationGoal;
use crate::state::{AWAKE, Date, Point};
use crate::task_network::TaskNetwork;

/// A decision at an instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Decision {
    /// To make this move.
    Make(u32),
    /// To wait until something ends or becomes possible.
    Wait,
}

/// The last date. A decision beyond it is an error ([`StepError::ClockRange`]) and never a dead end.
const LAST: Date = Date::MAX / 4;

// The sum of a date and a constant of the model is exact, also where it is beyond the last date.
const _: () = assert!(LAST.checked_add(CLOCK_LIMIT).is_some());

/// The deadline of a sleeper that has none, or one beyond the last date. It never expires.
const NO_DEADLINE: Date = LAST + 1;

/// A network of tasks.
pub(crate) struct TaskSystem<'n> {
    pub(crate) network: &'n TaskNetwork,
    pub(crate) compiled: &'n CompiledNetwork,
    pub(crate) meter: &'n Meter,
    pub(crate) goal: &'n LocationGoal,
    pub(crate) rate: i64,
    /// By move, its action.
    pub(crate) actions: Vec<ActionId>,
    /// By move, how long a task takes that leaves no trace.
    traceless: Vec<Option<Date>>,
    /// By process and location, the clocks that matter there, with the greatest value that is
    /// distinguished.
    ages: Vec<Vec<Vec<(usize, Date)>>>,
    /// By clock, its process.
    owners: Vec<Option<usize>>,
    clocks: usize,
}

impl<'n> TaskSystem<'n> {
    pub(crate) fn new(
        model: &Model,
        network: &'n TaskNetwork,
        compiled: &'n CompiledNetwork,
        goal: &'n LocationGoal,
        rate: i64,
        meter: &'n Meter,
    ) -> Self {
        let tasks = &network.tasks;
        let bounds = BoundsTable::new(model, &zonaut_model::Formula::truth());
        let mut actions = vec![ActionId::from_index(0); tasks.moves.len()];
        for (id, action) in compiled.actions().iter_enumerated() {
            let is_it = |this: &Move| (this.process, this.edge) == (action.process, action.edge);
            if let Some(index) = tasks.moves.iter().position(is_it) {
                actions[index] = id;
            }
        }
        let ages = model.processes.iter_enumerated().map(|(process, definition)| {
            let of_location = |location: LocationId| {
                let bounds = bounds.of(process, location).iter();
                bounds.map(|b| (b.clock.index(), b.lower.max(b.upper).max(0))).collect()
            };
            definition.locations.ids().map(of_location).collect()
        });
        let ages: Vec<Vec<Vec<(usize, Date)>>> = ages.collect();
        let mut owners = vec![None; model.clocks.len()];
        for (process, locations) in ages.iter().enumerate() {
            locations.iter().flatten().for_each(|&(clock, _)| owners[clock] = Some(process));
        }
        Self {
            network,
            compiled,
            meter,
            goal,
            rate,
            actions,
            traceless: (0..tasks.moves.len()).map(|m| traceless(network, goal, m)).collect(),
            ages,
            owners,
            clocks: model.clocks.len(),
        }
    }

    pub(crate) fn process_count(&self) -> usize {
        self.network.tasks.stays.len()
    }

    fn location(point: &Point, process: usize) -> usize {
        point.values[process] as usize
    }

    /// The moves that leave the location of a process.
    pub(crate) fn leaving(&self, point: &Point, process: usize) -> &'n [usize] {
        &self.network.tasks.leaving[process][Self::location(point, process)]
    }

    /// When the task of a process ends, if it works on one.
    pub(crate) fn end(&self, point: &Point, process: usize) -> Option<Date> {
        match self.network.tasks.stays[process][Self::location(point, process)] {
            Stay::Rest => None,
            // The length of a task is a constant of a clock, so it is a date.
            Stay::Task { clock, length } => Some(point.origin(clock.index()) + length as Date),
        }
    }

    /// The move of a process that sleeps, and its deadline, if it has one.
    pub(crate) fn sleeper(&self, point: &Point, process: usize) -> Option<(usize, Date)> {
        let deadline = point.deadline(self.clocks, process);
        let sleeper = self.only_move(point, process)?;
        (deadline < NO_DEADLINE).then_some((sleeper, deadline))
    }

    /// The only move out of a rest, if it is the only one.
    fn only_move(&self, point: &Point, process: usize) -> Option<usize> {
        match self.leaving(point, process) {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// The date from which the clocks of a move are old enough.
    fn possible_from(&self, point: &Point, this: usize) -> Date {
        let after = self.network.tasks.moves[this].after.iter();
        after.map(|&(clock, age)| point.origin(clock.index()) + age).max().unwrap_or(0)
    }

    /// Whether the data allows a move.
    fn is_allowed(
        &self,
        point: &mut Point,
        this: usize,
        machine: &mut Machine,
    ) -> Result<bool, RunTimeError> {
        let guard = &self.compiled.action(self.actions[this]).guard;
        self.compiled.data_holds(guard, &mut point.values, machine)
    }

    /// The moves that may come next, with the dates on which they become possible, in order of dates:
    /// those of the process whose task is due, or all that become possible before a task ends.
    fn candidates(&self, point: &Point, into: &mut Vec<(Date, usize)>) {
        into.clear();
        if let Some(process) = self.due(point) {
            into.extend(self.leaving(point, process).iter().map(|&this| (point.now(), this)));
            return;
        }
        let end = self.next_end(point);
        for process in 0..self.process_count() {
            if self.end(point, process).is_some() || point.deadline(self.clocks, process) != AWAKE {
                continue;
            }
            for &this in self.leaving(point, process) {
                let date = self.possible_from(point, this).max(point.now());
                if end.is_none_or(|end| date < end) {
                    into.push((date, this));
                }
            }
        }
        into.sort_unstable();
    }

    /// Makes a move: what depends on it wakes up.
    fn make(
        &self,
        point: &mut Point,
        this: usize,
        machine: &mut Machine,
    ) -> Result<(), RunTimeError> {
        self.compiled.take(&[self.actions[this]], &mut point.values, machine)?;
        let now = point.now();
        for effect in &machine.clock_effects {
            if let ClockEffect::Set(clock, value) = *effect {
                point.set_origin(clock.index(), now - value);
            }
        }
        for process in 0..self.process_count() {
            if point.deadline(self.clocks, process) != AWAKE {
                let depends = match self.only_move(point, process) {
                    Some(sleeper) => self.network.depends(this, sleeper),
                    None => true,
                };
                if depends {
                    point.set_deadline(self.clocks, process, AWAKE);
                }
            }
        }
        Ok(())
    }

    /// Ends all tasks that are due and have one exit; each end is passed to `ended`.
    fn settle(
        &self,
        point: &mut Point,
        machine: &mut Machine,
        mut ended: impl FnMut(usize),
    ) -> Result<(), RunTimeError> {
        for process in 0..self.process_count() {
            if self.end(point, process).is_some_and(|end| end <= point.now())
                && let Some(end) = self.only_move(point, process)
            {
                self.make(point, end, machine)?;
                ended(end);
            }
        }
        Ok(())
    }

    /// The process whose exits are alternatives on `date`, when the next tasks end, if all of those
    /// tasks have several exits: then waiting alone would be no event.
    fn chooser(&self, point: &Point, date: Date) -> Option<usize> {
        #[cfg(feature = "faults")]
        if crate::faults::Fault::WaitCoveredByParent.is_selected() {
            return None;
        }
        let is_due = |process: &usize| self.end(point, *process).is_some_and(|end| end <= date);
        let mut due = (0..self.process_count()).filter(is_due);
        let first = due.clone().next()?;
        due.all(|process| self.only_move(point, process).is_none()).then_some(first)
    }

    /// Drops dates that do not matter, and packs the values.
    fn finish(&self, point: &mut Point) {
        let now = point.now();
        for clock in (0..self.clocks).filter(|&clock| !self.network.is_date[clock]) {
            let age = self.owners[clock].and_then(|owner| {
                let ages = &self.ages[owner][Self::location(point, owner)];
                ages.iter().find(|(c, _)| *c == clock).map(|&(_, age)| age)
            });
            let origin = age.map_or(0, |age| point.origin(clock).max(now - age));
            point.set_origin(clock, origin);
        }
        self.compiled.packing.pack(&point.values, &mut point.key);
    }

    /// When the next task ends, if one is going on.
    fn next_end(&self, point: &Point) -> Option<Date> {
        (0..self.process_count()).filter_map(|process| self.end(point, process)).min()
    }

    /// Whether every process may be where it is until this date.
    fn is_in_time(&self, point: &Point, date: Date) -> bool {
        let deadlines = self.network.deadlines.iter().enumerate();
        let mut deadlines =
            deadlines.filter_map(|(process, all)| all[Self::location(point, process)]);
        deadlines.all(|deadline| date <= deadline)
    }

    /// Whether a move may be made on this date.
    fn may_be_made(&self, point: &Point, this: usize, date: Date) -> bool {
        let Move { process, target, .. } = self.network.tasks.moves[this];
        self.network.until[this].is_none_or(|until| date <= until)
            && date <= self.network.deadline(process, target)
            && self.is_in_time(point, date)
    }

    /// Whether the deadline of a sleeper has expired on a date.
    fn has_overslept(&self, point: &Point, date: Date) -> bool {
        (0..self.process_count()).any(|process| {
            let deadline = point.deadline(self.clocks, process);
            #[cfg(feature = "faults")]
            if crate::faults::Fault::SleepEndsWithRange.is_selected() {
                return deadline <= date;
            }
            deadline < NO_DEADLINE && deadline <= date
        })
    }

    /// Puts a possible move to sleep, unless it sleeps already or its process could do something else.
    fn put_to_sleep(&self, point: &mut Point, this: usize) {
        let process = self.network.tasks.moves[this].process.index();
        if self.only_move(point, process) == Some(this)
            && point.deadline(self.clocks, process) == AWAKE
        {
            let over = self.traceless[this].map(|length| point.now() + length);
            let deadline = over.map_or(NO_DEADLINE, |over| over.min(NO_DEADLINE));
            point.set_deadline(self.clocks, process, deadline);
        }
    }

    /// Waits until the next tasks end; whether that may lead to a best run. Each end is passed to
    /// `ended`. At least one task ends, unless there is a [`chooser`](Self::chooser).
    fn wait(
        &self,
        point: &mut Point,
        machine: &mut Machine,
        ended: impl FnMut(usize),
    ) -> Result<bool, StepError> {
        let Some(end) = self.next_end(point) else { return Ok(false) };
        if end > LAST {
            return Err(StepError::ClockRange);
        }
        if self.has_overslept(point, end) || !self.is_in_time(point, end) {
            return Ok(false);
        }
        point.set_now(end);
        self.settle(point, machine, ended)?;
        Ok(true)
    }

    /// Carries a decision out in `point`; whether it leads anywhere.
    pub(crate) fn decide(
        &self,
        decision: Decision,
        point: &mut Point,
        machine: &mut Machine,
        mut made: impl FnMut(usize),
    ) -> Result<bool, StepError> {
        let is_possible = match decision {
            Decision::Wait => self.wait(point, machine, made)?,
            Decision::Make(this) => {
                let this = this as usize;
                let date = self.possible_from(point, this).max(point.now());
                if date > LAST {
                    return Err(StepError::ClockRange);
                }
                if !self.may_be_made(point, this, date) {
                    return Ok(false);
                }
                point.set_now(date);
                self.make(point, this, machine)?;
                made(this);
                self.settle(point, machine, made)?;
                true
            }
        };
        self.finish(point);
        Ok(is_possible)
    }

    /// The first process whose task is due and may end in several ways.
    fn due(&self, point: &Point) -> Option<usize> {
        (0..self.process_count())
            .find(|&process| self.end(point, process).is_some_and(|end| end <= point.now()))
    }

    /// The start.
    pub(crate) fn start(
        &self,
        machine: &mut Machine,
        made: impl FnMut(usize),
    ) -> Result<Point, StepError> {
        let mut point = Point {
            values: self.compiled.initial.to_vec(),
            key: Vec::new(),
            dates: vec![0; 1 + self.clocks],
        };
        for (clock, &value) in self.compiled.initial_clocks.iter().enumerate() {
            point.set_origin(clock, -value);
        }
        point.dates.resize(1 + self.clocks + self.process_count(), -AWAKE);
        self.settle(&mut point, machine, made)?;
        self.finish(&mut point);
        Ok(point)
    }

    /// Fresh working memory for evaluations.
    pub(crate) fn machine(&self) -> Machine {
        self.compiled.machine(self.meter)
    }

    /// The moves of a list of decisions.
    pub(crate) fn moves(&self, decisions: &[Decision]) -> Vec<Vec<ActionId>> {
        let mut machine = self.machine();
        let mut moves = Vec::new();
        if let Ok(mut point) = self.start(&mut machine, |this| moves.push(this)) {
            for &decision in decisions {
                // A decision that fails is the last one.
                let made = self.decide(decision, &mut point, &mut machine, |m| moves.push(m));
                if let (Err(_), Decision::Make(this)) = (made, decision) {
                    moves.push(this as usize);
                }
            }
        }
        moves.into_iter().map(|this| vec![self.actions[this]]).collect()
    }
}

/// The length of the task that `start` begins, if the task leaves no trace but its process being
/// further: the conditions of rule 4, see the head of this file.
fn traceless(network: &TaskNetwork, goal: &LocationGoal, start: usize) -> Option<Date> {
    let tasks = &network.tasks;
    let this = &tasks.moves[start];
    let process: ProcessId = this.process;
    let Stay::Task { length, .. } = tasks.stay(process, this.target) else { return None };
    let [end_index] = tasks.leaving[process.index()][this.target.index()][..] else {
        return None;
    };
    let end = &tasks.moves[end_index];
    let is_counted_back = |cell| {
        network.counter(cell).is_some_and(|(_, counter)| {
            counter.amount(process, this.source) == counter.amount(process, end.target)
                && [start, end_index].iter().all(|&this| counter.is_only_counted_by(this))
        })
    };
    let is_given_back = |cell| {
        is_counted_back(cell)
            || tasks.locks.iter().any(|lock| {
                lock.keeper == Keeper::Cell(cell)
                    && !lock.is_held(process, this.source)
                    && lock.is_held(process, this.target)
                    && !lock.is_held(process, end.target)
            })
    };
    let others = || tasks.moves.iter().filter(|other| other.process != process);
    let is_private =
        |cell| others().all(|o| !o.reads.cells.contains(cell) && !o.writes.cells.contains(cell));
    let mut written = this.writes.cells.iter().chain(end.writes.cells.iter());
    let leaves_no_trace = written.all(|cell| is_given_back(cell) || is_private(cell));
    let is_own = |cell| others().all(|o| !o.writes.cells.contains(cell));
    let mut read = this.update_reads.cells.iter().chain(end.update_reads.cells.iter());
    let is_the_same_later = read.all(|cell| is_given_back(cell) || is_own(cell));
    let is_progress = !network.is_reachable(process, end.target, this.source);
    #[cfg(feature = "faults")]
    let is_progress = is_progress || crate::faults::Fault::TracelessInCycle.is_selected();
    #[cfg(feature = "faults")]
    let is_the_same_later =
        is_the_same_later || crate::faults::Fault::TracelessReading.is_selected();
    let is_free_to_go = !goal.names(process, this.source);
    let stays_in_time =
        network.deadline(process, this.source) <= network.deadline(process, this.target);
    #[cfg(feature = "faults")]
    let stays_in_time = stays_in_time || crate::faults::Fault::TracelessIntoDeadline.is_selected();
    let is_traceless =
        leaves_no_trace && is_the_same_later && is_progress && is_free_to_go && stays_in_time;
    is_traceless.then_some(length as Date)
}

impl TransitionSystem for TaskSystem<'_> {
    type State = Point;
    type Step = Decision;
    type Error = StepError;
    type Scratch = (Machine, [Point; 2], Vec<(Date, usize)>);

    fn scratch(&self) -> Self::Scratch {
        (self.machine(), <[Point; 2]>::default(), Vec::new())
    }

    fn for_each_initial(
        &self,
        (machine, ..): &mut Self::Scratch,
        mut visit: impl FnMut(Result<&mut Point, StepError>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match self.start(machine, |_| {}) {
            Ok(mut point) => visit(Ok(&mut point)),
            Err(error) => visit(Err(error)),
        }
    }

    fn for_each_successor(
        &self,
        state: &Point,
        (machine, [before, after], candidates): &mut Self::Scratch,
        mut visit: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        before.clone_from(state);
        let is_due = self.due(state).is_some();
        self.candidates(state, candidates);
        for &(date, this) in &*candidates {
            let step = Decision::Make(this as u32);
            match self.is_allowed(before, this, machine) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(error) => {
                    visit(Successor::Error(step, error.into()))?;
                    continue;
                }
            }
            if self.has_overslept(before, date) {
                return ControlFlow::Continue(());
            }
            before.set_now(date);
            after.clone_from(before);
            match self.decide(step, after, machine, |_| {}) {
                Ok(true) => visit(Successor::State(step, after))?,
                Ok(false) => continue,
                Err(error) => visit(Successor::Error(step, error))?,
            }
            self.put_to_sleep(before, this);
        }
        if is_due {
            return ControlFlow::Continue(());
        }
        let Some(end) = self.next_end(before) else { return ControlFlow::Continue(()) };
        if let Some(process) = self.chooser(before, end) {
            if self.has_overslept(before, end) {
                return ControlFlow::Continue(());
            }
            for &this in self.leaving(state, process) {
                let step = Decision::Make(this as u32);
                after.clone_from(before);
                match self.decide(step, after, machine, |_| {}) {
                    Ok(true) => visit(Successor::State(step, after))?,
                    Ok(false) => {}
                    Err(error) => visit(Successor::Error(step, error))?,
                }
            }
            return ControlFlow::Continue(());
        }
        match self.decide(Decision::Wait, before, machine, |_| {}) {
            Ok(true) => visit(Successor::State(Decision::Wait, before)),
            Ok(false) => ControlFlow::Continue(()),
            Err(error) => visit(Successor::Error(Decision::Wait, error)),
        }
    }

    fn stopped_by(error: &StepError) -> Option<StopReason> {
        match error {
            StepError::Stopped(why) => Some(*why),
            _ => None,
        }
    }
}

/// The costs of points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointPricing(pub(crate) i64);

impl PointPricing {
    pub(crate) fn cost(self, point: &Point) -> Infimum {
        Infimum::attained(i64::from(point.now()) * self.0)
    }
}

impl<'n> Pricing<TaskSystem<'n>> for PointPricing {
    type Cost = Infimum;

    fn is_in_states(&self) -> bool {
        true
    }
    fn of_initial(&self, state: &Point) -> Infimum {
        self.cost(state)
    }
    fn after(&self, _before: Infimum, _step: Decision, state: &Point) -> Infimum {
        self.cost(state)
    }
}

/// The goal of a network of tasks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival<'n>(pub(crate) &'n LocationGoal);

impl<'n> Goal<TaskSystem<'n>> for Arrival<'_> {
    fn holds_in(&mut self, state: &Point) -> Result<bool, StepError> {
        Ok(self.0.holds(&state.values))
    }
}
