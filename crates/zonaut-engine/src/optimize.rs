//! Optimal runs: runs of minimal cost, with the proof of optimality.

use crate::answer::Reason;
use crate::resources::{Resources, Watch, incumbent_meter};
use crate::session::Session;
use crate::unsupported::Unsupported;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use zonaut_analysis::goal::Reachability;
use zonaut_base::{Diagnostic, Meter};
use zonaut_compile::CompileError;
use zonaut_concrete::NoRun;
use zonaut_cost::{
    Combination, CostLabels, CostOrder, Costing, Estimates, Failure, Improvement, Infimum,
    Optimisation, OptimizationObserver, OptimizationOutcome, Refusal, Resource, Solution, Zones,
    last_price, overestimated, paid_along, resources, run_along,
};
use zonaut_model::interpret::{ErrorKind, RunTimeError};
use zonaut_model::{Formula, QueryId, QueryKind};
use zonaut_scheduling::{Beams, ScheduleSearch, TaskHeuristic};
use zonaut_search::Statistics;
use zonaut_space::{Observer, Progress, StopReason};
use zonaut_strategy::{CostStrategy, Over};
use zonaut_trace::Trace;
use zonaut_zonegraph::StepError;

/// The options of an optimisation.
#[derive(Clone, Debug, Default)]
pub struct OptimizeOptions {
    /// The strategy.
    pub strategy: CostStrategy,
    /// The seed of random choices.
    pub seed: u64,
    /// The combination of the cost rates of processes.
    pub rates: Combination,
    /// The limits of the search.
    pub resources: Resources,
}

/// The outcome of an optimisation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Optimum {
    /// The incumbent is optimal.
    Proven,
    /// The goal is unreachable.
    Unreachable,
    /// Undecided, with the reason; the incumbent and the lower bound hold.
    Unknown(Reason),
    /// The model fails at run time.
    Error(RunTimeError),
    /// A cost exceeds the range of integers, with the position.
    CostOverflow(Box<Diagnostic>),
    /// The initial state violates an invariant, so the model has no behaviour.
    NoInitialState,
    /// The path that was found has no run of that cost: a bug of Zonaut.
    Spurious,
}

/// The result of an optimisation.
#[derive(Clone, Debug)]
pub struct Optimized {
    /// The outcome.
    pub optimum: Optimum,
    /// The cost of the incumbent: the infimum over the runs along its path.
    pub cost: Option<Infimum>,
    /// The lower bound of the cost of all runs.
    pub lower_bound: Infimum,
    /// The incumbent; if its cost is only approached, a run that exceeds it by less than one.
    pub trace: Option<Trace>,
    /// Its path, for the certificate.
    pub(crate) solution: Option<Solution>,
    /// The accumulated cost of the incumbent over time: dates and costs.
    pub paid: Vec<(f64, f64)>,
    /// The search space, `points` or `zones`, and the reason why not points.
    pub searched: (&'static str, Option<&'static str>),
    /// Whether the lower bound assumes that `remaining` is admissible.
    pub rests_on_remaining: bool,
    /// The number of transitions of the run after which `remaining` exceeds the remaining cost.
    pub overestimated: Option<usize>,
    /// The statistics of the search.
    pub statistics: Statistics,
    /// The elapsed time.
    pub seconds: f64,
}

/// The reason why an optimisation was rejected.
#[derive(Clone, Debug)]
pub enum NotOptimized {
    /// The query is not `E<>`.
    NoGoal,
    /// The query, or a feature that it needs, is not supported.
    Unsupported(Vec<Unsupported>),
    /// The cost annotations are not supported, with the reason and the position.
    Costs(Box<Diagnostic>),
    /// Another reason.
    Other(Reason),
}

/// Events during an optimisation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptimizeEvent {
    /// A better incumbent was found.
    Improved(Improvement),
    /// Progress of the search.
    Progress {
        /// The statistics so far.
        now: Progress,
        /// The cost of the incumbent.
        best: Option<Infimum>,
        /// The lower bound of the cost of all runs.
        lower_bound: Infimum,
    },
}

/// Receives events, with the time since the start.
pub type OptimizeListener<'l> = dyn FnMut(OptimizeEvent, Duration) + 'l;

