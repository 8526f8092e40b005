//! Beams: good schedules soon.
//!
//! A beam goes forward move by move and keeps but the most promising points after each number of
//! moves. What it drops is lost to it, so a beam proves nothing unless it drops nothing; then it has
//! seen all that could be better than what is known. Widths grow until that is so, or until the work
//! that beams may take is done.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use zonaut_base::Id;
use zonaut_cost::Infimum;
use zonaut_cost::tasks::Span;
use zonaut_search::{ArenaStore, Edge, Ledger, NodeTable, ask};
use zonaut_space::{
    CostDominance, Goal, Insertion, NodeId, Observer, PassedStore, StopReason, Successor,
    TransitionSystem,
};
use zonaut_zonegraph::StepError;

use crate::bound::TaskBound;
use crate::state::{Earlier, Point, PointEncoding};
use crate::system::{Arrival, Decision, PointPricing, TaskSystem};

/// How a beam ended.
pub(crate) enum Passed {
    /// It has seen all that could be better.
    Complete,
    /// It has dropped something.
    Narrow,
    /// Something went wrong, or it had to stop.
    Failed(StepError, Vec<Decision>),
}

/// A point that waits: its estimate, and what decides between equals.
type Waiting = Reverse<(Span, u64, u32)>;

/// The points after two consecutive numbers of moves.
#[derive(Default)]
struct Layers {
    current: BinaryHeap<Waiting>,
    next: BinaryHeap<Waiting>,
}

/// A schedule that a beam has found, and what it costs.
pub(crate) type Found = (Infimum, Vec<Decision>);

/// One pass of a beam.
pub(crate) struct Beam<'b, 's, 'n> {
    pub(crate) system: &'s TaskSystem<'n>,
    pub(crate) bound: &'b mut TaskBound<'s, 'n>,
    pub(crate) width: usize,
    /// The best schedule known.
    pub(crate) best: Option<Found>,
    pub(crate) ledger: Ledger,
    nodes: NodeTable<Decision, Infimum>,
}

impl<'b, 's, 'n> Beam<'b, 's, 'n> {
    pub(crate) fn new(
        system: &'s TaskSystem<'n>,
        bound: &'b mut TaskBound<'s, 'n>,
        width: usize,
        best: Option<Found>,
    ) -> Self {
        Self { system, bound, width, best, ledger: Ledger::default(), nodes: NodeTable::new() }
    }

    /// Goes forward once.
    pub(crate) fn pass<O: Observer<Point, Decision>>(&mut self, observer: &mut O) -> Passed {
        let system = self.system;
        let encoding = PointEncoding { network: system.compiled };
        let clocks = system.compiled.clock_count();
        let mut store = ArenaStore::new(encoding, Earlier { clocks });
        let mut scratch = system.scratch();
        let mut layers = Layers::default();
        let mut failure = None;
        let _ = system.for_each_initial(&mut scratch, |initial| {
            let arrived = match initial {
                Ok(point) => self.arrive(None, point, &mut store),
                Err(error) => Err((error, None, None)),
            };
            match arrived {
                Ok(Some(waiting)) => layers.current.push(waiting),
                Ok(None) => {}
                Err(error) => failure = Some(error),
            }
            ControlFlow::Continue(())
        });
        let mut has_dropped = false;
        let mut state = Point::default();
        while !layers.current.is_empty() && failure.is_none() {
            let mut expanded = 0;
            while let Some(Reverse((date, _, node))) = layers.current.pop() {
                let node = NodeId::from_index(node as usize);
                if !store.is_live(node) || self.is_too_late(date) {
                    continue;
                }
                if expanded == self.width {
                    has_dropped = true;
                    break;
                }
                store.load(node, &mut state);
                let before = layers.next.len();
                let result = self.expand(node, &state, &mut scratch, &mut store, &mut layers);
                // A state whose only successors wait is not counted as expanded.
                expanded += usize::from(layers.next.len() > before);
                let stopped = match self.ledger.count_event() {
                    true => ask(observer, &self.progress(&store)).map_err(stop),
                    false => Ok(()),
                };
                if let Err(error) = result.and(stopped) {
                    failure = Some(error);
                    break;
                }
            }
            layers.current = std::mem::take(&mut layers.next);
        }
        let zonaut_space::Progress { stored, bytes, .. } = self.progress(&store);
        let statistics = &mut self.ledger.statistics;
        (statistics.stored, statistics.bytes) = (stored, bytes);
        match failure {
            Some((error, from, step)) => {
                let mut steps = from.map_or_else(Vec::new, |node| self.nodes.steps(node));
                steps.extend(step);
                Passed::Failed(error, steps)
            }
            None if has_dropped => Passed::Narrow,
            None => Passed::Complete,
        }
    }

