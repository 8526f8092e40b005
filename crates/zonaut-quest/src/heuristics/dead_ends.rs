//! What becomes of states that a guide calls dead ends.

use zonaut_space::{Arrival, Estimate, Heuristic};

/// What becomes of states that a guide calls dead ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeadEndPolicy {
    /// They are dropped: nothing can be found behind them.
    Drop,
    /// They come last: the node of a lazy search stands for other states, too.
    Last,
}

/// A guide whose dead ends are treated as the search wants it.
pub(crate) struct DeadEndFilter<H> {
    pub(crate) heuristic: H,
    pub(crate) dead_ends: DeadEndPolicy,
}

impl<S, Step, V, H: Heuristic<S, Step, V>> Heuristic<S, Step, V> for DeadEndFilter<H> {
    fn estimate(&mut self, state: &S, arrival: Option<Arrival<'_, S, Step>>) -> Estimate<V> {
        match self.heuristic.estimate(state, arrival) {
            Estimate::DeadEnd if self.dead_ends == DeadEndPolicy::Last => Estimate::Last,
            estimate => estimate,
        }
    }

    fn name(&self) -> &'static str {
        self.heuristic.name()
    }
}
