//! Concrete runs, checked step by step with exact numbers.

mod deadlock;
mod exact;
mod rounded;

use crate::network::{Machine, Participant, Problem, State};
use exact::ExactClocks;
pub use rounded::{RoundedStep, rounded};
use std::fmt;
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_model::interpret::RunTimeError;
use zonaut_model::{ClockId, Formula, Model, QueryKind};

/// A concrete run from the initial state. All times are numerators over one denominator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The denominator of all times; not below 1.
    pub denominator: i128,
    /// The steps.
    pub steps: Vec<RunStep>,
}

/// A delay and the action after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunStep {
    /// The delay before the action.
    pub delay: i128,
    /// The edges that then synchronise: the initiator first, then receivers in system order. Empty
    /// for a delay without an action, as at the end of a run.
    pub participants: Vec<Participant>,
}

/// An error in a run, and its step, counted from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// The step; the number of steps if the end is wrong.
    pub step: usize,
    /// The error.
    pub kind: FlawKind,
}

/// An error in a step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FlawKind {
    /// The denominator is not positive, or too large to compute with.
    Denominator,
    /// The model cannot be run.
    Model(Problem),
    /// A delay is negative, or the sum of delays is too large to compute with.
    Delay,
    /// Time may not pass: urgent or committed locations, or an urgent synchronisation during the
    /// delay.
    TimeStops,
    /// The delay violates an invariant.
    Invariant,
    /// No transition with these participants is enabled: a guard or target invariant fails, the
    /// order is wrong, a receiver is missing, or a committed location has precedence.
    NotEnabled,
    /// The evaluation of an expression fails.
    Failed(RunTimeError),
    /// The goal does not hold at the end.
    NotTheGoal,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: ", self.step)?;
        match &self.kind {
            FlawKind::Denominator => f.write_str("the denominator is out of range"),
            FlawKind::Model(problem) => write!(f, "{problem}"),
            FlawKind::Delay => f.write_str("the delay is out of range"),
            FlawKind::TimeStops => f.write_str("time may not pass"),
            FlawKind::Invariant => f.write_str("the delay violates an invariant"),
            FlawKind::NotEnabled => f.write_str("there is no such step"),
            FlawKind::Failed(error) => write!(f, "{}", error.kind),
            FlawKind::NotTheGoal => f.write_str("the goal does not hold at the end"),
        }
    }
}

/// The states that decide a query: those that satisfy the formula of `E<>`, or violate that of
/// `A[]`.
#[must_use]
pub fn goal_of(query: &QueryKind) -> Option<Formula> {
    match query {
        QueryKind::Possibly(formula) => Some(formula.clone()),
        QueryKind::Always(formula) => Some(Formula::Not(Box::new(formula.clone()))),
        _ => None,
    }
}

/// Checks that `run` is a run of `model` and ends in a state where `goal` holds.
///
/// # Errors
/// The first error in the run.
pub fn replay(model: &Model, goal: &Formula, run: &Run) -> Result<(), Flaw> {
    let mut player = Player::new(model, run.denominator).map_err(at(0))?;
    for (position, step) in run.steps.iter().enumerate() {
        player.delay(step.delay).map_err(at(position))?;
        if !step.participants.is_empty() {
            player.act(&step.participants).map_err(at(position))?;
        }
    }
    if goal.mentions_deadlock() {
        player.machine.is_deadlocked = player.is_deadlocked();
    }
    match player.machine.formula_holds(&player.state, goal) {
        Ok(true) => Ok(()),
        Ok(false) => Err(FlawKind::NotTheGoal),
        Err(error) => Err(FlawKind::Failed(error)),
    }
    .map_err(at(run.steps.len()))
}

fn at(step: usize) -> impl Fn(FlawKind) -> Flaw {
    move |kind| Flaw { step, kind }
}

/// The current state of a replayed run.
pub(crate) struct Player<'m> {
    machine: Machine<'m, ExactClocks>,
    state: State<i128>,
}