/// The cost measure and the goal of an optimisation.
#[derive(Clone, Copy)]
pub(crate) struct Objective<'g> {
    pub(crate) goal: &'g Formula,
    pub(crate) costing: Costing,
    /// Whether the label `remaining` estimates this measure. It does for costs; for time, the
    /// variable has no special meaning.
    pub(crate) uses_remaining: bool,
}

/// The result of a search, its search space, and the labels that it considered.
struct Searched {
    found: Optimisation,
    by: (&'static str, Option<&'static str>),
    labels: CostLabels,
}

/// The observer of an optimisation.
pub(crate) struct Watching<'w> {
    pub(crate) watch: Watch<'w>,
    pub(crate) listener: &'w mut OptimizeListener<'w>,
    pub(crate) start: Instant,
    /// The cost of the incumbent.
    pub(crate) best: Option<Infimum>,
}

impl OptimizationObserver for Watching<'_> {
    fn improved(&mut self, found: Improvement) {
        self.best = Some(found.cost);
        (self.listener)(OptimizeEvent::Improved(found), self.start.elapsed());
    }
    fn progress(&mut self, now: &Progress, lower_bound: Infimum) -> ControlFlow<StopReason> {
        let event = OptimizeEvent::Progress { now: *now, best: self.best, lower_bound };
        (self.listener)(event, self.start.elapsed());
        Observer::<(), ()>::progress(&mut self.watch, now)
    }
    fn meter(&self) -> Meter {
        self.watch.work().clone()
    }
}

