//! Firing: the successors of a candidate transition.
//!
//! A successor is computed in four steps: guards (and the negated guards of receivers that do not
//! take part in a broadcast) restrict the zone; updates run on the data and give a list of clock
//! effects, which become one image of the zone over the clocks of the target; invariants restrict
//! it again; time passes. If a step yields several convex parts, each is a successor of its own.
//!
//! The data is processed first, because the result of the zone operations is mostly cached
//! ([`crate::zone_step_cache`]). A run-time error of the data is reported only if the zone admits
//! the transition.
//!
//! On the common path, without splits, nothing is allocated: all buffers live in [`Scratch`].

use crate::constraints::{ZoneConstraint, constrain, may_hold};
use crate::delay::{Stay, Wait, delay_until};
use crate::graph::{StepError, Transition, ZoneGraph};
use crate::state::SymbolicState;
use crate::successors::{Departure, Scratch, Visit};
use crate::zone_step_cache::{CachedStep, ZoneStep};
use std::ops::ControlFlow;
use zonaut_compile::{ClockRow, LocationFlags};
use zonaut_dbm::{Emptied, Width};
use zonaut_discrete::{Candidate, Urgency};
use zonaut_model::interpret::RunTimeError;

/// Whether a candidate could be fired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fired {
    /// It has a successor or raised an error: the visitor was called.
    Led,
    /// A clock guard, or an invariant of the target, excludes it everywhere;
    /// [`ZoneGraph::obstacles`] reports which.
    Blocked,
}

impl Fired {
    /// Whether one of two candidates could be fired.
    pub(crate) fn or(self, other: Self) -> Self {
        if self == Self::Led { self } else { other }
    }
}

