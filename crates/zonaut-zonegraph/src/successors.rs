//! The successors of a symbolic state, with how each came about.
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

#[cfg(test)]
mod tests;

use crate::abstraction::{Abstraction, Differences, Widening};
use crate::constraints::{constrain, may_hold};
use crate::delay::{Urgency, add_clock_guards, delay_until, urgency_of};
use crate::enabled::Enabled;
use crate::frame::{Frame, Frames};
use crate::graph::{Step, StepError, Transition, ZoneGraph};
use crate::recall::{Question, Recall, Recalled};
use crate::state::SymbolicState;
use std::ops::ControlFlow;
use std::rc::Rc;
use zonaut_compile::{ActionId, Concerns, Constraint, Machine, row_of};
use zonaut_dbm::{Clock, Emptied, Zone};
use zonaut_model::interpret::{ClockEffect, RunTimeError};

/// The source of a clock that the zone before does not have. Static analysis keeps every clock whose
/// value matters later, so there is none; a zone has no such row, so that it would be noticed.
const MISSING: Clock = Clock(u16::MAX);

/// The working memory of one explorer.
#[derive(Clone, Debug)]
pub struct Scratch {
    frames: Frames,
    recall: Recall,
    pub(crate) machine: Machine,
    pub(crate) source: Vec<i32>,
    enabled: Enabled,
    urgent: Enabled,
    /// The receivers of a broadcast, taken out while they are in use.
    pub(crate) receivers: Vec<ActionId>,
    pub(crate) frame: Rc<Frame>,
    target: Rc<Frame>,
    /// By row over all clocks, the row and the constant that its value is the sum of. Between
    /// uses every row stands for itself.
    symbols: Vec<(u32, i32)>,
    images: Vec<(Clock, i32)>,
    widening: Widening,
    parts: Vec<Zone>,
    /// Buffers that are taken out while they are in use.
    zones: Vec<Zone>,
    transition: Transition,
    successor: SymbolicState,
    next: u32,
}

impl Scratch {
    pub(crate) fn new(graph: &ZoneGraph<'_>) -> Self {
        let clocks = graph.network().clock_count();
        let mut frames = Frames::new(graph.network().process_count());
        let frame = frames.of(graph.bounds(), &graph.network().initial);
        let is_split = graph.abstraction() == Abstraction::Maximum
            && graph.differences() != Differences::Absent;
        Self {
            frames,
            recall: Recall::new(!is_split),
            machine: graph.network().machine(),
            source: Vec::new(),
            enabled: Enabled::default(),
            urgent: Enabled::default(),
            receivers: Vec::new(),
            frame: Rc::clone(&frame),
            target: frame,
            symbols: (0..=clocks as u32).map(|row| (row, 0)).collect(),
            images: Vec::new(),
            widening: Widening::new(graph.abstraction(), graph.bounds()),
            parts: Vec::new(),
            zones: Vec::new(),
            transition: Transition::default(),
            successor: SymbolicState::buffer(),
            next: 0,
        }
    }

    fn next_step(&mut self) -> Step {
        self.next += 1;
        Step(self.next - 1)
    }

    /// A copy of `zone` in a buffer, to be given back with [`Scratch::release`].
    pub(crate) fn copy_of(&mut self, zone: &Zone) -> Zone {
        let mut copy = self.zones.pop().unwrap_or_else(|| Zone::origin(1));
        copy.assign_from(zone);
        copy
    }

    pub(crate) fn release(&mut self, zone: Zone) {
        self.zones.push(zone);
    }

    /// For every clock of the target, the clock of the source and the constant that its value is
    /// the sum of, after `effects`.
    fn find_images(&mut self, effects: &[ClockEffect]) {
        self.images.clear();
        if effects.iter().any(|effect| matches!(effect, ClockEffect::Copy(..))) {
            return self.find_images_of_copies(effects);
        }
        let Self { frame, target, images, .. } = self;
        let unchanged = |&row: &u32| (frame.position_if_active(row).unwrap_or(MISSING), 0);
        images.extend(target.rows.iter().map(unchanged));
        for effect in effects {
            if let ClockEffect::Set(clock, value) = *effect
                && let Some(x) = target.position_if_active(row_of(clock))
            {
                images[x.index()] = (Clock::ZERO, value);
            }
        }
    }