impl Session {
    /// Searches for an optimal run to the goal of an `E<>` query.
    ///
    /// # Errors
    /// If the query cannot be optimised.
    pub fn optimize<'o>(
        &self,
        query: QueryId,
        options: &'o OptimizeOptions,
        listener: &'o mut OptimizeListener<'o>,
    ) -> Result<Optimized, NotOptimized> {
        let kind = &self.model().queries[query].kind;
        let QueryKind::Possibly(goal) = kind else { return Err(NotOptimized::NoGoal) };
        let mut reasons = Unsupported::of_query(self.model(), &self.origin, query);
        reasons.extend(Unsupported::of_model(self.model(), &self.origin));
        if !reasons.is_empty() {
            return Err(NotOptimized::Unsupported(reasons));
        }
        let costing =
            Costing::of(self.model(), options.rates).map_err(|why| self.not_understood(why))?;
        let objective = Objective { goal, costing, uses_remaining: true };
        self.optimize_goal(objective, options, listener)
    }

    /// The resources that the automatic estimate of the remaining cost uses, and those that it
    /// cannot use.
    #[must_use]
    pub fn resources(&self, query: QueryId, rates: Combination) -> Vec<Resource> {
        match (&self.model().queries[query].kind, Costing::of(self.model(), rates)) {
            (QueryKind::Possibly(goal), Ok(costing)) => {
                resources(self.model(), goal, costing, &Meter::default()).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// Searches for an optimal run to a goal.
    pub(crate) fn optimize_goal<'o>(
        &self,
        objective: Objective<'_>,
        options: &'o OptimizeOptions,
        listener: &'o mut OptimizeListener<'o>,
    ) -> Result<Optimized, NotOptimized> {
        let Objective { goal, costing, .. } = objective;
        let start = Instant::now();
        let watch = Watch::new(&options.resources, start, None);
        let meter = watch.work().clone();
        let mut watcher = Watching { watch, listener, start, best: None };
        let Searched { found, by, labels } = self.search(objective, options, &mut watcher)?;
        let mut optimized = Optimized {
            optimum: self.cost_overflow(&found, &meter).unwrap_or_else(|| optimum_of(&found)),
            cost: found.best.as_ref().map(|best| best.cost),
            lower_bound: found.lower_bound,
            trace: None,
            solution: None,
            paid: Vec::new(),
            searched: by,
            rests_on_remaining: labels.remaining.is_some(),
            overestimated: None,
            statistics: found.statistics,
            seconds: 0.0,
        };
        if let Some(best) = &found.best {
            // The incumbent is reported for every outcome.
            let meter = &incumbent_meter(&options.resources);
            match run_along(self.model(), goal, costing, best, meter) {
                Ok((network, run)) => {
                    optimized.overestimated =
                        overestimated(self.model(), labels, costing, best, &run, meter);
                    optimized.paid = paid_along(&network, costing, best, &run, meter);
                    optimized.trace = Some(self.namer().trace(&network, &run));
                }
                Err(NoRun::ClockRange | NoRun::Stopped(_)) => {}
                Err(NoRun::Spurious) => optimized.optimum = Optimum::Spurious,
            }
        }
        optimized.seconds = start.elapsed().as_secs_f64();
        optimized.solution = found.best;
        Ok(optimized)
    }

    /// Searches over points if that is exact, and over zones otherwise.
    fn search(
        &self,
        objective: Objective<'_>,
        options: &OptimizeOptions,
        watcher: &mut Watching<'_>,
    ) -> Result<Searched, NotOptimized> {
        let Objective { goal, costing, uses_remaining } = objective;
        let meter = watcher.watch.work().clone();
        let failed = |failure: Failure| self.not_prepared(&failure);
        let (order, estimates, over) = match options.strategy {
            CostStrategy::Automatic | CostStrategy::Beam(_) => {
                (CostOrder::LeastTotal, Estimates::ALL, Over::Either)
            }
            CostStrategy::Ordered { order: CostOrder::RandomDepthFirst(_), estimates, over } => {
                (CostOrder::RandomDepthFirst(options.seed), estimates, over)
            }
            CostStrategy::Ordered { order, estimates, over } => (order, estimates, over),
        };
        let remaining = estimates.remaining && uses_remaining;
        let estimates = Estimates { remaining, ..estimates };
        // Points support only the automatic estimate of tasks.
        let asks_others = estimates != Estimates::NONE && !estimates.automatic;
        let mut why = None;
        if over == Over::Either && !asks_others {
            let points =
                ScheduleSearch::new(self.model(), goal, costing, &meter).map_err(failed)?;
            match (points, options.strategy) {
                (Ok(points), strategy) => {
                    let heuristic = if estimates.automatic {
                        TaskHeuristic::Automatic
                    } else {
                        TaskHeuristic::Blind
                    };
                    let found = match strategy {
                        CostStrategy::Automatic => points.schedule(Beams::default(), watcher),
                        CostStrategy::Beam(beams) => points.schedule(beams, watcher),
                        CostStrategy::Ordered { .. } => points.optimise(order, heuristic, watcher),
                    };
                    if !has_left_the_range(&found) {
                        let by = ("points", None);
                        return Ok(Searched { found, by, labels: CostLabels::default() });
                    }
                    if matches!(strategy, CostStrategy::Beam(_)) {
                        let why = format!("beam search in a model with {TOO_LATE}");
                        return Err(NotOptimized::Other(Reason::Unsuited(why)));
                    }
                    why = Some(TOO_LATE);
                }
                (Err(none), CostStrategy::Beam(_)) => {
                    let why = format!("beam search in a model with {}", none.0);
                    return Err(NotOptimized::Other(Reason::Unsuited(why)));
                }
                (Err(none), _) => why = Some(none.0),
            }
        }
        let zones = Zones::labelled(self.model(), goal, costing, &meter).map_err(failed)?;
        let found = zones.optimise_with(self.model(), goal, order, estimates, watcher);
        let found = found.map_err(failed)?;
        let remaining = zones.labels().remaining.filter(|_| estimates.remaining);
        let labels = CostLabels { remaining, ..zones.labels() };
        Ok(Searched { found, by: ("zones", why), labels })
    }

    /// The outcome if a cost exceeds the range of integers, with its position.
    fn cost_overflow(&self, found: &Optimisation, meter: &Meter) -> Option<Optimum> {
        let OptimizationOutcome::Failed { error: StepError::ClockRange, steps } = &found.ending
        else {
            return None;
        };
        let price = last_price(self.model(), steps, meter)?;
        let message = "the cost exceeds the range of exact numbers";
        let diagnostic = Diagnostic::error(COST_OVERFLOW, self.origin.expressions[price], message);
        let help = "use a larger unit of cost";
        Some(Optimum::CostOverflow(Box::new(diagnostic.with_help(help))))
    }

    /// The rejection of cost annotations, with the reason and the position.
    pub(crate) fn not_understood(&self, refusal: Refusal) -> NotOptimized {
        let origin = &self.origin;
        let location = |process, location| origin.processes[process].locations[location];
        let (place, message, help) = match refusal {
            Refusal::NonUniform(process, at) => (
                location(process, at),
                "the cost rate differs from that of other locations of this process",
                "non-uniform rates are not supported: use one rate for all locations of the \
                 process in which time passes",
            ),
            Refusal::Computed(_, _, rate) => (
                origin.expressions[rate],
                "the cost rate is not constant",
                "write a number or an expression over constants",
            ),
            Refusal::NegativeRate(_, _, rate) => (
                origin.expressions[rate],
                "the cost rate is negative",
                "costs cannot decrease; model savings by a larger initial cost",
            ),
            Refusal::NegativePrice(price) => (
                origin.expressions[price],
                "the cost of this edge is negative",
                "costs cannot decrease; model savings by a larger initial cost",
            ),
            Refusal::TooLarge => {
                return NotOptimized::Other(Reason::Unsuited(
                    "cost rates that are too large for the constants of the model".into(),
                ));
            }
            Refusal::Stopwatches => {
                return NotOptimized::Other(Reason::Unsuited("stopwatches with costs".into()));
            }
        };
        let diagnostic = Diagnostic::error(COSTS, place, message).with_help(help);
        NotOptimized::Costs(Box::new(diagnostic))
    }

    fn not_prepared(&self, failure: &Failure) -> NotOptimized {
        match *failure {
            Failure::Refused(refusal) => self.not_understood(refusal),
            Failure::Stopped(why) | Failure::Compile(CompileError::Stopped(why)) => {
                NotOptimized::Other(Reason::Stopped(why))
            }
            Failure::Compile(CompileError::TooManyActions(process, _)) => {
                let name = &self.model().processes[process].name;
                let why = format!("an edge of {name} has too many combinations of `select` values");
                NotOptimized::Other(Reason::Unsuited(why))
            }
        }
    }
}

/// Whether a search ended because numbers exceed the range of exact results.
fn has_left_the_range(found: &Optimisation) -> bool {
    matches!(found.ending, OptimizationOutcome::Failed { error: StepError::ClockRange, .. })
}

/// The reason for zones if dates exceed the range of points.
const TOO_LATE: &str = "times that exceed the range of point states";

/// The code of unsupported cost annotations.
const COSTS: &str = "TA1002";

/// The code of costs that exceed the range of integers.
const COST_OVERFLOW: &str = "TA1003";

fn optimum_of(found: &Optimisation) -> Optimum {
    match &found.ending {
        OptimizationOutcome::Optimal => Optimum::Proven,
        OptimizationOutcome::Unreachable => Optimum::Unreachable,
        OptimizationOutcome::Stopped(why) => Optimum::Unknown(Reason::Stopped(*why)),
        OptimizationOutcome::Failed { error, .. } => match error {
            StepError::RunTime(error) if error.kind == ErrorKind::Budget => {
                Optimum::Unknown(Reason::EvaluationBudget(*error))
            }
            StepError::RunTime(error) => Optimum::Error(*error),
            StepError::ClockRange => Optimum::Unknown(Reason::ClockRange),
            StepError::InitialInvariant => Optimum::NoInitialState,
            StepError::Stopped(why) => Optimum::Unknown(Reason::Stopped(*why)),
        },
    }
}

/// A run of minimal time, if proven.
#[derive(Clone, Debug)]
pub struct Fastest {
    /// The run.
    pub trace: Trace,
    /// Whether no run takes less time, or only by less than one unit if the infimum is not
    /// attained. `false` if a limit ended the search.
    pub is_proven: bool,
}

impl Session {
    /// A run of minimal time to the goal of `query`, which the run `found` decides. The search is
    /// limited by `resources`.
    #[must_use]
    pub fn fastest_trace(&self, query: QueryId, found: Trace, resources: &Resources) -> Fastest {
        let unproven = |trace| Fastest { trace, is_proven: false };
        let Some(Reachability { goal, .. }) =
            Reachability::of(self.model(), &self.model().queries[query].kind)
        else {
            return unproven(found);
        };
        let options =
            OptimizeOptions { resources: resources.clone(), ..OptimizeOptions::default() };
        let mut ignore = |_, _| {};
        let objective = Objective { goal: &goal, costing: Costing::TIME, uses_remaining: false };
        match self.optimize_goal(objective, &options, &mut ignore) {
            Ok(Optimized { optimum, trace: Some(trace), .. }) => {
                Fastest { trace, is_proven: optimum == Optimum::Proven }
            }
            _ => unproven(found),
        }
    }
}
