//! Frontiers ordered by a heuristic: A\*, greedy best-first search, weighted A\*.

use zonaut_space::{
    Admissible, AdmissibleHeuristic, Arrival, Estimate, Heuristic, OpenList, StopReason,
};
use zonaut_strategy::{Second, Ties};

use crate::frontier::{CheapestFirst, Frontier, Popped, Waiting};
use crate::open_list::Fifo;
use crate::priority_list::Buckets;

/// The heuristic that is zero everywhere; with it A\* is breadth-first search.
#[derive(Clone, Copy, Default, Debug)]
pub struct Blind;

impl Admissible for Blind {}

impl<S, Step> Heuristic<S, Step> for Blind {
    fn estimate(&mut self, _state: &S, _arrival: Option<Arrival<'_, S, Step>>) -> Estimate<u32> {
        Estimate::Distance(0)
    }
    fn name(&self) -> &'static str {
        "blind"
    }
}

/// The evaluation function: the combination of depth g and estimate h.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Evaluation {
    /// g + max(h, 1): a state that is not a goal has at least one remaining step.
    Sum,
    /// h alone.
    Greedy,
    /// g + weight · h.
    Weighted(u32),
}

impl Evaluation {
    fn evaluate(self, g: u32, h: u32) -> u32 {
        match self {
            Self::Sum => g.saturating_add(h.max(1)),
            Self::Greedy => h,
            Self::Weighted(weight) => g.saturating_add(weight.saturating_mul(h)),
        }
    }
}

/// The priority of a best-first search; the list breaks remaining ties.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Priority {
    evaluation: u32,
    /// The tie breaker of [`Second`].
    second: u32,
}

/// The order of a heuristic without guarantees: greedy best-first search and weighted A\*.
#[derive(Clone, Debug)]
pub struct Guided<H> {
    heuristic: H,
    evaluation: Evaluation,
    second: Second,
    open: Buckets<Priority>,
    last: Fifo,
    pruned: usize,
}

impl<H> Guided<H> {
    /// Greedy best-first search: the lowest estimate first.
    pub fn greedy(heuristic: H, ties: Ties) -> Self {
        Self::new(heuristic, Evaluation::Greedy, ties)
    }

    /// Weighted A\*: the lowest sum of depth and `weight` times the estimate first.
    pub fn weighted(heuristic: H, weight: u32, ties: Ties) -> Self {
        Self::new(heuristic, Evaluation::Weighted(weight), ties)
    }

    fn new(heuristic: H, evaluation: Evaluation, ties: Ties) -> Self {
        Self {
            heuristic,
            evaluation,
            second: ties.second,
            open: Buckets::new(ties.age),
            last: Fifo::default(),
            pruned: 0,
        }
    }

    /// The next node with its evaluation; 0 for nodes with the estimate `Last`.
    fn pop_evaluated(&mut self) -> Option<Popped> {
        match self.open.pop() {
            Some((priority, node)) => Some(Popped::best(node, priority.evaluation)),
            None => self.last.pop().map(|((), node)| Popped::unbounded(node)),
        }
    }

    /// The heuristic.
    pub fn heuristic(&self) -> &H {
        &self.heuristic
    }

    /// Adds a node, with its depth added to its evaluation if `is_behind` holds for its estimate.
    pub(crate) fn insert<S, Step>(
        &mut self,
        waiting: Waiting<'_, S, Step>,
        is_behind: impl FnOnce(u32) -> bool,
    ) -> Result<(), StopReason>
    where
        H: Heuristic<S, Step>,
    {
        let Waiting { node, cost, state, arrival } = waiting;
        match self.heuristic.estimate(state, arrival) {
            Estimate::Distance(h) => {
                let second = match self.second {
                    Second::LowEstimate => h,
                    Second::LowDepth => cost,
                    Second::Nothing => 0,
                };
                let behind = if is_behind(h) { cost } else { 0 };
                let evaluation = self.evaluation.evaluate(cost, h).saturating_add(behind);
                self.open.push(Priority { evaluation, second }, node)
            }
            Estimate::DeadEnd => {
                self.pruned += 1;
                Ok(())
            }
            Estimate::Last => self.last.push((), node),
        }
    }
}

impl<S, Step, H: Heuristic<S, Step>> Frontier<S, Step> for Guided<H> {
    fn push(&mut self, waiting: Waiting<'_, S, Step>) -> Result<(), StopReason> {
        self.insert(waiting, |_| false)
    }

    fn pop(&mut self) -> Option<Popped> {
        self.pop_evaluated().map(|popped| Popped::unbounded(popped.node))
    }

    fn len(&self) -> usize {
        self.open.len() + self.last.len()
    }

    fn bytes(&self) -> usize {
        self.open.bytes() + self.last.bytes()
    }

    fn pruned(&self) -> usize {
        self.pruned
    }
}

/// The order of A\*: the lowest sum of depth and estimate first, with an admissible heuristic.
///
/// A goal is never pushed, so every waiting state has at least one remaining step, and the
/// evaluation is g + max(h, 1). With [`Blind`] and the oldest first this is breadth-first search.
///
/// Only admissible heuristics are accepted:
/// ```compile_fail
/// # use zonaut_search::{AStar, Ties};
/// # use zonaut_space::{Arrival, Estimate, Heuristic};
/// struct Hunch;
/// impl Heuristic<u32, u32> for Hunch {
///     fn estimate(&mut self, _: &u32, _: Option<Arrival<'_, u32, u32>>) -> Estimate<u32> {
///         Estimate::Distance(7)
///     }
///     fn name(&self) -> &'static str { "hunch" }
/// }
/// let frontier: AStar<Hunch> = AStar::new(Hunch, Ties::default());
/// ```
#[derive(Clone, Debug)]
pub struct AStar<H>(Guided<H>);

impl<H: Admissible> AStar<H> {
    /// A\* with this heuristic.
    pub fn new(heuristic: H, ties: Ties) -> Self {
        Self(Guided::new(heuristic, Evaluation::Sum, ties))
    }

    /// The heuristic.
    pub fn heuristic(&self) -> &H {
        self.0.heuristic()
    }
}

impl<S, Step, H: AdmissibleHeuristic<S, Step>> Frontier<S, Step> for AStar<H> {
    fn push(&mut self, waiting: Waiting<'_, S, Step>) -> Result<(), StopReason> {
        self.0.push(waiting)
    }
    fn pop(&mut self) -> Option<Popped> {
        self.0.pop_evaluated()
    }
    fn len(&self) -> usize {
        Frontier::<S, Step>::len(&self.0)
    }
    fn bytes(&self) -> usize {
        Frontier::<S, Step>::bytes(&self.0)
    }
    fn pruned(&self) -> usize {
        self.0.pruned
    }
}

impl<S, Step, H: AdmissibleHeuristic<S, Step>> CheapestFirst<S, Step> for AStar<H> {}
