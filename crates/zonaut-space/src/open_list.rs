//! Open lists: nodes that wait for expansion.

use crate::{NodeId, StopReason};

/// Waiting nodes, each with a priority; the smallest priority is removed first.
///
/// Priorities are computed by the search, not by the list; they are tuples, compared
/// lexicographically. The list determines the order of nodes of equal priority. Lists without
/// priorities have `P = ()`. Evicted nodes stay in the list; the search skips them.
///
/// Law: every popped node was pushed, and each push is popped once.
pub trait OpenList<P>: Send {
    /// Adds a node.
    ///
    /// # Errors
    /// When memory runs out.
    fn push(&mut self, priority: P, node: NodeId) -> Result<(), StopReason>;
    /// Removes the next node.
    fn pop(&mut self) -> Option<(P, NodeId)>;
    /// The number of entries.
    fn len(&self) -> usize;
    /// Whether the list is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The memory of the list, in bytes.
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
