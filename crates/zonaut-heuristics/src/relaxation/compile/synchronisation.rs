//! The order of writes within one transition.

use crate::dependencies::Dependencies;
use crate::relaxation::network::{Action, Lists, Side};
use std::collections::BTreeSet;
use zonaut_analysis::VariableId;
use zonaut_base::Id;
use zonaut_model::{ChannelId, Direction, Model, Place, ProcessId};

/// The variables that the edges on each channel may write.
pub(super) struct Writers {
    senders: Vec<Vec<(ProcessId, BTreeSet<VariableId>)>>,
    receivers: Vec<Vec<(ProcessId, BTreeSet<VariableId>)>>,
    broadcast: Vec<bool>,
    /// The variables that the updates before every transition may write.
    before: BTreeSet<VariableId>,
    /// The variables that anything before the updates after every transition may write.
    any: BTreeSet<VariableId>,
}

impl Writers {
    pub(super) fn new(model: &Model, dependencies: Dependencies<'_>) -> Self {
        let channels = model.channels.len();
        let before = dependencies.footprint(model.before_update.iter().copied()).writes;
        let mut writers = Self {
            senders: vec![Vec::new(); channels],
            receivers: vec![Vec::new(); channels],
            broadcast: model.channels.iter().map(|channel| channel.broadcast).collect(),
            any: before.clone(),
            before,
        };
        for (process, definition) in model.processes.iter_enumerated() {
            for edge in &definition.edges {
                let writes = dependencies.footprint(edge.updates.iter().copied()).writes;
                writers.any.extend(&writes);
                let Some(synchronisation) = &edge.synchronisation else { continue };
                let side = match synchronisation.direction {
                    Direction::Send => &mut writers.senders,
                    Direction::Receive => &mut writers.receivers,
                };
                for channel in possible(&synchronisation.channel) {
                    side[channel].push((process, writes.clone()));
                }
            }
        }
        writers
    }

    /// The variables that may have been written before the updates of an edge of `process` run.
    pub(super) fn before_edge(
        &self,
        process: ProcessId,
        channel: Option<(ChannelId, Side)>,
    ) -> BTreeSet<VariableId> {
        let mut all = self.before.clone();
        if let Some((channel, Side::Receive)) = channel {
            let senders = self.senders[channel.index()].iter();
            let others = senders.filter(|(sender, _)| *sender != process);
            others.for_each(|(_, writes)| all.extend(writes));
            if self.broadcast[channel.index()] {
                let earlier = self.receivers[channel.index()].iter();
                let earlier = earlier.filter(|(receiver, _)| *receiver < process);
                earlier.for_each(|(_, writes)| all.extend(writes));
            }
        }
        all
    }

    /// The variables that may have been written before the updates after a transition run.
    pub(super) fn before_last(&self) -> &BTreeSet<VariableId> {
        &self.any
    }
}

/// The channels that a channel expression may denote.
fn possible(place: &Place<ChannelId>) -> std::ops::RangeInclusive<usize> {
    place.root.index()..=place.root.index() + place.extent()
}

/// The actions on one side of each channel.
pub(super) fn members(model: &Model, actions: &[Action], receivers: bool) -> Lists {
    let mut entries = Vec::new();
    for (action, number) in actions.iter().zip(0_u32..) {
        if let Some((channel, side)) = action.channel
            && (side == Side::Receive) == receivers
        {
            entries.push((channel.index() as u32, number));
        }
    }
    Lists::new(model.channels.len(), &entries)
}
