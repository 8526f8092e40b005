//! Firing: what a candidate leads to, or nothing.
//!
//! A successor is computed in four moves: guards (and the failing guards of those who stay out of a
//! broadcast) cut the zone; updates run on the data and give a list of clock effects, which
//! become one image of the zone over the clocks of the target; invariants cut it again; time
//! passes. Where a move leaves several convex parts, each is a successor of its own.
//!
//! The data comes first, because what happens to the zone is mostly remembered from before
//! ([`crate::recall`]). What fails on the data fails only if the zone gets so far.
//!
//! On the common way, where nothing is split, nothing is allocated: all buffers live in
//! [`Scratch`].

use crate::candidate::Candidate;
use crate::constraints::{ZoneConstraint, constrain, may_hold};
use crate::delay::{Stay, Urgency, Wait, add_clock_guards, delay_until, urgency_of};
use crate::graph::{StepError, Transition, ZoneGraph};
use crate::recall::{Question, Recalled};
use crate::state::SymbolicState;
use crate::successors::{Departure, Scratch, Visit};
use std::ops::ControlFlow;
use zonaut_compile::{ClockRow, LocationFlags};
use zonaut_dbm::{Emptied, Width};
use zonaut_model::interpret::RunTimeError;

/// Whether a candidate could be fired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fired {
    /// It led somewhere, or went wrong: something was visited.
    Led,
    /// A clock guard, or an invariant of the target, stands in its way everywhere;
    /// [`ZoneGraph::obstacles`] tells which.
    Blocked,
}

impl Fired {
    /// Whether one of two could be fired.
    pub(crate) fn or(self, other: Self) -> Self {
        if self == Self::Led { self } else { other }
    }
}

