//! Evidence from search results: concrete runs, and the exploration that certificates need.

use crate::answer::Reason;
use crate::reasons::Reasons;
use zonaut_concrete::{ConcreteRun, Destination, NoRun, concretise};
use zonaut_dbm::Width;
use zonaut_model::interpret::ErrorKind;
use zonaut_portfolio::{
    Finished, NoSearch, Passed, ReachabilityTask, SearchObserver, States, ZoneOutcome, frontier_of,
    steps_of,
};
use zonaut_search::{Age, Guided, Outcome, Report, Search, Ties};
use zonaut_space::StopReason;
use zonaut_strategy::Order;
use zonaut_zonegraph::StepError;

impl From<NoSearch> for Reason {
    fn from(why: NoSearch) -> Self {
        match why {
            NoSearch::Stopped(why) => Self::Stopped(why),
            NoSearch::Unsuited(what) => Self::Unsuited(what),
        }
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
    fn of(outcome: &ZoneOutcome) -> Self {
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

/// Expands the nodes that heuristics pruned, unless an invariant justifies them, so that the store
/// of an eager search becomes an inductive invariant. The outcome of the search does not change.
pub(crate) fn close<'g, W: Width>(
    finished: Finished<'g, W>,
    mut reasons: Reasons<'_>,
    observer: SearchObserver<'_, W>,
) -> (Finished<'g, W>, Closing) {
    let Finished { task, outcome, statistics, states, .. } = finished;
    let States::Eager(passed) = states else {
        return (Finished { task, outcome, statistics, states, ..finished }, Closing::Done);
    };
    let Passed { store, nodes, best, .. } = *passed;
    // The oldest first: wide zones come early and cover more.
    let ties = Ties { age: Age::Fifo, ..Ties::default() };
    let frontier = Guided::greedy(&mut reasons, ties);
    let report = Report { outcome, best, nodes, statistics };
    let search = Search::close(task.graph, task.goal_in_zones(), store, frontier, report);
    let (Report { outcome, best, nodes, statistics }, store) = search.finish(observer);
    let closing = Closing::of(&outcome);
    let reasons = reasons.into_invariants();
    let states = States::Eager(Box::new(Passed { store, nodes, best, reasons }));
    (Finished { task, outcome: Outcome::Exhausted, statistics, states, ..finished }, closing)
}

/// Repeats an exhausted search eagerly and without symmetry reduction, because only its store can
/// be certified. The outcome of the first search does not change.
pub(crate) fn search_again<'g, W: Width>(
    finished: Finished<'g, W>,
    task: ReachabilityTask<'g, W>,
    observer: SearchObserver<'_, W>,
) -> (Finished<'g, W>, Closing) {
    let frontier = frontier_of(Order::BreadthFirst, task.seed);
    let search = Search::reach(task.graph, task.goal_in_zones(), task.store(), frontier);
    let (Report { outcome, best, nodes, statistics }, store) = search.finish(observer);
    match Closing::of(&outcome) {
        Closing::Done => {
            let reasons = Vec::new();
            let states = States::Eager(Box::new(Passed { store, nodes, best, reasons }));
            (Finished { task, outcome, statistics, states, ..finished }, Closing::Done)
        }
        closing => (finished, closing),
    }
}

/// The concrete run of an outcome. Returns no run if the model fails before its first step.
pub(crate) fn concrete_run<W: Width>(
    task: ReachabilityTask<'_, W>,
    outcome: &ZoneOutcome,
) -> Result<Option<ConcreteRun>, NoRun> {
    let reached = matches!(outcome, Outcome::Reached { .. });
    let Some(steps) = steps_of(outcome) else { return Ok(None) };
    let destination = if reached { Destination::Goal(task.goal) } else { Destination::Failure };
    match concretise(task.graph, steps, destination) {
        Ok(run) => Ok(Some(run)),
        Err(NoRun::Spurious) if !reached && !fails_in_run(outcome) => Ok(None),
        Err(why) => Err(why),
    }
}
