//! From a strategy to a search: the one place where stores, frontiers and guides meet.

use crate::answer::Reason;
use crate::guiding::{DeadEnds, Guiding, Outlook};
use crate::reasons::Reasons;
use crate::reduction::Reduction;
use zonaut_concrete::{ConcreteRun, Destination, NoRun, concretise};
use zonaut_dbm::Width;
use zonaut_evidence::ZoneStore;
use zonaut_heuristics::CartesianInvariant;
use zonaut_lazy::Labelling;
use zonaut_model::interpret::ErrorKind;
use zonaut_search::{
    AStar, Age, Alternating, ArenaStore, Blind, Descents, Fifo, Frontier, Guided, Lifo, Outcome,
    Parts, RandomDepthFirst, ReportOf, Restarting, Ties, Unguided, close, reach, shortest,
};
use zonaut_space::{AdmissibleHeuristic, Observer, StopReason};
use zonaut_strategy::Order;
use zonaut_strategy::{Guide, Strategy};
use zonaut_symmetry::SymmetricGoal;
use zonaut_zonegraph::{
    Comparison, CompiledGoal, StateEncoding, Step, StepError, SymbolicState, ZoneCovering,
    ZoneGoal, ZoneGraph,
};

/// A zone graph with a goal to look for.
#[derive(Clone, Copy)]
pub(crate) struct Quest<'g, W: Width> {
    pub(crate) graph: &'g ZoneGraph<'g, W>,
    pub(crate) goal: &'g CompiledGoal,
    pub(crate) comparison: Comparison,
    /// Whether the run has to be a shortest one.
    pub(crate) shortest: bool,
    /// The seed of random choices.
    pub(crate) seed: u64,
    /// The symmetry that is used, if there is any.
    pub(crate) reduction: Option<Reduction<'g>>,
}

/// What a search leaves behind.
pub(crate) struct Searched<'g, W: Width> {
    pub(crate) report: ReportOf<ZoneGraph<'g, W>>,
    pub(crate) store: ZoneStore<'g, W>,
    /// What was done; breadth first where the strategy asked for promises no shortest run.
    pub(crate) strategy: Strategy,
    /// After [`Quest::close`], each live node that was not expanded is inside one of these.
    pub(crate) reasons: Vec<CartesianInvariant>,
    /// What a lazy search did to labels. Such a search leaves nothing in the store.
    pub(crate) labelling: Option<Labelling>,
}

impl<'g, W: Width> Searched<'g, W> {
    pub(crate) fn new(
        report: ReportOf<ZoneGraph<'g, W>>,
        store: ZoneStore<'g, W>,
        strategy: Strategy,
    ) -> Self {
        Self { report, store, strategy, reasons: Vec::new(), labelling: None }
    }

    /// Whether the answer rests on what guides said of states that were not expanded.
    pub(crate) fn has_pruned(&self) -> bool {
        matches!(self.report.outcome, Outcome::Exhausted) && self.report.statistics.pruned > 0
    }

    /// Whether the answer rests on what the nodes of a lazy search remember.
    pub(crate) fn is_proof_by_labels(&self) -> bool {
        matches!(self.report.outcome, Outcome::Exhausted) && self.labelling.is_some()
    }
}

/// How a search of a zone graph ends.
pub(crate) type ZoneOutcome = Outcome<Step, StepError>;

/// The way to the goal, or to what went wrong.
pub(crate) fn steps_of(outcome: &ZoneOutcome) -> Option<&[Step]> {
    match outcome {
        Outcome::Reached { steps, .. } | Outcome::Failed { steps, .. } => Some(steps),
        Outcome::Exhausted | Outcome::Stopped { .. } => None,
    }
}

/// Whether a search says that a run of some steps fails.
fn fails_in_run(outcome: &ZoneOutcome) -> bool {
    match outcome {
        Outcome::Failed { error: StepError::RunTime(_), steps } => !steps.is_empty(),
        _ => false,
    }
}

