//! Randomised greedy descent with restarts: local search that stays complete.
//!
//! A systematic greedy search returns to the best state it ever saw, and can spend all its time
//! around one local minimum. A descent continues with the best successor of the state it has just
//! expanded, occasionally with a random one, and restarts elsewhere when its estimates have not
//! improved for a while. The other nodes stay in the frontier, so an empty frontier is still a
//! proof.

use zonaut_space::{Estimate, Heuristic, NodeId, OpenList, StopReason};
use zonaut_strategy::Descents;

use crate::frontier::{Frontier, Popped, Waiting};
use crate::growth::{bytes_of, reserve_one};
use crate::open_list::Fifo;
use crate::random::Random;

/// The number of waiting nodes of which the best becomes the next start.
const CANDIDATES: usize = 8;

#[derive(Clone, Copy, Debug)]
struct Entry {
    estimate: u32,
    node: NodeId,
}

/// The frontier of randomised greedy descents.
#[derive(Clone, Debug)]
pub struct Restarting<H> {
    heuristic: H,
    descents: Descents,
    random: Random,
    /// The waiting nodes; the successors of the node popped last are at the end, from `fresh` on.
    waiting: Vec<Entry>,
    fresh: usize,
    /// The lowest estimate of this descent, and the pops since it was met.
    best: u32,
    since_best: u32,
    last: Fifo,
    pruned: usize,
}

impl<H> Restarting<H> {
    /// Descents directed by `heuristic`.
    pub fn new(heuristic: H, descents: Descents) -> Self {
        Self {
            heuristic,
            descents,
            random: Random::new(descents.seed),
            waiting: Vec::new(),
            fresh: 0,
            best: u32::MAX,
            since_best: 0,
            last: Fifo::default(),
            pruned: 0,
        }
    }

    /// The heuristic.
    pub fn heuristic(&self) -> &H {
        &self.heuristic
    }

    /// The index of the node to pop next.
    fn choose(&mut self) -> usize {
        let successors = self.waiting.len() - self.fresh;
        if successors == 0 || self.since_best >= self.descents.patience {
            self.best = u32::MAX;
            self.since_best = 0;
            return self.best_of_sample();
        }
        let perturbation = self.descents.perturbation as usize;
        if perturbation > 0 && self.random.below(perturbation) == 0 {
            return self.fresh + self.random.below(successors);
        }
        self.best_successor()
    }

    /// The start of a new descent: the best of a random sample of all waiting nodes.
    fn best_of_sample(&mut self) -> usize {
        let count = self.waiting.len();
        let sample = (0..CANDIDATES).map(|_| self.random.below(count));
        sample.min_by_key(|&index| self.waiting[index].estimate).unwrap_or(0)
    }

    /// One of the successors with the lowest estimate, all equally likely.
    fn best_successor(&mut self) -> usize {
        let mut chosen = self.fresh;
        let mut equals = 1;
        for index in self.fresh + 1..self.waiting.len() {
            let (estimate, lowest) = (self.waiting[index].estimate, self.waiting[chosen].estimate);
            if estimate < lowest {
                (chosen, equals) = (index, 1);
            } else if estimate == lowest {
                equals += 1;
                if self.random.below(equals) == 0 {
                    chosen = index;
                }
            }
        }
        chosen
    }
}

impl<S, Step, H: Heuristic<S, Step>> Frontier<S, Step> for Restarting<H> {
    fn push(&mut self, waiting: Waiting<'_, S, Step>) -> Result<(), StopReason> {
        match self.heuristic.estimate(waiting.state, waiting.arrival) {
            Estimate::Distance(estimate) => {
                reserve_one(&mut self.waiting)?;
                self.waiting.push(Entry { estimate, node: waiting.node });
                Ok(())
            }
            Estimate::DeadEnd => {
                self.pruned += 1;
                Ok(())
            }
            Estimate::Last => self.last.push((), waiting.node),
        }
    }

    fn pop(&mut self) -> Option<Popped> {
        if self.waiting.is_empty() {
            return self.last.pop().map(|((), node)| Popped::unbounded(node));
        }
        let index = self.choose();
        let Entry { estimate, node } = self.waiting.swap_remove(index);
        self.fresh = self.waiting.len();
        if estimate < self.best {
            self.best = estimate;
            self.since_best = 0;
        } else {
            self.since_best += 1;
        }
        Some(Popped::unbounded(node))
    }

    fn len(&self) -> usize {
        self.waiting.len() + self.last.len()
    }

    fn bytes(&self) -> usize {
        bytes_of(&self.waiting) + self.last.bytes()
    }

    fn pruned(&self) -> usize {
        self.pruned
    }
}
