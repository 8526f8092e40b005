//! Lists of nodes that wait for expansion.

use crate::{NodeId, StopReason};

/// Nodes that wait, each with a priority; the smallest priority leaves first.
///
/// Priorities are decided by the run, not by the list; they are tuples, compared part by part. How
/// nodes of equal priority are ordered is a matter of the list. Lists that know no priorities have
/// `P = ()`. Evicted nodes stay in the list; the run skips them.
///
/// Law: what is popped was pushed, and each push is popped once.
pub trait OpenList<P> {
    /// Adds a node.
    ///
    /// # Errors
    /// When memory runs out.
    fn push(&mut self, priority: P, node: NodeId) -> Result<(), StopReason>;
    /// Removes the next node.
    fn pop(&mut self) -> Option<(P, NodeId)>;
    /// The number of entries.
    fn len(&self) -> usize;
    /// Whether nothing waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The memory the list holds, in bytes.
    fn bytes(&self) -> usize;
}

impl<P, O: OpenList<P> + ?Sized> OpenList<P> for Box<O> {
    fn push(&mut self, priority: P, node: NodeId) -> Result<(), StopReason> {
        (**self).push(priority, node)
    }
    fn pop(&mut self) -> Option<(P, NodeId)> {
        (**self).pop()
    }
    fn len(&self) -> usize {
        (**self).len()
    }
    fn bytes(&self) -> usize {
        (**self).bytes()
    }
}