/// What came of exploring what guides have pruned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Closing {
    /// The store is evidence.
    Done,
    /// There was no time or no memory to.
    Stopped(StopReason),
    /// Something could not be computed, so that there is no evidence.
    Undecided,
    /// The goal was met, or a failure: guides must not prune it.
    Contradiction,
}

impl Closing {
    pub(crate) fn of(outcome: &ZoneOutcome) -> Self {
        match outcome {
            Outcome::Exhausted => Self::Done,
            Outcome::Stopped { why, .. } => Self::Stopped(*why),
            Outcome::Reached { .. } => Self::Contradiction,
            Outcome::Failed { error: StepError::RunTime(error), .. }
                if error.kind != ErrorKind::Budget =>
            {
                Self::Contradiction
            }
            Outcome::Failed { .. } => Self::Undecided,
        }
    }
}

/// Who watches a search, and may end it.
pub(crate) type Watcher<'o, W> = &'o mut dyn Observer<SymbolicState<W>, Step>;
pub(crate) type BoxedFrontier<'h, W> = Box<dyn Frontier<SymbolicState<W>, Step> + 'h>;

impl<'g, W: Width> Quest<'g, W> {
    /// Searches as `strategy` says; breadth first where a shortest run is wanted and the strategy
    /// promises none.
    pub(crate) fn search(
        self,
        strategy: &Strategy,
        guiding: &Guiding<'_>,
        observer: Watcher<'_, W>,
    ) -> Result<Searched<'g, W>, Reason> {
        match strategy {
            Strategy::Lazy(lazy) => self.search_lazily(lazy, guiding, observer),
            Strategy::AStar { guide, ties } => {
                let heuristic = guiding.timed(|| guiding.admissible(guide, observer))?;
                let frontier = AStar::new(heuristic, self.seeded(*ties));
                Ok(self.shortest(frontier, strategy.clone(), observer))
            }
            _ if self.shortest => {
                let frontier = AStar::new(Blind, Ties::default());
                Ok(self.shortest(frontier, Strategy::Blind(Order::BreadthFirst), observer))
            }
            _ => {
                let frontier = self.frontier(strategy, guiding, DeadEnds::Drop, observer)?;
                Ok(self.reach(frontier, strategy.clone(), observer))
            }
        }
    }

    /// Looks for any run.
    pub(crate) fn reach(
        self,
        frontier: impl Frontier<SymbolicState<W>, Step>,
        strategy: Strategy,
        observer: Watcher<'_, W>,
    ) -> Searched<'g, W> {
        let mut parts = Parts { store: self.store(), frontier, observer };
        let report = match self.reduction {
            None => reach(self.graph, &mut self.goal(), &mut parts),
            Some(reduction) => {
                let graph = reduction.graph(self.graph);
                reduction.unfolded(
                    self.graph,
                    reach(&graph, &mut SymmetricGoal(self.goal()), &mut parts),
                )
            }
        };
        Searched::new(report, parts.store, strategy)
    }

    fn shortest<H: AdmissibleHeuristic<SymbolicState<W>, Step>>(
        self,
        frontier: AStar<H>,
        strategy: Strategy,
        observer: Watcher<'_, W>,
    ) -> Searched<'g, W> {
        let mut parts = Parts { store: self.store(), frontier, observer };
        let report = match self.reduction {
            None => shortest(self.graph, &mut self.goal(), &mut parts),
            Some(reduction) => {
                let graph = reduction.graph(self.graph);
                reduction.unfolded(
                    self.graph,
                    shortest(&graph, &mut SymmetricGoal(self.goal()), &mut parts),
                )
            }
        };
        Searched::new(report, parts.store, strategy)
    }

    /// Expands what guides have pruned, unless there is a reason for leaving it out, so that the
    /// store becomes evidence. What the search has answered stays its answer.
    pub(crate) fn close(
        self,
        searched: Searched<'g, W>,
        mut reasons: Reasons<'_>,
        observer: Watcher<'_, W>,
    ) -> (Searched<'g, W>, Closing) {
        let Searched { report, store, strategy, labelling, .. } = searched;
        // The oldest first: wide zones come early and cover more.
        let ties = Ties { age: Age::Fifo, ..Ties::default() };
        let frontier = Guided::greedy(&mut reasons, ties);
        let mut parts = Parts { store, frontier, observer };
        let mut report = close(self.graph, &mut self.goal(), &mut parts, report);
        let closing = Closing::of(&report.outcome);
        report.outcome = Outcome::Exhausted;
        let store = parts.store;
        {
            let reasons = reasons.into_invariants();
            (Searched { report, store, strategy, reasons, labelling }, closing)
        }
    }

    /// The concrete run of what was found. Where the model fails before its first step, there is
    /// none to show.
    pub(crate) fn run(self, outcome: &ZoneOutcome) -> Result<Option<ConcreteRun>, NoRun> {
        let reached = matches!(outcome, Outcome::Reached { .. });
        let Some(steps) = steps_of(outcome) else { return Ok(None) };
        let destination = if reached { Destination::Goal(self.goal) } else { Destination::Failure };
        match concretise(self.graph, steps, destination) {
            Ok(run) => Ok(Some(run)),
            Err(NoRun::Spurious) if !reached && !fails_in_run(outcome) => Ok(None),
            Err(why) => Err(why),
        }
    }

    pub(crate) fn store(self) -> ZoneStore<'g, W> {
        let covering = ZoneCovering::new(self.graph, self.comparison);
        ArenaStore::new(StateEncoding::new(self.graph), covering)
    }

    fn goal(self) -> ZoneGoal<'g, 'g, W> {
        ZoneGoal::new(self.graph, self.goal)
    }

    /// The same ties with the seed of this search.
    fn seeded(self, ties: Ties) -> Ties {
        match ties.age {
            Age::Random { .. } => Ties { age: Age::Random { seed: self.seed }, ..ties },
            Age::Fifo | Age::Lifo => ties,
        }
    }

    /// The frontier of a strategy that looks for any run.
    pub(crate) fn frontier<'h>(
        self,
        strategy: &Strategy,
        guiding: &Guiding<'h>,
        dead_ends: DeadEnds,
        observer: Watcher<'_, W>,
    ) -> Result<BoxedFrontier<'h, W>, Reason> {
        let mut heuristic = |guide: &Guide| {
            let heuristic = guiding.timed(|| guiding.heuristic(guide, observer))?;
            Ok::<_, Reason>(Outlook { heuristic, dead_ends })
        };
        Ok(match strategy {
            Strategy::Blind(order) => frontier_of(*order, self.seed),
            Strategy::Lazy(lazy) => {
                return self.frontier(&lazy.order, guiding, dead_ends, observer);
            }
            Strategy::AStar { guide, ties } | Strategy::Greedy { guide, ties } => {
                Box::new(Guided::greedy(heuristic(guide)?, self.seeded(*ties)))
            }
            Strategy::Weighted { guide, weight, ties } => {
                Box::new(Guided::weighted(heuristic(guide)?, *weight, self.seeded(*ties)))
            }
            Strategy::Alternating { guides, ties } => {
                let ties = self.seeded(*ties);
                let parts = guides.iter().map(|guide| Ok(Guided::greedy(heuristic(guide)?, ties)));
                Box::new(Alternating::new(parts.collect::<Result<Vec<_>, Reason>>()?))
            }
            Strategy::Restarts { guide, patience, perturbation } => {
                let (patience, perturbation) = (*patience, *perturbation);
                let descents = Descents { seed: self.seed, patience, perturbation };
                Box::new(Restarting::new(heuristic(guide)?, descents))
            }
        })
    }
}

/// The frontier of a blind order.
pub(crate) fn frontier_of<'h, S: 'h, T: Copy + 'h>(
    order: Order,
    seed: u64,
) -> Box<dyn Frontier<S, T> + 'h> {
    match order {
        Order::BreadthFirst => Box::new(Unguided(Fifo::default())),
        Order::DepthFirst => Box::new(Unguided(Lifo::default())),
        Order::RandomDepthFirst => Box::new(Unguided(RandomDepthFirst::new(seed))),
    }
}
