//! The successors of a symbolic state, with how each came about.
//!
//! A successor is computed in four moves: guards (and the failing guards of those who stay out of a
//! broadcast) cut the zone; updates run on the data and give a list of clock effects, which
//! become one image of the zone over the clocks of the target; invariants cut it again; time
//! passes. Where a move leaves several convex parts, each is a successor of its own.
//!
//! On the common way, where nothing is split, nothing is allocated: all buffers live in
//! [`Scratch`].

use crate::abstraction::Widening;
use crate::constraints::{Piece, constrain, cut_out_of_all, may_hold};
use crate::delay::{Urgency, add_clock_guards, clock_guards, delay_until, urgency_of};
use crate::enabled::{Enabled, Offer};
use crate::frame::{Frame, Frames};
use crate::graph::{Step, StepError, Transition, ZoneGraph};
use crate::state::SymbolicState;
use std::ops::ControlFlow;
use std::rc::Rc;
use zonaut_compile::{ActionId, Constraint, Machine, row_of};
use zonaut_dbm::{Clock, Zone};
use zonaut_model::interpret::{ClockEffect, RunTimeError};

/// The working memory of one explorer.
#[derive(Clone, Debug)]
pub struct Scratch {
    frames: Frames,
    machine: Machine,
    source: Vec<i32>,
    enabled: Enabled,
    urgent: Enabled,
    frame: Rc<Frame>,
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
        Self {
            frames,
            machine: graph.network().machine(),
            source: Vec::new(),
            enabled: Enabled::default(),
            urgent: Enabled::default(),
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
    fn copy_of(&mut self, zone: &Zone) -> Zone {
        let mut copy = self.zones.pop().unwrap_or_else(|| Zone::origin(1));
        copy.assign_from(zone);
        copy
    }

    fn release(&mut self, zone: Zone) {
        self.zones.push(zone);
    }

    /// For every clock of the target, the clock of the source and the constant that its value is
    /// the sum of, after `effects`.
    fn find_images(&mut self, effects: &[ClockEffect]) {
        for effect in effects {
            match *effect {
                ClockEffect::Set(clock, value) => self.symbols[row_of(clock) as usize] = (0, value),
                ClockEffect::Copy(target, source) => {
                    self.symbols[row_of(target) as usize] = self.symbols[row_of(source) as usize];
                }
            }
        }
        self.images.clear();
        for &row in &self.target.rows {
            let (source, value) = self.symbols[row as usize];
            self.images.push((self.frame.position(source), value));
        }
        for effect in effects {
            let (ClockEffect::Set(clock, _) | ClockEffect::Copy(clock, _)) = *effect;
            self.symbols[row_of(clock) as usize] = (row_of(clock), 0);
        }
    }
}

/// A visitor of successors with all they came from.
pub type Visit<'v> =
    dyn FnMut(Step, &Transition, Result<&mut SymbolicState, StepError>) -> ControlFlow<()> + 'v;

/// The receiving actions of one process with their clock guards.
type Group = Vec<(ActionId, Vec<Constraint>)>;

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
        Zone::origin(1).image_into(&scratch.images, &mut scratch.successor.zone);
        let mut transition = Transition::default();
        self.arrive(&mut transition, scratch, visit)?;
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
                self.broadcast(state, enabled, send, scratch, visit)?;
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
        if transition.before.is_empty() {
            return self.take(state, transition, &state.zone, scratch, visit);
        }
        // Most guards that fail do so by a single constraint, which needs no copy of the zone.
        if !may_hold(&state.zone, &scratch.frame, &transition.before) {
            return ControlFlow::Continue(());
        }
        let mut zone = scratch.copy_of(&state.zone);
        let mut flow = ControlFlow::Continue(());
        if constrain(&mut zone, &scratch.frame, &transition.before).is_ok() {
            flow = self.take(state, transition, &zone, scratch, visit);
        }
        scratch.release(zone);
        flow
    }

    /// Takes a broadcast: every process with an enabled receiving action takes part with one of
    /// them, so each process either takes one or stays out where all its guards fail.
    fn broadcast(
        &self,
        state: &SymbolicState,
        enabled: &Enabled,
        send: Offer,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let mut transition = Transition::default();
        transition.restart(&[send.action]);
        let Scratch { source, machine, .. } = &mut *scratch;
        let groups = match self.receiver_groups(enabled, send, source, machine) {
            Ok(groups) => groups,
            Err(error) => return fail(&transition, error.into(), scratch, visit),
        };
        let guards = clock_guards(self.network, &[send.action], source, machine);
        transition.before = match guards {
            Ok(guards) => guards,
            Err(error) => return fail(&transition, error.into(), scratch, visit),
        };
        let mut zone = scratch.copy_of(&state.zone);
        let mut flow = ControlFlow::Continue(());
        if constrain(&mut zone, &scratch.frame, &transition.before).is_ok() {
            let gathering = Gathering { state, enabled, groups: &groups };
            flow = self.gather(&gathering, (&mut transition, &zone), scratch, visit);
        }
        scratch.release(zone);
        flow
    }

    /// The receiving actions for `send`, one group for each process, with their clock guards.
    fn receiver_groups(
        &self,
        enabled: &Enabled,
        send: Offer,
        source: &mut [i32],
        machine: &mut Machine,
    ) -> Result<Vec<Group>, RunTimeError> {
        let mut groups: Vec<Group> = Vec::new();
        let mut last = None;
        for receiver in enabled.receivers_of(self.network, send) {
            let guards = clock_guards(self.network, &[receiver], source, machine)?;
            let process = self.network.action(receiver).process;
            if last.replace(process) != Some(process) {
                groups.push(Vec::new());
            }
            groups.last_mut().expect("invariant: just pushed").push((receiver, guards));
        }
        Ok(groups)
    }

    /// Decides for the first of the groups who takes part, then for the others, then moves.
    fn gather(
        &self,
        gathering: &Gathering<'_>,
        (partial, zone): (&mut Transition, &Zone),
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let Some((group, groups)) = gathering.groups.split_first() else {
            if gathering.enabled.committed_rule_allows(self.network, &partial.participants) {
                return self.take(gathering.state, partial, zone, scratch, visit);
            }
            return ControlFlow::Continue(());
        };
        let rest = Gathering { groups, ..*gathering };
        let decided = partial.before.len();
        for (receiver, guards) in group {
            let mut inside = scratch.copy_of(zone);
            let mut flow = ControlFlow::Continue(());
            if constrain(&mut inside, &scratch.frame, guards).is_ok() {
                partial.participants.push(*receiver);
                partial.before.extend(guards);
                flow = self.gather(&rest, (partial, &inside), scratch, visit);
                partial.participants.pop();
                partial.before.truncate(decided);
            }
            scratch.release(inside);
            flow?;
        }
        if group.iter().any(|(_, guards)| guards.is_empty()) {
            return ControlFlow::Continue(());
        }
        let mut outside = vec![Piece { zone: zone.clone(), constraints: Vec::new() }];
        for (_, guards) in group {
            outside = cut_out_of_all(outside, &scratch.frame, guards);
        }
        for piece in outside {
            partial.before.extend(piece.constraints);
            let flow = self.gather(&rest, (partial, &piece.zone), scratch, visit);
            partial.before.truncate(decided);
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// Carries a transition out from the valuations in `zone`.
    fn take(
        &self,
        state: &SymbolicState,
        transition: &mut Transition,
        zone: &Zone,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        scratch.successor.values.clone_from(&state.values);
        let Scratch { successor, machine, .. } = &mut *scratch;
        let taken = self.network.take(&transition.participants, &mut successor.values, machine);
        if let Err(error) = taken {
            return fail(transition, error.into(), scratch, visit);
        }
        transition.effects.clone_from(&scratch.machine.clock_effects);
        scratch.target = scratch.frames.of(self.bounds, &scratch.successor.values);
        scratch.find_images(&transition.effects);
        zone.image_into(&scratch.images, &mut scratch.successor.zone);
        self.arrive(transition, scratch, visit)
    }

    /// Enters the state in `scratch`, whose zone has time standing still: applies invariants, lets
    /// time pass, widens, and visits what is left.
    fn arrive(
        &self,
        transition: &mut Transition,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        match self.collect_invariants(&mut transition.arrival, scratch) {
            Ok(true) => {}
            Ok(false) => return ControlFlow::Continue(()),
            Err(error) => return fail(transition, error.into(), scratch, visit),
        }
        let Scratch { successor, machine, urgent, target, .. } = &mut *scratch;
        if constrain(&mut successor.zone, target, &transition.arrival).is_err() {
            return ControlFlow::Continue(());
        }
        transition.departure.clone_from(&transition.arrival);
        match urgency_of(self.network, &mut successor.values, machine, urgent) {
            Err(error) => return fail(transition, error.into(), scratch, visit),
            Ok(Urgency::Now) => transition.delayed = false,
            Ok(Urgency::Free) => {
                transition.delayed = true;
                // Lower bounds and differences hold before, and time does not change that.
                let upper = transition.arrival.iter().filter(|c| c.y == 0);
                successor.zone.delay_within(upper.map(|c| (target.position(c.x), c.bound)));
            }
            Ok(Urgency::When(conditions)) => {
                return self.stay_until(&conditions, transition, scratch, visit);
            }
        }
        self.finish(transition, scratch, visit)
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
            self.finish(transition, scratch, visit)?;
        }
        ControlFlow::Continue(())
    }

    /// Finds the clock constraints of all invariants of the state in `scratch`; whether their data
    /// parts hold.
    fn collect_invariants(
        &self,
        into: &mut Vec<Constraint>,
        scratch: &mut Scratch,
    ) -> Result<bool, RunTimeError> {
        into.clear();
        let network = self.network;
        let Scratch { successor: SymbolicState { values, .. }, machine, .. } = scratch;
        for process in 0..network.process_count() {
            let invariant = &network.location(process, values).invariant;
            if !network.data_holds(invariant, values, machine)? {
                return Ok(false);
            }
            network.for_each_constraint(invariant, values, machine, |c| into.push(c))?;
        }
        Ok(true)
    }

    /// Widens the zone of the state in `scratch` and visits what it becomes.
    fn finish(
        &self,
        transition: &Transition,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let Scratch { successor, target, widening, parts, .. } = &mut *scratch;
        let split = widening.widen(target, &mut successor.zone, parts);
        self.network.packing.pack(&successor.values, &mut successor.key);
        if !split {
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
        if self.may_leave_range && !scratch.successor.zone.is_within_range() {
            return visit(step, transition, Err(StepError::ClockRange));
        }
        visit(step, transition, Ok(&mut scratch.successor))
    }
}

/// A broadcast for which it is being decided who takes part.
#[derive(Clone, Copy)]
struct Gathering<'b> {
    state: &'b SymbolicState,
    enabled: &'b Enabled,
    groups: &'b [Group],
}

fn fail(
    transition: &Transition,
    error: StepError,
    scratch: &mut Scratch,
    visit: &mut Visit<'_>,
) -> ControlFlow<()> {
    let step = scratch.next_step();
    visit(step, transition, Err(error))
}
