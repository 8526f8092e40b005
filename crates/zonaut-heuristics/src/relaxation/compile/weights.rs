//! Weights of actions: lower bounds of the weights of all transitions that contain them.

use super::Compiler;
use crate::relaxation::network::{Action, Side};
use crate::weights::{Participant, Weights};
use std::collections::{BTreeMap, BTreeSet};
use zonaut_model::ChannelId;

/// The edges that send on a channel, or receive on it.
type Sides = BTreeMap<(ChannelId, bool), BTreeSet<Participant>>;

fn receives(side: Side) -> bool {
    side == Side::Receive
}

impl Compiler<'_> {
    /// Computes the weight of every action. If it needs a partner, the lightest pair determines it;
    /// further receivers of a broadcast never lower the weight.
    pub(super) fn weigh(&mut self, weights: &dyn Weights) {
        let mut sides = Sides::new();
        for action in &self.actions {
            if let (Some(participant), Some((channel, side))) = (action.participant, action.channel)
            {
                sides.entry((channel, receives(side))).or_default().insert(participant);
            }
        }
        let mut known: BTreeMap<(Participant, Option<(ChannelId, bool)>), u32> = BTreeMap::new();
        for number in 0..self.actions.len() {
            let action = &self.actions[number];
            let Some(participant) = action.participant else { continue };
            let channel = action.channel.map(|(channel, side)| (channel, receives(side)));
            let weight = *known
                .entry((participant, channel))
                .or_insert_with(|| weight_of(action, participant, &sides, weights));
            self.actions[number].weight = weight;
        }
        let edges = self.actions.iter().filter(|action| action.participant.is_some());
        let least = edges.map(|action| action.weight).min().unwrap_or(0);
        // Updates around every transition have the weight of the lightest transition.
        for action in self.actions.iter_mut().filter(|action| action.participant.is_none()) {
            action.weight = least;
        }
    }
}

fn weight_of(
    action: &Action,
    participant: Participant,
    sides: &Sides,
    weights: &dyn Weights,
) -> u32 {
    let alone = || weights.of(&[participant]);
    let Some((channel, side)) = action.channel.filter(|(_, side)| *side != Side::Announce) else {
        return alone();
    };
    let others = sides.get(&(channel, !receives(side))).into_iter().flatten();
    let partners = others.filter(|other| other.process != participant.process);
    let pairs = partners.map(|&partner| match side {
        Side::Receive => weights.of(&[partner, participant]),
        Side::Send | Side::Announce => weights.of(&[participant, partner]),
    });
    let weight = if faulty!(DearestPartner) { pairs.max() } else { pairs.min() };
    // Without a partner the action is never enabled.
    weight.unwrap_or_else(alone)
}
