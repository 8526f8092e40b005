//! Enabled transitions: participants, and the clock constraints under which they are enabled.

use crate::backward::{Before, constraint_before};
use crate::constraints::ZoneConstraint;
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::fire::Fired;
use crate::graph::{Transition, ZoneGraph};
use crate::state::SymbolicState;
use crate::successors::Scratch;
use std::ops::ControlFlow;
use zonaut_compile::ActionId;
use zonaut_dbm::{Width, Zone};
use zonaut_discrete::Candidate;
use zonaut_model::interpret::{ErrorKind, RunTimeError};

/// Actions that can be taken together under some clock constraints: the guards of the participants,
/// the negated guards of receivers that do not take part in a broadcast, and, transformed to before
/// the updates, the invariants of the target.
///
/// A transition that raises a run-time error counts as enabled if its guards hold: a run-time error
/// is not a deadlock.
pub(crate) struct EnabledTransition<'w, W: Width> {
    /// The actions, the sender's first, receivers in system order.
    pub(crate) participants: &'w [ActionId],
    /// The constraints under which it is enabled.
    pub(crate) constraints: &'w [ZoneConstraint<W>],
}

/// The visitor of enabled transitions.
pub(crate) type VisitEnabled<'f, W> =
    dyn FnMut(EnabledTransition<'_, W>, &mut Scratch<W>) -> ControlFlow<()> + 'f;

impl<W: Width> ZoneGraph<'_, W> {
    /// Calls `visit` with every transition that some valuation enables in the discrete part of
    /// `state`, whatever its zone.
    ///
    /// # Errors
    /// If the state cannot be evaluated, or the meter stops.
    pub(crate) fn for_each_enabled(
        &self,
        state: &SymbolicState<W>,
        scratch: &mut Scratch<W>,
        visit: &mut VisitEnabled<'_, W>,
    ) -> Result<ControlFlow<()>, RunTimeError> {
        let mut transition = std::mem::take(&mut scratch.transition);
        let mut failure = None;
        let flow = self.for_each_unordered(state, scratch, |candidate, scratch| {
            let found = self.enabled_by(candidate, &mut transition, scratch, visit);
            found.unwrap_or_else(|error| {
                failure = Some(error);
                ControlFlow::Break(())
            })
        });
        scratch.transition = transition;
        failure.map_or(flow, Err)
    }

    /// The same for one candidate of the state that is being expanded.
    pub(crate) fn enabled_by(
        &self,
        candidate: Candidate<'_>,
        transition: &mut Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut VisitEnabled<'_, W>,
    ) -> Result<ControlFlow<()>, RunTimeError> {
        match candidate {
            Candidate::Joint(participants) => {
                transition.restart(participants);
                let Transition { participants, before, .. } = &mut *transition;
                scratch.discrete.add_clock_guards(self.network, participants, before)?;
                self.complete(transition, scratch, visit)
            }
            Candidate::Broadcast(broadcast) => {
                let mut failure = None;
                let everything = Zone::universe(scratch.active.rows.len());
                let mut complete =
                    |transition: &mut Transition<W>, _: &Zone<W>, scratch: &mut Scratch<W>| {
                        let decided = transition.before.len();
                        let found = self.complete(transition, scratch, visit);
                        transition.before.truncate(decided);
                        let flow = found.unwrap_or_else(|error| {
                            failure = Some(error);
                            ControlFlow::Break(())
                        });
                        flow.map_continue(|()| Fired::Led)
                    };
                let within = &everything;
                let flow = self.for_each_receiver_set(
                    within,
                    broadcast,
                    transition,
                    scratch,
                    &mut complete,
                )?;
                failure.map_or(Ok(flow.map_continue(|_| ())), Err)
            }
        }
    }

    /// Adds the invariants of the target to the constraints before `transition`, and visits it if
    /// they are satisfiable.
    fn complete(
        &self,
        transition: &mut Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut VisitEnabled<'_, W>,
    ) -> Result<ControlFlow<()>, RunTimeError> {
        let Transition { participants, before, arrival, .. } = transition;
        let Scratch { successor, discrete, .. } = &mut *scratch;
        let taken = discrete.take(self.network, participants, &mut successor.values);
        let mut entered = taken.map(Some);
        if entered == Ok(Some(())) {
            entered = self.collect_invariants(arrival, scratch).map(|found| found.map(|_| ()));
        }
        match entered {
            Ok(Some(())) => {
                #[cfg(feature = "faults")]
                if Fault::DeadlockWithoutTarget.is_selected()
                    || Fault::PriorityWithoutTarget.is_selected()
                {
                    arrival.clear();
                }
                for &constraint in arrival.iter() {
                    match constraint_before(constraint, &scratch.discrete.machine.clock_effects) {
                        Before::Always => {}
                        Before::Never => return Ok(ControlFlow::Continue(())),
                        Before::Where(constraint) => before.push(constraint),
                    }
                }
            }
            Ok(None) => return Ok(ControlFlow::Continue(())),
            Err(error @ RunTimeError { kind: ErrorKind::Stopped(_), .. }) => return Err(error),
            Err(_) => {}
        }
        Ok(visit(EnabledTransition { participants, constraints: before }, scratch))
    }
}
