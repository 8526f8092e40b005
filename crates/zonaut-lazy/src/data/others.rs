//! Facts by which a state excludes all transitions but its candidates.
//!
//! A false guard must be false by the facts; a true one may stay undecided. A pair that cannot
//! synchronise needs one reason. The participants of a broadcast must be decided, for receivers
//! that take part and for those that do not.

use super::conditions::{DataCondition, DataConditions};
use super::facts::{FactDraft, Facts};
use super::visible::Visible;
use crate::interner::Number;
use zonaut_analysis::known::ask;
use zonaut_base::Id;
use zonaut_compile::{ActionId, LocationFlags};
use zonaut_model::{ChannelId, ProcessId};

/// One side of a synchronisation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    action: ActionId,
    process: ProcessId,
    offer: Offer,
    /// The range of channels that it may use in any state, first and last.
    channels: (usize, usize),
}

/// The synchronisation that an action offers in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Offer {
    /// None: its guard is false.
    Nothing,
    /// A synchronisation on this channel.
    On(ChannelId),
    /// It cannot be evaluated.
    Failure,
}

/// The sides of synchronisations in one state.
#[derive(Clone, Debug, Default)]
pub(super) struct Sides {
    sends: Vec<Side>,
    receives: Vec<Side>,
    committed: Vec<ProcessId>,
}

impl Sides {
    fn may_move(&self, one: Side, other: Side) -> bool {
        let is_committed = |side: Side| self.committed.contains(&side.process);
        self.committed.is_empty() || is_committed(one) || is_committed(other)
    }

    /// The receiving sides of other processes that may be on a channel that `send` may be on.
    fn partners(&self, send: Side) -> impl Iterator<Item = Side> + '_ {
        let overlaps = move |side: &Side| {
            side.channels.0 <= send.channels.1 && send.channels.0 <= side.channels.1
        };
        let others = self.receives.iter().filter(move |side| side.process != send.process);
        others.filter(move |side| overlaps(side)).copied()
    }
}

