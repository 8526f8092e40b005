//! Cheapest runs, and the proof that there are no cheaper ones.

use crate::answer::Reason;
use crate::resources::{Resources, Watch};
use crate::session::Session;
use crate::unsupported::Unsupported;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use zonaut_analysis::goal::Reachability;
use zonaut_base::{Diagnostic, Meter};
use zonaut_compile::CompileError;
use zonaut_concrete::NoRun;
use zonaut_cost::{
    Beams, Combination, CostOrder, Costing, Ending, Estimates, Failure, Improvement, Infimum,
    Labels, Optimisation, Refusal, Resource, ScheduleSearch, Solution, TaskHeuristic, Watcher,
    Zones, last_price, overestimated, paid_along, resources, run_along,
};
use zonaut_model::interpret::{ErrorKind, RunTimeError};
use zonaut_model::{Formula, QueryId, QueryKind};
use zonaut_search::Statistics;
use zonaut_space::{Observer, Progress, StopReason};
use zonaut_strategy::{CostStrategy, Over};
use zonaut_trace::Trace;
use zonaut_zonegraph::StepError;

/// How a run is optimised.
#[derive(Clone, Debug, Default)]
pub struct OptimizeOptions {
    /// How to look for it.
    pub strategy: CostStrategy,
    /// The seed of random choices.
    pub seed: u64,
    /// How the rates of processes make what a unit of time costs.
    pub rates: Combination,
    /// What the search may use.
    pub resources: Resources,
}

/// How an optimisation ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Optimum {
    /// No run is cheaper.
    Proven,
    /// No run leads to the goal.
    Unreachable,
    /// Something kept it from going on; what was found until then holds.
    Unknown(Reason),
    /// The model fails at run time.
    Error(RunTimeError),
    /// A run costs more than can be counted: where.
    TooDear(Box<Diagnostic>),
    /// The initial state violates an invariant, so the model has no behaviour.
    NoInitialState,
    /// The way that was found has no run of that cost: a bug of Zonaut.
    Spurious,
}

/// Everything that is known after an optimisation.
#[derive(Clone, Debug)]
pub struct Optimized {
    /// How it ended.
    pub optimum: Optimum,
    /// What the best run costs that was found, or what runs along its path approach.
    pub cost: Option<Infimum>,
    /// No run costs less.
    pub lower_bound: Infimum,
    /// The best run; where its cost is only approached, one that costs less than one more.
    pub trace: Option<Trace>,
    /// Its way, for the certificate.
    pub(crate) solution: Option<Solution>,
    /// What the best run has paid over time: dates and costs.
    pub paid: Vec<(f64, f64)>,
    /// What was searched, `points` or `zones`, and why not points.
    pub searched: (&'static str, Option<&'static str>),
    /// Whether the lower bound holds only if `remaining` is never more than what is left to pay.
    pub rests_on_remaining: bool,
    /// After how many transitions of the run `remaining` is more than what is left to pay.
    pub overestimated: Option<usize>,
    /// What was done.
    pub statistics: Statistics,
    /// How long it took.
    pub seconds: f64,
}

/// Why nothing was optimised.
#[derive(Clone, Debug)]
pub enum NotOptimized {
    /// The query does not ask for a state to be reached.
    NoGoal,
    /// The query, or what it needs, is not supported.
    Unsupported(Vec<Unsupported>),
    /// The costs of the model are not understood: why, and where.
    Costs(Box<Diagnostic>),
    /// Something else.
    Other(Reason),
}

/// What there is to tell while a cheapest run is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptimizeEvent {
    /// A better run was found.
    Improved(Improvement),
    /// The search goes on.
    Progress {
        /// Where it stands.
        now: Progress,
        /// What the best run costs that was found.
        best: Option<Infimum>,
        /// No run costs less.
        lower_bound: Infimum,
    },
}

/// Who is told of it, and how long after the start.
pub type OptimizeListener<'l> = dyn FnMut(OptimizeEvent, Duration) + 'l;

/// What is minimised, and on the way to what.
#[derive(Clone, Copy)]
pub(crate) struct Objective<'g> {
    pub(crate) goal: &'g Formula,
    pub(crate) costing: Costing,
    /// Whether a label `remaining` estimates this measure. It does where costs are asked for; where
    /// only time is, the variable is one like others.
    pub(crate) believes_remaining: bool,
}

