//! Replay of a concrete run on numbers alone: independent of zones, dates and paths, so that an
//! error in any of them is detected.
//!
//! Whether an urgent synchronisation should have stopped time is not checked, unless clocks can be
//! stopped: then zones are not exact either.

use super::{ConcreteRun, apply, elapse};
use zonaut_base::Id;
use zonaut_compile::{
    ActionId, ClockRow, CompiledCondition, CompiledNetwork, Constraint, LocationFlags,
};
use zonaut_dbm::Width;
use zonaut_discrete::{DiscreteScratch, Urgency};
use zonaut_model::interpret::RunTimeError;
use zonaut_zonegraph::{CompiledGoal, Valuation, ZoneGraph, is_deadlocked};

/// Whether `run` is a run of the network that ends where `goal` holds. A failing transition is not
/// taken.
pub(super) fn is_run<W: Width>(
    graph: &ZoneGraph<'_, W>,
    run: &ConcreteRun,
    goal: Option<&CompiledGoal>,
) -> bool {
    // A run has no expressions that cannot be evaluated.
    Player::new(graph, run).plays(graph, run, goal).unwrap_or(false)
}

/// The current state of a replay.
struct Player<'n> {
    network: &'n CompiledNetwork,
    discrete: DiscreteScratch,
    values: Vec<i32>,
    clocks: Vec<i64>,
    /// The length of a unit of time.
    unit: i64,
}

impl<'n> Player<'n> {
    fn new<W: Width>(graph: &ZoneGraph<'n, W>, run: &ConcreteRun) -> Self {
        let network = graph.network();
        let unit = run.denominator;
        let clocks = network.initial_clocks.iter().map(|&value| i64::from(value) * unit).collect();
        let values = network.initial.to_vec();
        let discrete = DiscreteScratch::new(network, graph.meter());
        Self { network, discrete, values, clocks, unit }
    }

    fn plays<W: Width>(
        mut self,
        graph: &ZoneGraph<'_, W>,
        run: &ConcreteRun,
        goal: Option<&CompiledGoal>,
    ) -> Result<bool, RunTimeError> {
        if self.values != run.start || self.clocks != run.start_clocks || !self.invariants_hold()? {
            return Ok(false);
        }
        let taken = run.steps.len() - usize::from(run.fails);
        for step in &run.steps[..taken] {
            if !(self.stay(step.delay)? && self.take(&step.participants)?)
                || self.values != step.values
                || self.clocks != step.clocks
            {
                return Ok(false);
            }
        }
        let last = run.steps.get(taken).map_or(run.last_delay, |failing| failing.delay);
        let Some(goal) = goal.filter(|_| !run.fails) else { return self.stay(last) };
        if !self.stay(last)? || self.clocks != run.last_clocks {
            return Ok(false);
        }
        let point = Valuation { clocks: &self.clocks, unit: self.unit };
        goal.holds_at(&self.values, point, graph.meter(), &mut || {
            is_deadlocked(graph, &self.values, point)
        })
    }

    /// Lets time pass; returns whether the delay is allowed.
    fn stay(&mut self, delay: i64) -> Result<bool, RunTimeError> {
        self.discrete.machine.spend(self.clocks.len())?;
        let location_flags = self.network.location_flags(&self.values);
        let mut stopped = Vec::new();
        if self.network.has_rates() {
            self.discrete.add_stopped(self.network, &mut self.values, &mut stopped)?;
            if delay > 0 && self.is_stopped_within(delay, location_flags, &stopped)? {
                return Ok(false);
            }
        }
        elapse(&stopped, delay, &mut self.clocks);
        match delay {
            0 => Ok(true),
            // Invariants are convex: if they hold at both ends, they hold in between.
            1.. => Ok(!location_flags.include(LocationFlags::URGENT) && self.invariants_hold()?),
            _ => Ok(false),
        }
    }

    /// Whether an urgent synchronisation is enabled before the end of a delay.
    fn is_stopped_within(
        &mut self,
        delay: i64,
        location_flags: LocationFlags,
        stopped: &[ClockRow],
    ) -> Result<bool, RunTimeError> {
        let Self { network, discrete, values, .. } = self;
        Ok(match discrete.urgency(network, location_flags, values)? {
            Urgency::Free => false,
            Urgency::Now => true,
            Urgency::When(conditions) => conditions.iter().any(|condition| {
                let instants = condition.iter().map(|c| self.instants(c, stopped));
                let all = Instants { first: 0, is_open: false, last: delay, is_closed: false };
                !instants.fold(all, Instants::meet).is_empty()
            }),
        })
    }

    /// The instants of a stay at which a constraint holds.
    fn instants(&self, c: &Constraint, stopped: &[ClockRow]) -> Instants {
        let mut all = Instants { first: i64::MIN, is_open: false, last: i64::MAX, is_closed: true };
        let value = |row: ClockRow| row.checked_sub(1).map_or(0, |x| self.clocks[x as usize]);
        let rate = |row: ClockRow| i64::from(row != 0 && stopped.binary_search(&row).is_err());
        let room = i64::from(c.bound.value()) * self.unit - (value(c.x) - value(c.y));
        match rate(c.x) - rate(c.y) {
            1 => (all.last, all.is_closed) = (room, !c.bound.is_strict()),
            -1 => (all.first, all.is_open) = (-room, c.bound.is_strict()),
            _ if room > 0 || room == 0 && !c.bound.is_strict() => {}
            _ => (all.first, all.last) = (1, 0),
        }
        all
    }

