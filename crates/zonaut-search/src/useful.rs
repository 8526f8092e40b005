//! Greedy search that prefers states which useful transitions lead to.

use zonaut_space::{Arrival, Heuristic, StopReason};

use crate::frontier::{Frontier, Popped, Waiting};
use crate::guided::{Guided, Ties};

/// Says which steps lead nowhere nearer. Any answer is right; it decides the order alone.
pub trait UsefulnessTest<S, Step> {
    /// Whether the step to a state with this estimate is useless.
    fn is_useless(&mut self, arrival: Arrival<'_, S, Step>, estimate: u32) -> bool;
}

/// The lowest estimate first; where a useless step led to the state, its depth is added, so that ways
/// with few such steps are followed first, and no way for ever.
#[derive(Clone, Debug)]
pub struct Useful<H, J> {
    guided: Guided<H>,
    test: J,
}

impl<H, J> Useful<H, J> {
    /// Greedy search with this guide, and with a judge of steps.
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