    fn progress<St: PassedStore<Point>>(&self, store: &St) -> zonaut_space::Progress {
        zonaut_space::Progress {
            explored: self.ledger.statistics.explored,
            stored: store.len(),
            waiting: 0,
            bytes: store.bytes() + self.nodes.bytes(),
            depth: 0,
        }
    }

    /// Whether what meets the goal on this date at the earliest is no better than what is known.
    fn is_too_late(&self, date: Span) -> bool {
        let cost = Infimum::attained(date.saturating_mul(self.system.rate));
        self.best.as_ref().is_some_and(|(best, _)| cost >= *best)
    }

    /// Expands a node: moves lead to the next list, waiting to the same.
    fn expand<St: PassedStore<Point>>(
        &mut self,
        node: NodeId,
        state: &Point,
        scratch: &mut <TaskSystem<'n> as TransitionSystem>::Scratch,
        store: &mut St,
        layers: &mut Layers,
    ) -> Result<(), Problem> {
        self.ledger.statistics.explored += 1;
        let mut result = Ok(());
        let _ = self.system.for_each_successor(state, scratch, |successor| {
            let (step, arrived) = match successor {
                Successor::State(step, point) => {
                    (step, self.arrive(Some(Edge { from: node, step }), point, store))
                }
                Successor::Error(step, error) => (step, Err((error, Some(node), Some(step)))),
            };
            match arrived {
                Ok(None) => {}
                Ok(Some(waiting)) if step == Decision::Wait => layers.current.push(waiting),
                Ok(Some(waiting)) => layers.next.push(waiting),
                Err(error) => result = Err(error),
            }
            match result {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        result
    }

    /// Takes in a point, if it may lead to something better and nothing covers it.
    fn arrive<St: PassedStore<Point>>(
        &mut self,
        edge: Option<Edge<Decision>>,
        point: &Point,
        store: &mut St,
    ) -> Result<Option<Waiting>, Problem> {
        self.ledger.statistics.generated += 1;
        let cost = PointPricing(self.system.rate).cost(point);
        let Some(date) = self.bound.date(point) else { return Ok(None) };
        let weight = self.bound.weight();
        if self.is_too_late(date) {
            return Ok(None);
        }
        self.nodes.reserve().map_err(stop)?;
        let respect: CostDominance<'_, Infimum> = CostDominance::Ignored;
        let inserted = store.insert(point, respect, |_| {}).map_err(stop)?;
        let Insertion::New(node) = inserted else { return Ok(None) };
        self.nodes.add(edge, cost, ());
        if Arrival(self.system.goal).holds_in(point).map_err(|e| (e, Some(node), None))? {
            self.bound.tell(cost);
            self.best = Some((cost, self.nodes.steps(node)));
            return Ok(None);
        }
        Ok(Some(Reverse((date, weight, node.index() as u32))))
    }
}

type Problem = (StepError, Option<NodeId>, Option<Decision>);

fn stop(why: StopReason) -> Problem {
    (StepError::Stopped(why), None, None)
}
