//! Evidence from search results: concrete runs, and the exploration that certificates need.

use crate::answer::Reason;
use crate::reasons::Reasons;
use crate::reduction::Reduction;
use zonaut_concrete::{ConcreteRun, Destination, NoRun, concretise};
use zonaut_dbm::Width;
use zonaut_model::interpret::ErrorKind;
use zonaut_portfolio::{
    DeadEndPolicy, HeuristicFactory, NoSearch, ReachabilityTask, SearchObserver, Searched,
    frontier_of,
};
use zonaut_search::{Age, Frontier, Guided, Outcome, Search, Ties};
use zonaut_space::StopReason;
use zonaut_strategy::{Order, Strategy};
use zonaut_symmetry::SymmetricGoal;
use zonaut_zonegraph::{Step, StepError, SymbolicState};

impl From<NoSearch> for Reason {
    fn from(why: NoSearch) -> Self {
        match why {
            NoSearch::Stopped(why) => Self::Stopped(why),
            NoSearch::Unsuited(what) => Self::Unsuited(what),
        }
    }
}

/// The outcome of a search of a zone graph.
pub(crate) type ZoneOutcome = Outcome<Step, StepError>;

/// The path to the goal, or to the step that failed.
pub(crate) fn steps_of(outcome: &ZoneOutcome) -> Option<&[Step]> {
    match outcome {
        Outcome::Reached { steps, .. } | Outcome::Failed { steps, .. } => Some(steps),
        Outcome::Exhausted | Outcome::Stopped { .. } => None,
    }
}

/// Whether the outcome is a run-time error after some steps.
fn fails_in_run(outcome: &ZoneOutcome) -> bool {
    match outcome {
        Outcome::Failed { error: StepError::RunTime(_), steps } => !steps.is_empty(),
        _ => false,
    }
}

/// The result of exploring the states that heuristics pruned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Closing {
    /// The store is an inductive invariant.
    Done,
    /// A limit was reached.
    Stopped(StopReason),
    /// An evaluation failed, so that there is no evidence.
    Undecided,
    /// A goal or a run-time error was found behind a pruned state.
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

/// Evidence for the searches of a task.
pub(crate) trait Evident<'g, W: Width>: Sized {
    /// Searches for any run.
    fn reach(
        self,
        frontier: impl Frontier<SymbolicState<W>, Step>,
        strategy: Strategy,
        observer: SearchObserver<'_, W>,
    ) -> Searched<'g, W>;

    /// Runs a search with symmetry reduction to its end.
    fn search_reduced(
        self,
        reduction: Reduction<'_>,
        strategy: &Strategy,
        factory: &HeuristicFactory<'g>,
        observer: SearchObserver<'_, W>,
    ) -> Result<Searched<'g, W>, Reason>;

    /// Expands the nodes that heuristics pruned, unless an invariant justifies them, so that the
    /// store becomes an inductive invariant. The verdict of the search does not change.
    fn close(
        self,
        searched: Searched<'g, W>,
        reasons: Reasons<'_>,
        observer: SearchObserver<'_, W>,
    ) -> (Searched<'g, W>, Closing);

    /// Repeats an exhausted search eagerly and without symmetry reduction, because only its store
    /// can be certified. The verdict of the first search does not change.
    fn search_again(
        self,
        searched: Searched<'g, W>,
        observer: SearchObserver<'_, W>,
    ) -> (Searched<'g, W>, Closing);

    /// The concrete run of an outcome. Returns no run if the model fails before its first step.
    fn run(self, outcome: &ZoneOutcome) -> Result<Option<ConcreteRun>, NoRun>;
}

impl<'g, W: Width> Evident<'g, W> for ReachabilityTask<'g, W> {
    fn search_reduced(
        self,
        reduction: Reduction<'_>,
        strategy: &Strategy,
        factory: &HeuristicFactory<'g>,
        observer: SearchObserver<'_, W>,
    ) -> Result<Searched<'g, W>, Reason> {
        let (graph, mut goal) = (reduction.graph(self.graph), SymmetricGoal(self.goal_in_zones()));
        if let Some((frontier, taken)) = self.shortest_frontier(strategy, factory, observer)? {
            let search = Search::shortest(&graph, &mut goal, self.store(), frontier);
            let (report, store) = search.finish(observer);
            return Ok(Searched::new(reduction.unfolded(self.graph, report), store, taken));
        }
        let frontier = self.frontier(strategy, factory, DeadEndPolicy::Drop, observer)?;
        let search = Search::reach(&graph, &mut goal, self.store(), frontier);
        let (report, store) = search.finish(observer);
        Ok(Searched::new(reduction.unfolded(self.graph, report), store, strategy.clone()))
    }

    fn reach(
        self,
        frontier: impl Frontier<SymbolicState<W>, Step>,
        strategy: Strategy,
        observer: SearchObserver<'_, W>,
    ) -> Searched<'g, W> {
        let search = Search::reach(self.graph, self.goal_in_zones(), self.store(), frontier);
        let (report, store) = search.finish(observer);
        Searched::new(report, store, strategy)
    }

    fn close(
        self,
        searched: Searched<'g, W>,
        mut reasons: Reasons<'_>,
        observer: SearchObserver<'_, W>,
    ) -> (Searched<'g, W>, Closing) {
        let Searched { report, store, strategy, labelling, proof, .. } = searched;
        // The oldest first: wide zones come early and cover more.
        let ties = Ties { age: Age::Fifo, ..Ties::default() };
        let frontier = Guided::greedy(&mut reasons, ties);
        let search = Search::close(self.graph, self.goal_in_zones(), store, frontier, report);
        let (mut report, store) = search.finish(observer);
        let closing = Closing::of(&report.outcome);
        report.outcome = Outcome::Exhausted;
        let reasons = reasons.into_invariants();
        (Searched { report, store, strategy, reasons, labelling, proof }, closing)
    }

    fn run(self, outcome: &ZoneOutcome) -> Result<Option<ConcreteRun>, NoRun> {
        let reached = matches!(outcome, Outcome::Reached { .. });
        let Some(steps) = steps_of(outcome) else { return Ok(None) };
        let destination = if reached { Destination::Goal(self.goal) } else { Destination::Failure };
        match concretise(self.graph, steps, destination) {
            Ok(run) => Ok(Some(run)),
            Err(NoRun::Spurious) if !reached && !fails_in_run(outcome) => Ok(None),
            Err(why) => Err(why),
        }
    }

    fn search_again(
        self,
        searched: Searched<'g, W>,
        observer: SearchObserver<'_, W>,
    ) -> (Searched<'g, W>, Closing) {
        let frontier = frontier_of(Order::BreadthFirst, self.seed);
        let again = self.reach(frontier, searched.strategy.clone(), observer);
        match Closing::of(&again.report.outcome) {
            Closing::Done => (again, Closing::Done),
            closing => (searched, closing),
        }
    }
}
