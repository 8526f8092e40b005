//! Valuations from which a cycle can be repeated for ever.
//!
//! A cycle of the graph is a sequence of transitions. The valuations from which they can be taken
//! in this order infinitely often, while avoiding the formula, are the greatest set that is
//! contained in its own pre-image under one round. This greatest fixpoint is computed by iteration
//! from above: all valuations, then those with one round, then those with two. All iterates are
//! unions of regions, of which there are finitely many, so the iteration terminates.

use super::past::Obstacles;
use super::run_end::arriving_in;
use super::stay::Meeting;
use super::{AvoidingGraph, Waiting};
use crate::active_clocks::ActiveClocks;
use crate::constraints::{ZoneConstraint, constrain};
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::graph::{StepError, Transition};
use crate::state::SymbolicState;
use std::ops::ControlFlow;
use std::sync::Arc;
use zonaut_compile::{ActionId, Step};
use zonaut_dbm::{Federation, Width, Zone};

/// The valuations from which a transition of a cycle is taken such that the cycle can be repeated
/// for ever.
#[derive(Clone, Debug)]
pub struct Departures<W: Width> {
    /// The values of locations and cells.
    pub values: Vec<i32>,
    /// The valuations.
    pub valuations: Federation<W>,
}

/// One state of a cycle, and the instances of the transition that leads to it.
struct Stage<W: Width> {
    active: Arc<ActiveClocks>,
    waiting: Waiting<W>,
    outside: Vec<Meeting<W>>,
    /// The instances of the transition that leads here; several if clocks decide which receivers
    /// take part.
    instances: Vec<Transition<W>>,
}

impl<W: Width> AvoidingGraph<'_, '_, W> {
    /// For each transition of `cycle`, which lead back to the discrete state with these values, the
    /// valuations from which it and its successors in the cycle can be repeated for ever. Each
    /// valuation is one after the delay, when the transition is taken.
    ///
    /// # Errors
    /// If the cycle cannot be evaluated, or the meter stops.
    pub fn repeatable(
        &mut self,
        values: &[i32],
        cycle: &[Step],
    ) -> Result<Vec<Departures<W>>, StepError> {
        let mut stages = Vec::new();
        let mut sources = vec![values.to_vec()];
        for &step in cycle {
            let wanted: Vec<ActionId> = self.graph.read_step(step, <[_]>::to_vec);
            let (instances, next) = self.instances_of(&sources[stages.len()], &wanted)?;
            stages.push(self.stage(&next, instances)?);
            sources.push(next);
        }
        debug_assert_eq!(sources[cycle.len()], values, "a cycle leads back");
        let Some(head) = stages.last() else { return Ok(Vec::new()) };
        let mut repeatable = head.admitted();
        loop {
            // Departures, starting with those from the last state of the cycle.
            let mut departures = vec![repeatable.clone()];
            for index in (0..stages.len()).rev() {
                let source = &stages[(index + stages.len() - 1) % stages.len()];
                let round = stages[index].before(&departures[departures.len() - 1], source);
                let steps = 1 + round.zones().len() as u32;
                self.graph.meter().spend(steps).map_err(StepError::Stopped)?;
                departures.push(round);
            }
            let round = departures.pop().unwrap_or_default();
            let mut next = Federation::empty();
            for zone in round.zones() {
                let mut part = repeatable.clone();
                part.intersect_zone(zone);
                part.into_zones().into_iter().for_each(|zone| {
                    next.add(zone);
                });
            }
            let is_stable = next.includes(&repeatable);
            #[cfg(feature = "faults")]
            let is_stable = is_stable || Fault::RepeatedOnce.is_selected();
            if is_stable {
                // The first one is the target of the last transition, which is the start of the
                // cycle.
                departures[1..].reverse();
                let all = sources.into_iter().zip(departures);
                let all = all.map(|(values, valuations)| Departures { values, valuations });
                return Ok(all.collect());
            }
            repeatable = next;
        }
    }

    fn stage(
        &mut self,
        values: &[i32],
        instances: Vec<Transition<W>>,
    ) -> Result<Stage<W>, StepError> {
        let active = self.active(values);
        let outside = self.avoidance.outside(&self.graph, values)?;
        Ok(Stage { active, waiting: self.waiting(values)?, outside, instances })
    }

    /// The instances of the transition of these participants in the discrete state with these
    /// values, and the values of its target.
    fn instances_of(
        &mut self,
        values: &[i32],
        participants: &[ActionId],
    ) -> Result<(Vec<Transition<W>>, Vec<i32>), StepError> {
        let active = self.active(values);
        let mut zone = Zone::universe(active.rows.len());
        let waiting = self.waiting(values)?;
        let within = constrain(&mut zone, &active, &waiting.invariant);
        debug_assert!(within.is_ok(), "an invariant that was satisfied can be");
        let everywhere = SymbolicState { values: values.to_vec(), key: Vec::new(), zone, price: 0 };
        let (mut instances, mut next, mut failed) = (Vec::<Transition<W>>::new(), Vec::new(), None);
        let Self { graph, scratch, .. } = self;
        let _ = graph.visit_successors(&everywhere, scratch, &mut |_, transition, target| {
            match target {
                Ok(target) if transition.participants == participants => {
                    next.clone_from(&target.values);
                    if instances.iter().all(|instance| instance.before != transition.before) {
                        instances.push(transition.clone());
                    }
                }
                Err(error @ (StepError::Stopped(_) | StepError::ClockRange)) => {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
                _ => {}
            }
            ControlFlow::Continue(())
        });
        failed.map_or(Ok((instances, next)), Err)
    }
}

impl<W: Width> Stage<W> {
    /// The valuations that satisfy the invariant and avoid the formula.
    fn admitted(&self) -> Federation<W> {
        let mut zone = Zone::universe(self.active.rows.len());
        if constrain(&mut zone, &self.active, &self.waiting.invariant).is_err() {
            return Federation::empty();
        }
        let mut all = Federation::from(zone.clone());
        self.leave_out(&mut all, &self.outside);
        all
    }

    fn leave_out(&self, set: &mut Federation<W>, meetings: &[Vec<ZoneConstraint<W>>]) {
        for meeting in meetings {
            let mut zone = Zone::universe(self.active.rows.len());
            if constrain(&mut zone, &self.active, meeting).is_ok() {
                set.subtract_zone(&zone);
            }
        }
    }

    /// The valuations of the previous stage, `source`, from which the transition to this one and a
    /// delay lead into `goal`.
    fn before(&self, goal: &Federation<W>, source: &Self) -> Federation<W> {
        let Self { active, waiting, outside, instances } = self;
        let stops = waiting.conditions();
        let obstacles = Obstacles { active, stops, avoided: outside };
        let mut all = Federation::empty();
        let departures = source.admitted();
        for zone in goal.zones() {
            for arrival in obstacles.before(zone, waiting).into_zones() {
                for instance in instances {
                    let invariant = &waiting.invariant;
                    let landed =
                        arriving_in(invariant, arrival.clone(), instance, &source.active, active);
                    let Some(mut before) = landed else { continue };
                    if constrain(&mut before, &source.active, &instance.before).is_err() {
                        continue;
                    }
                    let mut admitted = departures.clone();
                    admitted.intersect_zone(&before);
                    admitted.into_zones().into_iter().for_each(|zone| {
                        all.add(zone);
                    });
                }
            }
        }
        all
    }
}
