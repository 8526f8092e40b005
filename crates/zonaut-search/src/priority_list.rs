//! Open lists with priorities.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use zonaut_space::{NodeId, OpenList, StopReason};
use zonaut_strategy::Age;

use crate::growth::{bytes_of, refused, reserve_one};
use crate::random::Random;

/// The random numbers of a list.
fn random(age: Age) -> Random {
    match age {
        Age::Random { seed } => Random::new(seed),
        Age::Fifo | Age::Lifo => Random::new(0),
    }
}

/// A list for priorities with few distinct values, such as depths and estimates: one queue per
/// value.
#[derive(Clone, Debug)]
pub struct Buckets<P> {
    /// Sorted by falling priority, so that the bucket to pop from is the last. No bucket is empty.
    buckets: Vec<(P, VecDeque<NodeId>)>,
    age: Age,
    random: Random,
    len: usize,
    /// The total capacity of all queues.
    capacity: usize,
}

impl<P> Buckets<P> {
    /// An empty list.
    #[must_use]
    pub fn new(age: Age) -> Self {
        Self { buckets: Vec::new(), age, random: random(age), len: 0, capacity: 0 }
    }
}

impl<P: Ord + Copy + Send> OpenList<P> for Buckets<P> {
    fn push(&mut self, priority: P, node: NodeId) -> Result<(), StopReason> {
        let index = match self.buckets.binary_search_by(|(other, _)| priority.cmp(other)) {
            Ok(index) => index,
            Err(index) => {
                let mut queue = VecDeque::new();
                queue.try_reserve(1).map_err(refused)?;
                reserve_one(&mut self.buckets)?;
                self.capacity += queue.capacity();
                self.buckets.insert(index, (priority, queue));
                index
            }
        };
        let queue = &mut self.buckets[index].1;
        let before = queue.capacity();
        queue.try_reserve(1).map_err(refused)?;
        self.capacity += queue.capacity() - before;
        queue.push_back(node);
        self.len += 1;
        Ok(())
    }

    fn pop(&mut self) -> Option<(P, NodeId)> {
        let (priority, queue) = self.buckets.last_mut()?;
        let priority = *priority;
        let node = match self.age {
            Age::Fifo => queue.pop_front(),
            Age::Lifo => queue.pop_back(),
            Age::Random { .. } => queue.swap_remove_back(self.random.below(queue.len())),
        }
        .expect("invariant: no bucket is empty");
        if queue.is_empty() {
            self.capacity -= queue.capacity();
            self.buckets.pop();
        }
        self.len -= 1;
        Some((priority, node))
    }

    fn len(&self) -> usize {
        self.len
    }

    fn bytes(&self) -> usize {
        bytes_of(&self.buckets) + self.capacity * size_of::<NodeId>()
    }
}

/// A list for priorities with many distinct values, such as costs: a binary heap.
#[derive(Clone, Debug)]
pub struct Heap<P> {
    entries: BinaryHeap<Reverse<(P, u64, NodeId)>>,
    age: Age,
    random: Random,
    pushed: u64,
}

impl<P: Ord> Heap<P> {
    /// An empty list.
    #[must_use]
    pub fn new(age: Age) -> Self {
        Self { entries: BinaryHeap::new(), age, random: random(age), pushed: 0 }
    }
}

impl<P: Ord + Send> OpenList<P> for Heap<P> {
    fn push(&mut self, priority: P, node: NodeId) -> Result<(), StopReason> {
        self.entries.try_reserve(1).map_err(refused)?;
        let rank = match self.age {
            Age::Fifo => self.pushed,
            Age::Lifo => !self.pushed,
            Age::Random { .. } => self.random.next_bits(),
        };
        self.pushed += 1;
        self.entries.push(Reverse((priority, rank, node)));
        Ok(())
    }
    fn pop(&mut self) -> Option<(P, NodeId)> {
        self.entries.pop().map(|Reverse((priority, _, node))| (priority, node))
    }
    fn len(&self) -> usize {
        self.entries.len()
    }
    fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Reverse<(P, u64, NodeId)>>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use zonaut_base::Id;

    use super::*;

    /// A reference implementation of an open list.
    struct Plain {
        entries: Vec<((u32, u32), usize)>,
        age: Age,
    }

    impl Plain {
        fn pop(&mut self) -> Option<((u32, u32), usize)> {
            let by_age = |age: usize| match self.age {
                Age::Fifo => age as i64,
                Age::Lifo => -(age as i64),
                Age::Random { .. } => unreachable!("compared by priority alone"),
            };
            let ages = 0..self.entries.len();
            let next = ages.min_by_key(|&age| (self.entries[age].0, by_age(age)))?;
            Some(self.entries.remove(next))
        }
    }

    /// Pushes and pops (`None`) as listed, and compares each result.
    fn check(mut list: impl OpenList<(u32, u32)>, age: Age, actions: &[Option<(u32, u32)>]) {
        let mut plain = Plain { entries: Vec::new(), age };
        let pops_at_the_end = actions.len() + 1;
        for (node, action) in actions.iter().copied().chain(vec![None; pops_at_the_end]).enumerate()
        {
            match action {
                Some(priority) => {
                    list.push(priority, NodeId::from_index(node)).expect("memory");
                    plain.entries.push((priority, node));
                }
                None => {
                    let popped = list.pop().map(|(priority, node)| (priority, node.index()));
                    assert_eq!(popped, plain.pop());
                }
            }
            assert_eq!(list.len(), plain.entries.len());
        }
    }

    proptest! {
        #[test]
        fn lists_give_the_smallest_priority_and_then_by_age(
            actions in prop::collection::vec(prop::option::weighted(0.6, (0..4u32, 0..3u32)), 0..80),
        ) {
            for age in [Age::Fifo, Age::Lifo] {
                check(Buckets::new(age), age, &actions);
                check(Heap::new(age), age, &actions);
            }
        }

        #[test]
        fn random_lists_give_every_node_once_and_the_smallest_priority_first(
            priorities in prop::collection::vec(0..4u32, 0..60),
            seed in any::<u64>(),
        ) {
            let age = Age::Random { seed };
            let lists: [Box<dyn OpenList<u32>>; 2] =
                [Box::new(Buckets::new(age)), Box::new(Heap::new(age))];
            for mut list in lists {
                for (node, &priority) in priorities.iter().enumerate() {
                    list.push(priority, NodeId::from_index(node)).expect("memory");
                }
                let popped: Vec<(u32, NodeId)> = std::iter::from_fn(|| list.pop()).collect();
                prop_assert!(popped.is_sorted_by_key(|&(priority, _)| priority));
                let mut nodes: Vec<usize> = popped.iter().map(|(_, node)| node.index()).collect();
                nodes.sort_unstable();
                prop_assert_eq!(nodes, (0..priorities.len()).collect::<Vec<_>>());
            }
        }

        #[test]
        fn buckets_count_the_bytes_of_every_queue(
            actions in prop::collection::vec(prop::option::weighted(0.7, 0..6u32), 0..200),
        ) {
            let mut list = Buckets::new(Age::Fifo);
            for (node, action) in actions.into_iter().enumerate() {
                match action {
                    Some(priority) => list.push(priority, NodeId::from_index(node)).expect("memory"),
                    None => drop(list.pop()),
                }
                let queues: usize = list.buckets.iter().map(|(_, queue)| queue.capacity()).sum();
                prop_assert_eq!(list.bytes(), bytes_of(&list.buckets) + 4 * queues);
            }
        }
    }
}