    /// The same where clocks are copied, so that the order of effects matters.
    fn find_images_of_copies(&mut self, effects: &[ClockEffect]) {
        for effect in effects {
            match *effect {
                ClockEffect::Set(clock, value) => self.symbols[row_of(clock) as usize] = (0, value),
                ClockEffect::Copy(target, source) => {
                    self.symbols[row_of(target) as usize] = self.symbols[row_of(source) as usize];
                }
            }
        }
        for &row in &self.target.rows {
            let (source, value) = self.symbols[row as usize];
            self.images.push((self.frame.position_if_active(source).unwrap_or(MISSING), value));
        }
        for effect in effects {
            let (ClockEffect::Set(clock, _) | ClockEffect::Copy(clock, _)) = *effect;
            self.symbols[row_of(clock) as usize] = (row_of(clock), 0);
        }
    }

    /// Makes the zone of the successor what a transition leads to while time stands still.
    fn land(&mut self, from: Departure<'_>, transition: &Transition) -> Result<(), Emptied> {
        match from {
            Departure::State(zone) if !transition.before.is_empty() => {
                let mut cut = self.copy_of(zone);
                let possible = constrain(&mut cut, &self.frame, &transition.before);
                if possible.is_ok() {
                    cut.image_into(&self.images, &mut self.successor.zone);
                }
                self.release(cut);
                possible?;
            }
            Departure::State(zone) | Departure::Part(zone) => {
                zone.image_into(&self.images, &mut self.successor.zone);
            }
        }
        constrain(&mut self.successor.zone, &self.target, &transition.arrival)
    }

    /// Lets time pass while the invariant holds, as it does already.
    fn delay(&mut self, invariant: &[Constraint]) {
        // Lower bounds and differences hold before, and time does not change that.
        let upper = invariant.iter().filter(|c| c.y == 0);
        let Self { successor, target, .. } = self;
        successor.zone.delay_within(upper.map(|c| (target.position(c.x), c.bound)));
    }

    /// Widens the zone of the successor; leaves its parts in `parts` if it is split.
    fn widen(&mut self) {
        let Self { successor, target, widening, parts, .. } = self;
        widening.widen(target, &mut successor.zone, parts);
    }
}

/// A visitor of successors with all they came from.
pub type Visit<'v> =
    dyn FnMut(Step, &Transition, Result<&mut SymbolicState, StepError>) -> ControlFlow<()> + 'v;

