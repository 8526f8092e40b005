//! The order in which the nodes of a layer are expanded, and the division of that order among the
//! workers of a process.
//!
//! The nodes of a layer have the order in which a sequential search would have inserted them: that
//! of their parents, and for nodes of one parent that of the steps. The nodes of one round are a
//! window, the next ones of that order. Each worker owns nodes by the hash of their buckets, so that
//! covering is decided by one worker. But any worker can expand them, and those of one kind, whose
//! successors are computed alike, are best expanded by the same worker: its caches have the results
//! of one of them for the next. So a window is sorted by kind, each worker begins with an equal part
//! of it, and then helps the others.
//!
//! Owners insert the successors of a window in the order of their parents. So a search depends
//! neither on the worker that expands a node, nor on the number of workers of a process.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use zonaut_space::{NodeId, StopReason};

use crate::growth::{bytes_of, push};
#[cfg(feature = "faults")]
use crate::store::faults::Fault;

/// The number of nodes that a worker claims at once: few, so that all workers end at the same time.
const CLAIMED: usize = 8;

/// A place in the order of the nodes of a layer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(super) struct Rank(u64);

impl Rank {
    const STEP_BITS: u32 = 20;

    /// The rank of the successor by this step of the parent at a position of its layer. Beyond a
    /// million steps of one parent the order is that of insertion.
    pub(super) fn new(parent: u64, step: usize) -> Self {
        let last = (1 << Self::STEP_BITS) - 1;
        Self(parent << Self::STEP_BITS | (step as u64).min(last))
    }

    /// The position of the parent in its layer.
    pub(super) fn parent(self) -> u64 {
        self.0 >> Self::STEP_BITS
    }

    pub(super) fn bits(self) -> u64 {
        self.0
    }

    pub(super) fn of_bits(bits: u64) -> Self {
        Self(bits)
    }
}

/// A node that waits for its expansion, in twelve bytes: a layer has many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Waiting {
    pub(super) node: NodeId,
    /// The position of the parent in its layer, which has no more nodes than all workers.
    parent: u32,
    /// The number of the step in the upper bits of [`Rank::STEP_BITS`], and the kind below them.
    step_and_kind: u32,
}

impl Waiting {
    const KIND_BITS: u32 = u32::BITS - Rank::STEP_BITS;

    /// A node whose states have this kind. Different kinds that are equal in their lowest bits are
    /// expanded one after the other.
    pub(super) fn new(node: NodeId, rank: Rank, kind: Option<u64>) -> Self {
        let kind = kind.map_or(0, |kind| (kind ^ kind >> 32) as u32);
        let step = rank.0 as u32 & ((1 << Rank::STEP_BITS) - 1);
        let kind = kind & ((1 << Self::KIND_BITS) - 1);
        let parent = rank.parent() as u32;
        Self { node, parent, step_and_kind: step << Self::KIND_BITS | kind }
    }

    pub(super) fn rank(self) -> Rank {
        let step = self.step_and_kind >> Self::KIND_BITS;
        Rank(u64::from(self.parent) << Rank::STEP_BITS | u64::from(step))
    }

    fn kind(self) -> u32 {
        self.step_and_kind & ((1 << Self::KIND_BITS) - 1)
    }
}

/// A node of a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) kind: u32,
    /// The offset in the order of the window.
    pub(super) offset: u32,
    /// The number of the owner in its process.
    pub(super) owner: u32,
    pub(super) node: NodeId,
}

/// The nodes of a round. All workers of a process have equal copies.
#[derive(Default, Debug)]
pub(super) struct Window {
    /// By owner in this process, the number of nodes of its layer in this window and before.
    taken: Vec<usize>,
    /// By owner, the number of nodes in this window.
    counts: Vec<usize>,
    /// By kind, and in the order of the layer.
    places: Vec<Place>,
    /// The windows of this layer before this one.
    before: u64,
    is_first: bool,
    is_last: bool,
}

impl Window {
    /// Begins a layer.
    pub(super) fn restart(&mut self, owners: usize) {
        self.places.clear();
        self.counts.clear();
        self.counts.resize(owners, 0);
        self.taken.clear();
        self.taken.resize(owners, 0);
        (self.before, self.is_first, self.is_last) = (0, true, false);
    }

    /// Takes the next nodes of a layer, at most `size`, without those that are not live any more.
    /// `layers` are those of the owners, each in order.
    ///
    /// # Errors
    /// When memory runs out.
    pub(super) fn fill(
        &mut self,
        layers: &[&[Waiting]],
        size: usize,
        is_live: impl Fn(usize, NodeId) -> bool,
    ) -> Result<(), StopReason> {
        self.before += u64::from(!std::mem::replace(&mut self.is_first, false));
        self.places.clear();
        self.counts.fill(0);
        let mut is_sorted = true;
        while self.places.len() < size {
            let waiting = |owner: usize| {
                let next = layers[owner].get(self.taken[owner])?;
                Some((next.rank(), owner))
            };
            let Some((_, owner)) = (0..layers.len()).filter_map(waiting).min() else { break };
            let waiting = layers[owner][self.taken[owner]];
            let (node, kind) = (waiting.node, waiting.kind());
            self.taken[owner] += 1;
            if is_live(owner, node) {
                let offset = self.places.len() as u32;
                is_sorted &= self.places.last().is_none_or(|last| last.kind <= kind);
                push(&mut self.places, Place { kind, offset, owner: owner as u32, node })?;
                self.counts[owner] += 1;
            }
        }
        self.is_last = self.taken.iter().zip(layers).all(|(&taken, layer)| taken == layer.len());
        if !is_sorted {
            self.places.sort_unstable_by_key(|place| (place.kind, place.offset));
        }
        #[cfg(feature = "faults")]
        if Fault::NodeForgotten.is_selected()
            && self.places.len() > 1
            && let Some(lost) = self.places.pop()
        {
            self.counts[lost.owner as usize] -= 1;
        }
        Ok(())
    }

