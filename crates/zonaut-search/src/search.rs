//! A search as a value: it can be paused after some work, queried, and resumed. Every algorithm is
//! a configuration of it.
//!
//! # Correctness of verdicts
//! Let d(s) be the number of steps from s to the nearest goal. Covering is a simulation, so d(t) ≤
//! d(s) whenever t covers s.
//!
//! *Reachability.* Suppose a goal is reachable and none was met. Then some live node has a finite
//! d: an initial state, or one that covers it, because every discarded or evicted state has a live
//! node that covers it (covering is transitive). Take a live node n with the smallest d; d(n) > 0,
//! as every inserted node is tested. If n were expanded, its successor on a shortest path to a
//! goal, or a live node that covers that successor, would have a smaller d. So n waits, and the
//! search continues: an empty frontier means that no goal is reachable. True dead ends have no
//! finite d and may be dropped.
//!
//! *Shortest paths.* Let C be the length of a shortest path. With
//! [`CostDominance::Required`](zonaut_space::CostDominance::Required), a discarded or evicted state
//! has a live node that covers it *at no greater depth*. The same argument, with n a live node of
//! smallest d among those with depth(n) + d(n) ≤ C, shows: until a goal is met, a live node n waits
//! with depth(n) + d(n) ≤ C. A* evaluates a node p that is not a goal to f(p) = depth(p) +
//! max(h(p), 1), so f(n) ≤ C, because the heuristic is admissible and d(n) ≥ 1. Hence every node p
//! that is popped has f(p) ≤ C, whether the heuristic is consistent or not: each is a lower bound
//! of C. If a successor of p is a goal, d(p) = 1, so h(p) ≤ 1 and the goal's depth is depth(p) + 1
//! = f(p) ≤ C: the first goal that is generated is a nearest one, and may end the search. A shorter
//! path to a state that was expanded before is not covered by it, so it becomes a new node, evicts
//! the old one, and is expanded again.
//!
//! *Breadth first* is A* with the blind heuristic, the oldest node first. A coverer found before a
//! state is then never deeper than it, so discarding is sound even without cost dominance; eviction
//! is not, when a wider state of the next layer evicts a smaller one that still waits in this
//! layer.
//!
//! *Cheapest paths by branch and bound.* Let C be the least cost of a goal, and suppose that the
//! incumbent costs more, or that there is no incumbent. As before, a live node n waits
//! with cost(n) + d(n) ≤ C, with d(n) now the cost from n to the nearest goal: it was not dropped, because
//! cost(n) is below the cost of the incumbent. So when the frontier is empty, or holds no node
//! cheaper than the incumbent, the incumbent costs C. The only requirement is that costs do not
//! fall along a path; the frontier affects only how soon the optimum is found.

use zonaut_space::{
    Cost, Encoding, Goal, NodeId, Observer, PassedStore, Pricing, Progress, Steps, StopReason,
    TransitionSystem,
};

use crate::batch::BatchOf;
use crate::frontier::{CheapestFirst, Frontier};
use crate::ledger::Ledger;
use crate::node_table::NodeTable;
use crate::outcome::{Outcome, OutcomeOf, Report, ReportOf, Statistics};
use crate::search_loop::SearchLoop;
use crate::spill::{Overflow, Spilling};

/// The work that a search may do before it pauses: nodes expanded plus states generated. A search
/// pauses between two expansions, so it may exceed the budget slightly.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Budget(u64);

impl Budget {
    /// No limit.
    pub const UNLIMITED: Self = Self(u64::MAX);

    /// A budget of this much work.
    #[must_use]
    pub const fn of(work: u64) -> Self {
        Self(work)
    }

    /// The total work at which a search pauses that has done `done` so far.
    #[must_use]
    pub const fn end_after(self, done: u64) -> u64 {
        done.saturating_add(self.0)
    }
}

/// The status of a search after some work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Status {
    /// Work remains.
    Paused,
    /// The outcome is known.
    Ended,
}

/// The objective of a search: when a goal ends it, and what covering must preserve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Objective {
    /// Any path to a goal; the first one ends the search.
    AnyGoal,
    /// A cheapest path; the frontier guarantees that the first goal has one.
    FirstIsCheapest,
    /// A cheapest path; every further goal improves on the incumbent, and states whose cost reaches
    /// that of the incumbent are dropped.
    Improve,
}

/// The stage of a search.
pub(crate) enum Stage<Ts: TransitionSystem, C> {
    /// Not started.
    Fresh,
    /// Nodes of an earlier search are to be pushed into the frontier.
    Inherited,
    /// Nodes wait.
    Running(Workspace<Ts>),
    /// The outcome is known.
    Ended(Outcome<Ts::Step, Ts::Error, C>),
    /// A call of the loop has panicked.
    Broken,
}

