//! The successors of a symbolic state, with how each came about.
//!
//! A successor is computed in four moves: guards (and the failing guards of those who stay out of a
//! broadcast) cut the zone; updates run on the data and give a list of clock effects, which
//! become one image of the zone over the clocks of the target; invariants cut it again; time
//! passes. Where a move leaves several convex parts, each is a successor of its own.

use crate::abstraction::Widening;
use crate::constraints::{Piece, constrain, cut_out_of_all};
use crate::delay::{Stay, Urgency, clock_guards, delay_until, urgency_of};
use crate::enabled::{Enabled, Offer};
use crate::frame::Frame;
use crate::graph::{Step, StepError, Transition, ZoneGraph};
use crate::state::SymbolicState;
use std::ops::ControlFlow;
use zonaut_compile::{ActionId, Constraint, Machine, row_of};
use zonaut_dbm::{Clock, Zone};
use zonaut_model::interpret::{ClockEffect, RunTimeError};

/// The working memory of one explorer.
#[derive(Clone, Debug)]
pub struct Scratch {
    machine: Machine,
    source: Vec<i32>,
    enabled: Enabled,
    urgent: Enabled,
    frame: Frame,
    target: Frame,
    /// By row over all clocks, the row and the constant that its value is the sum of. Between
    /// uses every row stands for itself.
    symbols: Vec<(u32, i32)>,
    images: Vec<(Clock, i32)>,
    widening: Widening,
    parts: Vec<Zone>,
    successor: SymbolicState,
    next: u32,
}

impl Scratch {
    pub(crate) fn new(graph: &ZoneGraph<'_>) -> Self {
        let clocks = graph.network().clock_count();
        Self {
            machine: graph.network().machine(),
            source: Vec::new(),
            enabled: Enabled::default(),
            urgent: Enabled::default(),
            frame: Frame::new(clocks),
            target: Frame::new(clocks),
            symbols: (0..=clocks as u32).map(|row| (row, 0)).collect(),
            images: Vec::new(),
            widening: Widening::new(graph.abstraction(), graph.bounds()),
            parts: Vec::new(),
            successor: SymbolicState::empty(),
            next: 0,
        }
    }