impl<W: Width> ZoneGraph<'_, W> {
    /// Visits what `candidate`, which [`ZoneGraph::for_each_candidate`] offers with this scratch,
    /// leads to from `state`.
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
            Candidate::Broadcast { sender, receivers, committed } => {
                transition.restart(&[sender]);
                self.gather_all((state, committed), receivers, transition, scratch, visit)
            }
        }
    }

    /// Takes a transition whose participants' guards are all there is to satisfy.
    fn take_plain(
        &self,
        state: &SymbolicState<W>,
        transition: &mut Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        let Transition { participants, before, .. } = &mut *transition;
        let Scratch { source, machine, .. } = &mut *scratch;
        if let Err(error) = add_clock_guards(self.network, participants, source, machine, before) {
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
        // Most guards that fail do so by a single constraint.
        if !may_hold(&state.zone, &scratch.frame, &transition.before) {
            return ControlFlow::Continue(Fired::Blocked);
        }
        if self.network.has_priorities() {
            return self.take_if_highest(state, transition, scratch, visit);
        }
        self.take(state, Departure::State(&state.zone), transition, scratch, visit)
    }

    /// Carries a transition out.
    pub(crate) fn take(
        &self,
        state: &SymbolicState<W>,
        from: Departure<'_, W>,
        transition: &mut Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        scratch.successor.values.clone_from(&state.values);
        let Scratch { successor, machine, .. } = &mut *scratch;
        let taken = self.network.take(&transition.participants, &mut successor.values, machine);
        if let Err(error) = taken {
            return self.fail_if_possible(from, transition, error, scratch, visit);
        }
        transition.effects.clone_from(&scratch.machine.clock_effects);
        scratch.target = scratch.frames.of(self.bounds, &scratch.successor.values);
        if let Err(error) = scratch.pay_for_zone() {
            return fail(self, transition, error.into(), scratch, visit);
        }
        scratch.find_images(&transition.effects);
        scratch.successor.price = scratch.machine.cost;
        if let Some(row) = self.network.cost_row()
            && !scratch.add_price(row)
        {
            return fail(self, transition, StepError::ClockRange, scratch, visit);
        }
        self.arrive(from, transition, scratch, visit)
    }

    /// Enters the state in `scratch`: applies invariants, lets time pass, widens, and visits what
    /// is left.
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
                // Whether the other invariants hold does not matter where one fails.
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
        let Scratch { successor, machine, urgent, .. } = &mut *scratch;
        let urgency = rates.and_then(|()| {
            urgency_of(self.network, location_flags, &mut successor.values, machine, urgent)
        });
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

    /// Finds what the zone becomes, by memory or by computation, and visits it.
    fn pass(
        &self,
        from: Departure<'_, W>,
        transition: &Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        let Scratch { recall, successor, frame, target, images, .. } = &mut *scratch;
        let Transition { before, arrival, delayed, .. } = transition;
        let recalled = match from {
            Departure::Part(_) => Recalled::Ignored,
            Departure::State(_) if has_stops(transition) => Recalled::Ignored,
            Departure::State(zone) => {
                let (source, delayed) = (&**frame, *delayed);
                recall.ask(Question { zone, source, before, images, target, arrival, delayed })
            }
        };
        let is_learnt = match recalled {
            Recalled::Empty => return ControlFlow::Continue(Fired::Blocked),
            Recalled::Zone(bounds) => {
                successor.zone.assign_slice(target.rows.len(), bounds);
                return self.present_all(transition, scratch, visit);
            }
            Recalled::Ignored => false,
            Recalled::Unknown => true,
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
            scratch.recall.learn(landed.ok().map(|()| &scratch.successor.zone));
        }
        match landed {
            Ok(()) => self.present_all(transition, scratch, visit),
            Err(Emptied) => ControlFlow::Continue(Fired::Blocked),
        }
    }

    /// Reports what went wrong with the data, unless the constraints before the transition keep
    /// it from being taken.
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
            let is_possible = constrain(&mut copy, &scratch.frame, &transition.before).is_ok();
            scratch.release(copy);
            if !is_possible {
                return ControlFlow::Continue(Fired::Blocked);
            }
        }
        fail(self, transition, error.into(), scratch, visit)
    }

    /// Lets time pass until an urgent synchronisation is enabled, and visits every part of what is
    /// reached.
    fn stay_until(
        &self,
        conditions: &[Vec<ZoneConstraint<W>>],
        transition: &mut Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        let invariant = transition.arrival.clone();
        let values = scratch.successor.values.clone();
        let Scratch { successor, target, machine, .. } = &*scratch;
        let stopped = &transition.stopped;
        let wait = Wait { frame: target, conditions, invariant: &invariant, stopped };
        let stays = match delay_until(&successor.zone, wait, machine.meter()) {
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

    /// Finds the clock constraints of all invariants of the state in `scratch`, if their data parts
    /// hold; what has to be looked at in its locations.
    pub(crate) fn collect_invariants(
        &self,
        into: &mut Vec<ZoneConstraint<W>>,
        scratch: &mut Scratch<W>,
    ) -> Result<Option<LocationFlags>, RunTimeError> {
        into.clear();
        let network = self.network;
        let Scratch { successor: SymbolicState { values, .. }, machine, bounded, .. } = scratch;
        let location_flags = network.flagged_processes(values, LocationFlags::INVARIANT, bounded);
        for &process in &*bounded {
            let invariant = &network.location(process as usize, values).invariant;
            if !network.data_holds(invariant, values, machine)? {
                return Ok(None);
            }
            network.for_each_constraint(invariant, values, machine, |c| into.push(c.into()))?;
        }
        Ok(Some(location_flags))
    }

    /// Finds the clocks that stand still in the state in `scratch`.
    #[cold]
    pub(crate) fn collect_stopped(
        &self,
        into: &mut Vec<ClockRow>,
        scratch: &mut Scratch<W>,
    ) -> Result<(), RunTimeError> {
        let Scratch { successor: SymbolicState { values, .. }, machine, .. } = scratch;
        self.network.for_each_stopped(values, machine, |row| into.push(row))?;
        into.sort_unstable();
        into.dedup();
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

    /// Whether the next step from the zone in `scratch` is exact, if need be after it was confined.
    fn returns_to_range(&self, scratch: &mut Scratch<W>) -> bool {
        let Scratch { successor: SymbolicState { zone, .. }, target, widening, .. } = scratch;
        zone.is_within_range()
            || widening.confine(target, zone) && (self.keeps_range || zone.is_within_range())
    }
}

/// Whether clocks stand still after a transition: such steps are not remembered.
fn has_stops<W: Width>(transition: &Transition<W>) -> bool {
    #[cfg(feature = "faults")]
    if crate::faults::Fault::RecallWithoutStops.is_selected() {
        return false;
    }
    !transition.stopped.is_empty()
}

/// Visits something that went wrong.
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
