//! Maximal runs that avoid a formula, with exact delays.
//!
//! A cycle need not have a concrete round that leads back to the same valuation: fractions may have
//! to converge. So the run passes the cycle once, and ends in a valuation from which it can be
//! repeated for ever.

use super::path::{STEPS_PER_STATE, Visited, starts, successors_by};
use super::replay::is_run;
use super::{ConcreteRun, NoRun, Wanted, timed_to};
use std::ops::ControlFlow;
use zonaut_compile::{ActionId, Step};
use zonaut_dbm::{Wide, Width};
use zonaut_space::TransitionSystem;
use zonaut_zonegraph::Abstraction;
use zonaut_zonegraph::ActiveClocks;
use zonaut_zonegraph::CompiledGoal;
use zonaut_zonegraph::Scratch;
use zonaut_zonegraph::SymbolicState;
use zonaut_zonegraph::{AvoidingGraph, Departures, constraints_of};
use zonaut_zonegraph::{StepError, Transition, ZoneGraph};
use zonaut_zonegraph::{ZoneConstraint, constrain};

/// A path of a maximal run that avoids a formula, from its start or from some moment on.
#[derive(Clone, Copy, Debug)]
pub struct MaximalPath<'p> {
    /// The avoided formula.
    pub avoided: &'p CompiledGoal,
    /// The transitions before the formula is avoided, and the condition at the moment from which it
    /// is; absent if that is the start.
    pub before: Option<(&'p [Step], &'p CompiledGoal)>,
    /// The transitions from that moment on.
    pub steps: &'p [Step],
    /// The transitions that are repeated for ever; empty if the run remains in its last state.
    pub cycle: &'p [Step],
}

/// A run along a path, and the valuations from which its cycle can be repeated.
#[derive(Clone, Debug)]
pub struct MaximalRun {
    /// The run, once through its cycle.
    pub run: ConcreteRun,
    /// For each transition of the cycle, in order, the valuations in which it can be taken such
    /// that the cycle can be repeated for ever.
    pub repeated: Vec<Departure>,
}

/// Valuations in which a transition of a cycle can be taken.
#[derive(Clone, Debug)]
pub struct Departure {
    /// The values of locations and cells.
    pub values: Vec<i32>,
    /// Conjunctions of constraints on clocks; their union is the set of valuations.
    pub valuations: Vec<Vec<ZoneConstraint<Wide>>>,
}

/// A run along `path`, once through its cycle. From its last valuation the cycle can be repeated
/// for ever, or the run may remain there for ever.
///
/// # Errors
/// If no run exists, which indicates a bug in the zone graph; if clock values are too large; or if
/// the meter stops.
pub fn concretise_maximal<W: Width>(
    graph: &ZoneGraph<'_, W>,
    path: &MaximalPath<'_>,
) -> Result<MaximalRun, NoRun> {
    let exact = graph.with_exact_zones();
    let run = Replay::new(&exact, path)?.run();
    let run = run.and_then(|run| match is_run(graph, &run.run, None) {
        true => Ok(run),
        false => Err(NoRun::Spurious),
    });
    graph.meter().stopped().map_or(run, |why| Err(NoRun::Stopped(why)))
}

/// The next event of a path.
#[derive(Clone, Copy)]
enum Move<'p> {
    /// A transition before the formula is avoided.
    Free(Step),
    /// The moment from which the formula is avoided.
    Begin(&'p CompiledGoal),
    /// A transition after which the formula is avoided.
    Avoiding(Step),
}

struct Replay<'r, 'n> {
    graph: &'r ZoneGraph<'n, Wide>,
    scratch: Scratch<Wide>,
    avoiding: AvoidingGraph<'r, 'n, Wide>,
    path: &'r MaximalPath<'r>,
    moves: Vec<Move<'r>>,
    /// The valuations from which the cycle can be repeated, once computed.
    repeatable: Option<Vec<Departures<Wide>>>,
    is_within_range: bool,
}

impl<'r, 'n> Replay<'r, 'n> {
    fn new(graph: &'r ZoneGraph<'n, Wide>, path: &'r MaximalPath<'r>) -> Result<Self, NoRun> {
        let avoiding = AvoidingGraph::new(
            graph.network(),
            graph.bounds(),
            path.avoided,
            Abstraction::Exact,
            graph.meter(),
        )
        .map_err(|_| NoRun::ClockRange)?;
        let mut moves = Vec::new();
        if let Some((steps, begin)) = path.before {
            moves.extend(steps.iter().map(|&step| Move::Free(step)));
            moves.push(Move::Begin(begin));
        }
        moves.extend(path.steps.iter().chain(path.cycle).map(|&step| Move::Avoiding(step)));
        let scratch = graph.scratch();
        Ok(Self { graph, scratch, avoiding, path, moves, repeatable: None, is_within_range: true })
    }