/// What a search found, over what, and the labels that it looked at.
struct Searched {
    found: Optimisation,
    by: (&'static str, Option<&'static str>),
    labels: Labels,
}

/// Watches an optimisation.
pub(crate) struct Watching<'w> {
    pub(crate) watch: Watch<'w>,
    pub(crate) listener: &'w mut OptimizeListener<'w>,
    pub(crate) start: Instant,
    /// What the best run costs that was found.
    pub(crate) best: Option<Infimum>,
}

impl Watcher for Watching<'_> {
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
    /// Looks for a cheapest run that reaches what one of the queries, an `E<>`, asks for.
    ///
    /// # Errors
    /// Where that is not a question that can be answered.
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
        let objective = Objective { goal, costing, believes_remaining: true };
        self.optimize_goal(objective, options, listener)
    }

    /// What the automatic estimate of the way to a goal rests on, and what it cannot rest on.
    #[must_use]
    pub fn resources(&self, query: QueryId, rates: Combination) -> Vec<Resource> {
        match (&self.model().queries[query].kind, Costing::of(self.model(), rates)) {
            (QueryKind::Possibly(goal), Ok(costing)) => resources(self.model(), goal, costing),
            _ => Vec::new(),
        }
    }

    /// Looks for a cheapest run to a goal.
    pub(crate) fn optimize_goal<'o>(
        &self,
        objective: Objective<'_>,
        options: &'o OptimizeOptions,
        listener: &'o mut OptimizeListener<'o>,
    ) -> Result<Optimized, NotOptimized> {
        let Objective { goal, costing, .. } = objective;
        let start = Instant::now();
        let watch = Watch::new(&options.resources, start, None);
        let mut watcher = Watching { watch, listener, start, best: None };
        let Searched { found, by, labels } = self.search(objective, options, &mut watcher)?;
        let mut optimized = Optimized {
            optimum: self.too_dear(&found).unwrap_or_else(|| optimum_of(&found)),
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
            // The run is shown whatever ended the search.
            match run_along(self.model(), goal, costing, best) {
                Ok((network, run)) => {
                    optimized.overestimated =
                        overestimated(self.model(), labels, costing, (best, &run));
                    optimized.paid = paid_along(&network, costing, (best, &run));
                    optimized.trace = Some(self.namer().trace(&network, &run));
                }
                Err(NoRun::ClockRange) => {}
                Err(NoRun::Spurious | NoRun::Stopped(_)) => optimized.optimum = Optimum::Spurious,
            }
        }
        optimized.seconds = start.elapsed().as_secs_f64();
        optimized.solution = found.best;
        Ok(optimized)
    }

    /// Searches over points where that is exact, and over zones elsewhere.
    fn search(
        &self,
        objective: Objective<'_>,
        options: &OptimizeOptions,
        watcher: &mut Watching<'_>,
    ) -> Result<Searched, NotOptimized> {
        let Objective { goal, costing, believes_remaining } = objective;
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
        let remaining = estimates.remaining && believes_remaining;
        let estimates = Estimates { remaining, ..estimates };
        // Points know only what can be proven of tasks.
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
                        return Ok(Searched { found, by, labels: Labels::default() });
                    }
                    if matches!(strategy, CostStrategy::Beam(_)) {
                        let why = format!("beams through a model with {TOO_LATE}");
                        return Err(NotOptimized::Other(Reason::Unsuited(why)));
                    }
                    why = Some(TOO_LATE);
                }
                (Err(none), CostStrategy::Beam(_)) => {
                    let why = format!("beams through a model with {}", none.0);
                    return Err(NotOptimized::Other(Reason::Unsuited(why)));
                }
                (Err(none), _) => why = Some(none.0),
            }
        }
        let zones = Zones::labelled(self.model(), goal, costing, &meter).map_err(failed)?;
        let asked = (self.model(), goal);
        let found = zones.optimise_with(asked, order, estimates, watcher).map_err(failed)?;
        let remaining = zones.labels().remaining.filter(|_| estimates.remaining);
        let labels = Labels { remaining, ..zones.labels() };
        Ok(Searched { found, by: ("zones", why), labels })
    }

    /// Whether the search failed because of a price, and which.
    fn too_dear(&self, found: &Optimisation) -> Option<Optimum> {
        let Ending::Failed { error: StepError::ClockRange, steps } = &found.ending else {
            return None;
        };
        let price = last_price(self.model(), steps)?;
        let message = "the cost is too large to be counted exactly";
        let diagnostic = Diagnostic::error(TOO_DEAR, self.origin.expressions[price], message);
        let help = "count in a larger unit";
        Some(Optimum::TooDear(Box::new(diagnostic.with_help(help))))
    }

    /// Why the costs of the model are not understood, where it says so.
    pub(crate) fn not_understood(&self, refusal: Refusal) -> NotOptimized {
        let origin = &self.origin;
        let location = |process, location| origin.processes[process].locations[location];
        let (place, message, help) = match refusal {
            Refusal::NonUniform(process, at) => (
                location(process, at),
                "time has another price here than elsewhere in this process",
                "non-uniform rates are not supported: give all locations of the process in which \
                 time passes one rate",
            ),
            Refusal::Computed(_, _, rate) => (
                origin.expressions[rate],
                "the rate of the cost is not a constant",
                "write a number or an expression over constants",
            ),
            Refusal::NegativeRate(_, _, rate) => (
                origin.expressions[rate],
                "the rate of the cost is negative",
                "costs never decrease: count what is saved from a larger sum",
            ),
            Refusal::NegativePrice(price) => (
                origin.expressions[price],
                "the price is negative",
                "costs never decrease: count what is saved from a larger sum",
            ),
            Refusal::TooLarge => {
                return NotOptimized::Other(Reason::Unsuited(
                    "a rate of the cost that is too large for the constants of the model".into(),
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
            Failure::Compile(CompileError::Stopped(why)) => {
                NotOptimized::Other(Reason::Stopped(why))
            }
            Failure::Compile(CompileError::TooManyActions(process, _)) => {
                let name = &self.model().processes[process].name;
                let why = format!("an edge of {name} has too many select combinations");
                NotOptimized::Other(Reason::Unsuited(why))
            }
        }
    }
}

/// Whether a search ended because numbers left the range in which it is exact.
fn has_left_the_range(found: &Optimisation) -> bool {
    matches!(found.ending, Ending::Failed { error: StepError::ClockRange, .. })
}

/// Why points do not answer where dates leave their range.
const TOO_LATE: &str = "dates that are too large for points";

/// The code of costs that are not understood.
const COSTS: &str = "TA1002";

/// The code of costs that are too large.
const TOO_DEAR: &str = "TA1003";

fn optimum_of(found: &Optimisation) -> Optimum {
    match &found.ending {
        Ending::Optimal => Optimum::Proven,
        Ending::Unreachable => Optimum::Unreachable,
        Ending::Stopped(why) => Optimum::Unknown(Reason::Stopped(*why)),
        Ending::Failed { error, .. } => match error {
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

/// A run, and what is known about its time.
#[derive(Clone, Debug)]
pub struct Fastest {
    /// The run.
    pub trace: Trace,
    /// Whether no run takes less time, or only by less than one unit where the least time is
    /// never reached. False if a limit ended the search.
    pub is_proven: bool,
}

impl Session {
    /// A run that takes the least time to where `found`, a run that decides `query`, leads. The search
    /// for it may take what `resources` allow.
    #[must_use]
    pub fn fastest_trace(&self, query: QueryId, found: Trace, resources: &Resources) -> Fastest {
        let unproven = |trace| Fastest { trace, is_proven: false };
        let Some(Reachability { goal, .. }) = Reachability::of(&self.model().queries[query].kind)
        else {
            return unproven(found);
        };
        let options =
            OptimizeOptions { resources: resources.clone(), ..OptimizeOptions::default() };
        let mut nobody = |_, _| {};
        let objective =
            Objective { goal: &goal, costing: Costing::TIME, believes_remaining: false };
        match self.optimize_goal(objective, &options, &mut nobody) {
            Ok(Optimized { optimum, trace: Some(trace), .. }) => {
                Fastest { trace, is_proven: optimum == Optimum::Proven }
            }
            _ => unproven(found),
        }
    }
}
