//! Context-enhanced greedy search: prefers transitions that interfere with the previous one.

use zonaut_base::Id;
use zonaut_space::{Estimate, Heuristic, NodeId, OpenList, StopReason};
use zonaut_strategy::{Second, Ties};

use crate::frontier::{Frontier, Popped, Waiting};
use crate::growth::{bytes_of, refused};
use crate::open_list::Fifo;
use crate::priority_list::Buckets;

/// The interference of two transitions. Any implementation is sound; it affects the order alone.
pub trait Context<Step>: Send {
    /// The distance of `step` from the context of `before`; 0 is the same context.
    fn level(&mut self, before: Step, step: Step) -> u32;
}

/// The priority of a node, the lowest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Priority {
    /// The distance of the step to the node from the step to its parent.
    level: u32,
    estimate: u32,
    /// The tie breaker of [`Second`].
    second: u32,
}

/// The lowest level first, and within a level the lowest estimate. A state without a previous step
/// is at level 0, and so are the successors of an initial state.
#[derive(Clone, Debug)]
pub struct Contextual<H, C, Step> {
    heuristic: H,
    context: C,
    second: Second,
    open: Buckets<Priority>,
    last: Fifo,
    pruned: usize,
    /// The step to each node, by node.
    steps: Vec<Option<Step>>,
    /// The step to the node popped last, whose successors are pushed next.
    before: Option<Step>,
}

impl<H, C, Step> Contextual<H, C, Step> {
    /// Greedy search with this heuristic within each level of this context.
    pub fn new(heuristic: H, context: C, ties: Ties) -> Self {
        Self {
            heuristic,
            context,
            second: ties.second,
            open: Buckets::new(ties.age),
            last: Fifo::default(),
            pruned: 0,
            steps: Vec::new(),
            before: None,
        }
    }
}

impl<H, C, Step: Copy> Contextual<H, C, Step> {
    fn remember(&mut self, node: NodeId, step: Option<Step>) -> Result<(), StopReason> {
        let missing = (node.index() + 1).saturating_sub(self.steps.len());
        self.steps.try_reserve(missing).map_err(refused)?;
        self.steps.resize(self.steps.len() + missing, None);
        self.steps[node.index()] = step;
        Ok(())
    }
}

impl<S, Step, H, C> Frontier<S, Step> for Contextual<H, C, Step>
where
    Step: Copy + Send,
    H: Heuristic<S, Step>,
    C: Context<Step>,
{
    fn push(&mut self, waiting: Waiting<'_, S, Step>) -> Result<(), StopReason> {
        let Waiting { node, cost, state, arrival } = waiting;
        let step = arrival.map(|arrival| arrival.step);
        self.remember(node, step)?;
        match self.heuristic.estimate(state, arrival) {
            Estimate::Distance(estimate) => {
                let level = match (self.before, step) {
                    (Some(before), Some(step)) => self.context.level(before, step),
                    _ => 0,
                };
                let second = match self.second {
                    Second::LowEstimate | Second::Nothing => 0,
                    Second::LowDepth => cost,
                };
                self.open.push(Priority { level, estimate, second }, node)
            }
            Estimate::DeadEnd => {
                self.pruned += 1;
                Ok(())
            }
            Estimate::Last => self.last.push((), node),
        }
    }

    fn pop(&mut self) -> Option<Popped> {
        let next = self.open.pop().map(|(_, node)| node);
        let node = next.or_else(|| self.last.pop().map(|((), node)| node))?;
        self.before = self.steps.get(node.index()).copied().flatten();
        Some(Popped::unbounded(node))
    }

    fn len(&self) -> usize {
        self.open.len() + self.last.len()
    }

    fn bytes(&self) -> usize {
        self.open.bytes() + self.last.bytes() + bytes_of(&self.steps)
    }

    fn pruned(&self) -> usize {
        self.pruned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guided::Blind;
    use zonaut_space::Arrival;
    use zonaut_strategy::Age;

    /// Steps are numbers, and their level is their difference.
    struct Difference;

    impl Context<u32> for Difference {
        fn level(&mut self, before: u32, step: u32) -> u32 {
            before.abs_diff(step)
        }
    }

    type Frontiers = Contextual<Blind, Difference, u32>;

    fn push(frontier: &mut Frontiers, node: usize, step: u32) {
        let arrival = Some(Arrival { parent: &(), step });
        let waiting = Waiting { node: NodeId::from_index(node), cost: 1, state: &(), arrival };
        frontier.push(waiting).expect("memory");
    }

    fn pop(frontier: &mut Frontiers) -> Option<usize> {
        Frontier::<(), u32>::pop(frontier).map(|popped| popped.node.index())
    }

    #[test]
    fn the_node_nearest_to_the_previous_step_is_next() {
        let ties = Ties { second: Second::Nothing, age: Age::Fifo };
        let mut frontier = Contextual::new(Blind, Difference, ties);
        // The first steps have no previous step.
        push(&mut frontier, 0, 7);
        push(&mut frontier, 1, 2);
        assert_eq!(pop(&mut frontier), Some(0));
        push(&mut frontier, 2, 4);
        push(&mut frontier, 3, 6);
        assert_eq!(pop(&mut frontier), Some(1));
        push(&mut frontier, 4, 4);
        // Levels 3, 1 and 2.
        assert_eq!(pop(&mut frontier), Some(3));
        assert_eq!(pop(&mut frontier), Some(4));
        assert_eq!(pop(&mut frontier), Some(2));
        assert_eq!(pop(&mut frontier), None);
    }
}
