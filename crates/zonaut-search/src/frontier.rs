//! Frontiers: the waiting nodes and their order, the one part in which search algorithms differ.

use zonaut_space::{Arrival, Cost, NodeId, OpenList, StopReason};

/// A node that has just been inserted.
#[derive(Debug)]
pub struct Waiting<'a, S, Step, C = u32> {
    /// The node.
    pub node: NodeId,
    /// Its cost: the number of steps to it, unless the search has other costs.
    pub cost: C,
    /// Its state.
    pub state: &'a S,
    /// The step that reached it; absent for initial states.
    pub arrival: Option<Arrival<'a, S, Step>>,
}

impl<S, Step: Copy, C: Copy> Clone for Waiting<'_, S, Step, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, Step: Copy, C: Copy> Copy for Waiting<'_, S, Step, C> {}

/// A node popped from a frontier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Popped<C = u32> {
    /// The node.
    pub node: NodeId,
    /// A lower bound on the cost of every goal that is still to be generated.
    pub bound: C,
    /// A lower bound on the cost of every goal reached through this node.
    pub through: C,
}

impl<C: Cost> Popped<C> {
    /// A node that attains the lower bound, because no waiting node is better.
    #[must_use]
    pub fn best(node: NodeId, bound: C) -> Self {
        Self { node, bound, through: bound }
    }

    /// A node without known bounds.
    #[must_use]
    pub fn unbounded(node: NodeId) -> Self {
        Self { node, bound: C::ZERO, through: C::ZERO }
    }
}

/// The frontier: the nodes that wait for expansion. Object safe.
///
/// Laws:
/// - Every node that is pushed is eventually popped, possibly several times, unless it is a dead
///   end.
/// - Bounds hold if the store preserves costs; a frontier without bounds answers zero.
///
/// A frontier belongs to one search at a time, which may be paused on one thread and resumed on
/// another.
pub trait Frontier<S, Step, C = u32>: Send {
    /// Adds a node.
    ///
    /// # Errors
    /// When memory runs out.
    fn push(&mut self, waiting: Waiting<'_, S, Step, C>) -> Result<(), StopReason>;
    /// Removes the next node.
    fn pop(&mut self) -> Option<Popped<C>>;
    /// The number of entries.
    fn len(&self) -> usize;
    /// Whether the frontier is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The memory held, in bytes.
    fn bytes(&self) -> usize;
    /// The number of nodes dropped because they are dead ends.
    fn pruned(&self) -> usize {
        0
    }
}

/// Frontiers in whose order the first goal that is generated is a cheapest one.
///
/// Law: this holds whenever the store preserves costs.
pub trait CheapestFirst<S, Step, C = u32>: Frontier<S, Step, C> {}

impl<S, Step, C, F: CheapestFirst<S, Step, C> + ?Sized> CheapestFirst<S, Step, C> for &mut F {}

impl<S, Step, C, F: CheapestFirst<S, Step, C> + ?Sized> CheapestFirst<S, Step, C> for Box<F> {}

impl<S, Step, C, F: Frontier<S, Step, C> + ?Sized> Frontier<S, Step, C> for Box<F> {
    fn push(&mut self, waiting: Waiting<'_, S, Step, C>) -> Result<(), StopReason> {
        (**self).push(waiting)
    }
    fn pop(&mut self) -> Option<Popped<C>> {
        (**self).pop()
    }
    fn len(&self) -> usize {
        (**self).len()
    }
    fn bytes(&self) -> usize {
        (**self).bytes()
    }
    fn pruned(&self) -> usize {
        (**self).pruned()
    }
}

impl<S, Step, C, F: Frontier<S, Step, C> + ?Sized> Frontier<S, Step, C> for &mut F {
    fn push(&mut self, waiting: Waiting<'_, S, Step, C>) -> Result<(), StopReason> {
        (**self).push(waiting)
    }
    fn pop(&mut self) -> Option<Popped<C>> {
        (**self).pop()
    }
    fn len(&self) -> usize {
        (**self).len()
    }
    fn bytes(&self) -> usize {
        (**self).bytes()
    }
    fn pruned(&self) -> usize {
        (**self).pruned()
    }
}

/// The order of a list without priorities: breadth first, depth first, random depth first.
#[derive(Clone, Default, Debug)]
pub struct Uninformed<O>(pub O);

impl<S, Step, C: Cost, O: OpenList<()>> Frontier<S, Step, C> for Uninformed<O> {
    fn push(&mut self, waiting: Waiting<'_, S, Step, C>) -> Result<(), StopReason> {
        self.0.push((), waiting.node)
    }
    fn pop(&mut self) -> Option<Popped<C>> {
        self.0.pop().map(|((), node)| Popped::unbounded(node))
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}