    /// Takes the actions of a transition; returns whether they are enabled.
    fn take(&mut self, participants: &[ActionId]) -> Result<bool, RunTimeError> {
        let network = self.network;
        for &action in participants {
            let guard = network.action(action);
            let is_there = self.values[guard.process.index()] == guard.source.index() as i32;
            if !is_there || !self.holds(&guard.guard)? {
                return Ok(false);
            }
        }
        network.take(participants, &mut self.values, &mut self.discrete.machine)?;
        apply(&self.discrete.machine.clock_effects, self.unit, &mut self.clocks);
        self.invariants_hold()
    }

    fn invariants_hold(&mut self) -> Result<bool, RunTimeError> {
        let network = self.network;
        for process in 0..network.process_count() {
            let location = network.location(process, &self.values);
            if !self.holds(&location.invariant)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn holds(&mut self, condition: &CompiledCondition) -> Result<bool, RunTimeError> {
        let Self { network, discrete, values, clocks, unit } = self;
        let machine = &mut discrete.machine;
        let valuation = Valuation { clocks, unit: *unit };
        if !network.data_holds(condition, values, machine)? {
            return Ok(false);
        }
        let mut holds = true;
        network.for_each_constraint(condition, values, machine, |constraint| {
            holds &= valuation.satisfies(constraint);
        })?;
        Ok(holds)
    }
}

/// An interval of instants.
#[derive(Clone, Copy)]
struct Instants {
    first: i64,
    /// Whether the first instant is excluded.
    is_open: bool,
    last: i64,
    /// Whether the last instant is included.
    is_closed: bool,
}

impl Instants {
    fn meet(self, other: Self) -> Self {
        let (first, is_open) = (self.first, self.is_open).max((other.first, other.is_open));
        let (last, is_closed) = (self.last, self.is_closed).min((other.last, other.is_closed));
        Self { first, is_open, last, is_closed }
    }

    fn is_empty(self) -> bool {
        self.first > self.last || self.first == self.last && (self.is_open || !self.is_closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Destination, RunStep, concretise};
    use std::ops::ControlFlow;
    use zonaut_base::Meter;
    use zonaut_compile::BoundsTable;
    use zonaut_model::builder::NetworkBuilder;
    use zonaut_model::{Formula, Range};
    use zonaut_space::TransitionSystem;
    use zonaut_zonegraph::Abstraction;

    /// Calls `check` with the run that delays two units and counts to one, with a goal that holds
    /// and one that does not.
    fn with_run(check: impl FnOnce(&ZoneGraph<'_>, ConcreteRun, [&CompiledGoal; 2])) {
        let mut builder = NetworkBuilder::new();
        let x = builder.clock("x");
        let v = builder.integer("v", Range { low: 0, high: 9 }, 0);
        let process = builder.process("P");
        let start = builder.location(process, "start");
        let end = builder.location(process, "end");
        builder.edge(process, start, end).guard(x.at_least(2)).update(v.set(v + 1));
        let model = builder.finish().expect("a valid model");
        let network = CompiledNetwork::new(&model, &Meter::default()).expect("few actions");
        let bounds = BoundsTable::new(&model, &Formula::truth());
        let graph = ZoneGraph::new(&network, &bounds, Abstraction::Exact, &Meter::default())
            .expect("sound");
        let goal = CompiledGoal::new(&model, &Formula::truth());
        let mut steps = Vec::new();
        let mut scratch = graph.scratch();
        let _ = graph.visit_initial(&mut scratch, &mut |_, _, start| {
            let start = start.expect("an initial state").clone();
            graph.visit_successors(&start, &mut graph.scratch(), &mut |step, _, _| {
                steps.push(step);
                ControlFlow::Continue(())
            })
        });
        let run = concretise(&graph, &steps, Destination::Goal(&goal)).expect("a run");
        let never = CompiledGoal::new(&model, &Formula::Or(Vec::new()));
        check(&graph, run, [&goal, &never]);
    }

    #[test]
    fn a_run_is_one_and_a_damaged_one_is_not() {
        with_run(|graph, run, [goal, never]| {
            assert!(is_run(graph, &run, Some(goal)));
            let damaged = |damage: &dyn Fn(&mut RunStep)| {
                let mut run = run.clone();
                damage(&mut run.steps[0]);
                is_run(graph, &run, Some(goal))
            };
            assert!(!damaged(&|step| step.delay -= 1));
            assert!(!damaged(&|step| step.values[1] = 2));
            assert!(!damaged(&|step| step.clocks[0] += 1));
            assert!(!damaged(&|step| step.participants.push(ActionId::from_index(0))));
            assert!(!is_run(graph, &run, Some(never)));
        });
    }
}
