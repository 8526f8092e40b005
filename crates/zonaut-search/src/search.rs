//! A search as a value: it can be paused after some work, asked for what it knows, and resumed. Every
//! algorithm is a configuration of it.
//!
//! # Why verdicts are right
//! Write d(s) for the number of steps from s to the nearest goal. Covering is a simulation, so
//! d(t) ≤ d(s) whenever t covers s.
//!
//! *Reachability.* Suppose a goal is reachable and none was met. Then some live node has a finite
//! d: an initial state, or one that covers it, for what is discarded or evicted has a live node
//! that covers it (covering is transitive). Take a live node n with the smallest d; d(n) > 0, as
//! every inserted node is tested. If n were expanded, its successor on a nearest way, or a live
//! node that covers it, would have a smaller d. So n waits, and the run goes on: an empty frontier
//! means that no goal can be reached. True dead ends have no finite d and may be dropped.
//!
//! *Shortest ways.* Let C be the length of a shortest way. With [`CostDominance::Required`](zonaut_space::CostDominance::Required), what is
//! discarded or evicted leaves a live node that covers it *at no greater depth*. The same argument,
//! with n a live node of smallest d among those with depth(n) + d(n) ≤ C, shows: until a goal is
//! met, a live node n waits with depth(n) + d(n) ≤ C. A* evaluates a node p that is no goal to
//! f(p) = depth(p) + max(h(p), 1), so f(n) ≤ C, because the guide is admissible and d(n) ≥ 1. Hence
//! every node p that is popped has f(p) ≤ C, whether the guide is consistent or not: each is a lower
//! bound of C. If a successor of p is a goal, d(p) = 1, so h(p) ≤ 1 and the goal's depth is
//! depth(p) + 1 = f(p) ≤ C: the first goal that is generated is a nearest one, and may end the run.
//! A shorter way to a state that was expanded before is not covered by it, so it becomes a new
//! node, evicts the old one, and is expanded again.
//!
//! *Breadth first* is A* with the blind guide, the oldest node first. A coverer found before a
//! state is then never deeper than it, so discarding loses nothing even without respect for depth;
//! eviction would, when a wider state of the next layer evicts a smaller one that still waits in
//! this layer.
//!
//! *Cheapest ways by branch and bound.* Let C be the least cost of a goal, and suppose that the best
//! goal met costs more, or none was met. As before, a live node n waits with cost(n) + d(n) ≤ C, with
//! d(n) now the cost from n to the nearest goal: it was not dropped, because cost(n) is below that of
//! the best goal. So when nothing waits, or nothing that costs less than the best goal, that one costs
//! C. It is enough that costs do not fall along a way; the frontier decides only how soon the best is
//! found.

use zonaut_space::{
    Cost, Goal, NodeId, Observer, PassedStore, Pricing, Progress, Steps, StopReason,
    TransitionSystem,
};

use crate::frontier::{CheapestFirst, Frontier};
use crate::ledger::Ledger;
use crate::node_table::NodeTable;
use crate::outcome::{Outcome, OutcomeOf, Report, ReportOf, Statistics};
use crate::turn::Turn;

/// How much may be done before a search pauses: nodes expanded and states generated. A search pauses
/// between two expansions, so it may do a little more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Budget(u64);

impl Budget {
    /// As much as it takes.
    pub const UNLIMITED: Self = Self(u64::MAX);

    /// So many nodes and states.
    #[must_use]
    pub const fn of(work: u64) -> Self {
        Self(work)
    }

    /// When a search pauses that has done so much.
    #[must_use]
    pub const fn end_after(self, done: u64) -> u64 {
        done.saturating_add(self.0)
    }
}

/// Where a search stands after some work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Status {
    /// There is more to do.
    Paused,
    /// The outcome is known.
    Ended,
}

/// What a goal means, and what covering must keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Objective {
    /// Some way to a goal; the first one ends the search.
    AnyGoal,
    /// A cheapest way; the frontier sees to it that the first goal has one.
    FirstIsCheapest,
    /// A cheapest way; every goal but the first is better than those before, and what costs as much
    /// as the best one is dropped.
    Improve,
}

/// How far a search is.
pub(crate) enum Stage<Ts: TransitionSystem, C> {
    /// Nothing has happened.
    Fresh,
    /// Nodes of an earlier search wait to be queued.
    Inherited,
    /// Nodes wait.
    Running(Workspace<Ts>),
    /// The outcome is known.
    Ended(Outcome<Ts::Step, Ts::Error, C>),
    /// A turn has panicked.
    Broken,
}

/// The memory that expansions use again and again.
pub(crate) struct Workspace<Ts: TransitionSystem> {
    pub(crate) state: Ts::State,
    pub(crate) scratch: Ts::Scratch,
}