/// The buffers that all expansions reuse.
pub(crate) struct Workspace<Ts: TransitionSystem> {
    pub(crate) state: Ts::State,
    pub(crate) scratch: Ts::Scratch,
    /// The number of batches that were dispatched and not absorbed.
    pub(crate) in_flight: usize,
}

/// A best-first search; every algorithm is a configuration of it. The header of this file proves
/// its verdicts correct.
///
/// Pauses do not change it: it expands and stores the same nodes in the same order.
pub struct Search<'s, Ts: TransitionSystem, G, St, F, P: Pricing<Ts> = Steps> {
    pub(crate) system: &'s Ts,
    pub(crate) goal: G,
    pub(crate) store: St,
    pub(crate) frontier: F,
    pub(crate) pricing: P,
    pub(crate) objective: Objective,
    pub(crate) nodes: NodeTable<Ts::Step, P::Cost>,
    pub(crate) ledger: Ledger,
    /// A lower bound on the cost of every goal that is still to be generated.
    pub(crate) lower_bound: P::Cost,
    /// States whose cost reaches this limit are irrelevant.
    pub(crate) limit: Option<P::Cost>,
    /// The incumbent, and its cost.
    pub(crate) best: Option<(NodeId, P::Cost)>,
    /// The cost of the node expanded last.
    pub(crate) cost: P::Cost,
    pub(crate) overflow: Option<Overflow>,
    stage: Stage<Ts, P::Cost>,
}

