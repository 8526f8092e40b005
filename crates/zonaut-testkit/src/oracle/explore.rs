//! The exploration that all oracles share: delays cost nothing, actions cost one.

use super::table::Table;
use crate::network::{Clocks, Machine, Problem, State};
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_model::interpret::RunTimeError;
use zonaut_model::{Formula, LocationId, Model, QueryKind};

/// How far an oracle goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// It gives up beyond this number of states.
    pub states: usize,
    /// Whether it looks for errors behind the first goal state, too.
    pub complete: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states: 20_000, complete: false }
    }
}

/// A run-time error of the model that can be reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failure {
    /// How many actions lead to the state in which it happens.
    pub actions: u32,
    /// What happens.
    pub error: RunTimeError,
}

/// What an oracle found out about `E<> goal`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The least number of actions to a goal state, if there is one.
    pub goal: Option<u32>,
    /// The first run-time error met. Without [`Limits::complete`], only errors that were met before
    /// the goal.
    pub failure: Option<Failure>,
    /// How many states were stored.
    pub states: usize,
}

/// What is known about a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The whole space, or as much as was needed, was explored.
    Decided(Answer),
    /// The model is wrong, or outside of what the oracle can do.
    Refused(Problem),
    /// There are more states than the limit.
    TooLarge,
}

impl Verdict {
    /// Whether a goal state can be reached; `None` where that is not known, which includes models
    /// in which an error happens before a goal is found.
    #[must_use]
    pub fn is_reachable(&self) -> Option<bool> {
        match self {
            Self::Decided(Answer { goal: Some(_), .. }) => Some(true),
            Self::Decided(Answer { goal: None, failure: None, .. }) => Some(false),
            _ => None,
        }
    }
}

/// What a delay did to a valuation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Delay {
    /// Nothing that matters, nor will any longer delay.
    Nothing,
    /// It led to an instant, and only instants like the one before lie between.
    ToInstant,
    /// It led into an open interval of instants that are all alike.
    IntoInterval,
}

/// Clock valuations of which finitely many matter.
pub(super) trait FiniteClocks: Clocks<Value = i32> {
    /// Moves on to the next valuations that differ.
    fn delay(&self, values: &mut [i32]) -> Delay;
    /// Makes use of what the exploration asked for.
    fn learn(&mut self) -> Learnt;
}

/// Whether the clocks were written exactly enough.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Learnt {
    /// The exploration was exact.
    Enough,
    /// It was not; the next one will be more exact.
    More,
    /// It was not, and the constants are larger than a written value has room for.
    NoRoom,
}

/// What is searched for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal<'m> {
    formula: &'m Formula,
    negated: bool,
}

impl<'m> Goal<'m> {
    /// The states that decide a query: those that satisfy `E<>`, or violate `A[]`.
    pub(super) fn of(query: &'m QueryKind) -> Result<Self, Problem> {
        let (formula, negated) = match query {
            QueryKind::Possibly(formula) => (formula, false),
            QueryKind::Always(formula) => (formula, true),
            _ => return Err(Problem::Unsupported("queries other than E<> and A[]")),
        };
        if formula.mentions_deadlock() {
            return Err(Problem::Unsupported("deadlock"));
        }
        Ok(Self { formula, negated })
    }
}

/// Explores until the ceilings suffice.
pub(super) fn explore<'m, C: FiniteClocks>(
    model: &'m Model,
    query: &'m QueryKind,
    clocks: C,
    limits: Limits,
) -> Verdict {
    let prepared = Goal::of(query).and_then(|goal| Ok((goal, Machine::new(model, clocks)?)));
    let (goal, mut machine) = match prepared {
        Ok(prepared) => prepared,
        Err(problem) => return Verdict::Refused(problem),
    };
    loop {
        let verdict = Exploration::new(&mut machine, goal, limits).run();
        match machine.clocks.learn() {
            Learnt::Enough => return verdict,
            Learnt::NoRoom => return Verdict::TooLarge,
            Learnt::More => {}
        }
    }
}

const NOT_REACHED: u32 = u32::MAX;

struct Exploration<'e, 'm, C: FiniteClocks> {
    machine: &'e mut Machine<'m, C>,
    goal: Goal<'m>,
    limits: Limits,
    table: Table,
    /// The least number of actions known to lead to each state.
    distance: Vec<u32>,
    is_done: Vec<bool>,
    /// States that this many actions lead to, and one more.
    now: Vec<u32>,
    next: Vec<u32>,
    row: Vec<i32>,
    answer: Answer,
}

impl<'e, 'm, C: FiniteClocks> Exploration<'e, 'm, C> {
    fn new(machine: &'e mut Machine<'m, C>, goal: Goal<'m>, limits: Limits) -> Self {
        let model = machine.model();
        let width = model.processes.len() + model.cells.len() + model.clocks.len();
        Self {
            machine,
            goal,
            limits,
            table: Table::new(width),
            distance: Vec::new(),
            is_done: Vec::new(),
            now: Vec::new(),
            next: Vec::new(),
            row: Vec::new(),
            answer: Answer { goal: None, failure: None, states: 0 },
        }
    }