impl Visible<'_> {
    /// Strengthens the draft of a state so that it excludes all transitions but its candidates.
    pub(super) fn block_others(&mut self, key: &[u64], draft: &mut FactDraft) {
        let mut values = std::mem::take(&mut self.values);
        self.conditions.network.packing.unpack(key, &mut values);
        let mut sides = std::mem::take(&mut self.sides);
        self.block_internal(key, &mut values, &mut sides, draft);
        self.collect(&mut values, &mut sides);
        for index in 0..sides.receives.len() {
            self.make_safe(sides.receives[index].action, key, draft);
        }
        for index in 0..sides.sends.len() {
            let send = sides.sends[index];
            self.make_safe(send.action, key, draft);
            if send.offer == Offer::Failure {
                draft.know(&self.conditions.layout, self.conditions.layout.all());
            } else if self.conditions.network.is_broadcast(ChannelId::from_index(send.channels.0)) {
                self.decide_broadcast(send, key, &sides, draft);
            } else {
                self.block_pairs(send, key, &sides, draft);
            }
        }
        self.sides = sides;
        self.values = values;
    }

    /// The same for actions without synchronisation.
    fn block_internal(
        &mut self,
        key: &[u64],
        values: &mut [i32],
        sides: &mut Sides,
        draft: &mut FactDraft,
    ) {
        let network = self.conditions.network;
        sides.committed.clear();
        let processes = (0..network.process_count()).map(ProcessId::from_index);
        let is_committed = |p: &ProcessId| {
            network.location_flags_of(p.index(), values).include(LocationFlags::COMMITTED)
        };
        sides.committed.extend(processes.clone().filter(is_committed));
        for process in processes {
            if !sides.committed.is_empty() && !sides.committed.contains(&process) {
                continue;
            }
            for &action in &network.location(process.index(), values).internal {
                self.make_safe(action, key, draft);
                let guard = &network.action(action).guard;
                match network.data_holds(guard, values, &mut self.machine) {
                    Ok(true) => {}
                    Ok(false) => self.settle(DataCondition::Fails(action), key, draft),
                    Err(_) => draft.know(&self.conditions.layout, self.conditions.layout.all()),
                }
            }
        }
    }

    /// Collects all sides of synchronisations in a state.
    fn collect(&mut self, values: &mut [i32], sides: &mut Sides) {
        let network = self.conditions.network;
        sides.sends.clear();
        sides.receives.clear();
        for process in (0..network.process_count()).map(ProcessId::from_index) {
            let location = network.location(process.index(), values);
            for &action in &location.sends {
                let side = self.side(action, process, values);
                sides.sends.push(side);
            }
        }
        if sides.sends.is_empty() && !network.receiving_may_fail() {
            return;
        }
        for process in (0..network.process_count()).map(ProcessId::from_index) {
            let location = network.location(process.index(), values);
            for &action in &location.receives {
                let side = self.side(action, process, values);
                sides.receives.push(side);
            }
        }
    }

    fn side(&mut self, action: ActionId, process: ProcessId, values: &mut [i32]) -> Side {
        let network = self.conditions.network;
        let channels = self.channels_of(action);
        let guard = &network.action(action).guard;
        let offer = match network.data_holds(guard, values, &mut self.machine) {
            Ok(false) => Offer::Nothing,
            Ok(true) => match network.channel(action, values, &mut self.machine) {
                Ok(Some(channel)) => Offer::On(channel),
                Ok(None) | Err(_) => Offer::Failure,
            },
            Err(_) => Offer::Failure,
        };
        Side { action, process, offer, channels }
    }

    /// The first and the last channel that an action may use in any state.
    fn channels_of(&mut self, action: ActionId) -> (usize, usize) {
        let network = self.conditions.network;
        if self.channels.is_empty() {
            self.channels.resize(network.actions().len(), None);
        }
        if let Some(known) = self.channels[action.index()] {
            return known;
        }
        let model = self.conditions.model;
        let edge = super::meaning::edge_of(model, network, action);
        let found = edge.synchronisation.as_ref().map_or((1, 0), |synchronisation| {
            let (layout, values) = (&self.conditions.layout, &network.initial);
            let facts = Facts { bits: &vec![0; layout.words()], ranges: &[] };
            let partial = super::meaning::Partial { layout, values, facts };
            let answer = ask(model, partial, |walk| {
                super::meaning::bind(walk, network, action);
                walk.channel(synchronisation)
            });
            let first = synchronisation.channel.root.index();
            let displacements = answer.answer.as_ref().map(|all| all.as_slice());
            match displacements {
                Some([least, .., most]) => (first + least, first + most),
                Some([only]) => (first + only, first + only),
                _ => (1, 0),
            }
        });
        self.channels[action.index()] = Some(found);
        found
    }

    /// Strengthens the draft so that guard and channel of an action can be evaluated.
    fn make_safe(&mut self, action: ActionId, key: &[u64], draft: &mut FactDraft) {
        if self.safe.get(action.index()) == Some(&true) {
            return;
        }
        match self.conditions.needs(DataCondition::Safe(action), key) {
            Some(list) => self.settle_one(&[Some(list)], draft),
            None => {
                self.safe.resize(self.safe.len().max(action.index() + 1), false);
                self.safe[action.index()] = true;
            }
        }
    }

    /// Strengthens the draft so that a send has no partners but those of the exact state.
    fn block_pairs(&mut self, send: Side, key: &[u64], sides: &Sides, draft: &mut FactDraft) {
        let own = match send.offer {
            Offer::Nothing => self.conditions.needs(DataCondition::Fails(send.action), key),
            _ => None,
        };
        if own.is_some_and(|list| self.is_settled(list, draft)) {
            return;
        }
        for receive in sides.partners(send).filter(|&receive| sides.may_move(send, receive)) {
            match (send.offer, receive.offer) {
                (Offer::On(one), Offer::On(other)) if one == other => {}
                (Offer::On(_), Offer::On(_)) => {
                    self.settle(DataCondition::Channel(send.action), key, draft);
                    self.settle(DataCondition::Channel(receive.action), key, draft);
                }
                (_, Offer::Failure) | (Offer::Failure, _) => {
                    draft.know(&self.conditions.layout, self.conditions.layout.all());
                }
                (_, partner) => {
                    let other = (partner == Offer::Nothing)
                        .then(|| self.conditions.needs(DataCondition::Fails(receive.action), key));
                    self.settle_one(&[own, other.flatten()], draft);
                }
            }
        }
    }

    /// Strengthens the draft so that the participants of a broadcast are decided.
    fn decide_broadcast(&mut self, send: Side, key: &[u64], sides: &Sides, draft: &mut FactDraft) {
        let Offer::On(channel) = send.offer else {
            return self.settle(DataCondition::Fails(send.action), key, draft);
        };
        self.settle(DataCondition::Channel(send.action), key, draft);
        #[cfg(feature = "faults")]
        if crate::faults::Fault::ReceiversUndecided.is_selected() {
            return;
        }
        for receive in sides.partners(send) {
            match receive.offer {
                Offer::Nothing => self.settle(DataCondition::Fails(receive.action), key, draft),
                Offer::On(own) => {
                    self.settle(DataCondition::Channel(receive.action), key, draft);
                    if own == channel {
                        self.settle(DataCondition::Holds(receive.action), key, draft);
                    }
                }
                Offer::Failure => draft.know(&self.conditions.layout, self.conditions.layout.all()),
            }
        }
    }

    /// Whether the draft decides a condition by one of the alternatives of a list.
    pub(super) fn is_settled(&self, list: Number, draft: &FactDraft) -> bool {
        let DataConditions { alternatives, layout, .. } = &self.conditions;
        alternatives.get(list).any(|facts| draft.facts().imply(layout, facts))
    }

    /// Strengthens the draft so that it decides a condition as in the state.
    pub(super) fn settle(&mut self, condition: DataCondition, key: &[u64], draft: &mut FactDraft) {
        let list = self.conditions.needs(condition, key);
        if list.is_some() {
            self.settle_one(&[list], draft);
        }
    }

    /// Adds one alternative of these lists to the draft, the one with the fewest missing cells.
    fn settle_one(&self, lists: &[Option<Number>], draft: &mut FactDraft) {
        let DataConditions { alternatives, layout, .. } = &self.conditions;
        let all = lists.iter().flatten().flat_map(|&list| alternatives.get(list));
        let cheapest = all.min_by_key(|&facts| draft.facts().missing(layout, facts));
        draft.add(layout, cheapest.unwrap_or(Facts { bits: layout.all(), ranges: &[] }));
    }

    /// Strengthens the draft of the state with these values so that it decides how urgent
    /// synchronisations stop time, if they do. That they do not need not be decided.
    pub(super) fn decide_urgency(&mut self, key: &[u64], draft: &mut FactDraft) {
        let mut values = std::mem::take(&mut self.values);
        self.conditions.network.packing.unpack(key, &mut values);
        let network = self.conditions.network;
        if !network.location_flags(&values).include(LocationFlags::URGENT) {
            let mut sides = std::mem::take(&mut self.sides);
            self.collect(&mut values, &mut sides);
            let urgent = self.urgent(&sides);
            let is_timed = |&id: &ActionId| network.action(id).guard.constrains_clocks();
            let untimed = urgent.iter().find(|(_, actions)| !actions.iter().any(is_timed));
            let wanted = untimed.map_or(urgent.as_slice(), std::slice::from_ref);
            for (count, actions) in wanted {
                for &action in &actions[..*count] {
                    self.settle(DataCondition::Holds(action), key, draft);
                    self.settle(DataCondition::Channel(action), key, draft);
                    self.settle(DataCondition::Bounds(action), key, draft);
                }
            }
            self.sides = sides;
        }
        self.values = values;
    }

    /// The urgent synchronisations that the data allows: the number of actions, and the actions.
    fn urgent(&self, sides: &Sides) -> Vec<(usize, [ActionId; 2])> {
        let network = self.conditions.network;
        let mut all = Vec::new();
        for &send in &sides.sends {
            let Offer::On(channel) = send.offer else { continue };
            if !network.is_urgent(channel) {
                continue;
            }
            if network.is_broadcast(channel) {
                all.push((1, [send.action; 2]));
                continue;
            }
            let partners = sides.partners(send).filter(|r| r.offer == Offer::On(channel));
            all.extend(partners.map(|receive| (2, [send.action, receive.action])));
        }
        all
    }
}
