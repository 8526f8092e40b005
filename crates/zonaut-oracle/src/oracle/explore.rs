//! The exploration that all oracles share: a 0-1 breadth-first search, in which delays cost 0 and
//! actions cost 1.

use super::reached::{LastStep, Reached, pack};
use super::witness::{Amount, PathStep, run_along};
use crate::network::{Clocks, Machine, Offer, Participant, Problem, State};
use crate::replay::Run;
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_model::interpret::RunTimeError;
use zonaut_model::{Formula, Model, QueryKind};

/// The limits of an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The maximal number of states.
    pub states: usize,
    /// Whether the exploration continues behind the first goal state, to find errors there.
    pub complete: bool,
    /// Whether a concrete run to the goal is constructed.
    pub witness: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states: 20_000, complete: false, witness: false }
    }
}

/// A reachable run-time error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The number of actions to the state in which it occurs.
    pub actions: u32,
    /// The error.
    pub error: RunTimeError,
}

/// The answer of an oracle to `E<> goal`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The minimal number of actions to a goal state, if one is reachable.
    pub goal: Option<u32>,
    /// The first run-time error found. Without [`Limits::complete`], only errors found before the
    /// goal.
    pub failure: Option<Failure>,
    /// The number of stored states.
    pub states: usize,
    /// A shortest run to the goal, if [`Limits::witness`] asks for it and its numbers are not too
    /// large.
    pub run: Option<Run>,
}

/// The result of an exploration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The whole space, or as much as was needed, was explored.
    Decided(Answer),
    /// The model is invalid, or not supported by the oracle.
    Refused(Problem),
    /// There are more states than the limit.
    TooLarge,
}

impl Verdict {
    /// Whether a goal state is reachable; `None` if undecided, which includes models in which an
    /// error is found before a goal.
    #[must_use]
    pub fn is_reachable(&self) -> Option<bool> {
        match self {
            Self::Decided(Answer { goal: Some(_), .. }) => Some(true),
            Self::Decided(Answer { goal: None, failure: None, .. }) => Some(false),
            _ => None,
        }
    }
}

/// The effect of a delay on a valuation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Delay {
    /// No relevant change, and none after any longer delay.
    Nothing,
    /// It ended at an instant; all instants in between are equivalent to the first.
    ToInstant,
    /// It ended in an open interval of equivalent instants.
    IntoInterval,
}

/// Whether a delay from a state is possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Passing {
    /// To different valuations.
    On,
    /// Forever, without any relevant change.
    Unnoticed,
    /// No: urgency or an invariant forbids it.
    Refused,
}

/// Delays a state to the next different valuations, if urgency and invariants allow it.
pub(super) fn let_time_pass<C: FiniteClocks>(
    machine: &mut Machine<'_, C>,
    state: &mut State<i32>,
) -> Result<Passing, RunTimeError> {
    // Stopped clocks keep their values; models with them are explored by the grid of times only.
    let stopped = machine.stopped(state)?;
    let kept: Vec<i32> = stopped.iter().map(|clock| state.clocks[clock.index()]).collect();
    let delay = machine.clocks.delay(&mut state.clocks);
    for (clock, value) in stopped.iter().zip(kept) {
        state.clocks[clock.index()] = value;
    }
    if delay == Delay::Nothing {
        return Ok(Passing::Unnoticed);
    }
    if !machine.invariant_holds(state)? {
        return Ok(Passing::Refused);
    }
    // Every instant before the end of a delay must allow it; the instants of an open interval come
    // before any instant in it.
    if delay == Delay::IntoInterval && machine.has_urgent_channels() {
        let looked = machine.look(state);
        let goes_on = looked.is_ok() && !machine.urgent_synchronisation_is_enabled();
        return Ok(if goes_on { Passing::On } else { Passing::Refused });
    }
    Ok(Passing::On)
}

/// A representation with finitely many clock valuations.
pub(super) trait FiniteClocks: Clocks<Value = i32> {
    /// Delays to the next different valuations.
    fn delay(&self, values: &mut [i32]) -> Delay;
    /// The length of the delay from `values`.
    fn amount(&self, values: &[i32]) -> Amount;
    /// Whether the fractional part of a clock is represented in `values`.
    fn matters(&self, values: &[i32], clock: usize) -> bool;
    /// Adapts the precision to the comparisons of the last exploration.
    fn learn(&mut self) -> Learnt;
}

