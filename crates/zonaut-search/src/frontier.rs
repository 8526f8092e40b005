//! What waits for expansion, and in which order: the one part in which search algorithms differ.

use zonaut_space::{Arrival, Cost, NodeId, OpenList, StopReason};

/// A node that has just been inserted.
#[derive(Debug)]
pub struct Waiting<'a, S, Step, C = u32> {
    /// The node.
    pub node: NodeId,
    /// What it costs: the number of steps to it, unless the search has other costs.
    pub cost: C,
    /// Its state.
    pub state: &'a S,
    /// How it was reached; absent for initial states.
    pub arrival: Option<Arrival<'a, S, Step>>,
}

impl<S, Step: Copy, C: Copy> Clone for Waiting<'_, S, Step, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, Step: Copy, C: Copy> Copy for Waiting<'_, S, Step, C> {}

/// A node that a frontier gives back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Popped<C = u32> {
    /// The node.
    pub node: NodeId,
    /// No goal that is still to be generated costs less than this.
    pub bound: C,
    /// No goal that is reached by way of this node costs less than this.
    pub through: C,
}

impl<C: Cost> Popped<C> {
    /// A node that gives the lower bound itself, because none that waits is better.
    #[must_use]
    pub fn best(node: NodeId, bound: C) -> Self {
        Self { node, bound, through: bound }
    }

    /// A node of which nothing more is known.
    #[must_use]
    pub fn unbounded(node: NodeId) -> Self {
        Self { node, bound: C::ZERO, through: C::ZERO }
    }
}

/// The nodes that wait for expansion. Object safe.
///
/// Laws:
/// - Every node that is pushed is popped sooner or later, perhaps several times, unless it is a
///   dead end.
/// - Bounds are true if the store respects costs; a frontier that knows none answers zero.
pub trait Frontier<S, Step, C = u32> {
    /// Adds a node.
    ///
    /// # Errors
    /// When memory runs out.
    fn push(&mut self, waiting: Waiting<'_, S, Step, C>) -> Result<(), StopReason>;
    /// Removes the next node.
    fn pop(&mut self) -> Option<Popped<C>>;
    /// The number of entries.
    fn len(&self) -> usize;
    /// Whether nothing waits.
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
/// Law: that holds whenever the store respects costs.
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

/// The order of a list that knows no priorities: breadth first, depth first, random depth first.
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
