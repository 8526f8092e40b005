//! What waits for expansion, and in which order: the one part in which search algorithms differ.

use zonaut_space::{Arrival, NodeId, OpenList, StopReason};

/// A node that has just been inserted.
#[derive(Debug)]
pub struct Waiting<'a, S, Step> {
    /// The node.
    pub node: NodeId,
    /// The number of steps to it.
    pub depth: u32,
    /// Its state.
    pub state: &'a S,
    /// How it was reached; absent for initial states.
    pub arrival: Option<Arrival<'a, S, Step>>,
}

impl<S, Step: Copy> Clone for Waiting<'_, S, Step> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, Step: Copy> Copy for Waiting<'_, S, Step> {}

/// A node that a frontier gives back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Popped {
    /// The node.
    pub node: NodeId,
    /// No goal that is still to be generated has fewer steps than this.
    pub bound: u32,
}

/// The nodes that wait for expansion. Object safe.
///
/// Laws:
/// - Every node that is pushed is popped sooner or later, perhaps several times, unless it is a
///   dead end.
/// - Bounds are true if the store respects depth; a frontier that knows none answers 0.
pub trait Frontier<S, Step> {
    /// Adds a node.
    ///
    /// # Errors
    /// When memory runs out.
    fn push(&mut self, waiting: Waiting<'_, S, Step>) -> Result<(), StopReason>;
    /// Removes the next node.
    fn pop(&mut self) -> Option<Popped>;
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

impl<S, Step, F: Frontier<S, Step> + ?Sized> Frontier<S, Step> for Box<F> {
    fn push(&mut self, waiting: Waiting<'_, S, Step>) -> Result<(), StopReason> {
        (**self).push(waiting)
    }
    fn pop(&mut self) -> Option<Popped> {
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
pub struct Unguided<O>(pub O);

impl<S, Step, O: OpenList<()>> Frontier<S, Step> for Unguided<O> {
    fn push(&mut self, waiting: Waiting<'_, S, Step>) -> Result<(), StopReason> {
        self.0.push((), waiting.node)
    }
    fn pop(&mut self) -> Option<Popped> {
        self.0.pop().map(|((), node)| Popped { node, bound: 0 })
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}
