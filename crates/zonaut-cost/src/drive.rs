//! Running a search for the cheapest path, with a report of each improvement.

use std::ops::ControlFlow;

use zonaut_compile::ActionId;
use zonaut_search::{
    Asynchronous, Budget, Crew, Frontier, Luggage, Outcome, Report, Search, Standing, Statistics,
    Status,
};
use zonaut_space::{
    Cost, Encoding, Goal, Meter, Observer, PassedStore, Pricing, Progress, StopReason,
    TransitionSystem,
};
use zonaut_zonegraph::StepError;

use crate::infimum::Infimum;

/// The work between two looks at the incumbent: little until there is one, so that the first is
/// reported at once.
const WORK: [u64; 2] = [1, 1 << 10];

/// A new incumbent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Improvement {
    /// Its cost.
    pub cost: Infimum,
    /// No path costs less than this.
    pub lower_bound: Infimum,
    /// How many states were explored until then.
    pub explored: usize,
}

/// The observer of an optimisation; only it can stop one.
pub trait OptimizationObserver {
    /// The search has a new incumbent.
    fn improved(&mut self, found: Improvement) {
        let _ = found;
    }

    /// Called now and then.
    fn progress(&mut self, now: &Progress, lower_bound: Infimum) -> ControlFlow<StopReason> {
        let _ = (now, lower_bound);
        ControlFlow::Continue(())
    }

    /// The meter of the work between two calls; it stops for the same reasons.
    fn meter(&self) -> Meter {
        Meter::default()
    }
}

impl OptimizationObserver for () {}

/// How an optimisation ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptimizationOutcome {
    /// No path is cheaper than the best one.
    Optimal,
    /// No path leads to a goal.
    Unreachable,
    /// The model fails at run time.
    Failed {
        /// How.
        error: StepError,
        /// The actions of each transition on the path there; the last one fails.
        steps: Vec<Vec<ActionId>>,
    },
    /// The work had to end.
    Stopped(StopReason),
}

/// A path to a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// Its cost.
    pub cost: Infimum,
    /// The actions of each transition, the sender's first.
    pub steps: Vec<Vec<ActionId>>,
}

/// The result of an optimisation.
#[derive(Clone, Debug)]
pub struct Optimisation {
    /// How it ended.
    pub ending: OptimizationOutcome,
    /// The incumbent.
    pub best: Option<Solution>,
    /// No path costs less than this.
    pub lower_bound: Infimum,
    /// The counts of states.
    pub statistics: Statistics,
}

/// The observer of an optimisation as the observer of one search.
pub struct Watched<'w> {
    /// The observer of the optimisation.
    pub watcher: &'w mut dyn OptimizationObserver,
    /// No path costs less than this.
    pub lower_bound: Infimum,
}

impl<S, Step> Observer<S, Step> for Watched<'_> {
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        self.watcher.progress(now, self.lower_bound)
    }
    fn meter(&self) -> Meter {
        self.watcher.meter()
    }
}

/// Runs `search` until it has a path, it ends, or it has explored `most` states. No path costs less than
/// `at_least`; `read` turns the steps of the system into those of the model.
pub fn first_solution<Ts, G, St, F, P>(
    mut search: Search<'_, Ts, G, St, F, P>,
    at_least: Infimum,
    most: usize,
    read: impl Fn(&[Ts::Step]) -> Vec<Vec<ActionId>>,
    watcher: &mut dyn OptimizationObserver,
) -> (Option<Solution>, Statistics)
where
    Ts: TransitionSystem<Error = StepError>,
    G: Goal<Ts>,
    St: PassedStore<Ts::State>,
    P: Pricing<Ts, Cost = Infimum>,
    F: Frontier<Ts::State, Ts::Step, Infimum>,
{
    let mut status = Status::Paused;
    while status != Status::Ended
        && search.best_cost().is_none()
        && search.statistics().explored < most
    {
        let lower_bound = at_least;
        status = search.run(Budget::of(1), &mut Watched { watcher, lower_bound });
    }
    let cost = search.best_cost();
    if let Some(cost) = cost {
        let (lower_bound, explored) = (at_least.min(cost), search.statistics().explored);
        watcher.improved(Improvement { cost, lower_bound, explored });
    }
    let (report, _) = search.into_report();
    let best = report.best.zip(cost);
    let solution =
        best.map(|(node, cost)| Solution { cost, steps: read(&report.nodes.steps(node)) });
    (solution, report.statistics)
}

