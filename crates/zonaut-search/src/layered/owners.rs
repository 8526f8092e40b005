//! The owners of states, and the numbers of nodes.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use zonaut_base::Id;
use zonaut_space::{NodeId, OwnedNode, WorkerId};

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
    /// The hasher that divides regions among processes: another one, so that the workers of each
    /// process have equal shares of its regions.
    regions: FixedState,
    /// The number of processes, which divide the states by their regions.
    processes: usize,
    /// The bits of a bucket that determine its region, if there are several processes.
    region: Vec<u64>,
}

impl Owners {
    pub(crate) fn new(numbering: Numbering, round: usize, initial: Vec<Box<[u64]>>) -> Self {
        // The seed differs from that of the store, whose table would otherwise be unbalanced.
        let (hasher, regions) = (FixedState::with_seed(0x0137), FixedState::with_seed(0x4e61));
        Self { numbering, round, initial, hasher, regions, processes: 1, region: Vec::new() }
    }

    /// The same owners in several processes, each with the same number of workers.
    pub(crate) fn among(self, processes: usize, region: Vec<u64>) -> Self {
        Self { processes, region, ..self }
    }

    pub(crate) fn owner(&self, bucket: &[u64]) -> usize {
        let is_bucket = |initial: &[u64]| initial.iter().zip(bucket).all(|(one, two)| one == two);
        if self.initial.iter().any(|initial| is_bucket(initial)) {
            return 0;
        }
        let local = self.numbering.workers / self.processes;
        let within = match local {
            1 => 0,
            _ => share(&self.hasher, bucket.iter().copied(), local),
        };
        if self.processes == 1 {
            return within;
        }
        let region = bucket.iter().zip(&self.region).map(|(word, bits)| word & bits);
        share(&self.regions, region, self.processes) * local + within
    }
}

/// The number of one of `parts` equal shares, by the hash of these words.
fn share(hasher: &FixedState, words: impl Iterator<Item = u64>, parts: usize) -> usize {
    let mut hasher = hasher.build_hasher();
    words.for_each(|word| hasher.write_u64(word));
    // A product instead of a remainder: this is asked once for each successor.
    ((u128::from(hasher.finish()) * parts as u128) >> 64) as usize
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
