//! The transitions that are enabled at a clock valuation.

use super::clocks::Clocks;
use super::machine::Machine;
use super::offers::Offer;
use super::prepared::location_of;
use super::state::State;
use std::ops::{ControlFlow, Range};
use zonaut_base::Id;
use zonaut_model::interpret::RunTimeError;
use zonaut_model::{ChannelId, Direction, LocationKind};

/// The result of a transition: a state, or an error in its updates or in the invariants of its
/// target.
type Outcome<'s, V> = Result<&'s State<V>, RunTimeError>;

impl<C: Clocks> Machine<'_, C> {
    /// Visits the transitions from `state`, which must be the one last looked at: internal edges
    /// and senders in order of processes and edges, each with its receivers in system order.
    ///
    /// A transition whose target violates an invariant is disabled; that includes a broadcast one
    /// of whose receivers violates its target invariant. With priorities, only transitions of the
    /// highest priority are visited.
    pub fn for_each_step(
        &mut self,
        state: &State<C::Value>,
        mut visit: impl FnMut(&Self, &[Offer], Outcome<'_, C::Value>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if !self.has_priorities {
            return self.for_each_step_of_any_priority(state, visit);
        }
        let mut highest = None;
        let _ = self.for_each_step_of_any_priority(state, |machine, participants, _| {
            highest = highest.max(Some(machine.priority(participants)));
            ControlFlow::Continue(())
        });
        self.for_each_step_of_any_priority(state, |machine, participants, outcome| {
            if Some(machine.priority(participants)) < highest {
                return ControlFlow::Continue(());
            }
            visit(machine, participants, outcome)
        })
    }

    /// The priority of the channel, then that of the process with the highest priority.
    fn priority(&self, participants: &[Offer]) -> (u32, u32) {
        let channel = participants[0].synchronisation.map(|(channel, _)| channel);
        let processes =
            participants.iter().map(|offer| self.model.processes[offer.process].priority);
        (
            channel.map_or(self.model.default_priority, |id| self.model.channels[id].priority),
            processes.max().unwrap_or(0),
        )
    }

    fn for_each_step_of_any_priority(
        &mut self,
        state: &State<C::Value>,
        mut visit: impl FnMut(&Self, &[Offer], Outcome<'_, C::Value>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let only_committed = self.is_somewhere(state, LocationKind::Committed);
        let mut participants = Vec::new();
        for position in 0..self.offers.len() {
            let initiator = self.offers[position];
            participants.clear();
            participants.push(initiator);
            let mut attempt = |machine: &mut Self, participants: &[Offer]| {
                if only_committed && !machine.leaves_committed(state, participants) {
                    return ControlFlow::Continue(());
                }
                machine.attempt(state, participants, &mut visit)
            };
            match initiator.synchronisation {
                None => attempt(self, &participants)?,
                Some((_, Direction::Receive)) => {}
                Some((channel, Direction::Send)) if self.model.channels[channel].broadcast => {
                    self.for_each_receiver_set(
                        initiator,
                        channel,
                        &mut participants,
                        &mut attempt,
                    )?;
                }
                Some((channel, Direction::Send)) => {
                    for receiver in 0..self.offers.len() {
                        let receiver = self.offers[receiver];
                        if receives(receiver, channel) && receiver.process != initiator.process {
                            participants.truncate(1);
                            participants.push(receiver);
                            attempt(self, &participants)?;
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls `attempt` for each combination in which every process that can receive does so by one
    /// of its edges.
    fn for_each_receiver_set(
        &mut self,
        sender: Offer,
        channel: ChannelId,
        participants: &mut Vec<Offer>,
        attempt: &mut impl FnMut(&mut Self, &[Offer]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let listeners = self.listeners(sender, channel);
        let mut choice = vec![0; listeners.len()];
        loop {
            participants.truncate(1);
            participants.extend(listeners.iter().zip(&choice).map(|(offers, &k)| offers[k]));
            attempt(self, participants)?;
            let next = (0..choice.len()).rfind(|&k| choice[k] + 1 < listeners[k].len());
            let Some(next) = next else { return ControlFlow::Continue(()) };
            choice[next] += 1;
            choice[next + 1..].fill(0);
        }
    }

    /// The receiving offers by process, in system order, without the sender's process.
    fn listeners(&self, sender: Offer, channel: ChannelId) -> Vec<Vec<Offer>> {
        let others = self.model.processes.ids().filter(|&process| process != sender.process);
        let offers = others.map(|process| {
            let range: Range<usize> = self.offers_of(process);
            self.offers[range].iter().copied().filter(|&o| receives(o, channel)).collect()
        });
        offers.filter(|offers: &Vec<Offer>| !offers.is_empty()).collect()
    }

    fn leaves_committed(&self, state: &State<C::Value>, participants: &[Offer]) -> bool {
        participants.iter().any(|offer| {
            let location = location_of(&state.locations, offer.process);
            let kind = self.model.processes[offer.process].locations[location].kind;
            kind == LocationKind::Committed
        })
    }

    fn attempt(
        &mut self,
        state: &State<C::Value>,
        participants: &[Offer],
        visit: &mut impl FnMut(&Self, &[Offer], Outcome<'_, C::Value>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut successor = std::mem::take(&mut self.successor);
        successor.copy_from(state);
        let flow = match self.execute(participants, &mut successor) {
            Ok(true) => visit(self, participants, Ok(&successor)),
            Ok(false) => ControlFlow::Continue(()),
            Err(error) => visit(self, participants, Err(error)),
        };
        self.successor = successor;
        flow
    }

    /// Executes a transition in `state`; returns whether the invariants of the target hold.
    fn execute(
        &mut self,
        participants: &[Offer],
        state: &mut State<C::Value>,
    ) -> Result<bool, RunTimeError> {
        let model = self.model;
        self.load(state);
        self.interpreter.clock_effects.clear();
        for &update in &model.before_update {
            self.evaluate(update)?;
        }
        for offer in participants {
            let edge = &model.processes[offer.process].edges[offer.edge];
            for (position, variable) in edge.select.iter().enumerate() {
                let value = self.select_values[offer.select + position];
                self.interpreter.set_local(variable.binder, value);
            }
            for &update in &edge.updates {
                self.evaluate(update)?;
            }
            state.locations[offer.process.index()] = edge.target;
        }
        for &update in &model.after_update {
            self.evaluate(update)?;
        }
        self.forget_meta_cells();
        state.cells.clone_from(&self.interpreter.cells);
        for &effect in &self.interpreter.clock_effects {
            self.clocks.apply(&mut state.clocks, effect);
        }
        self.invariant_holds(state)
    }
}

fn receives(offer: Offer, channel: ChannelId) -> bool {
    offer.synchronisation == Some((channel, Direction::Receive))
}