/// One best-first search; every algorithm is a configuration of it. The head of this file says why
/// its verdicts are right.
///
/// However often it is paused, it expands and stores the same nodes in the same order.
pub struct Search<'s, Ts: TransitionSystem, G, St, F, P: Pricing<Ts> = Steps> {
    pub(crate) system: &'s Ts,
    pub(crate) goal: G,
    pub(crate) store: St,
    pub(crate) frontier: F,
    pub(crate) pricing: P,
    pub(crate) objective: Objective,
    pub(crate) nodes: NodeTable<Ts::Step, P::Cost>,
    pub(crate) ledger: Ledger,
    /// No goal that is still to be generated costs less.
    pub(crate) lower_bound: P::Cost,
    /// What costs as much is of no interest.
    pub(crate) limit: Option<P::Cost>,
    /// The best goal, and what it costs to be where it holds.
    pub(crate) best: Option<(NodeId, P::Cost)>,
    /// What the node expanded last costs.
    pub(crate) cost: P::Cost,
    stage: Stage<Ts, P::Cost>,
}

impl<'s, Ts, G, St, F> Search<'s, Ts, G, St, F>
where
    Ts: TransitionSystem,
    G: Goal<Ts>,
    St: PassedStore<Ts::State>,
    F: Frontier<Ts::State, Ts::Step>,
{
    /// A search for any way to a goal; the first one met is the answer. Any frontier will do.
    pub fn reach(system: &'s Ts, goal: G, store: St, frontier: F) -> Self {
        Self::new(system, Steps, goal, store, frontier)
    }

    /// A search for a shortest way to a goal; the type of the frontier keeps guides out that could
    /// miss it, and covering respects depth.
    pub fn shortest(system: &'s Ts, goal: G, store: St, frontier: F) -> Self
    where
        F: CheapestFirst<Ts::State, Ts::Step>,
    {
        Self {
            objective: Objective::FirstIsCheapest,
            ..Self::new(system, Steps, goal, store, frontier)
        }
    }

    /// A search that expands what a guide pruned in one that `report` says was exhausted, unless the
    /// frontier prunes it again. In the end the live nodes that are expanded lead to live nodes only, as
    /// evidence demands; those that are not expanded need a reason of their own. A goal that is met on
    /// the way was pruned wrongly, and becomes the outcome.
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
    /// A search for a cheapest way by branch and bound: each goal that is met is better than those
    /// before, and states that cost as much are dropped. Any frontier will do; one that gives bounds
    /// ends the search earlier. The best goal is known whenever the search is paused or stopped.
    pub fn cheapest(system: &'s Ts, pricing: P, goal: G, store: St, frontier: F) -> Self {
        Self { objective: Objective::Improve, ..Self::new(system, pricing, goal, store, frontier) }
    }

    /// The same search for a way that costs less than `limit`; what costs as much counts as out of
    /// reach.
    #[must_use]
    pub fn below(self, limit: P::Cost) -> Self {
        Self { limit: Some(limit), ..self }
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
            stage: Stage::Fresh,
        }
    }

    /// Works until the budget is used or the outcome is known. `observer` is told what happens, and
    /// may end the search; it may be another one in each turn.
    pub fn run<Ob>(&mut self, budget: Budget, observer: &mut Ob) -> Status
    where
        Ob: Observer<Ts::State, Ts::Step> + ?Sized,
    {
        let end = budget.end_after(self.ledger.work());
        let stage = std::mem::replace(&mut self.stage, Stage::Broken);
        self.stage = Turn { search: self, observer }.take(stage, end);
        match self.stage {
            Stage::Running(_) => Status::Paused,
            _ => Status::Ended,
        }
    }

    /// Works until the outcome is known: the report and the store, which holds the live nodes.
    pub fn finish<Ob>(mut self, observer: &mut Ob) -> (ReportOf<Ts, P>, St)
    where
        Ob: Observer<Ts::State, Ts::Step> + ?Sized,
    {
        let _ = self.run(Budget::UNLIMITED, observer);
        self.into_report()
    }

    /// How the search ended, once it has.
    pub fn outcome(&self) -> Option<&OutcomeOf<Ts, P>> {
        match &self.stage {
            Stage::Ended(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// The best goal that is known.
    pub fn best(&self) -> Option<NodeId> {
        self.best.map(|(node, _)| node)
    }

    /// What the best goal that is known costs.
    pub fn best_cost(&self) -> Option<P::Cost> {
        self.best.map(|(_, cost)| cost)
    }

    /// No goal, or none that is better than the best known, costs less; zero if only some way is
    /// asked for.
    pub fn lower_bound(&self) -> P::Cost {
        self.lower_bound
    }

    /// All nodes, how they were reached and what they cost.
    pub fn nodes(&self) -> &NodeTable<Ts::Step, P::Cost> {
        &self.nodes
    }

    /// The states; the live nodes are in it.
    pub fn store(&self) -> &St {
        &self.store
    }

    /// What waits.
    pub fn frontier(&self) -> &F {
        &self.frontier
    }

    /// What the search did until now.
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
