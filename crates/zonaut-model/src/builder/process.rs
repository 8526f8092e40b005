//! Processes and edges under construction.

use super::ChannelHandle;
use super::term::{Term, Test, Update};
use crate::{
    Direction, Edge, EdgeId, LocationId, LocationKind, Model, Place, PlaceIndex, Synchronisation,
};
use zonaut_base::IndexVec;

#[derive(Clone, Debug, Default)]
pub(super) struct PendingProcess {
    pub(super) name: String,
    pub(super) template: String,
    pub(super) locations: IndexVec<LocationId, PendingLocation>,
    pub(super) initial: Option<LocationId>,
    pub(super) edges: IndexVec<EdgeId, PendingEdge>,
}

#[derive(Clone, Debug)]
pub(super) struct PendingLocation {
    pub(super) name: String,
    pub(super) kind: LocationKind,
    pub(super) tests: Vec<Test>,
}

#[derive(Clone, Debug)]
pub(super) struct PendingEdge {
    source: LocationId,
    target: LocationId,
    guard: Vec<Test>,
    synchronisation: Option<PendingSynchronisation>,
    updates: Vec<Update>,
    controllable: bool,
}

/// A channel, or an element of an array of `size` channels that starts with it.
#[derive(Clone, Debug)]
struct PendingSynchronisation {
    first: ChannelHandle,
    index: Option<(Term, u32)>,
    direction: Direction,
}

impl PendingSynchronisation {
    fn finished(&self, model: &mut Model) -> Synchronisation {
        let mut channel = Place::fixed(self.first.0);
        if let Some((index, size)) = &self.index {
            let value = index.push(model);
            channel.indices.push(PlaceIndex { value, low: 0, size: *size, stride: 1 });
        }
        Synchronisation { channel, direction: self.direction }
    }
}

impl PendingEdge {
    pub(super) fn finished(&self, model: &mut Model) -> Edge {
        let guard = Test::conjunction(&self.guard, model);
        let synchronisation = self.synchronisation.as_ref().map(|sync| sync.finished(model));
        Edge {
            source: self.source,
            target: self.target,
            select: Vec::new(),
            guard,
            synchronisation,
            updates: self.updates.iter().map(|update| update.push(model)).collect(),
            controllable: self.controllable,
        }
    }
}

/// An edge under construction.
#[derive(Debug)]
pub struct EdgeBuilder<'n> {
    edge: &'n mut PendingEdge,
}

impl<'n> EdgeBuilder<'n> {
    pub(super) fn new(
        edges: &'n mut IndexVec<EdgeId, PendingEdge>,
        source: LocationId,
        target: LocationId,
    ) -> Self {
        let id = edges.push(PendingEdge {
            source,
            target,
            guard: Vec::new(),
            synchronisation: None,
            updates: Vec::new(),
            controllable: true,
        });
        Self { edge: &mut edges[id] }
    }

    /// Adds a condition to the guard.
    pub fn guard(self, condition: impl Into<Test>) -> Self {
        self.edge.guard.push(condition.into());
        self
    }

    /// Sends on a channel.
    pub fn send(self, channel: ChannelHandle) -> Self {
        self.synchronise(channel, None, Direction::Send)
    }

    /// Receives on a channel.
    pub fn receive(self, channel: ChannelHandle) -> Self {
        self.synchronise(channel, None, Direction::Receive)
    }

    /// Sends on an element of an array of `size` channels; the index is evaluated at run time. The
    /// channels must have been added consecutively.
    pub fn send_among(self, first: ChannelHandle, size: u32, index: impl Into<Term>) -> Self {
        self.synchronise(first, Some((index.into(), size)), Direction::Send)
    }

    /// Receives on an element of an array of `size` channels; the index is evaluated at run time.
    /// The channels must have been added consecutively.
    pub fn receive_among(self, first: ChannelHandle, size: u32, index: impl Into<Term>) -> Self {
        self.synchronise(first, Some((index.into(), size)), Direction::Receive)
    }

    fn synchronise(
        self,
        first: ChannelHandle,
        index: Option<(Term, u32)>,
        direction: Direction,
    ) -> Self {
        self.edge.synchronisation = Some(PendingSynchronisation { first, index, direction });
        self
    }

    /// Appends an update.
    pub fn update(self, update: Update) -> Self {
        self.edge.updates.push(update);
        self
    }

    /// Marks the edge as one of the environment (games only).
    pub fn uncontrollable(self) -> Self {
        self.edge.controllable = false;
        self
    }
}