impl<W: Width> ZoneGraph<'_, W> {
    /// Visits the successors of `state` by `candidate`, which [`ZoneGraph::for_each_candidate`]
    /// offers with this scratch.
    pub fn fire(
        &self,
        state: &SymbolicState<W>,
        candidate: Candidate<'_>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        let mut transition = std::mem::take(&mut scratch.transition);
        let flow = self.carry_out(state, candidate, &mut transition, scratch, visit);
        scratch.transition = transition;
        flow
    }

    /// Fires a candidate with `transition` as a buffer.
    #[inline]
    pub(crate) fn carry_out(
        &self,
        state: &SymbolicState<W>,
        candidate: Candidate<'_>,
        transition: &mut Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        match candidate {
            Candidate::Joint(participants) => {
                transition.restart(participants);
                self.take_plain(state, transition, scratch, visit)
            }
            Candidate::Broadcast(broadcast) => {
                self.gather_all(state, broadcast, transition, scratch, visit)
            }
        }
    }

    /// Takes a transition whose only constraints are the guards of its participants.
    fn take_plain(
        &self,
        state: &SymbolicState<W>,
        transition: &mut Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        let Transition { participants, before, .. } = &mut *transition;
        if let Err(error) = scratch.discrete.add_clock_guards(self.network, participants, before) {
            return fail(self, transition, error.into(), scratch, visit);
        }
        self.take_if_possible(state, transition, scratch, visit)
    }

    /// Takes a transition from all valuations that satisfy the constraints before it.
    fn take_if_possible(
        &self,
        state: &SymbolicState<W>,
        transition: &mut Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        // Most disabled guards are refuted by a single constraint.
        if !may_hold(&state.zone, &scratch.active, &transition.before) {
            return ControlFlow::Continue(Fired::Blocked);
        }
        if self.network.has_priorities() {
            return self.take_if_highest(state, transition, scratch, visit);
        }
        self.take(Departure::State(&state.zone), transition, scratch, visit)
    }

    /// Carries a transition out, from the state that is being expanded.
    pub(crate) fn take(
        &self,
        from: Departure<'_, W>,
        transition: &mut Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        let Scratch { successor, discrete, .. } = &mut *scratch;
        let participants = &transition.participants;
        let taken = discrete.take(self.network, participants, &mut successor.values);
        if let Err(error) = taken {
            return self.fail_if_possible(from, transition, error, scratch, visit);
        }
        transition.effects.clone_from(&scratch.discrete.machine.clock_effects);
        scratch.target = scratch.active_clocks.of(self.bounds, &scratch.successor.values);
        if let Err(error) = scratch.pay_for_zone() {
            return fail(self, transition, error.into(), scratch, visit);
        }
        scratch.find_images(&transition.effects);
        scratch.successor.price = scratch.discrete.machine.cost;
        if let Some(row) = self.network.cost_row()
            && !scratch.add_price(row)
        {
            return fail(self, transition, StepError::ClockRange, scratch, visit);
        }
        self.arrive(from, transition, scratch, visit)
    }

    /// Enters the state in `scratch`: applies invariants, lets time pass, widens, and visits the
    /// result.
    pub(crate) fn arrive(
        &self,
        from: Departure<'_, W>,
        transition: &mut Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        let location_flags = match self.collect_invariants(&mut transition.arrival, scratch) {
            Ok(Some(location_flags)) => location_flags,
            Ok(None) => return ControlFlow::Continue(Fired::Blocked),
            Err(error) => {
                // If one invariant fails, the truth of the others is irrelevant.
                transition.arrival.clear();
                return self.fail_if_possible(from, transition, error, scratch, visit);
            }
        };
        transition.leaving = None;
        transition.is_until_urgent = false;
        transition.stopped.clear();
        let rates = match location_flags.include(LocationFlags::RATES) {
            true => self.collect_stopped(&mut transition.stopped, scratch),
            false => Ok(()),
        };
        let Scratch { successor, discrete, .. } = &mut *scratch;
        let urgency = rates
            .and_then(|()| discrete.urgency(self.network, location_flags, &mut successor.values));
        match urgency {
            Err(error) => match scratch.land(from, transition) {
                Ok(()) => fail(self, transition, error.into(), scratch, visit),
                Err(Emptied) => ControlFlow::Continue(Fired::Blocked),
            },
            Ok(Urgency::When(conditions)) => match scratch.land(from, transition) {
                Ok(()) => self.stay_until(&conditions, transition, scratch, visit),
                Err(Emptied) => ControlFlow::Continue(Fired::Blocked),
            },
            Ok(urgency) => {
                transition.delayed = matches!(urgency, Urgency::Free);
                self.pass(from, transition, scratch, visit)
            }
        }
    }

    /// Looks the successor zone up in the cache or computes it, and visits it.
    fn pass(
        &self,
        from: Departure<'_, W>,
        transition: &Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        let Scratch { zone_step_cache, successor, active, target, images, .. } = &mut *scratch;
        let Transition { before, arrival, delayed, .. } = transition;
        let recalled = match from {
            Departure::Part(_) => CachedStep::Ignored,
            Departure::State(_) if has_stops(transition) => CachedStep::Ignored,
            Departure::State(zone) => {
                let (source, delayed) = (&**active, *delayed);
                zone_step_cache.ask(ZoneStep {
                    zone,
                    source,
                    before,
                    images,
                    target,
                    arrival,
                    delayed,
                })
            }
        };
        let is_learnt = match recalled {
            CachedStep::Empty => return ControlFlow::Continue(Fired::Blocked),
            CachedStep::Zone(bounds) => {
                successor.zone.assign_slice(target.rows.len(), bounds);
                return self.present_all(transition, scratch, visit);
            }
            CachedStep::Ignored => false,
            CachedStep::Unknown => true,
        };
        let landed = scratch.land(from, transition);
        if landed.is_ok() {
            if *delayed {
                scratch.delay(arrival, &transition.stopped);
            }
            if let Err(error) = scratch.widen() {
                return fail(self, transition, error, scratch, visit);
            }
        }
        if is_learnt {
            scratch.zone_step_cache.learn(landed.ok().map(|()| &scratch.successor.zone));
        }
        match landed {
            Ok(()) => self.present_all(transition, scratch, visit),
            Err(Emptied) => ControlFlow::Continue(Fired::Blocked),
        }
    }

    /// Reports a run-time error of the data, unless the constraints before the transition disable
    /// it.
    fn fail_if_possible(
        &self,
        from: Departure<'_, W>,
        transition: &Transition<W>,
        error: RunTimeError,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        if let Departure::State(zone) = from {
            let mut copy = scratch.copy_of(zone);
            let is_possible = constrain(&mut copy, &scratch.active, &transition.before).is_ok();
            scratch.release(copy);
            if !is_possible {
                return ControlFlow::Continue(Fired::Blocked);
            }
        }
        fail(self, transition, error.into(), scratch, visit)
    }

    /// Lets time pass until an urgent synchronisation is enabled, and visits every part of the
    /// result.
    fn stay_until(
        &self,
        conditions: &[Vec<ZoneConstraint<W>>],
        transition: &mut Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        let invariant = transition.arrival.clone();
        let values = scratch.successor.values.clone();
        let Scratch { successor, target, discrete, .. } = &*scratch;
        let stopped = &transition.stopped;
        let wait = Wait { active: target, conditions, invariant: &invariant, stopped };
        let stays = match delay_until(&successor.zone, wait, discrete.machine.meter()) {
            Ok(stays) => stays,
            Err(why) => return fail(self, transition, StepError::Stopped(why), scratch, visit),
        };
        let mut fired = Fired::Blocked;
        transition.is_until_urgent = true;
        for Stay { end, arrival, delayed } in stays {
            transition.arrival.truncate(invariant.len());
            transition.arrival.extend(arrival);
            let leaving = invariant.iter().copied().chain(end.constraints);
            transition.leaving = Some(leaving.collect());
            transition.delayed = delayed;
            scratch.successor.values.clone_from(&values);
            scratch.successor.zone = end.zone;
            if let Err(error) = scratch.widen() {
                return fail(self, transition, error, scratch, visit);
            }
            fired = fired.or(self.present_all(transition, scratch, visit)?);
        }
        ControlFlow::Continue(fired)
    }

    /// Collects the clock constraints of all invariants of the state in `scratch`, if their data
    /// parts hold; returns the flags of its locations.
    pub(crate) fn collect_invariants(
        &self,
        into: &mut Vec<ZoneConstraint<W>>,
        scratch: &mut Scratch<W>,
    ) -> Result<Option<LocationFlags>, RunTimeError> {
        into.clear();
        let Scratch { successor, discrete, .. } = scratch;
        discrete.add_invariants(self.network, &mut successor.values, into)
    }

    /// Collects the stopped clocks of the state in `scratch`.
    #[cold]
    pub(crate) fn collect_stopped(
        &self,
        into: &mut Vec<ClockRow>,
        scratch: &mut Scratch<W>,
    ) -> Result<(), RunTimeError> {
        let Scratch { successor, discrete, .. } = scratch;
        discrete.add_stopped(self.network, &mut successor.values, into)?;
        #[cfg(feature = "faults")]
        crate::faults::forget_stopped(into);
        Ok(())
    }

    /// Visits the state in `scratch`, or every part of it.
    fn present_all(
        &self,
        transition: &Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        let Scratch { successor, parts, .. } = &mut *scratch;
        self.network.packing.pack(&successor.values, &mut successor.key);
        if parts.is_empty() {
            return self.present(transition, scratch, visit);
        }
        let parts = std::mem::take(parts);
        let whole = successor.clone();
        for part in parts {
            // The visitor may overwrite the state, so each part starts from the same values.
            scratch.successor.clone_from(&whole);
            scratch.successor.zone = part;
            self.present(transition, scratch, visit)?;
        }
        ControlFlow::Continue(Fired::Led)
    }

    #[inline]
    fn present(
        &self,
        transition: &Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        let step = scratch.numbers.next(self.network.names(), &transition.participants);
        if self.may_leave_range && !self.returns_to_range(scratch) {
            visit(step, transition, Err(StepError::ClockRange))?;
        } else {
            visit(step, transition, Ok(&mut scratch.successor))?;
        }
        ControlFlow::Continue(Fired::Led)
    }

    /// Whether the next step from the zone in `scratch` is exact, after confining it if necessary.
    fn returns_to_range(&self, scratch: &mut Scratch<W>) -> bool {
        let Scratch { successor: SymbolicState { zone, .. }, target, widening, .. } = scratch;
        zone.is_within_range()
            || widening.confine(target, zone) && (self.keeps_range || zone.is_within_range())
    }
}

/// Whether clocks are stopped after a transition: such steps are not cached.
fn has_stops<W: Width>(transition: &Transition<W>) -> bool {
    #[cfg(feature = "faults")]
    if crate::faults::Fault::CacheWithoutStops.is_selected() {
        return false;
    }
    !transition.stopped.is_empty()
}

/// Visits an error.
pub(crate) fn fail<W: Width>(
    graph: &ZoneGraph<'_, W>,
    transition: &Transition<W>,
    error: StepError,
    scratch: &mut Scratch<W>,
    visit: &mut Visit<'_, W>,
) -> ControlFlow<(), Fired> {
    let step = scratch.numbers.next(graph.network.names(), &transition.participants);
    visit(step, transition, Err(error))?;
    ControlFlow::Continue(Fired::Led)
}
