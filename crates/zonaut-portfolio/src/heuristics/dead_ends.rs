//! Treatment of states that a heuristic reports as dead ends.

use zonaut_space::{Arrival, Estimate, Heuristic};

/// The treatment of states that a heuristic reports as dead ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeadEndPolicy {
    /// They are dropped: neither a goal nor an error is reachable from them.
    Drop,
    /// They are expanded last: a node of a lazy search represents other states, too.
    Last,
}

/// A heuristic whose dead ends are treated by a policy.
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
