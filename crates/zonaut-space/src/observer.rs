//! Observers of a search: progress reports and cancellation.

use std::ops::ControlFlow;

use crate::NodeId;
use zonaut_base::{Meter, StopReason};

/// The progress of a search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    /// Nodes taken from the open list and expanded, re-expansions included.
    pub explored: usize,
    /// Live nodes in the store.
    pub stored: usize,
    /// Entries of the open list, those of evicted nodes included.
    pub waiting: usize,
    /// Memory held by store, open list and table of nodes.
    pub bytes: usize,
    /// The depth of the node expanded last, or an approximation of its cost.
    pub depth: u32,
}

/// The target of an edge of the search graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// A state that became this new node.
    New(NodeId),
    /// A state that was discarded because this live node covers it.
    CoveredBy(NodeId),
}

impl Target {
    /// The node that represents the target.
    #[must_use]
    pub fn node(self) -> NodeId {
        match self {
            Self::New(node) | Self::CoveredBy(node) => node,
        }
    }
}

/// An observer of a search, and the only means to stop one. `()` observes nothing.
///
/// Laws of the search: for each inserted state it calls `evicted` for each node that the new one
/// evicts, then `node_inserted`, then `edge`; for a covered state only `edge`. Initial states have
/// no edge, and states that are dropped because their cost reaches that of the incumbent are not
/// reported. Observation does not change the exploration.
pub trait Observer<S, Step> {
    /// A state became a node.
    fn node_inserted(&mut self, node: NodeId, state: &S) {
        let _ = (node, state);
    }
    /// A node was taken from the open list; its edges follow.
    fn node_expanded(&mut self, node: NodeId) {
        let _ = node;
    }
    /// A step from the node being expanded leads to a new or a covered state.
    fn edge(&mut self, from: NodeId, step: Step, target: Target) {
        let _ = (from, step, target);
    }
    /// A node was evicted by a new one that covers it; paths through it stay valid.
    fn evicted(&mut self, node: NodeId, by: NodeId) {
        let _ = (node, by);
    }
    /// A goal holds in a new node, whose edge was reported before. If it does not end the search,
    /// it is better than all goals before it.
    fn goal_met(&mut self, node: NodeId) {
        let _ = node;
    }
    /// Called every few hundred events, and once at the end, when the result is ignored.
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        let _ = now;
        ControlFlow::Continue(())
    }
    /// The meter that counts work between two calls of [`Self::progress`]; it stops for the same
    /// reasons.
    fn meter(&self) -> Meter {
        Meter::default()
    }
}

impl<S, Step> Observer<S, Step> for () {}

impl<S, Step, O: Observer<S, Step> + ?Sized> Observer<S, Step> for &mut O {
    fn node_inserted(&mut self, node: NodeId, state: &S) {
        (**self).node_inserted(node, state);
    }
    fn node_expanded(&mut self, node: NodeId) {
        (**self).node_expanded(node);
    }
    fn edge(&mut self, from: NodeId, step: Step, target: Target) {
        (**self).edge(from, step, target);
    }
    fn evicted(&mut self, node: NodeId, by: NodeId) {
        (**self).evicted(node, by);
    }
    fn goal_met(&mut self, node: NodeId) {
        (**self).goal_met(node);
    }
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        (**self).progress(now)
    }
    fn meter(&self) -> Meter {
        (**self).meter()
    }
}
