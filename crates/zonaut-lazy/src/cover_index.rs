//! An index of the nodes that may cover others.
//!
//! Nodes are indexed by location vector, then by the set of bits that their labels fix, then by the
//! values of those bits. When a label is strengthened, its node may keep its index entry: the nodes
//! it covers agree on fewer bits, too. So a lookup finds every node that may cover, and some that
//! no longer do.

use crate::domain::ActiveClockBounds;
use crate::interner::{Interner, Number};
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use zonaut_base::Id;
use zonaut_space::NodeId;
use zonaut_strategy::lazy::CoveringOrder;

/// The rank of a node in an order of candidates, the least first; `count` gives the number of bits
/// that its label fixes.
pub(crate) fn rank(order: CoveringOrder, node: NodeId, count: impl FnOnce() -> u32) -> u64 {
    let number = node.index() as u32;
    let (first, second) = match order {
        CoveringOrder::Newest => (0, !number),
        CoveringOrder::Oldest => (0, number),
        CoveringOrder::Nearest => (!count(), !number),
        CoveringOrder::MostGeneral => (count(), !number),
    };
    u64::from(first) << 32 | u64::from(second)
}

/// The nodes of one location vector whose labels fix the same cells.
#[derive(Clone, Debug)]
struct Group {
    bits: Box<[u64]>,
    /// By hash of the values of the bits.
    members: HashMap<u64, Vec<NodeId>, FixedState>,
}

impl Group {
    fn hash(&self, key: &[u64]) -> u64 {
        let mut hasher = FixedState::with_seed(7).build_hasher();
        key.iter().zip(&self.bits).for_each(|(key, bits)| hasher.write_u64(key & bits));
        hasher.finish()
    }
}

/// The entry of a location vector.
#[derive(Clone, Debug, Default)]
struct LocationEntry {
    active: ActiveClockBounds,
    groups: Vec<Group>,
}

/// Location vectors, and the nodes in each that may cover others.
#[derive(Clone, Debug)]
pub(crate) struct CoverIndex {
    locations: Box<[u64]>,
    numbers: Interner<u64>,
    entries: Vec<LocationEntry>,
    buffer: Vec<u64>,
}

impl CoverIndex {
    /// An empty index; locations have these bits.
    pub(crate) fn new(locations: &[u64]) -> Self {
        let numbers = Interner::default();
        Self { locations: locations.into(), numbers, entries: Vec::new(), buffer: Vec::new() }
    }

    /// The number of the location vector of a state; `active` gives its clocks if it is new.
    pub(crate) fn number(
        &mut self,
        key: &[u64],
        active: impl FnOnce() -> ActiveClockBounds,
    ) -> Number {
        self.buffer.clear();
        self.buffer.extend(key.iter().zip(&self.locations).map(|(key, bits)| key & bits));
        let number = self.numbers.intern(&self.buffer);
        if number as usize == self.entries.len() {
            self.entries.push(LocationEntry { active: active(), groups: Vec::new() });
        }
        number
    }

    /// The active clocks of a location vector.
    pub(crate) fn active(&self, vector: Number) -> &ActiveClockBounds {
        &self.entries[vector as usize].active
    }

    /// Adds a node with this key, whose label fixes these bits, and possibly more later.
    pub(crate) fn add(&mut self, vector: Number, node: NodeId, key: &[u64], bits: &[u64]) {
        let groups = &mut self.entries[vector as usize].groups;
        let position = groups.iter().position(|group| *group.bits == *bits).unwrap_or_else(|| {
            groups.push(Group { bits: bits.into(), members: HashMap::default() });
            groups.len() - 1
        });
        let hash = groups[position].hash(key);
        groups[position].members.entry(hash).or_default().push(node);
    }

    /// Removes a node that was added with these bits.
    pub(crate) fn remove(&mut self, vector: Number, node: NodeId, key: &[u64], bits: &[u64]) {
        let groups = &mut self.entries[vector as usize].groups;
        let Some(position) = groups.iter().position(|group| *group.bits == *bits) else { return };
        let group = &mut groups[position];
        let hash = group.hash(key);
        if let Some(members) = group.members.get_mut(&hash) {
            members.retain(|&member| member != node);
            if members.is_empty() {
                group.members.remove(&hash);
            }
        }
        if group.members.is_empty() {
            groups.swap_remove(position);
        }
    }

    /// The nodes whose bits at insertion agree with the state of this key.
    pub(crate) fn candidates<'p>(
        &'p self,
        vector: Number,
        key: &'p [u64],
    ) -> impl Iterator<Item = NodeId> + 'p {
        let groups = &self.entries[vector as usize].groups;
        groups
            .iter()
            .filter_map(move |group| group.members.get(&group.hash(key)))
            .flatten()
            .copied()
    }

    /// The approximate memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.numbers.bytes() + self.entries.capacity() * size_of::<LocationEntry>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_found_by_their_fixed_bits() {
        let mut index = CoverIndex::new(&[0b1]);
        let vector = index.number(&[0b01], ActiveClockBounds::default);
        assert_eq!(vector, index.number(&[0b11], ActiveClockBounds::default));
        assert_ne!(vector, index.number(&[0b10], ActiveClockBounds::default));
        let nodes: Vec<NodeId> = (0..3).map(NodeId::from_index).collect();
        index.add(vector, nodes[0], &[0b011], &[0b001]);
        index.add(vector, nodes[1], &[0b011], &[0b011]);
        index.add(vector, nodes[2], &[0b101], &[0b011]);
        let found = |index: &CoverIndex| index.candidates(vector, &[0b111]).collect::<Vec<_>>();
        assert_eq!(found(&index), [nodes[0], nodes[1]]);
        index.remove(vector, nodes[0], &[0b011], &[0b001]);
        assert_eq!(found(&index), [nodes[1]]);
    }
}
