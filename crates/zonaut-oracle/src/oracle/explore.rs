//! The exploration that all oracles share: delays cost nothing, actions cost one.

use super::reached::{Reached, pack};
use super::witness::{Amount, PathStep, run_along};
use crate::network::{Clocks, Machine, Offer, Participant, Problem, State};
use crate::replay::Run;
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_model::interpret::RunTimeError;
use zonaut_model::{Formula, Model, QueryKind};

/// How far an oracle goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// It gives up beyond this number of states.
    pub states: usize,
    /// Whether it looks for errors behind the first goal state, too.
    pub complete: bool,
    /// Whether it makes a concrete run to the goal.
    pub witness: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states: 20_000, complete: false, witness: false }
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
    /// A shortest run to the goal, where [`Limits::witness`] asks for it and it can be written.
    pub run: Option<Run>,
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

/// Whether time passes out of a state where it may.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Passing {
    /// To valuations that differ.
    On,
    /// For ever, and nothing that matters changes any more.
    Unnoticed,
    /// The next valuations do not admit it.
    Refused,
}

/// Moves a state on to the next valuations that differ, where time may pass and they admit it.
pub(super) fn let_time_pass<C: FiniteClocks>(
    machine: &mut Machine<'_, C>,
    state: &mut State<i32>,
) -> Result<Passing, RunTimeError> {
    // Clocks that stand still keep their values; only the grid of times is asked about such.
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
    // Every instant before the end of a delay must admit it, and those of an open interval come
    // before any instant in it.
    if delay == Delay::IntoInterval && machine.has_urgent_channels() {
        let looked = machine.look(state);
        let goes_on = looked.is_ok() && !machine.urgent_synchronisation_is_enabled();
        return Ok(if goes_on { Passing::On } else { Passing::Refused });
    }
    Ok(Passing::On)
}

/// Clock valuations of which finitely many matter.
pub(super) trait FiniteClocks: Clocks<Value = i32> {
    /// Moves on to the next valuations that differ.
    fn delay(&self, values: &mut [i32]) -> Delay;
    /// How far the delay from `values` goes.
    fn amount(&self, values: &[i32]) -> Amount;
    /// Whether the fraction of a clock is known in `values`.
    fn matters(&self, values: &[i32], clock: usize) -> bool;
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
    mentions_deadlock: bool,
}

impl<'m> Goal<'m> {
    /// The states that decide a query: those that satisfy `E<>`, or violate `A[]`.
    pub(super) fn of(query: &'m QueryKind) -> Result<Self, Problem> {
        let (formula, negated) = match query {
            QueryKind::Possibly(formula) => (formula, false),
            QueryKind::Always(formula) => (formula, true),
            _ => return Err(Problem::Unsupported("queries other than E<> and A[]")),
        };
        Ok(Self { formula, negated, mentions_deadlock: formula.mentions_deadlock() })
    }
}

/// Explores until the ceilings suffice.
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
            match self.machine.formula_holds(state, self.goal.formula) {
                Ok(holds) if holds != self.goal.negated => {
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
                Ok(_) => {}
                Err(error) => self.fail(actions, error),
            }
        }
        match self.machine.look(state) {
            Ok(()) => self.act(id, state, actions),
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

    /// Lets time pass from the state last looked at, a copy of which is `state`.
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

    /// The way from the initial state to a state.
    fn path(&mut self, to: u32, scratch: &mut State<i32>) -> Vec<PathStep> {
        let mut path = Vec::new();
        let mut child = to;
        while child != 0 {
            let (parent, by_delay) = self.reached.parents[child as usize];
            self.reached.load(parent, scratch);
            path.push(if by_delay {
                PathStep::Delay(scratch.clocks.clone())
            } else {
                PathStep::Act(self.step_between(scratch, child))
            });
            child = parent;
        }
        path.reverse();
        path
    }

    /// The participants of a step from `state` to the state `child`.
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

/// Whether no action is possible in `from`, nor after any delay. An action that fails counts as
/// possible. `state` is overwritten.
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