    fn run(mut self) -> Verdict {
        let mut state = match self.machine.initial() {
            Ok(state) => state,
            Err(problem) => return Verdict::Refused(problem),
        };
        let mut scratch = state.clone();
        let mut actions = 0;
        self.reach(&state, actions);
        std::mem::swap(&mut self.now, &mut self.next);
        while !self.now.is_empty() {
            while let Some(id) = self.now.pop() {
                if std::mem::replace(&mut self.is_done[id as usize], true) {
                    continue;
                }
                unpack(self.table.row(id), &mut state);
                if self.expand(&state, actions, &mut scratch).is_break() {
                    return self.finish();
                }
                if self.table.len() > self.limits.states {
                    return Verdict::TooLarge;
                }
            }
            actions += 1;
            std::mem::swap(&mut self.now, &mut self.next);
        }
        self.finish()
    }

    fn finish(mut self) -> Verdict {
        self.answer.states = self.table.len();
        Verdict::Decided(self.answer)
    }

    fn expand(
        &mut self,
        state: &State<i32>,
        actions: u32,
        scratch: &mut State<i32>,
    ) -> ControlFlow<()> {
        if self.answer.goal.is_none() {
            match self.machine.formula_holds(state, self.goal.formula) {
                Ok(holds) if holds != self.goal.negated => {
                    self.answer.goal = Some(actions);
                    if !self.limits.complete {
                        return ControlFlow::Break(());
                    }
                }
                Ok(_) => {}
                Err(error) => self.fail(actions, error),
            }
        }
        match self.machine.look(state) {
            Ok(()) => self.act(state, actions),
            Err(error) => {
                self.fail(actions, error);
                // Whether time may pass depends on what failed.
                if self.machine.has_urgent_channels() {
                    return ControlFlow::Continue(());
                }
            }
        }
        if self.machine.time_may_pass(state) {
            scratch.copy_from(state);
            self.wait(scratch, actions);
        }
        ControlFlow::Continue(())
    }

    fn act(&mut self, state: &State<i32>, actions: u32) {
        // The steps borrow the machine, and reaching a state borrows the rest.
        let mut failure = None;
        let Self { machine, table, distance, is_done, next, row, .. } = self;
        let _ = machine.for_each_step(state, |_, _, outcome| {
            match outcome {
                Ok(successor) => {
                    let reached = reach(table, distance, is_done, successor, row, actions + 1);
                    next.extend(reached);
                }
                Err(error) => {
                    failure.get_or_insert(error);
                }
            }
            ControlFlow::Continue(())
        });
        if let Some(error) = failure {
            self.fail(actions, error);
        }
    }

    /// Lets time pass from the state last looked at, a copy of which is `state`.
    fn wait(&mut self, state: &mut State<i32>, actions: u32) {
        let delay = self.machine.clocks.delay(&mut state.clocks);
        if delay == Delay::Nothing {
            return;
        }
        match self.machine.invariant_holds(state) {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => return self.fail(actions, error),
        }
        // Every instant before the end of a delay must admit it, and those of an open interval
        // come before any instant in it.
        if delay == Delay::IntoInterval && self.machine.has_urgent_channels() {
            let looked = self.machine.look(state);
            if looked.is_err() || self.machine.urgent_synchronisation_is_enabled() {
                return;
            }
        }
        let Self { table, distance, is_done, now, row, .. } = self;
        now.extend(reach(table, distance, is_done, state, row, actions));
    }

    fn reach(&mut self, state: &State<i32>, actions: u32) {
        let Self { table, distance, is_done, next, row, .. } = self;
        next.extend(reach(table, distance, is_done, state, row, actions));
    }

    fn fail(&mut self, actions: u32, error: RunTimeError) {
        self.answer.failure.get_or_insert(Failure { actions, error });
    }
}

/// Notes that `actions` actions lead to `state`; returns its number if it must be (re)considered.
fn reach(
    table: &mut Table,
    distance: &mut Vec<u32>,
    is_done: &mut Vec<bool>,
    state: &State<i32>,
    row: &mut Vec<i32>,
    actions: u32,
) -> Option<u32> {
    pack(state, row);
    let (id, is_new) = table.insert(row);
    if is_new {
        distance.push(NOT_REACHED);
        is_done.push(false);
    }
    let known = &mut distance[id as usize];
    (actions < *known).then(|| {
        *known = actions;
        id
    })
}

fn pack(state: &State<i32>, row: &mut Vec<i32>) {
    row.clear();
    row.extend(state.locations.iter().map(|location| location.index() as i32));
    row.extend_from_slice(&state.cells);
    row.extend_from_slice(&state.clocks);
}

fn unpack(row: &[i32], state: &mut State<i32>) {
    let (locations, rest) = row.split_at(state.locations.len());
    let (cells, clocks) = rest.split_at(state.cells.len());
    for (to, &from) in state.locations.iter_mut().zip(locations) {
        *to = LocationId::from_index(from as usize);
    }
    state.cells.copy_from_slice(cells);
    state.clocks.copy_from_slice(clocks);
}
