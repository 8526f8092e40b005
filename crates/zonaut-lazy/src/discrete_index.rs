//! An index of nodes by discrete state; nodes with equal keys differ in their zones only.

use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::hash::BuildHasher;
use zonaut_space::NodeId;

/// The uncovered nodes, waiting or expanded, by discrete state.
#[derive(Clone, Debug, Default)]
pub(crate) struct DiscreteIndex {
    /// By hash of the packed state.
    nodes: HashMap<u64, Vec<NodeId>, FixedState>,
}

fn hash(key: &[u64]) -> u64 {
    FixedState::with_seed(11).hash_one(key)
}

impl DiscreteIndex {
    /// Adds a node with this key.
    pub(crate) fn add(&mut self, key: &[u64], node: NodeId) {
        self.nodes.entry(hash(key)).or_default().push(node);
    }

    /// Removes a node with this key.
    pub(crate) fn remove(&mut self, key: &[u64], node: NodeId) {
        if let Some(nodes) = self.nodes.get_mut(&hash(key)) {
            nodes.retain(|&other| other != node);
        }
    }

    /// The nodes with this key; hash collisions may add others.
    pub(crate) fn of(&self, key: &[u64]) -> &[NodeId] {
        self.nodes.get(&hash(key)).map_or(&[], Vec::as_slice)
    }

    /// The approximate memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * (size_of::<u64>() + size_of::<Vec<NodeId>>() + size_of::<NodeId>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_base::Id;

    #[test]
    fn nodes_are_found_by_their_keys_until_they_are_removed() {
        let nodes: Vec<NodeId> = (0..3).map(NodeId::from_index).collect();
        let mut discrete_index = DiscreteIndex::default();
        discrete_index.add(&[1, 2], nodes[0]);
        discrete_index.add(&[1, 3], nodes[1]);
        discrete_index.add(&[1, 2], nodes[2]);
        assert_eq!(discrete_index.of(&[1, 2]), [nodes[0], nodes[2]]);
        discrete_index.remove(&[1, 2], nodes[0]);
        assert_eq!(discrete_index.of(&[1, 2]), [nodes[2]]);
        assert_eq!(discrete_index.of(&[1, 3]), [nodes[1]]);
        assert_eq!(discrete_index.of(&[2, 3]), []);
    }
}
