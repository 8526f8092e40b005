//! Greedy search that defers states reached by useless transitions.

use zonaut_space::{Arrival, Heuristic, StopReason};
use zonaut_strategy::Ties;

use crate::frontier::{Frontier, Popped, Waiting};
use crate::guided::Guided;

/// A test for useless transitions. Any implementation is sound; it affects the order alone.
pub trait UsefulnessTest<S, Step>: Send {
    /// Whether the step to a state with this estimate is useless.
    fn is_useless(&mut self, arrival: Arrival<'_, S, Step>, estimate: u32) -> bool;
}

/// The lowest estimate first; if a useless transition led to the state, its depth is added, so that
/// paths with few such transitions come first and every path is eventually explored.
#[derive(Clone, Debug)]
pub struct Useful<H, J> {
    guided: Guided<H>,
    test: J,
}

impl<H, J> Useful<H, J> {
    /// Greedy search with this heuristic and this test for useless transitions.
    pub fn new(heuristic: H, test: J, ties: Ties) -> Self {
        Self { guided: Guided::greedy(heuristic, ties), test }
    }
}

impl<S, Step: Copy, H: Heuristic<S, Step>, J: UsefulnessTest<S, Step>> Frontier<S, Step>
    for Useful<H, J>
{
    fn push(&mut self, waiting: Waiting<'_, S, Step>) -> Result<(), StopReason> {
        let test = &mut self.test;
        self.guided.insert(waiting, |estimate| {
            waiting.arrival.is_some_and(|arrival| test.is_useless(arrival, estimate))
        })
    }

    fn pop(&mut self) -> Option<Popped> {
        Frontier::<S, Step>::pop(&mut self.guided)
    }

    fn len(&self) -> usize {
        Frontier::<S, Step>::len(&self.guided)
    }

    fn bytes(&self) -> usize {
        Frontier::<S, Step>::bytes(&self.guided)
    }

    fn pruned(&self) -> usize {
        Frontier::<S, Step>::pruned(&self.guided)
    }
}