/// Runs `search` to its end. No path costs less than `at_least`; `read` turns the steps of the system
/// into those of the model.
pub fn drive<Ts, G, St, F, P>(
    mut search: Search<'_, Ts, G, St, F, P>,
    at_least: Infimum,
    read: impl Fn(&[Ts::Step]) -> Vec<Vec<ActionId>>,
    watcher: &mut dyn OptimizationObserver,
) -> Optimisation
where
    Ts: TransitionSystem<Error = StepError>,
    G: Goal<Ts>,
    St: PassedStore<Ts::State>,
    P: Pricing<Ts, Cost = Infimum>,
    F: Frontier<Ts::State, Ts::Step, Infimum>,
{
    let mut best: Option<Infimum> = None;
    loop {
        let lower_bound = search.lower_bound().max(at_least);
        let work = WORK[usize::from(best.is_some())];
        let status = search.run(Budget::of(work), &mut Watched { watcher, lower_bound });
        if let Some(cost) = search.best_cost().filter(|&cost| Some(cost) != best) {
            best = Some(cost);
            let lower_bound = search.lower_bound().max(at_least).min(cost);
            let explored = search.statistics().explored;
            watcher.improved(Improvement { cost, lower_bound, explored });
        }
        // A path that costs no more than any must is a cheapest one.
        if status == Status::Ended || best.is_some_and(|cost| cost <= at_least) {
            break;
        }
    }
    let lower_bound = search.lower_bound().max(at_least);
    let (report, _) = search.into_report();
    conclude(report, Bounds { best, lower_bound, at_least }, read)
}

/// Runs a search by several workers, on the threads of `crew`, to its end. No path costs less than
/// `at_least`; `read` turns the steps of the system into those of the model.
pub fn drive_together<Ts, G, E, St, F, P, L>(
    mut search: Asynchronous<'_, Ts, G, E, St, F, P, L>,
    crew: &dyn Crew,
    at_least: Infimum,
    read: impl Fn(&[Ts::Step]) -> Vec<Vec<ActionId>>,
    watcher: &mut dyn OptimizationObserver,
) -> Optimisation
where
    Ts: TransitionSystem<State: Send, Step: Send, Error = StepError, Scratch: Send> + Sync,
    G: Goal<Ts> + Send,
    E: Encoding<State = Ts::State, Item: Send> + Send,
    St: PassedStore<Ts::State> + Send,
    P: Pricing<Ts, Cost = Infimum> + Send,
    F: Frontier<Ts::State, Ts::Step, Infimum>,
    L: Luggage<Ts::State> + Send,
{
    let mut best: Option<Infimum> = None;
    let mut look = |standing: &Standing<Infimum>| {
        let Standing { progress, lower_bound, .. } = *standing;
        let lower_bound = lower_bound.max(at_least);
        if let Some(cost) = standing.best.filter(|&cost| Some(cost) != best) {
            best = Some(cost);
            let (lower_bound, explored) = (lower_bound.min(cost), progress.explored);
            watcher.improved(Improvement { cost, lower_bound, explored });
        }
        match watcher.progress(&progress, lower_bound) {
            ControlFlow::Break(why) => Err(why),
            // A path that costs no more than any must is a cheapest one.
            ControlFlow::Continue(()) if best.is_some_and(|cost| cost <= at_least) => {
                Err(StopReason::Cancelled)
            }
            ControlFlow::Continue(()) => Ok(()),
        }
    };
    let _ = search.run(Budget::UNLIMITED, crew, &mut look);
    let best = search.best_cost();
    let lower_bound = search.lower_bound().max(at_least);
    let (report, _) = search.into_parts();
    conclude(report, Bounds { best, lower_bound, at_least }, read)
}

/// The bounds of the least cost at the end of a search.
struct Bounds {
    best: Option<Infimum>,
    lower_bound: Infimum,
    at_least: Infimum,
}

/// The result of a search that has ended.
fn conclude<Step>(
    report: Report<Step, StepError, Infimum>,
    Bounds { best, lower_bound, at_least }: Bounds,
    read: impl Fn(&[Step]) -> Vec<Vec<ActionId>>,
) -> Optimisation
where
    Step: Copy,
{
    let is_best = best.is_some_and(|cost| cost <= at_least);
    let solution = report
        .best
        .zip(best)
        .map(|(node, cost)| Solution { cost, steps: read(&report.nodes.steps(node)) });
    let (ending, lower_bound) = match (report.outcome, best) {
        (_, Some(cost)) if is_best => (OptimizationOutcome::Optimal, cost),
        (Outcome::Reached { .. }, Some(cost)) => (OptimizationOutcome::Optimal, cost),
        (Outcome::Reached { .. } | Outcome::Exhausted, _) => {
            (OptimizationOutcome::Unreachable, lower_bound)
        }
        (Outcome::Failed { error, steps }, _) => {
            (OptimizationOutcome::Failed { error, steps: read(&steps) }, lower_bound)
        }
        (Outcome::Stopped { why, .. }, best) => (
            OptimizationOutcome::Stopped(why),
            best.map_or(lower_bound, |best| best.min(lower_bound)),
        ),
    };
    let lower_bound = lower_bound.max(Infimum::ZERO);
    Optimisation { ending, best: solution, lower_bound, statistics: report.statistics }
}
