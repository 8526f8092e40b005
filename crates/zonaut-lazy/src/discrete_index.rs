//! Nodes with the same locations and data, which only their clocks tell apart.

use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::hash::BuildHasher;
use zonaut_space::NodeId;

/// The nodes that nothing covers, whether they wait or are expanded, by locations and data.
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

    /// Takes a node with this key out.
    pub(crate) fn remove(&mut self, key: &[u64], node: NodeId) {
        if let Some(nodes) = self.nodes.get_mut(&hash(key)) {
            nodes.retain(|&other| other != node);
        }
    }

    /// The nodes with this key, and seldom others.
    pub(crate) fn of(&self, key: &[u64]) -> &[NodeId] {
        self.nodes.get(&hash(key)).map_or(&[], Vec::as_slice)
    }

    /// The memory held, in bytes, about.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * (size_of::<u64>() + size_of::<Vec<NodeId>>() + size_of::<NodeId>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_base::Id;

    #[test]
    fn nodes_are_found_by_their_keys_until_they_are_taken_out() {
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
