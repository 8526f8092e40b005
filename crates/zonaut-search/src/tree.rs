//! The tree of first arrivals, from which paths are read.

use zonaut_base::Id;
use zonaut_space::{NodeId, StopReason};

use crate::growth::{bytes_of, reserve_one};

/// How every node of a search was first reached, its depth, and whether it was expanded.
///
/// It grows beside the store and keeps evicted nodes, so that covering never breaks a path and
/// asking for a path never changes what is explored.
#[derive(Clone, Debug)]
pub struct SearchTree<Step> {
    /// The number of initial nodes; they come first.
    roots: usize,
    /// How the other nodes were reached, in order.
    arrivals: Vec<Entry<Step>>,
    depths: Vec<u32>,
    /// One bit a node.
    expanded: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Entry<Step> {
    parent: NodeId,
    step: Step,
}

impl<Step: Copy> SearchTree<Step> {
    pub(crate) const fn new() -> Self {
        Self { roots: 0, arrivals: Vec::new(), depths: Vec::new(), expanded: Vec::new() }
    }

    /// Makes room for one more node, so that adding it cannot fail.
    pub(crate) fn reserve(&mut self) -> Result<(), StopReason> {
        reserve_one(&mut self.arrivals)?;
        reserve_one(&mut self.depths)?;
        reserve_one(&mut self.expanded)
    }

    /// Adds the next node, for which there is room: a root, or the child of `parent` by `step`.
    /// Roots come first.
    pub(crate) fn add(&mut self, arrival: Option<(NodeId, Step)>) {
        let depth = self.depth_after(arrival.map(|(parent, _)| parent));
        if self.depths.len().is_multiple_of(64) {
            self.expanded.push(0);
        }
        match arrival {
            Some((parent, step)) => self.arrivals.push(Entry { parent, step }),
            None => {
                debug_assert!(self.arrivals.is_empty());
                self.roots += 1;
            }
        }
        self.depths.push(depth);
    }

    /// The depth of a root, or of a child of `parent`.
    pub(crate) fn depth_after(&self, parent: Option<NodeId>) -> u32 {
        parent.map_or(0, |parent| self.depths[parent.index()] + 1)
    }

    /// The depths of all nodes, by their ids.
    pub(crate) fn depths(&self) -> &[u32] {
        &self.depths
    }

    pub(crate) fn mark_expanded(&mut self, node: NodeId) {
        self.expanded[node.index() / 64] |= 1 << (node.index() % 64);
    }

    /// Whether the successors of `node` were generated.
    #[must_use]
    pub fn is_expanded(&self, node: NodeId) -> bool {
        self.expanded[node.index() / 64] >> (node.index() % 64) & 1 == 1
    }

    /// The number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.depths.len()
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.depths.is_empty()
    }

    /// The number of steps from the root to `node`.
    #[must_use]
    pub fn depth(&self, node: NodeId) -> u32 {
        self.depths[node.index()]
    }

    /// The node and the step that lead to `node`; none for a root.
    #[must_use]
    pub fn arrival(&self, node: NodeId) -> Option<(NodeId, Step)> {
        let index = node.index().checked_sub(self.roots)?;
        let Entry { parent, step } = self.arrivals[index];
        Some((parent, step))
    }

    /// The nodes from the root to `node`, both included.
    #[must_use]
    pub fn path(&self, node: NodeId) -> Vec<NodeId> {
        let mut path = vec![node];
        let mut last = node;
        while let Some((parent, _)) = self.arrival(last) {
            path.push(parent);
            last = parent;
        }
        path.reverse();
        path
    }

    /// The steps from the root to `node`.
    #[must_use]
    pub fn steps(&self, node: NodeId) -> Vec<Step> {
        let mut steps = Vec::with_capacity(self.depth(node) as usize);
        let mut last = node;
        while let Some((parent, step)) = self.arrival(last) {
            steps.push(step);
            last = parent;
        }
        steps.reverse();
        steps
    }

    /// The memory held, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        bytes_of(&self.arrivals) + bytes_of(&self.depths) + bytes_of(&self.expanded)
    }
}
