//! The synchronisation partners of processes.

use zonaut_analysis::{IdSet, Symbols};
use zonaut_base::IndexVec;
use zonaut_model::{ChannelId, Direction, Model, ProcessId};

/// A process on one side of a channel.
#[derive(Clone, Copy)]
pub(crate) struct Side {
    pub(crate) process: ProcessId,
    pub(crate) direction: Direction,
}

/// For every channel, its senders and receivers.
pub(crate) struct Partners {
    sends: IndexVec<ChannelId, IdSet<ProcessId>>,
    receives: IndexVec<ChannelId, IdSet<ProcessId>>,
}

impl Partners {
    pub(crate) fn new(model: &Model) -> Self {
        let empty: IndexVec<ChannelId, IdSet<ProcessId>> =
            model.channels.iter().map(|_| IdSet::default()).collect();
        let mut this = Self { sends: empty.clone(), receives: empty };
        for (process, definition) in model.processes.iter_enumerated() {
            for sync in definition.edges.iter().filter_map(|edge| edge.synchronisation.as_ref()) {
                for channel in sync.channel.elements() {
                    this.side_mut(sync.direction)[channel].insert(process);
                }
            }
        }
        this
    }

    fn side(&self, direction: Direction) -> &IndexVec<ChannelId, IdSet<ProcessId>> {
        match direction {
            Direction::Send => &self.sends,
            Direction::Receive => &self.receives,
        }
    }

    fn side_mut(&mut self, direction: Direction) -> &mut IndexVec<ChannelId, IdSet<ProcessId>> {
        match direction {
            Direction::Send => &mut self.sends,
            Direction::Receive => &mut self.receives,
        }
    }

    /// Whether another kept process is on the other side of `channel` than `own`.
    pub(crate) fn has_kept(&self, own: Side, channel: ChannelId, dropped: &Symbols) -> bool {
        let others = &self.side(opposite(own.direction))[channel];
        others.iter().any(|other| other != own.process && !dropped.processes.contains(other))
    }

    /// Whether a dropped process is on the other side of `channel`.
    pub(crate) fn has_dropped(
        &self,
        direction: Direction,
        channel: ChannelId,
        dropped: &Symbols,
    ) -> bool {
        self.side(opposite(direction))[channel].meets(&dropped.processes)
    }

    /// Whether a dropped process is on any side of `channel`.
    pub(crate) fn involves_dropped(&self, channel: ChannelId, dropped: &Symbols) -> bool {
        self.sends[channel].meets(&dropped.processes)
            || self.receives[channel].meets(&dropped.processes)
    }

    /// Whether a kept process is on any side of `channel`.
    pub(crate) fn involves_kept(&self, channel: ChannelId, dropped: &Symbols) -> bool {
        !self.sends[channel].is_within(&dropped.processes)
            || !self.receives[channel].is_within(&dropped.processes)
    }

    /// The broadcast channels that need a stub: a dropped process sends, a kept one receives.
    pub(crate) fn stubs(&self, model: &Model, dropped: &Symbols) -> Vec<ChannelId> {
        let needs = |&channel: &ChannelId| {
            model.channels[channel].broadcast
                && self.sends[channel].meets(&dropped.processes)
                && !self.receives[channel].is_within(&dropped.processes)
        };
        model.channels.ids().filter(needs).collect()
    }
}

/// The other side.
pub(crate) fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Send => Direction::Receive,
        Direction::Receive => Direction::Send,
    }
}
