//! The owners of states, and the numbers of nodes.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use zonaut_base::Id;
use zonaut_space::{NodeId, OwnedNode, WorkerId};

use super::regions::Regions;

/// The owners of states: a function of their buckets.
pub(crate) struct Owners {
    pub(crate) numbering: Numbering,
    /// The number of nodes that the workers of a process expand in a round; the work of a turn in an
    /// asynchronous search.
    pub(crate) round: usize,
    /// Buckets of initial states belong to the first worker: roots come first in its node table.
    pub(crate) initial: Vec<Box<[u64]>>,
    /// The hasher that divides states among the workers of a process.
    hasher: FixedState,
    /// The regions that several processes divide, and the number of workers of each process.
    pub(crate) regions: Option<Regions>,
    local: usize,
}

impl Owners {
    pub(crate) fn new(numbering: Numbering, round: usize, initial: Vec<Box<[u64]>>) -> Self {
        // The seed differs from that of the store, whose table would otherwise be unbalanced.
        let (hasher, local) = (FixedState::with_seed(0x0137), numbering.workers);
        Self { numbering, round, initial, hasher, regions: None, local }
    }

    /// The same owners in several processes, each with the same number of workers.
    pub(crate) fn among(self, regions: Regions, local: usize) -> Self {
        Self { regions: Some(regions), local, ..self }
    }

    pub(crate) fn owner(&self, bucket: &[u64]) -> usize {
        let is_bucket = |initial: &[u64]| initial.iter().zip(bucket).all(|(one, two)| one == two);
        if self.initial.iter().any(|initial| is_bucket(initial)) {
            return 0;
        }
        let within = match self.local {
            1 => 0,
            local => {
                let mut hasher = self.hasher.build_hasher();
                bucket.iter().for_each(|&word| hasher.write_u64(word));
                share(hasher.finish(), local)
            }
        };
        let process = self.regions.as_ref().map_or(0, |regions| regions.owner(bucket));
        process * self.local + within
    }
}

/// The number of one of `parts` equal shares, by a hash.
pub(super) fn share(hash: u64, parts: usize) -> usize {
    // A product instead of a remainder: this is asked once for each successor.
    ((u128::from(hash) * parts as u128) >> 64) as usize
}

/// The numbering of the nodes of all workers: each takes every n-th number, so that a parent takes
/// as many bytes as with one worker.
#[derive(Clone, Copy)]
pub(crate) struct Numbering {
    pub(crate) workers: usize,
}

impl Numbering {
    /// The number of nodes that one worker can have.
    pub(crate) fn most_nodes(self) -> usize {
        u32::MAX as usize / self.workers
    }

    pub(crate) fn number(self, OwnedNode { worker, node }: OwnedNode) -> NodeId {
        NodeId::from_index(node.index() * self.workers + worker.index())
    }

    pub(crate) fn owned(self, number: NodeId) -> OwnedNode {
        OwnedNode {
            worker: WorkerId::from_index(number.index() % self.workers),
            node: NodeId::from_index(number.index() / self.workers),
        }
    }
}