/// The valuations that a transition starts from.
#[derive(Clone, Copy)]
pub(crate) enum Departure<'d> {
    /// Those of a state that satisfy the constraints before the transition.
    State(&'d Zone),
    /// All of a zone, in which the constraints before the transition hold already.
    Part(&'d Zone),
}

impl ZoneGraph<'_> {
    /// Visits the initial states with how they came about.
    pub fn visit_initial(&self, scratch: &mut Scratch, visit: &mut Visit<'_>) -> ControlFlow<()> {
        scratch.next = 0;
        let network = self.network;
        scratch.successor.values.clear();
        scratch.successor.values.extend(&network.initial);
        scratch.target = scratch.frames.of(self.bounds, &scratch.successor.values);
        let value = |&row: &u32| match row {
            0 => (Clock::ZERO, 0),
            row => (Clock::ZERO, network.initial_clocks[row as usize - 1]),
        };
        scratch.images.clear();
        scratch.images.extend(scratch.target.rows.iter().map(value));
        let mut transition = Transition::default();
        let from = Departure::Part(&Zone::origin(1));
        self.arrive(from, &mut transition, scratch, visit)?;
        if scratch.next == 0 {
            return visit(Step(0), &transition, Err(StepError::InitialInvariant));
        }
        ControlFlow::Continue(())
    }

    /// Visits the successors of `state` with how they came about.
    pub fn visit_successors(
        &self,
        state: &SymbolicState,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        scratch.next = 0;
        scratch.recall.leave();
        scratch.source.clone_from(&state.values);
        scratch.frame = scratch.frames.of(self.bounds, &state.values);
        let mut enabled = std::mem::take(&mut scratch.enabled);
        let mut transition = std::mem::take(&mut scratch.transition);
        let collected = enabled.collect(self.network, &mut scratch.source, &mut scratch.machine);
        let flow = match collected {
            Ok(()) => self.visit_enabled(state, &enabled, &mut transition, scratch, visit),
            Err(error) => fail(&Transition::default(), error.into(), scratch, visit),
        };
        scratch.transition = transition;
        scratch.enabled = enabled;
        flow
    }

    fn visit_enabled(
        &self,
        state: &SymbolicState,
        enabled: &Enabled,
        transition: &mut Transition,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        for &action in &enabled.internal {
            transition.restart(&[action]);
            self.take_plain(state, transition, scratch, visit)?;
        }
        for &send in &enabled.sends {
            if self.network.is_broadcast(send.channel) {
                self.broadcast((state, enabled), send, transition, scratch, visit)?;
                continue;
            }
            for receiver in enabled.receivers_of(self.network, send) {
                let pair = [send.action, receiver];
                if enabled.committed_rule_allows(self.network, &pair) {
                    transition.restart(&pair);
                    self.take_plain(state, transition, scratch, visit)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Takes a transition whose participants' guards are all there is to satisfy.
    fn take_plain(
        &self,
        state: &SymbolicState,
        transition: &mut Transition,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let Transition { participants, before, .. } = &mut *transition;
        let Scratch { source, machine, .. } = &mut *scratch;
        if let Err(error) = add_clock_guards(self.network, participants, source, machine, before) {
            return fail(transition, error.into(), scratch, visit);
        }
        self.take_if_possible(state, transition, scratch, visit)
    }

    /// Takes a transition from all valuations that satisfy the constraints before it.
    pub(crate) fn take_if_possible(
        &self,
        state: &SymbolicState,
        transition: &mut Transition,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        // Most guards that fail do so by a single constraint.
        if !may_hold(&state.zone, &scratch.frame, &transition.before) {
            return ControlFlow::Continue(());
        }
        self.take(state, Departure::State(&state.zone), transition, scratch, visit)
    }

    /// Carries a transition out.
    pub(crate) fn take(
        &self,
        state: &SymbolicState,
        from: Departure<'_>,
        transition: &mut Transition,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        scratch.successor.values.clone_from(&state.values);
        let Scratch { successor, machine, .. } = &mut *scratch;
        let taken = self.network.take(&transition.participants, &mut successor.values, machine);
        if let Err(error) = taken {
            return self.fail_if_possible(from, transition, error, scratch, visit);
        }
        transition.effects.clone_from(&scratch.machine.clock_effects);
        scratch.target = scratch.frames.of(self.bounds, &scratch.successor.values);
        scratch.find_images(&transition.effects);
        self.arrive(from, transition, scratch, visit)
    }

    /// Enters the state in `scratch`: applies invariants, lets time pass, widens, and visits what
    /// is left.
    fn arrive(
        &self,
        from: Departure<'_>,
        transition: &mut Transition,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let concerns = match self.collect_invariants(&mut transition.arrival, scratch) {
            Ok(Some(concerns)) => concerns,
            Ok(None) => return ControlFlow::Continue(()),
            Err(error) => {
                // Whether the other invariants hold does not matter where one fails.
                transition.arrival.clear();
                return self.fail_if_possible(from, transition, error, scratch, visit);
            }
        };
        transition.departure.clone_from(&transition.arrival);
        let Scratch { successor, machine, urgent, .. } = &mut *scratch;
        match urgency_of(self.network, concerns, &mut successor.values, machine, urgent) {
            Err(error) => match scratch.land(from, transition) {
                Ok(()) => fail(transition, error.into(), scratch, visit),
                Err(Emptied) => ControlFlow::Continue(()),
            },
            Ok(Urgency::When(conditions)) => match scratch.land(from, transition) {
                Ok(()) => self.stay_until(&conditions, transition, scratch, visit),
                Err(Emptied) => ControlFlow::Continue(()),
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
        from: Departure<'_>,
        transition: &Transition,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let Scratch { recall, successor, frame, target, images, .. } = &mut *scratch;
        let Transition { before, arrival, delayed, .. } = transition;
        let recalled = match from {
            Departure::Part(_) => Recalled::Ignored,
            Departure::State(zone) => {
                let (source, delayed) = (&**frame, *delayed);
                recall.ask(Question { zone, source, before, images, target, arrival, delayed })
            }
        };
        let is_learnt = match recalled {
            Recalled::Empty => return ControlFlow::Continue(()),
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
                scratch.delay(arrival);
            }
            scratch.widen();
        }
        if is_learnt {
            scratch.recall.learn(landed.ok().map(|()| &scratch.successor.zone));
        }
        match landed {
            Ok(()) => self.present_all(transition, scratch, visit),
            Err(Emptied) => ControlFlow::Continue(()),
        }
    }

    /// Reports what went wrong with the data, unless the constraints before the transition keep
    /// it from being taken.
    fn fail_if_possible(
        &self,
        from: Departure<'_>,
        transition: &Transition,
        error: RunTimeError,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        if let Departure::State(zone) = from {
            let mut copy = scratch.copy_of(zone);
            let is_possible = constrain(&mut copy, &scratch.frame, &transition.before).is_ok();
            scratch.release(copy);
            if !is_possible {
                return ControlFlow::Continue(());
            }
        }
        fail(transition, error.into(), scratch, visit)
    }

    /// Lets time pass until an urgent synchronisation is enabled, and visits every part of what is
    /// reached.
    fn stay_until(
        &self,
        conditions: &[Vec<Constraint>],
        transition: &mut Transition,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let invariant = transition.arrival.clone();
        let values = scratch.successor.values.clone();
        let stays = delay_until(&scratch.successor.zone, &scratch.target, conditions, &invariant);
        for stay in stays {
            transition.arrival.truncate(invariant.len());
            transition.arrival.extend(stay.arrival);
            transition.departure.truncate(invariant.len());
            transition.departure.extend(stay.end.constraints);
            transition.delayed = stay.delayed;
            scratch.successor.values.clone_from(&values);
            scratch.successor.zone = stay.end.zone;
            scratch.widen();
            self.present_all(transition, scratch, visit)?;
        }
        ControlFlow::Continue(())
    }

    /// Finds the clock constraints of all invariants of the state in `scratch`, if their data parts
    /// hold; what has to be looked at in its locations.
    fn collect_invariants(
        &self,
        into: &mut Vec<Constraint>,
        scratch: &mut Scratch,
    ) -> Result<Option<Concerns>, RunTimeError> {
        into.clear();
        let network = self.network;
        let Scratch { successor: SymbolicState { values, .. }, machine, .. } = scratch;
        let mut all = Concerns::NONE;
        for process in 0..network.process_count() {
            let concerns = network.concerns_of(process, values);
            all = all | concerns;
            if concerns.include(Concerns::INVARIANT) {
                let invariant = &network.location(process, values).invariant;
                if !network.data_holds(invariant, values, machine)? {
                    return Ok(None);
                }
                network.for_each_constraint(invariant, values, machine, |c| into.push(c))?;
            }
        }
        Ok(Some(all))
    }

    /// Visits the state in `scratch`, or every part of it.
    fn present_all(
        &self,
        transition: &Transition,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
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
        ControlFlow::Continue(())
    }

    fn present(
        &self,
        transition: &Transition,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let step = scratch.next_step();
        if self.may_leave_range && !self.returns_to_range(scratch) {
            return visit(step, transition, Err(StepError::ClockRange));
        }
        visit(step, transition, Ok(&mut scratch.successor))
    }

    /// Whether the next step from the zone in `scratch` is exact. Where zones are compared by
    /// simulation, one that went out of range is extrapolated: what that adds is simulated by what
    /// was there, as that extrapolation is finer than the simulation.
    fn returns_to_range(&self, scratch: &mut Scratch) -> bool {
        let Scratch { successor: SymbolicState { zone, .. }, target, .. } = scratch;
        if zone.is_within_range() {
            return true;
        }
        if self.abstraction() != Abstraction::Simulation {
            return false;
        }
        zone.extrapolate_lu_plus(&target.lower, &target.upper);
        self.is_safe_extrapolated || zone.is_within_range()
    }
}

/// Visits something that went wrong.
pub(crate) fn fail(
    transition: &Transition,
    error: StepError,
    scratch: &mut Scratch,
    visit: &mut Visit<'_>,
) -> ControlFlow<()> {
    let step = scratch.next_step();
    visit(step, transition, Err(error))
}
