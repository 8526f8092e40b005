//! The result of a search, whichever kind of search it was.

use crate::heuristics::HeuristicWork;
use crate::portfolio::Attempt;
use crate::task::{ReachabilityTask, ZoneStore};
use zonaut_dbm::Width;
use zonaut_heuristics::CartesianInvariant;
use zonaut_lazy::{Labelling, Proof};
use zonaut_search::{Joined, NodeTable, Outcome, Report, Statistics, Unjoined, WorkerEffort};
use zonaut_space::{NodeId, StopReason};
use zonaut_strategy::Strategy;
use zonaut_zonegraph::{StateEncoding, Step, StepError, ZoneCovering};

/// The outcome of a search of a zone graph.
pub type ZoneOutcome = Outcome<Step, StepError>;

/// The result of a search.
pub struct Finished<'g, W: Width> {
    /// The task, in the graph that was searched.
    pub task: ReachabilityTask<'g, W>,
    /// The strategy that was used: breadth first if the requested one does not guarantee a shortest
    /// run, that of the deciding member of a portfolio, or the portfolio's if none decided.
    pub strategy: Strategy,
    /// The outcome.
    pub outcome: ZoneOutcome,
    /// The statistics of the search.
    pub statistics: Statistics,
    /// The states that it leaves.
    pub states: States<'g, W>,
    /// The work of its heuristic, if it has one.
    pub heuristic: Option<HeuristicWork>,
    /// Problems that did not affect the outcome.
    pub warnings: Vec<String>,
    /// The members that were started; empty for a single search.
    pub attempts: Vec<Attempt>,
    /// The parts of the workers, if it had several.
    pub workers: Vec<WorkerEffort>,
}

/// The states that a search leaves.
pub enum States<'g, W: Width> {
    /// The store of an eager search.
    Eager(Box<Passed<'g, W>>),
    /// The stores of the workers of an eager search.
    Unjoined(Box<UnjoinedZones<'g, W>>),
    /// The statistics and proof of a lazy search.
    Lazy {
        /// The label statistics.
        labelling: Labelling,
        /// The proof, if the search is exhausted.
        proof: Option<Box<dyn Proof<W> + 'g>>,
    },
    /// None: no member of a portfolio decided.
    Dropped,
}

/// The states of an eager search by several workers, each with a store of its own.
pub type UnjoinedZones<'g, W> = Unjoined<Step, StateEncoding<'g, W>, ZoneCovering<'g, W>>;

/// The states of an eager search.
pub struct Passed<'g, W: Width> {
    /// The live nodes.
    pub store: ZoneStore<'g, W>,
    /// The parents of all nodes.
    pub nodes: NodeTable<Step>,
    /// The best goal found.
    pub best: Option<NodeId>,
    /// If evidence omits nodes that heuristics pruned, each live node that was not expanded
    /// satisfies one of these invariants.
    pub reasons: Vec<CartesianInvariant>,
}

impl<'g, W: Width> Finished<'g, W> {
    /// The result of an eager search.
    pub(crate) fn eager(
        task: ReachabilityTask<'g, W>,
        strategy: Strategy,
        report: Report<Step, StepError>,
        store: ZoneStore<'g, W>,
    ) -> Self {
        let Report { outcome, best, nodes, statistics } = report;
        let states = States::Eager(Box::new(Passed { store, nodes, best, reasons: Vec::new() }));
        Self::new(task, strategy, outcome, statistics, states)
    }

    /// The same with one store of all workers, if the search had several. Evidence needs one store,
    /// verdicts and traces do not.
    ///
    /// # Errors
    /// When memory or node numbers run out.
    pub fn joined(self) -> Result<Self, StopReason> {
        let States::Unjoined(unjoined) = self.states else { return Ok(self) };
        let Joined { nodes, store, best, result } = unjoined.join();
        result?;
        let states = States::Eager(Box::new(Passed { store, nodes, best, reasons: Vec::new() }));
        Ok(Self { states, ..self })
    }

    pub(crate) fn new(
        task: ReachabilityTask<'g, W>,
        strategy: Strategy,
        outcome: ZoneOutcome,
        statistics: Statistics,
        states: States<'g, W>,
    ) -> Self {
        let (heuristic, warnings, attempts, workers) = (None, Vec::new(), Vec::new(), Vec::new());
        Self { task, strategy, outcome, statistics, states, heuristic, warnings, attempts, workers }
    }

    /// Whether the verdict depends on nodes that heuristics pruned.
    #[must_use]
    pub fn has_pruned(&self) -> bool {
        let is_eager = matches!(self.states, States::Eager(_) | States::Unjoined(_));
        is_eager && matches!(self.outcome, Outcome::Exhausted) && self.statistics.pruned > 0
    }

    /// Whether an exhausted search explored representatives of states only.
    #[must_use]
    pub fn is_quotient(&self) -> bool {
        self.task.quotient.is_some() && matches!(self.outcome, Outcome::Exhausted)
    }

    /// The path to the goal, or to the step that failed.
    #[must_use]
    pub fn steps(&self) -> Option<&[Step]> {
        steps_of(&self.outcome)
    }

    /// The label statistics of a lazy search.
    #[must_use]
    pub fn labelling(&self) -> Option<Labelling> {
        match &self.states {
            States::Lazy { labelling, .. } => Some(*labelling),
            States::Eager(_) | States::Unjoined(_) | States::Dropped => None,
        }
    }

    /// The proof of an exhausted lazy search.
    #[must_use]
    pub fn proof(&self) -> Option<&dyn Proof<W>> {
        match &self.states {
            States::Lazy { proof, .. } => proof.as_deref().map(|proof| proof as &dyn Proof<W>),
            States::Eager(_) | States::Unjoined(_) | States::Dropped => None,
        }
    }
}

/// The path to the goal of an outcome, or to the step that failed.
#[must_use]
pub fn steps_of(outcome: &ZoneOutcome) -> Option<&[Step]> {
    match outcome {
        Outcome::Reached { steps, .. } | Outcome::Failed { steps, .. } => Some(steps),
        Outcome::Exhausted | Outcome::Stopped { .. } => None,
    }
}