/// Whether the clocks were represented precisely enough.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Learnt {
    /// The exploration was exact.
    Enough,
    /// It was not exact; the next one will be more precise.
    More,
    /// It was not exact, and the constants are too large for the representation.
    NoRoom,
}

/// The goal of an exploration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal<'m> {
    formula: &'m Formula,
    negated: bool,
    mentions_deadlock: bool,
}

impl<'m> Goal<'m> {
    /// The states that decide a query: those that satisfy the formula of `E<>`, or violate that of
    /// `A[]`.
    pub(super) fn of(query: &'m QueryKind) -> Result<Self, Problem> {
        let (formula, negated) = match query {
            QueryKind::Possibly(formula) => (formula, false),
            QueryKind::Always(formula) => (formula, true),
            _ => return Err(Problem::Unsupported("queries other than E<> and A[]")),
        };
        Ok(Self { formula, negated, mentions_deadlock: formula.mentions_deadlock() })
    }

    /// Whether the formula mentions deadlocks, which [`Goal::holds_in`] does not determine.
    pub(super) fn mentions_deadlock(&self) -> bool {
        self.mentions_deadlock
    }

    /// Whether a state decides the query.
    pub(super) fn holds_in<C: FiniteClocks>(
        &self,
        machine: &mut Machine<'m, C>,
        state: &State<i32>,
    ) -> Result<bool, RunTimeError> {
        Ok(machine.formula_holds(state, self.formula)? != self.negated)
    }
}

/// Explores until the precision suffices.
pub(super) fn explore<'m, C: FiniteClocks>(
    model: &'m Model,
    query: &'m QueryKind,
    clocks: C,
    limits: Limits,
) -> Verdict {
    let goal = match Goal::of(query) {
        Ok(goal) => goal,
        Err(problem) => return Verdict::Refused(problem),
    };
    let mut machine = Machine::new(model, clocks);
    loop {
        let verdict = Exploration::new(&mut machine, goal, limits).run();
        match machine.clocks.learn() {
            Learnt::Enough => return verdict,
            Learnt::NoRoom => return Verdict::TooLarge,
            Learnt::More => {}
        }
    }
}

struct Exploration<'e, 'm, C: FiniteClocks> {
    machine: &'e mut Machine<'m, C>,
    goal: Goal<'m>,
    limits: Limits,
    reached: Reached,
    answer: Answer,
}

impl<'e, 'm, C: FiniteClocks> Exploration<'e, 'm, C> {
    fn new(machine: &'e mut Machine<'m, C>, goal: Goal<'m>, limits: Limits) -> Self {
        let model = machine.model();
        let width = model.processes.len() + model.cells.len() + model.clocks.len();
        let answer = Answer { goal: None, failure: None, states: 0, run: None };
        Self { machine, goal, limits, reached: Reached::new(width), answer }
    }

    fn run(mut self) -> Verdict {
        let mut state = match self.machine.initial() {
            Ok(state) => state,
            Err(problem) => return Verdict::Refused(problem),
        };
        let mut scratch = state.clone();
        let mut actions = 0;
        self.reached.by_action(&state, 0, actions);
        while self.reached.next_layer() {
            while let Some(id) = self.reached.next() {
                self.reached.load(id, &mut state);
                if self.expand(id, &state, actions, &mut scratch).is_break() {
                    return self.finish();
                }
                if self.reached.table.len() > self.limits.states {
                    return Verdict::TooLarge;
                }
            }
            actions += 1;
        }
        self.finish()
    }

    fn finish(mut self) -> Verdict {
        self.answer.states = self.reached.table.len();
        Verdict::Decided(self.answer)
    }

