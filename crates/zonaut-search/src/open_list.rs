//! Open lists without priorities: breadth first, depth first, random depth first.

use std::collections::VecDeque;

use zonaut_space::{NodeId, OpenList, StopReason};

use crate::growth::{bytes_of, push, refused};
use crate::random::Random;

/// First in, first out: breadth-first search.
#[derive(Clone, Default, Debug)]
pub struct Fifo {
    nodes: VecDeque<NodeId>,
}

impl OpenList<()> for Fifo {
    fn push(&mut self, (): (), node: NodeId) -> Result<(), StopReason> {
        self.nodes.try_reserve(1).map_err(refused)?;
        self.nodes.push_back(node);
        Ok(())
    }
    fn pop(&mut self) -> Option<((), NodeId)> {
        self.nodes.pop_front().map(|node| ((), node))
    }
    fn len(&self) -> usize {
        self.nodes.len()
    }
    fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<NodeId>()
    }
}

/// Last in, first out: depth-first search, the last successor of a state first.
#[derive(Clone, Default, Debug)]
pub struct Lifo {
    nodes: Vec<NodeId>,
}

impl OpenList<()> for Lifo {
    fn push(&mut self, (): (), node: NodeId) -> Result<(), StopReason> {
        push(&mut self.nodes, node)
    }
    fn pop(&mut self) -> Option<((), NodeId)> {
        self.nodes.pop().map(|node| ((), node))
    }
    fn len(&self) -> usize {
        self.nodes.len()
    }
    fn bytes(&self) -> usize {
        bytes_of(&self.nodes)
    }
}

/// Depth-first search that visits the successors of a state in random order.
#[derive(Clone, Debug)]
pub struct RandomDepthFirst {
    nodes: Vec<NodeId>,
    /// The start of the nodes pushed since the last pop: the successors of one expansion.
    settled: usize,
    random: Random,
}

impl RandomDepthFirst {
    /// The list whose order `seed` determines.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { nodes: Vec::new(), settled: 0, random: Random::new(seed) }
    }
}

impl OpenList<()> for RandomDepthFirst {
    fn push(&mut self, (): (), node: NodeId) -> Result<(), StopReason> {
        push(&mut self.nodes, node)
    }
    fn pop(&mut self) -> Option<((), NodeId)> {
        self.random.shuffle(&mut self.nodes[self.settled..]);
        let node = self.nodes.pop();
        self.settled = self.nodes.len();
        node.map(|node| ((), node))
    }
    fn len(&self) -> usize {
        self.nodes.len()
    }
    fn bytes(&self) -> usize {
        bytes_of(&self.nodes)
    }
}

#[cfg(test)]
mod tests {
    use zonaut_base::Id;

    use super::*;

    /// Pushes each batch, pops one node after each, then all the rest.
    fn check(mut list: impl OpenList<()>, batches: &[&[usize]], expected: &[usize]) {
        let mut popped = Vec::new();
        for batch in batches {
            for &node in *batch {
                list.push((), NodeId::from_index(node)).expect("memory");
            }
            popped.extend(list.pop());
        }
        while let Some(entry) = list.pop() {
            popped.push(entry);
        }
        assert!(list.is_empty());
        let popped: Vec<usize> = popped.into_iter().map(|((), node)| node.index()).collect();
        assert_eq!(popped, expected);
    }

    #[test]
    fn fifo_gives_the_oldest_first() {
        check(Fifo::default(), &[&[1, 2], &[3], &[4]], &[1, 2, 3, 4]);
    }

    #[test]
    fn lifo_gives_the_newest_first() {
        check(Lifo::default(), &[&[1, 2], &[3], &[4, 5]], &[2, 3, 5, 4, 1]);
    }

    #[test]
    fn random_depth_first_shuffles_within_one_expansion_only() {
        for seed in 0..50 {
            let mut list = RandomDepthFirst::new(seed);
            for node in 0..4 {
                list.push((), NodeId::from_index(node)).expect("memory");
            }
            let ((), first) = list.pop().expect("four wait");
            assert!(first.index() < 4);
            for node in 4..8 {
                list.push((), NodeId::from_index(node)).expect("memory");
            }
            let rest: Vec<usize> =
                std::iter::from_fn(|| list.pop()).map(|((), node)| node.index()).collect();
            assert!(rest[..4].iter().all(|&node| node >= 4), "seed {seed}: {rest:?}");
            assert!(rest[4..].iter().all(|&node| node < 4), "seed {seed}: {rest:?}");
        }
    }
}
