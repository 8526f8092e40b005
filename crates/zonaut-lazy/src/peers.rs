//! Nodes that wait, by their locations and data.
//!
//! A node that is expanded before another one with the same data and a larger zone is expanded in
//! vain: what it leads to is led to by the larger one, too. So the larger one goes first, whenever
//! it is found, and covers the smaller one then.

use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::hash::BuildHasher;
use zonaut_space::NodeId;

/// Nodes that wait, by a hash of their packed locations and data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Peers {
    waiting: HashMap<u64, Vec<NodeId>, FixedState>,
}

impl Peers {
    fn hash(key: &[u64]) -> u64 {
        FixedState::with_seed(11).hash_one(key)
    }

    /// Adds a node that waits from now on.
    pub(crate) fn add(&mut self, key: &[u64], node: NodeId) {
        self.waiting.entry(Self::hash(key)).or_default().push(node);
    }

    /// Takes out a node that does not wait any more.
    pub(crate) fn remove(&mut self, key: &[u64], node: NodeId) {
        if let Some(nodes) = self.waiting.get_mut(&Self::hash(key))
            && let Some(position) = nodes.iter().position(|&other| other == node)
        {
            nodes.remove(position);
        }
    }

    /// The nodes that wait with this key, and perhaps some with another, the oldest first.
    pub(crate) fn of(&self, key: &[u64]) -> &[NodeId] {
        self.waiting.get(&Self::hash(key)).map_or(&[], Vec::as_slice)
    }

    /// The memory held, in bytes, about.
    pub(crate) fn bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<(u64, Vec<NodeId>)>()
    }
}
