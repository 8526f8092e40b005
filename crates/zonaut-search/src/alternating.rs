//! Multi-queue search: several frontiers that are popped in rotation.

use zonaut_space::{Cost, NodeId, StopReason};

use crate::frontier::{Frontier, Popped, Waiting};

/// Frontiers that all receive every node and are popped in rotation.
///
/// A node popped from one of them stays in the others; the search expands it once. Every node is
/// expanded as soon as the first frontier yields it.
pub struct Alternating<F> {
    parts: Vec<F>,
    turn: usize,
}

impl<F> Alternating<F> {
    /// The rotation of these frontiers, starting with the first.
    pub fn new(parts: Vec<F>) -> Self {
        Self { parts, turn: 0 }
    }

    /// The frontiers of the rotation.
    pub fn parts(&self) -> &[F] {
        &self.parts
    }
}

impl<S, Step: Copy, C: Cost, F: Frontier<S, Step, C>> Frontier<S, Step, C> for Alternating<F> {
    fn push(&mut self, waiting: Waiting<'_, S, Step, C>) -> Result<(), StopReason> {
        self.parts.iter_mut().try_for_each(|part| part.push(waiting))
    }

    fn pop(&mut self) -> Option<Popped<C>> {
        let count = self.parts.len();
        let popped = (0..count).find_map(|offset| {
            let part = (self.turn + offset) % count;
            let popped: NodeId = self.parts[part].pop()?.node;
            Some((part, popped))
        });
        let (part, node) = popped?;
        self.turn = (part + 1) % count;
        Some(Popped::unbounded(node))
    }

    fn len(&self) -> usize {
        self.parts.iter().map(Frontier::len).max().unwrap_or(0)
    }

    fn bytes(&self) -> usize {
        self.parts.iter().map(Frontier::bytes).sum()
    }

    fn pruned(&self) -> usize {
        self.parts.iter().map(Frontier::pruned).min().unwrap_or(0)
    }
}
