//! Novelty search: prefers edges of the model that were taken least often.

use zonaut_space::{OpenList, StopReason};
use zonaut_strategy::Age;

use crate::frontier::{Frontier, Popped, Waiting};
use crate::growth::{bytes_of, refused};
use crate::priority_list::Buckets;

/// The branches of the model that a step takes.
///
/// Law: the same step has the same branches.
pub trait Branches<Step>: Send {
    /// Appends the ids of the branches that a step takes; ids are small numbers.
    fn add_branches(&mut self, step: Step, into: &mut Vec<u32>);
}

/// First the state whose step took the branch that was taken least often so far.
#[derive(Clone, Debug)]
pub struct Novel<B> {
    branches: B,
    /// The number of times each branch was taken.
    taken: Vec<u32>,
    open: Buckets<u32>,
    /// The branches of one step.
    found: Vec<u32>,
}

impl<B> Novel<B> {
    /// Counts these branches; `age` breaks ties between states of equal novelty.
    pub fn new(branches: B, age: Age) -> Self {
        Self { branches, taken: Vec::new(), open: Buckets::new(age), found: Vec::new() }
    }

    /// The count of the rarest of the branches before this step; increments the counts.
    fn take(&mut self) -> Result<u32, StopReason> {
        let length = self.found.iter().map(|&branch| branch as usize + 1).max().unwrap_or(0);
        let missing = length.saturating_sub(self.taken.len());
        self.taken.try_reserve(missing).map_err(refused)?;
        self.taken.resize(self.taken.len() + missing, 0);
        let mut rarest = u32::MAX;
        for &branch in &self.found {
            let count = &mut self.taken[branch as usize];
            rarest = rarest.min(*count);
            *count = count.saturating_add(1);
        }
        Ok(if self.found.is_empty() { 0 } else { rarest })
    }
}

impl<S, Step: Copy, B: Branches<Step>> Frontier<S, Step> for Novel<B> {
    fn push(&mut self, waiting: Waiting<'_, S, Step>) -> Result<(), StopReason> {
        self.found.clear();
        if let Some(arrival) = waiting.arrival {
            self.branches.add_branches(arrival.step, &mut self.found);
        }
        let rarest = self.take()?;
        self.open.push(rarest, waiting.node)
    }

    fn pop(&mut self) -> Option<Popped> {
        self.open.pop().map(|(_, node)| Popped::unbounded(node))
    }

    fn len(&self) -> usize {
        self.open.len()
    }

    fn bytes(&self) -> usize {
        self.open.bytes() + bytes_of(&self.taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_base::Id;
    use zonaut_space::{Arrival, NodeId};

    /// The branches of a step are the digits of its number.
    struct Digits;

    impl Branches<u32> for Digits {
        fn add_branches(&mut self, step: u32, into: &mut Vec<u32>) {
            into.extend([step / 10, step % 10]);
        }
    }

    #[test]
    fn nodes_with_a_new_branch_are_expanded_next() {
        let mut frontier = Novel::new(Digits, Age::Fifo);
        for (node, step) in [12, 12, 13, 21, 45].into_iter().enumerate() {
            let arrival = Some(Arrival { parent: &(), step });
            let waiting = Waiting { node: NodeId::from_index(node), cost: 1, state: &(), arrival };
            frontier.push(waiting).expect("memory");
        }
        let next = || Frontier::<(), u32>::pop(&mut frontier).map(|popped| popped.node.index());
        let order: Vec<usize> = std::iter::from_fn(next).collect();
        // Steps 12, 13 and 45 take a new branch; the second 12 takes one taken once, 21 one taken
        // twice.
        assert_eq!(order, [0, 2, 4, 1, 3]);
    }
}