    /// Tries the parts one after the other if a transition leads to several, as `exact_path` does.
    fn run(mut self) -> Result<MaximalRun, NoRun> {
        let mut chosen: Vec<Visited> = Vec::new();
        let mut open = vec![self.starts()];
        while let Some(candidates) = open.last_mut() {
            self.graph.meter().spend(STEPS_PER_STATE).map_err(NoRun::Stopped)?;
            let Some(visited) = candidates.pop() else {
                open.pop();
                chosen.pop();
                continue;
            };
            let Some(state) = visited.state.clone() else { continue };
            chosen.push(visited);
            match self.moves.get(chosen.len() - 1).copied() {
                Some(next) => open.push(self.after(&state, next)),
                None => {
                    if let Some(end) = self.end(&state)? {
                        let wanted = Wanted { end: &end, ..Wanted::default() };
                        let run = timed_to(self.graph, &chosen, &wanted)?;
                        return Ok(MaximalRun { run, repeated: self.repeated() });
                    }
                    chosen.pop();
                }
            }
        }
        Err(if self.is_within_range { NoRun::Spurious } else { NoRun::ClockRange })
    }

    /// The initial states, the last one first.
    fn starts(&mut self) -> Vec<Visited> {
        if self.path.before.is_some() {
            return starts(self.graph, &mut self.scratch);
        }
        let mut all = Vec::new();
        let _ = self.avoiding.visit_initial(&mut |_, transition, state| {
            collect(&mut all, transition, state);
            ControlFlow::Continue(())
        });
        all.reverse();
        all
    }

    /// The successors by the next event, the last one first.
    fn after(&mut self, state: &SymbolicState<Wide>, next: Move<'_>) -> Vec<Visited> {
        let mut found = Vec::new();
        match next {
            Move::Free(step) => {
                let (all, is_within) = successors_by(self.graph, state, step, &mut self.scratch);
                self.is_within_range &= is_within;
                return all;
            }
            Move::Begin(begin) => {
                let _ =
                    self.avoiding.visit_beginnings(state, begin, &mut |_, transition, target| {
                        collect(&mut found, transition, target);
                        ControlFlow::Continue(())
                    });
            }
            Move::Avoiding(step) => {
                let wanted: Vec<ActionId> = self.graph.read_step(step, <[_]>::to_vec);
                let is_within = &mut self.is_within_range;
                let _ = self.avoiding.visit_successors(state, &mut |_, transition, target| {
                    *is_within &= !matches!(target, Err(StepError::ClockRange));
                    if transition.participants == wanted {
                        collect(&mut found, transition, target);
                    }
                    ControlFlow::Continue(())
                });
            }
        }
        found.reverse();
        found
    }

    /// The constraints on the last valuation, if the path can end in this state.
    fn end(
        &mut self,
        state: &SymbolicState<Wide>,
    ) -> Result<Option<Vec<ZoneConstraint<Wide>>>, NoRun> {
        let failed = |error| match error {
            StepError::Stopped(why) => NoRun::Stopped(why),
            StepError::ClockRange => NoRun::ClockRange,
            StepError::RunTime(_) | StepError::InitialInvariant => NoRun::Spurious,
        };
        let ends = if self.path.cycle.is_empty() {
            let run_end = self.avoiding.run_end(state).map_err(failed)?;
            run_end.map(|(_, valuations)| valuations).unwrap_or_default()
        } else {
            if self.repeatable.is_none() {
                let repeatable = self.avoiding.repeatable(&state.values, self.path.cycle);
                self.repeatable = Some(repeatable.map_err(failed)?);
            }
            let head = self.repeatable.as_ref().and_then(|departures| departures.first());
            head.map(|head| head.valuations.clone()).unwrap_or_default()
        };
        let active = self.active(&state.values);
        let constraints = ends.zones().iter().map(|zone| constraints_of(zone, &active));
        let is_met = |end: &Vec<ZoneConstraint<Wide>>| {
            constrain(&mut state.zone.clone(), &active, end).is_ok()
        };
        Ok({ constraints }.find(is_met))
    }

    /// The valuations from which the transitions of the cycle can be taken.
    fn repeated(&self) -> Vec<Departure> {
        let departure = |Departures { values, valuations }: &Departures<Wide>| {
            let active = self.active(values);
            let constraints = valuations.zones().iter().map(|zone| constraints_of(zone, &active));
            Departure { values: values.clone(), valuations: constraints.collect() }
        };
        self.repeatable.iter().flatten().map(departure).collect()
    }

    fn active(&self, values: &[i32]) -> ActiveClocks {
        ActiveClocks::new(self.graph.bounds(), &values[..self.graph.network().process_count()])
    }
}

fn collect(
    into: &mut Vec<Visited>,
    transition: &Transition<Wide>,
    target: Result<&mut SymbolicState<Wide>, StepError>,
) {
    if let Ok(state) = target {
        into.push(Visited { transition: transition.clone(), state: Some(state.clone()) });
    }
}
