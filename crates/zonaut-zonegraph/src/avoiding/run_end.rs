//! Valuations in which a maximal run may remain for ever.
//!
//! A run ends in a state if no admitted delay leads to the avoided formula, and if either time may
//! diverge, or no transition is enabled, now or after any delay. The delay successors of a
//! valuation are its future under the invariant, so the ends are the zone without the past of the
//! avoided formula, and of that either everything or the deadlocked part. All of these are unions
//! of regions, so a widened zone has an end exactly if some reachable valuation has one.

use super::past::Obstacles;
use super::stay::Meeting;
use super::{AvoidingGraph, Waiting};
use crate::active_clocks::ActiveClocks;
use crate::backward::before_effects;
use crate::constraints::{ZoneConstraint, constrain};
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::graph::{StepError, Transition};
use crate::state::SymbolicState;
use zonaut_dbm::{Federation, Width, Zone};
use zonaut_discrete::Urgency;

/// The end of a maximal run without further transitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// Time diverges.
    Diverging,
    /// No transition is enabled any more, and time passes up to the invariant.
    Blocked,
}

impl<W: Width> AvoidingGraph<'_, '_, W> {
    /// The end of maximal runs in `state`, a state of this graph, with the valuations that admit
    /// it; `None` if there are none. With stopped clocks, the valuations that may admit it.
    ///
    /// # Errors
    /// If the state cannot be evaluated. Transitions that raise a run-time error count as enabled.
    pub fn run_end(
        &mut self,
        state: &SymbolicState<W>,
    ) -> Result<Option<(RunEnd, Federation<W>)>, StepError> {
        let active = self.active(&state.values);
        let waiting = self.waiting(&state.values)?;
        if !waiting.stopped.is_empty() {
            return self.possible_end(state, &waiting);
        }
        let outside = self.avoidance.outside(&self.graph, &state.values)?;
        let mut ahead = state.clone();
        if !waiting.is_urgent() {
            ahead.zone.delay();
            let within = constrain(&mut ahead.zone, &active, &waiting.invariant);
            debug_assert!(within.is_ok(), "a state satisfies its invariant");
        }
        let mut rest = Federation::from(state.zone.clone());
        self.leave_out_avoided(&mut rest, &ahead.zone, &active, &waiting, &outside)?;
        if rest.is_empty() {
            return Ok(None);
        }
        if !waiting.is_urgent() && waiting.is_unbounded() {
            let mut diverging = rest.clone();
            for condition in waiting.conditions() {
                let mut stop = ahead.zone.clone();
                if constrain(&mut stop, &active, condition).is_ok() {
                    stop.past();
                    diverging.subtract_zone(&stop);
                }
            }
            #[cfg(feature = "faults")]
            if Fault::DivergenceOverlooked.is_selected() {
                diverging = Federation::empty();
            }
            if !diverging.is_empty() {
                return Ok(Some((RunEnd::Diverging, diverging)));
            }
        }
        let dead = self.dead_part(&rest, state)?;
        Ok((!dead.is_empty()).then_some((RunEnd::Blocked, dead)))
    }

    /// The end that maximal runs may have in a state with stopped clocks, whether delays lead to the
    /// formula or not.
    fn possible_end(
        &mut self,
        state: &SymbolicState<W>,
        waiting: &Waiting<W>,
    ) -> Result<Option<(RunEnd, Federation<W>)>, StepError> {
        let whole = Federation::from(state.zone.clone());
        if !waiting.is_urgent() && waiting.is_unbounded() {
            return Ok(Some((RunEnd::Diverging, whole)));
        }
        let dead = self.dead_part(&whole, state)?;
        Ok((!dead.is_empty()).then_some((RunEnd::Blocked, dead)))
    }

    /// Whether time may diverge from every valuation of the discrete state with these values.
    ///
    /// # Errors
    /// If the state cannot be evaluated.
    pub fn always_diverges(&mut self, values: &[i32]) -> Result<bool, StepError> {
        let waiting = self.waiting(values)?;
        let is_free = matches!(waiting.urgency, Urgency::Free);
        Ok(is_free && waiting.is_unbounded())
    }

    /// Removes the valuations from which some delay leads to the avoided formula.
    fn leave_out_avoided(
        &self,
        rest: &mut Federation<W>,
        ahead: &Zone<W>,
        active: &ActiveClocks,
        waiting: &Waiting<W>,
        outside: &[Meeting<W>],
    ) -> Result<(), StepError> {
        let obstacles = Obstacles { active, stops: waiting.conditions(), avoided: &[] };
        #[cfg(feature = "faults")]
        let outside = if Fault::EndBeforeAvoided.is_selected() { &[] } else { outside };
        for meeting in outside {
            self.pay(rest)?;
            let mut met = ahead.clone();
            if constrain(&mut met, active, meeting).is_ok() {
                rest.subtract(&obstacles.before(&met, waiting));
            }
        }
        Ok(())
    }

    /// The deadlocked valuations of `rest`, in the discrete state of `state`.
    fn dead_part(
        &mut self,
        rest: &Federation<W>,
        state: &SymbolicState<W>,
    ) -> Result<Federation<W>, StepError> {
        let mut part = state.clone();
        let mut dead = Federation::empty();
        for zone in rest.zones() {
            part.zone.assign_from(zone);
            for zone in self.graph.deadlocked(&part, &mut self.scratch)? {
                dead.add(zone);
            }
        }
        Ok(dead)
    }

    fn pay(&self, rest: &Federation<W>) -> Result<(), StepError> {
        let steps = rest.zones().len() as u32;
        self.graph.meter().spend(steps).map_err(StepError::Stopped)
    }
}

/// The valuations of the clocks of `source` from which a transition arrives in the part of `zone`
/// in which the constraints hold.
pub(super) fn arriving_in<W: Width>(
    arrival: &[ZoneConstraint<W>],
    mut zone: Zone<W>,
    transition: &Transition<W>,
    source: &ActiveClocks,
    target: &ActiveClocks,
) -> Option<Zone<W>> {
    constrain(&mut zone, target, arrival).ok()?;
    before_effects(&source.rows, &target.rows, &transition.effects, &zone)
}