impl<'s, Ts, G, St, F> Search<'s, Ts, G, St, F>
where
    Ts: TransitionSystem,
    G: Goal<Ts>,
    St: PassedStore<Ts::State>,
    F: Frontier<Ts::State, Ts::Step>,
{
    /// A search for any path to a goal; the first one met is the answer. Any frontier is sound.
    pub fn reach(system: &'s Ts, goal: G, store: St, frontier: F) -> Self {
        Self::new(system, Steps, goal, store, frontier)
    }

    /// A search for a shortest path to a goal; the type of the frontier excludes heuristics that
    /// could miss it, and covering preserves depth.
    pub fn shortest(system: &'s Ts, goal: G, store: St, frontier: F) -> Self
    where
        F: CheapestFirst<Ts::State, Ts::Step>,
    {
        Self {
            objective: Objective::FirstIsCheapest,
            ..Self::new(system, Steps, goal, store, frontier)
        }
    }

    /// A search that expands the nodes that a heuristic pruned in an exhausted search with this
    /// `report`, unless the frontier prunes them again. At the end, successors of live expanded
    /// nodes are covered by live nodes, as certificates require; nodes that are not expanded need a
    /// separate justification. A goal that is met here was pruned incorrectly, and becomes the
    /// outcome.
    pub fn close(system: &'s Ts, goal: G, store: St, frontier: F, report: ReportOf<Ts>) -> Self {
        let Report { nodes, statistics, .. } = report;
        let ledger = Ledger::of(statistics);
        let search = Self::reach(system, goal, store, frontier);
        Self { nodes, ledger, stage: Stage::Inherited, ..search }
    }
}

impl<'s, Ts, G, St, F, P> Search<'s, Ts, G, St, F, P>
where
    Ts: TransitionSystem,
    G: Goal<Ts>,
    St: PassedStore<Ts::State>,
    P: Pricing<Ts>,
    F: Frontier<Ts::State, Ts::Step, P::Cost>,
{
    /// A search for a cheapest path by branch and bound: each goal improves on the incumbent, and
    /// states whose cost reaches it are dropped. Any frontier is sound; one that gives bounds ends
    /// the search earlier. The incumbent is available whenever the search is paused or stopped.
    pub fn cheapest(system: &'s Ts, pricing: P, goal: G, store: St, frontier: F) -> Self {
        Self { objective: Objective::Improve, ..Self::new(system, pricing, goal, store, frontier) }
    }

    /// The same search for a path that costs less than `limit`; more expensive goals count as
    /// unreachable.
    #[must_use]
    pub fn below(self, limit: P::Cost) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// The same search, which moves old states and parents to files before it holds too much memory.
    /// Its store may [spill](zonaut_space::PassedStore::spill).
    #[must_use]
    pub fn spilling<Item>(mut self, spilling: &Spilling<Ts::Step, Item>) -> Self {
        self.nodes = self.nodes.spilling(spilling);
        self.overflow = Some(spilling.overflow.clone());
        self
    }

    fn new(system: &'s Ts, pricing: P, goal: G, store: St, frontier: F) -> Self {
        Self {
            system,
            goal,
            store,
            frontier,
            pricing,
            objective: Objective::AnyGoal,
            nodes: NodeTable::new(),
            ledger: Ledger::default(),
            lower_bound: P::Cost::ZERO,
            limit: None,
            best: None,
            cost: P::Cost::ZERO,
            overflow: None,
            stage: Stage::Fresh,
        }
    }

    /// Works until the budget is used or the outcome is known. `observer` receives all events and
    /// may stop the search; each call may pass a different observer.
    pub fn run<Ob>(&mut self, budget: Budget, observer: &mut Ob) -> Status
    where
        Ob: Observer<Ts::State, Ts::Step> + ?Sized,
    {
        let end = budget.end_after(self.ledger.work());
        let stage = std::mem::replace(&mut self.stage, Stage::Broken);
        self.stage = SearchLoop { search: self, observer }.take(stage, end);
        self.status()
    }

    /// Chooses the next node for an [`Expander`](crate::Expander), which generates its successors
    /// elsewhere; they come back by [`Search::absorb`], with the same `encoding`. Dispatching and
    /// absorbing one batch after the other gives the same search as [`Search::run`].
    ///
    /// Returns `None` if the search has ended, or if it has to absorb a batch first: when all
    /// waiting nodes are dispatched, and, in a search for shortest or cheapest paths, whenever one
    /// is in flight, because its bounds hold only between expansions.
    pub fn dispatch<E, Ob>(&mut self, encoding: &E, observer: &mut Ob) -> Option<BatchOf<Ts, E, P>>
    where
        E: Encoding<State = Ts::State>,
        Ob: Observer<Ts::State, Ts::Step> + ?Sized,
    {
        let mut batch = None;
        let stage = std::mem::replace(&mut self.stage, Stage::Broken);
        self.stage = SearchLoop { search: self, observer }.dispatch(stage, encoding, &mut batch);
        batch
    }

    /// Absorbs the successors of a dispatched node, in the order of their generation. Batches may
    /// be absorbed in any order; those of a search that has ended are ignored.
    pub fn absorb<E, Ob>(
        &mut self,
        encoding: &E,
        batch: BatchOf<Ts, E, P>,
        observer: &mut Ob,
    ) -> Status
    where
        E: Encoding<State = Ts::State>,
        Ob: Observer<Ts::State, Ts::Step> + ?Sized,
    {
        let stage = std::mem::replace(&mut self.stage, Stage::Broken);
        self.stage = SearchLoop { search: self, observer }.absorb_batch(stage, encoding, batch);
        self.status()
    }

    fn status(&self) -> Status {
        match self.stage {
            Stage::Running(_) => Status::Paused,
            _ => Status::Ended,
        }
    }

    /// Works until the outcome is known; returns the report and the store, which holds the live
    /// nodes.
    pub fn finish<Ob>(mut self, observer: &mut Ob) -> (ReportOf<Ts, P>, St)
    where
        Ob: Observer<Ts::State, Ts::Step> + ?Sized,
    {
        let _ = self.run(Budget::UNLIMITED, observer);
        self.into_report()
    }

    /// The outcome, once the search has ended.
    pub fn outcome(&self) -> Option<&OutcomeOf<Ts, P>> {
        match &self.stage {
            Stage::Ended(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// The incumbent: the best goal found so far.
    pub fn best(&self) -> Option<NodeId> {
        self.best.map(|(node, _)| node)
    }

    /// The cost of the incumbent.
    pub fn best_cost(&self) -> Option<P::Cost> {
        self.best.map(|(_, cost)| cost)
    }

    /// A lower bound on the cost of every goal, or of every goal better than the incumbent; zero if
    /// the search does not optimise.
    pub fn lower_bound(&self) -> P::Cost {
        self.lower_bound
    }

    /// All nodes, with their parents and costs.
    pub fn nodes(&self) -> &NodeTable<Ts::Step, P::Cost> {
        &self.nodes
    }

    /// The passed store with the live nodes.
    pub fn store(&self) -> &St {
        &self.store
    }

    /// The frontier.
    pub fn frontier(&self) -> &F {
        &self.frontier
    }

    /// The statistics so far.
    pub fn statistics(&self) -> Statistics {
        let Progress { stored, bytes, .. } = self.progress();
        Statistics { pruned: self.frontier.pruned(), stored, bytes, ..self.ledger.statistics }
    }

    pub(crate) fn progress(&self) -> Progress {
        Progress {
            explored: self.ledger.statistics.explored,
            stored: self.store.len(),
            waiting: self.frontier.len(),
            bytes: self.store.bytes() + self.frontier.bytes() + self.nodes.bytes(),
            depth: self.cost.about(),
        }
    }

    /// The report and the store; a search that has not ended counts as cancelled.
    pub fn into_report(self) -> (ReportOf<Ts, P>, St) {
        let (statistics, best) = (self.statistics(), self.best());
        let outcome = match self.stage {
            Stage::Ended(outcome) => outcome,
            _ => Outcome::Stopped { why: StopReason::Cancelled, lower_bound: self.lower_bound },
        };
        (Report { outcome, best, nodes: self.nodes, statistics }, self.store)
    }
}