/// The largest denominator and time: products of them with 32-bit numbers fit.
const LARGEST: i128 = 1 << 90;

impl<'m> Player<'m> {
    pub(crate) fn new(model: &'m Model, denominator: i128) -> Result<Self, FlawKind> {
        if !(1..=LARGEST).contains(&denominator) {
            return Err(FlawKind::Denominator);
        }
        let clocks = ExactClocks::new(denominator);
        let mut machine = Machine::new(model, clocks);
        let state = machine.initial().map_err(FlawKind::Model)?;
        Ok(Self { machine, state })
    }

    /// The numerator of each clock.
    pub(crate) fn clocks(&self) -> impl Iterator<Item = i128> {
        self.state.clocks.iter().map(|&value| value / exact::UNIT)
    }

    /// Delays.
    pub(crate) fn delay(&mut self, delay: i128) -> Result<(), FlawKind> {
        if !(0..=LARGEST).contains(&delay) {
            return Err(FlawKind::Delay);
        }
        if delay == 0 {
            return Ok(());
        }
        let delay = delay * exact::UNIT;
        let stopped = self.machine.stopped(&self.state).map_err(FlawKind::Failed)?;
        self.check_instants(delay, &stopped)?;
        for (clock, value) in self.state.clocks.iter_mut().enumerate() {
            if stopped.contains(&ClockId::from_index(clock)) {
                continue;
            }
            *value += delay;
            if *value > LARGEST * exact::UNIT {
                return Err(FlawKind::Delay);
            }
        }
        match self.machine.invariant_holds(&self.state) {
            Ok(true) => Ok(()),
            Ok(false) => Err(FlawKind::Invariant),
            Err(error) => Err(FlawKind::Failed(error)),
        }
    }

    /// Checks that time may pass at every instant before the end of the delay. The truth of guards
    /// changes only where a clock passes a bound, so these instants and one between each two of
    /// them represent all.
    fn check_instants(&mut self, delay: i128, stopped: &[ClockId]) -> Result<(), FlawKind> {
        self.machine.clocks.forget_bounds();
        // Without urgency, an edge that cannot be evaluated does not stop time.
        if let Err(error) = self.machine.look(&self.state)
            && self.machine.has_urgent_channels()
        {
            return Err(FlawKind::Failed(error));
        }
        if !self.machine.time_may_pass(&self.state) {
            return Err(FlawKind::TimeStops);
        }
        if !self.machine.has_urgent_channels() {
            return Ok(());
        }
        let mut changes = self.machine.clocks.changes(&self.state.clocks, stopped, delay);
        changes.push(delay);
        let mut before = 0;
        let mut later = self.state.clone();
        for change in changes {
            for instant in [(before + change) / 2, change] {
                if instant < delay {
                    let clocks = later.clocks.iter_mut().zip(&self.state.clocks).enumerate();
                    for (clock, (value, &now)) in clocks {
                        let runs = !stopped.contains(&ClockId::from_index(clock));
                        *value = now + if runs { instant } else { 0 };
                    }
                    self.machine.look(&later).map_err(FlawKind::Failed)?;
                    if self.machine.urgent_synchronisation_is_enabled() {
                        return Err(FlawKind::TimeStops);
                    }
                }
            }
            before = change;
        }
        Ok(())
    }

    /// Takes the step of exactly these participants.
    pub(crate) fn act(&mut self, participants: &[Participant]) -> Result<(), FlawKind> {
        self.machine.look(&self.state).map_err(FlawKind::Failed)?;
        let mut result = Err(FlawKind::NotEnabled);
        let _ = self.machine.for_each_step(&self.state, |machine, offers, outcome| {
            let wanted = participants.iter();
            if !offers.iter().map(|&offer| machine.participant(offer)).eq(wanted.cloned()) {
                return ControlFlow::Continue(());
            }
            result = outcome.cloned().map_err(FlawKind::Failed);
            ControlFlow::Break(())
        });
        self.state = result?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