    /// Whether the layer has no nodes behind this window.
    pub(super) fn is_last(&self) -> bool {
        self.is_last
    }

    /// The windows of this layer before this one.
    pub(super) fn before(&self) -> u64 {
        self.before
    }

    /// The nodes.
    pub(super) fn places(&self) -> &[Place] {
        &self.places
    }

    /// The number of nodes of an owner, whose layer has `len` nodes, that are in no window yet.
    pub(super) fn left(&self, owner: usize, len: usize) -> usize {
        len - self.taken.get(owner).copied().unwrap_or(0)
    }

    /// The number of nodes of an owner in the window.
    pub(super) fn count(&self, owner: usize) -> usize {
        self.counts.get(owner).copied().unwrap_or(0)
    }

    pub(super) fn bytes(&self) -> usize {
        bytes_of(&self.places) + bytes_of(&self.taken) + bytes_of(&self.counts)
    }
}

/// The claims of the workers of a process on the nodes of a window.
pub(super) struct Claims {
    /// By worker, the number of nodes of its part that are claimed.
    claimed: Vec<AtomicUsize>,
}

impl Claims {
    pub(super) fn new(workers: usize) -> Self {
        Self { claimed: (0..workers).map(|_| AtomicUsize::new(0)).collect() }
    }

    /// Claims nodes of a window of `len` nodes for a worker: of its own part, or of the part of
    /// another one; `None` if all are claimed.
    pub(super) fn claim(&self, worker: usize, len: usize) -> Option<Range<usize>> {
        let workers = self.claimed.len();
        (worker..workers).chain(0..worker).find_map(|part| {
            let (begin, end) = (len * part / workers, len * (part + 1) / workers);
            let start = begin + self.claimed[part].fetch_add(CLAIMED, Ordering::Relaxed);
            (start < end).then(|| start..end.min(start + CLAIMED))
        })
    }

    /// Withdraws the claims on the part of a worker, before the next window.
    pub(super) fn withdraw(&self, worker: usize) {
        self.claimed[worker].store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_base::Id;

    fn waiting(node: usize, parent: u64, step: usize, kind: u64) -> Waiting {
        Waiting::new(NodeId::from_index(node), Rank::new(parent, step), Some(kind))
    }

    fn nodes(window: &Window) -> Vec<(u32, u32, usize)> {
        let places = window.places().iter();
        places.map(|place| (place.offset, place.owner, place.node.index())).collect()
    }

    #[test]
    fn windows_are_parts_of_the_order_by_parents_and_steps() {
        let layers = [
            vec![waiting(0, 0, 1, 7), waiting(1, 2, 0, 3), waiting(2, 2, 2, 7)],
            vec![waiting(0, 0, 0, 7), waiting(1, 1, 5, 3), waiting(2, 2, 1, 7)],
        ];
        let layers: Vec<&[Waiting]> = layers.iter().map(Vec::as_slice).collect();
        let is_live = |owner, node: NodeId| (owner, node.index()) != (1, 1);
        let mut window = Window::default();
        window.restart(2);
        assert_eq!(window.fill(&layers, 4, is_live), Ok(()));
        // The node of another kind is put first.
        assert_eq!(nodes(&window), [(2, 0, 1), (0, 1, 0), (1, 0, 0), (3, 1, 2)]);
        assert_eq!((window.before(), window.left(0, 3), window.left(1, 3)), (0, 1, 0));
        assert_eq!((window.count(0), window.count(1), window.is_last()), (2, 2, false));
        assert_eq!(window.fill(&layers, 4, is_live), Ok(()));
        assert_eq!(nodes(&window), [(0, 0, 2)]);
        assert_eq!((window.before(), window.left(0, 3), window.is_last()), (1, 0, true));
        window.restart(2);
        assert_eq!((window.before(), window.left(0, 3), window.is_last()), (0, 3, false));
    }

    #[test]
    fn a_waiting_node_keeps_its_rank() {
        assert_eq!(size_of::<Waiting>(), 12);
        for (parent, step) in [(0, 0), (7, 1), (u64::from(u32::MAX), (1 << 20) - 1), (3, 1 << 30)] {
            let rank = Rank::new(parent, step);
            let waiting = Waiting::new(NodeId::from_index(5), rank, Some(u64::MAX - 1));
            assert_eq!((waiting.node.index(), waiting.rank(), waiting.kind()), (5, rank, 1));
        }
    }

    #[test]
    fn every_node_is_claimed_once() {
        for (workers, len) in [(1, 20), (2, 17), (3, 100), (4, 3), (2, 0)] {
            let claims = Claims::new(workers);
            for _ in 0..2 {
                let mut claimed = Vec::new();
                // The last worker is alone.
                while let Some(range) = claims.claim(workers - 1, len) {
                    claimed.extend(range);
                }
                claimed.sort_unstable();
                assert_eq!(claimed, (0..len).collect::<Vec<_>>());
                (0..workers).for_each(|worker| claims.withdraw(worker));
            }
        }
    }
}
