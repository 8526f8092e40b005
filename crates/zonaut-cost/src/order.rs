//! Orders of exploration. All orders find a cheapest path; they differ in how soon.

use zonaut_base::Id;
use zonaut_search::{Age, Fifo, Frontier, Heap, Lifo, Popped, RandomDepthFirst, Waiting};
use zonaut_space::{Cost, NodeId, OpenList, StopReason};
use zonaut_strategy::CostOrder;

use crate::estimate::Estimate;
use crate::infimum::Infimum;

/// The open list, by the order.
enum Open {
    Fifo(Fifo),
    Lifo(Lifo),
    Random(RandomDepthFirst),
    /// By cost, then by total.
    Cost(Heap<(Infimum, Infimum)>),
    /// By total, then by weight, then what has spent more, because less of it is a guess.
    Total(Heap<(Infimum, u64, std::cmp::Reverse<Infimum>)>),
    /// By the label of the author.
    Rank(Heap<i64>),
    /// A stack; from `fresh` on there are the successors of one expansion.
    Sorted {
        stack: Vec<(i64, Infimum, u64, NodeId)>,
        fresh: usize,
        by: CostOrder,
    },
}

/// An open list in one of the orders, each node with the least that a goal behind it costs, so that
/// what is too dear is never expanded.
pub struct Estimated<E> {
    estimate: E,
    open: Open,
    totals: Vec<Infimum>,
    pruned: usize,
}

impl<E> Estimated<E> {
    /// An empty open list.
    #[must_use]
    pub fn new(order: CostOrder, estimate: E) -> Self {
        let open = match order {
            CostOrder::BreadthFirst => Open::Fifo(Fifo::default()),
            CostOrder::DepthFirst => Open::Lifo(Lifo::default()),
            CostOrder::RandomDepthFirst(seed) => Open::Random(RandomDepthFirst::new(seed)),
            CostOrder::LeastCost => Open::Cost(Heap::new(Age::Fifo)),
            CostOrder::LeastTotal => Open::Total(Heap::new(Age::Lifo)),
            CostOrder::Ranked => Open::Rank(Heap::new(Age::Fifo)),
            CostOrder::BestDepthFirst { .. } | CostOrder::RankedDepthFirst => {
                Open::Sorted { stack: Vec::new(), fresh: 0, by: order }
            }
        };
        Self { estimate, open, totals: Vec::new(), pruned: 0 }
    }

    fn remember(&mut self, node: NodeId, total: Infimum) -> Result<(), StopReason> {
        let missing = (node.index() + 1).saturating_sub(self.totals.len());
        self.totals.try_reserve(missing).map_err(|_| StopReason::MemoryLimit)?;
        if missing > 0 {
            self.totals.resize(node.index() + 1, Infimum::ZERO);
        }
        self.totals[node.index()] = total;
        Ok(())
    }
}

impl<S, Step, E: Estimate<S>> Frontier<S, Step, Infimum> for Estimated<E> {
    fn push(&mut self, waiting: Waiting<'_, S, Step, Infimum>) -> Result<(), StopReason> {
        let Waiting { node, cost, state, .. } = waiting;
        let Some(total) = self.estimate.total(state, cost) else {
            self.pruned += 1;
            return Ok(());
        };
        debug_assert!(total >= cost, "law: what is spent is spent");
        let (weight, rank) = (self.estimate.weight(), self.estimate.rank());
        self.remember(node, total)?;
        match &mut self.open {
            Open::Fifo(list) => list.push((), node),
            Open::Lifo(list) => list.push((), node),
            Open::Random(list) => list.push((), node),
            Open::Cost(list) => list.push((cost, total), node),
            Open::Total(list) => list.push((total, weight, std::cmp::Reverse(cost)), node),
            Open::Rank(list) => list.push(rank, node),
            Open::Sorted { stack, by, .. } => {
                stack.try_reserve(1).map_err(|_| StopReason::MemoryLimit)?;
                let rank = match *by {
                    CostOrder::BestDepthFirst { total: weight, work } => {
                        let work = i64::from(work).saturating_mul(self.estimate.work());
                        i64::from(weight).saturating_mul(total.value()).saturating_add(work)
                    }
                    _ => rank,
                };
                stack.push((rank, total, weight, node));
                Ok(())
            }
        }
    }

    fn pop(&mut self) -> Option<Popped<Infimum>> {
        let (node, bound) = match &mut self.open {
            Open::Fifo(list) => (list.pop()?.1, Infimum::ZERO),
            Open::Lifo(list) => (list.pop()?.1, Infimum::ZERO),
            Open::Random(list) => (list.pop()?.1, Infimum::ZERO),
            Open::Cost(list) => list.pop().map(|((cost, _), node)| (node, cost))?,
            Open::Total(list) => list.pop().map(|((total, ..), node)| (node, total))?,
            Open::Rank(list) => (list.pop()?.1, Infimum::ZERO),
            Open::Sorted { stack, fresh, .. } => {
                stack[*fresh..].sort_by(|a, b| b.cmp(a));
                let (.., node) = stack.pop()?;
                *fresh = stack.len();
                (node, Infimum::ZERO)
            }
        };
        Some(Popped { node, bound, through: self.totals[node.index()] })
    }

    fn len(&self) -> usize {
        match &self.open {
            Open::Fifo(list) => list.len(),
            Open::Lifo(list) => list.len(),
            Open::Random(list) => list.len(),
            Open::Cost(list) => list.len(),
            Open::Total(list) => list.len(),
            Open::Rank(list) => list.len(),
            Open::Sorted { stack, .. } => stack.len(),
        }
    }

    fn bytes(&self) -> usize {
        let list = match &self.open {
            Open::Fifo(list) => list.bytes(),
            Open::Lifo(list) => list.bytes(),
            Open::Random(list) => list.bytes(),
            Open::Cost(list) => list.bytes(),
            Open::Total(list) => list.bytes(),
            Open::Rank(list) => list.bytes(),
            Open::Sorted { stack, .. } => {
                stack.capacity() * size_of::<(i64, Infimum, u64, NodeId)>()
            }
        };
        list + self.totals.capacity() * size_of::<Infimum>()
    }

    fn pruned(&self) -> usize {
        self.pruned
    }
}
