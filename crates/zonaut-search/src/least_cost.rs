//! Least cost first: Dijkstra's order.

use zonaut_space::{Cost, OpenList, StopReason};
use zonaut_strategy::Age;

use crate::frontier::{Frontier, Popped, Waiting};
use crate::priority_list::Heap;

/// The order of costs alone, for any type of costs. A branch-and-bound search with it ends as soon
/// as no waiting node is cheaper than the incumbent.
#[derive(Clone, Debug)]
pub struct LeastCost<C> {
    open: Heap<C>,
}

impl<C: Cost> LeastCost<C> {
    /// The order in which age breaks ties between equal costs.
    #[must_use]
    pub fn new(age: Age) -> Self {
        Self { open: Heap::new(age) }
    }
}

impl<S, Step, C: Cost> Frontier<S, Step, C> for LeastCost<C> {
    fn push(&mut self, waiting: Waiting<'_, S, Step, C>) -> Result<(), StopReason> {
        self.open.push(waiting.cost, waiting.node)
    }
    fn pop(&mut self) -> Option<Popped<C>> {
        self.open.pop().map(|(bound, node)| Popped::best(node, bound))
    }
    fn len(&self) -> usize {
        self.open.len()
    }
    fn bytes(&self) -> usize {
        self.open.bytes()
    }
}