    fn next_step(&mut self) -> Step {
        self.next += 1;
        Step(self.next - 1)
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
        let processes = network.process_count();
        scratch.target.enter(self.bounds, &scratch.successor.values, processes);
        let value = |&row: &u32| match row {
            0 => (Clock::ZERO, 0),
            row => (Clock::ZERO, network.initial_clocks[row as usize - 1]),
        };
        scratch.images.clear();
        scratch.images.extend(scratch.target.rows.iter().map(value));
        let mut zone = Zone::origin(1);
        Zone::origin(1).image_into(&scratch.images, &mut zone);
        let mut transition = Transition::default();
        let before = scratch.next;
        self.arrive(&mut transition, zone, scratch, visit)?;
        if scratch.next == before {
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
        scratch.frame.enter(self.bounds, &state.values, self.network.process_count());
        let mut enabled = std::mem::take(&mut scratch.enabled);
        let collected = enabled.collect(self.network, &mut scratch.source, &mut scratch.machine);
        let flow = match collected {
            Ok(()) => self.visit_enabled(state, &enabled, scratch, visit),
            Err(error) => fail(&Transition::default(), error.into(), scratch, visit),
        };
        scratch.enabled = enabled;
        flow
    }

    fn visit_enabled(
        &self,
        state: &SymbolicState,
        enabled: &Enabled,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        for &action in &enabled.internal {
            self.take_plain(state, &[action], scratch, visit)?;
        }
        for &send in &enabled.sends {
            if self.network.is_broadcast(send.channel) {
                self.broadcast(state, enabled, send, scratch, visit)?;
                continue;
            }
            for receiver in enabled.receivers_of(self.network, send) {
                let pair = [send.action, receiver];
                if enabled.committed_rule_allows(self.network, &pair) {
                    self.take_plain(state, &pair, scratch, visit)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Takes a transition whose participants' guards are all there is to satisfy.
    fn take_plain(
        &self,
        state: &SymbolicState,
        participants: &[ActionId],
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let guards =
            clock_guards(self.network, participants, &mut scratch.source, &mut scratch.machine);
        let mut transition =
            Transition { participants: participants.to_vec(), ..Transition::default() };
        match guards {
            Ok(guards) => transition.before = guards,
            Err(error) => return fail(&transition, error.into(), scratch, visit),
        }
        let mut zone = state.zone.clone();
        if constrain(&mut zone, &scratch.frame, &transition.before).is_err() {
            return ControlFlow::Continue(());
        }
        self.take(state, transition, &zone, scratch, visit)
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
        let network = self.network;
        let mut groups: Vec<Group> = Vec::new();
        let mut last = None;
        let blame = Transition { participants: vec![send.action], ..Transition::default() };
        for receiver in enabled.receivers_of(network, send) {
            let guards =
                clock_guards(network, &[receiver], &mut scratch.source, &mut scratch.machine);
            let guards = match guards {
                Ok(guards) => guards,
                Err(error) => return fail(&blame, error.into(), scratch, visit),
            };
            let process = network.action(receiver).process;
            if last.replace(process) != Some(process) {
                groups.push(Vec::new());
            }
            groups.last_mut().expect("invariant: just pushed").push((receiver, guards));
        }
        let guards =
            clock_guards(network, &[send.action], &mut scratch.source, &mut scratch.machine);
        let guards = match guards {
            Ok(guards) => guards,
            Err(error) => return fail(&blame, error.into(), scratch, visit),
        };
        let mut zone = state.zone.clone();
        if constrain(&mut zone, &scratch.frame, &guards).is_err() {
            return ControlFlow::Continue(());
        }
        let partial = Transition { before: guards, ..blame };
        self.gather(state, enabled, (&groups, partial, zone), scratch, visit)
    }

    /// Decides for the first of `groups` who takes part, then for the others, then moves.
    fn gather(
        &self,
        state: &SymbolicState,
        enabled: &Enabled,
        (groups, partial, zone): (&[Group], Transition, Zone),
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let Some((group, rest)) = groups.split_first() else {
            if enabled.committed_rule_allows(self.network, &partial.participants) {
                return self.take(state, partial, &zone, scratch, visit);
            }
            return ControlFlow::Continue(());
        };
        for (receiver, guards) in group {
            let mut inside = zone.clone();
            if constrain(&mut inside, &scratch.frame, guards).is_ok() {
                let mut joined = partial.clone();
                joined.participants.push(*receiver);
                joined.before.extend(guards);
                self.gather(state, enabled, (rest, joined, inside), scratch, visit)?;
            }
        }
        let mut outside = vec![Piece { zone, constraints: Vec::new() }];
        for (_, guards) in group {
            outside = cut_out_of_all(outside, &scratch.frame, guards);
        }
        for piece in outside {
            let mut absent = partial.clone();
            absent.before.extend(piece.constraints);
            self.gather(state, enabled, (rest, absent, piece.zone), scratch, visit)?;
        }
        ControlFlow::Continue(())
    }

    /// Carries a transition out from the valuations in `zone`.
    fn take(
        &self,
        state: &SymbolicState,
        mut transition: Transition,
        zone: &Zone,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        scratch.successor.values.clone_from(&state.values);
        let Scratch { successor, machine, .. } = &mut *scratch;
        let taken = self.network.take(&transition.participants, &mut successor.values, machine);
        if let Err(error) = taken {
            return fail(&transition, error.into(), scratch, visit);
        }
        transition.effects.clone_from(&scratch.machine.clock_effects);
        let processes = self.network.process_count();
        scratch.target.enter(self.bounds, &scratch.successor.values, processes);
        scratch.find_images(&transition.effects);
        let mut image = Zone::origin(1);
        zone.image_into(&scratch.images, &mut image);
        self.arrive(&mut transition, image, scratch, visit)
    }

    /// Enters the state whose values and frame are in `scratch` with the valuations in `zone`:
    /// applies invariants, lets time pass, widens, and visits what is left.
    fn arrive(
        &self,
        transition: &mut Transition,
        zone: Zone,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let invariant = match self.invariant(scratch) {
            Ok(Some(invariant)) => invariant,
            Ok(None) => return ControlFlow::Continue(()),
            Err(error) => return fail(transition, error.into(), scratch, visit),
        };
        let mut arrived = Piece { zone, constraints: Vec::new() };
        if constrain(&mut arrived.zone, &scratch.target, &invariant).is_err() {
            return ControlFlow::Continue(());
        }
        let Scratch { successor, machine, urgent, .. } = &mut *scratch;
        let urgency = urgency_of(self.network, &mut successor.values, machine, urgent);
        let stays = match urgency {
            Err(error) => return fail(transition, error.into(), scratch, visit),
            Ok(Urgency::Now) => {
                vec![Stay { end: arrived, arrival: Vec::new(), delayed: false }]
            }
            Ok(Urgency::Free) => {
                arrived.zone.delay();
                let bounded = constrain(&mut arrived.zone, &scratch.target, &invariant);
                debug_assert!(bounded.is_ok(), "the invariant holds before the delay");
                vec![Stay { end: arrived, arrival: Vec::new(), delayed: true }]
            }
            Ok(Urgency::When(conditions)) => {
                delay_until(&arrived, &scratch.target, &conditions, &invariant)
            }
        };
        for stay in stays {
            transition.arrival.clone_from(&invariant);
            transition.arrival.extend(stay.arrival);
            transition.departure.clone_from(&invariant);
            transition.departure.extend(stay.end.constraints);
            transition.delayed = stay.delayed;
            self.finish(transition, stay.end.zone, scratch, visit)?;
        }
        ControlFlow::Continue(())
    }

    /// The clock constraints of all invariants of the state in `scratch`; nothing where the data
    /// part of one fails.
    fn invariant(&self, scratch: &mut Scratch) -> Result<Option<Vec<Constraint>>, RunTimeError> {
        let network = self.network;
        let Scratch { successor: SymbolicState { values, .. }, machine, .. } = scratch;
        let mut all = Vec::new();
        for process in 0..network.process_count() {
            let invariant = &network.location(process, values).invariant;
            if !network.data_holds(invariant, values, machine)? {
                return Ok(None);
            }
            network.for_each_constraint(invariant, values, machine, |c| all.push(c))?;
        }
        Ok(Some(all))
    }

    /// Widens `zone` and visits what it becomes.
    fn finish(
        &self,
        transition: &Transition,
        mut zone: Zone,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let Scratch { successor, target, widening, parts, .. } = &mut *scratch;
        let split = widening.widen(target, &mut zone, parts);
        self.network.packing.pack(&successor.values, &mut successor.key);
        successor.rows.clone_from(&target.rows);
        let parts = if split { std::mem::take(parts) } else { vec![zone] };
        for part in parts {
            let step = scratch.next_step();
            if !part.is_within_range() {
                visit(step, transition, Err(StepError::ClockRange))?;
                continue;
            }
            // The visitor may overwrite the state, so each part starts from the same values.
            let values = scratch.successor.values.clone();
            scratch.successor.zone = part;
            visit(step, transition, Ok(&mut scratch.successor))?;
            scratch.successor.values = values;
        }
        ControlFlow::Continue(())
    }
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