    fn expand(
        &mut self,
        id: u32,
        state: &State<i32>,
        actions: u32,
        scratch: &mut State<i32>,
    ) -> ControlFlow<()> {
        if self.answer.goal.is_none() {
            if self.goal.mentions_deadlock {
                self.machine.is_deadlocked = is_deadlock(self.machine, state, scratch);
            }
            match self.goal.holds_in(self.machine, state) {
                Ok(true) => {
                    self.answer.goal = Some(actions);
                    if self.limits.witness {
                        let path = self.path(id, scratch);
                        let model = self.machine.model();
                        self.answer.run = run_along(model, &self.machine.clocks, &path);
                    }
                    if !self.limits.complete {
                        return ControlFlow::Break(());
                    }
                }
                Ok(false) => {}
                Err(error) => self.fail(actions, error),
            }
        }
        match self.machine.look(state) {
            Ok(()) => self.act(id, state, actions),
            Err(error) => {
                self.fail(actions, error);
                // Whether time may pass depends on the offers whose evaluation failed.
                if self.machine.has_urgent_channels() {
                    return ControlFlow::Continue(());
                }
            }
        }
        if self.machine.time_may_pass(state) {
            scratch.copy_from(state);
            self.wait(id, scratch, actions);
        }
        ControlFlow::Continue(())
    }

    fn act(&mut self, id: u32, state: &State<i32>, actions: u32) {
        let mut failure = None;
        let reached = &mut self.reached;
        let _ = self.machine.for_each_step(state, |_, _, outcome| {
            match outcome {
                Ok(successor) => reached.by_action(successor, id, actions + 1),
                Err(error) => failure = failure.or(Some(error)),
            }
            ControlFlow::Continue(())
        });
        if let Some(error) = failure {
            self.fail(actions, error);
        }
    }

    /// Delays from the state last looked at; `state` is a copy of it.
    fn wait(&mut self, id: u32, state: &mut State<i32>, actions: u32) {
        match let_time_pass(self.machine, state) {
            Ok(Passing::On) => self.reached.by_delay(state, id, actions),
            Ok(Passing::Unnoticed | Passing::Refused) => {}
            Err(error) => self.fail(actions, error),
        }
    }

    fn fail(&mut self, actions: u32, error: RunTimeError) {
        self.answer.failure.get_or_insert(Failure { actions, error });
    }

    /// The path from the initial state to a state.
    fn path(&mut self, to: u32, scratch: &mut State<i32>) -> Vec<PathStep> {
        let mut path = Vec::new();
        let mut child = to;
        while child != 0 {
            let LastStep { parent, is_delay } = self.reached.last_steps[child as usize];
            self.reached.load(parent, scratch);
            path.push(if is_delay {
                PathStep::Delay(scratch.clocks.clone())
            } else {
                PathStep::Act(self.step_between(scratch, child))
            });
            child = parent;
        }
        path.reverse();
        path
    }

    /// The participants of a transition from `state` to the state `child`.
    fn step_between(&mut self, state: &State<i32>, child: u32) -> Vec<Participant> {
        let mut found = Vec::new();
        let mut row = Vec::new();
        let wanted = self.reached.table.row(child);
        if self.machine.look(state).is_ok() {
            let _ = self.machine.for_each_step(state, |machine, offers: &[Offer], outcome| {
                let Ok(successor) = outcome else { return ControlFlow::Continue(()) };
                pack(successor, &mut row);
                if row != wanted {
                    return ControlFlow::Continue(());
                }
                found = offers.iter().map(|&offer| machine.participant(offer)).collect();
                ControlFlow::Break(())
            });
        }
        found
    }
}

/// Whether no action is enabled in `from`, nor after any delay. An action that fails counts as
/// enabled. `state` is overwritten.
pub(super) fn is_deadlock<C: FiniteClocks>(
    machine: &mut Machine<'_, C>,
    from: &State<i32>,
    state: &mut State<i32>,
) -> bool {
    state.copy_from(from);
    let mut passed: Vec<Vec<i32>> = Vec::new();
    loop {
        if machine.look(state).is_err() {
            return false;
        }
        let acts = machine.for_each_step(state, |_, _, _| ControlFlow::Break(()));
        if acts.is_break() {
            return false;
        }
        passed.push(state.clocks.clone());
        if !machine.time_may_pass(state)
            || !matches!(let_time_pass(machine, state), Ok(Passing::On))
        {
            return true;
        }
        if passed.contains(&state.clocks) {
            return true;
        }
    }
}
