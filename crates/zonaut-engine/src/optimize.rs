//! Optimal runs: runs of minimal cost, with the proof of optimality.

use crate::answer::{Answer, Findings, Reason, Verdict, verdict_of_failure};
use crate::feature::Feature;
use crate::reduction::describe;
use crate::resources::{
    CostBounds, Resources, SearchEvent, SearchListener, Watch, incumbent_meter,
};
use crate::session::Session;
use crate::threads::{Threads, worker_meter};
use crate::unsupported::Unsupported;
use crate::verify::VerifyOptions;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Instant;
use zonaut_analysis::Overlay;
use zonaut_analysis::interval::declared_walk;
use zonaut_base::{Diagnostic, Meter};
use zonaut_compile::CompileError;
use zonaut_concrete::NoRun;
use zonaut_cost::{
    Combination, CostLabels, CostOrder, Costing, Estimates, Failure, Guidance, Improvement,
    Infimum, LocationRates, Optimisation, OptimizationObserver, OptimizationOutcome, Refusal,
    Resource, Solution, Workers, Zones, last_price, overestimated, paid_along, resources,
    run_along,
};
use zonaut_model::{Formula, Model, QueryId, QueryKind};
use zonaut_priced::PricedSearch;
use zonaut_scheduling::{Beams, Helpers, ScheduleSearch, TaskHeuristic};
use zonaut_space::{Progress, StopReason};
use zonaut_strategy::{CostStrategy, Over};
use zonaut_symmetry::Symmetry;
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
    /// The number of threads; one by default. Priced zones and models with transitions that may fail
    /// use one.
    pub threads: Option<NonZeroUsize>,
    /// The limits of the search.
    pub resources: Resources,
}

/// The quantity that an optimisation minimises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CostMeasure {
    /// The cost, with this combination of the cost rates of processes.
    Cost(Combination),
    /// The time.
    Time,
}

/// The best run of an optimisation, and the lower bound. They hold for every verdict.
#[derive(Clone, Debug)]
pub struct Optimum {
    /// The cost of the incumbent: the infimum over the runs along its path. The run of the answer
    /// exceeds it by less than one if it is only approached.
    pub cost: Option<Infimum>,
    /// The lower bound of the cost of all runs.
    pub lower_bound: Infimum,
    /// The minimised quantity.
    pub measure: CostMeasure,
    /// The path of the incumbent, for the certificate.
    pub(crate) solution: Option<Solution>,
    /// The accumulated cost of the incumbent over time: dates and costs.
    pub paid: Vec<(f64, f64)>,
    /// The search space, `points`, `zones` or `priced zones`, and the reason why not points.
    pub searched: (&'static str, Option<&'static str>),
    /// Whether the lower bound assumes that `remaining` is admissible.
    pub rests_on_remaining: bool,
    /// The number of transitions of the run after which `remaining` exceeds the remaining cost.
    pub overestimated: Option<usize>,
}

/// The costs of runs, by which the search space is chosen.
#[derive(Clone)]
pub(crate) enum RunCosts {
    /// Time costs the same everywhere.
    Uniform(Costing),
    /// The cost of time depends on the locations.
    Different(LocationRates),
}

/// The cost measure and the goal of an optimisation.
#[derive(Clone)]
pub(crate) struct Objective<'g> {
    /// The query of the goal.
    pub(crate) query: QueryId,
    pub(crate) goal: &'g Formula,
    pub(crate) measure: CostMeasure,
    pub(crate) costs: RunCosts,
    /// Whether the label `remaining` estimates this measure. It does for costs; for time, the
    /// variable has no special meaning.
    pub(crate) uses_remaining: bool,
}

/// The result of a search, its search space, and the labels that it considered.
struct Searched {
    found: Optimisation,
    by: (&'static str, Option<&'static str>),
    labels: CostLabels,
    /// The description of the symmetry that was used.
    symmetry: Option<String>,
}

/// The observer of an optimisation.
pub(crate) struct Watching<'w> {
    watch: Watch<'w>,
    /// The cost of the incumbent.
    incumbent: Option<Infimum>,
}

impl<'w> Watching<'w> {
    pub(crate) fn new(watch: Watch<'w>) -> Self {
        Self { watch, incumbent: None }
    }
}

impl OptimizationObserver for Watching<'_> {
    fn improved(&mut self, found: Improvement) {
        self.incumbent = Some(found.cost);
        self.watch.report(SearchEvent::Improved(found));
    }
    fn progress(&mut self, now: &Progress, lower_bound: Infimum) -> ControlFlow<StopReason> {
        self.watch.look(now, Some(CostBounds { incumbent: self.incumbent, lower_bound }))
    }
    fn meter(&self) -> Meter {
        self.watch.work().clone()
    }
}

impl Session {
    /// The objective to reach the `goal` of a query with the least of a measure.
    pub(crate) fn objective<'g>(
        &self,
        query: QueryId,
        goal: &'g Formula,
        measure: CostMeasure,
    ) -> Result<Objective<'g>, Reason> {
        Ok(match measure {
            CostMeasure::Cost(rates) => {
                let costs = match Costing::of(self.model(), rates) {
                    Err(Refusal::NonUniform(..)) => {
                        LocationRates::of(self.model(), rates).map(RunCosts::Different)
                    }
                    costing => costing.map(RunCosts::Uniform),
                };
                let costs = costs.map_err(|why| self.not_understood(why))?;
                Objective { query, goal, measure, costs, uses_remaining: true }
            }
            CostMeasure::Time => {
                let costs = RunCosts::Uniform(Costing::TIME);
                Objective { query, goal, measure, costs, uses_remaining: false }
            }
        })
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

    /// Searches for an optimal run. The verdict is [`Verdict::Satisfied`] if the incumbent is
    /// optimal, and [`Verdict::NotSatisfied`] if the goal is unreachable.
    pub(crate) fn find_optimum<'l>(
        &self,
        objective: &Objective<'_>,
        strategy: CostStrategy,
        options: &VerifyOptions,
        start: Instant,
        listener: Option<&'l mut SearchListener<'l>>,
    ) -> Result<Answer, Reason> {
        let Objective { goal, measure, ref costs, .. } = *objective;
        let watch = Watch::new(&options.resources, start, listener);
        let meter = watch.work().clone();
        let mut watcher = Watching::new(watch);
        let mut searched = self.search(objective, strategy, options, &mut watcher)?;
        let is_unreachable =
            |searched: &Searched| searched.found.ending == OptimizationOutcome::Unreachable;
        if is_unreachable(&searched) && strategy != BLIND && may_fail(self.model()) {
            // Estimates leave states out that do not lead to the goal but to a failing transition.
            // Only a search that ends without them excludes one; if it meets a limit, that counts.
            let blind = self.search(objective, BLIND, options, &mut watcher)?;
            if !is_unreachable(&blind) {
                searched = blind;
            }
        }
        let Searched { found, by, labels, symmetry } = searched;
        let mut verdict =
            self.cost_overflow(&found, costs, &meter).unwrap_or_else(|| verdict_of_optimum(&found));
        let mut optimum = Optimum {
            cost: found.best.as_ref().map(|best| best.cost),
            lower_bound: found.lower_bound,
            measure,
            solution: None,
            paid: Vec::new(),
            searched: by,
            rests_on_remaining: labels.remaining.is_some(),
            overestimated: None,
        };
        let mut trace = None;
        if let Some(best) = &found.best {
            // The incumbent is reported for every outcome.
            let meter = &incumbent_meter(&options.resources);
            let run = match costs {
                RunCosts::Uniform(costing) => run_along(self.model(), goal, *costing, best, meter),
                RunCosts::Different(rates) => {
                    zonaut_priced::run_along(self.model(), goal, rates, best, meter)
                }
            };
            match run {
                Ok((network, run)) => {
                    match costs {
                        RunCosts::Uniform(costing) => {
                            optimum.overestimated =
                                overestimated(self.model(), labels, *costing, best, &run, meter);
                            optimum.paid = paid_along(&network, *costing, best, &run, meter);
                        }
                        RunCosts::Different(rates) => {
                            optimum.paid =
                                zonaut_priced::paid_along(&network, rates, best, &run, meter);
                        }
                    }
                    trace = Some(self.namer().trace(&network, &run));
                }
                Err(NoRun::ClockRange | NoRun::Stopped(_)) => {}
                Err(NoRun::Spurious) => verdict = Verdict::Spurious,
            }
        }
        optimum.solution = found.best;
        Ok(Answer {
            trace,
            findings: Findings::Optimum(Box::new(optimum)),
            statistics: found.statistics,
            symmetry,
            ..Answer::unexplored(verdict, options, start)
        })
    }

    /// Searches over points if that is exact, and over zones otherwise; over priced zones if rates
    /// differ.
    fn search(
        &self,
        objective: &Objective<'_>,
        strategy: CostStrategy,
        options: &VerifyOptions,
        watcher: &mut Watching<'_>,
    ) -> Result<Searched, Reason> {
        let Objective { query, goal, ref costs, uses_remaining, .. } = *objective;
        let meter = watcher.watch.work().clone();
        let failed = |failure: Failure| self.not_prepared(&failure);
        let (order, estimates, over) = match strategy {
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
        let costing = match costs {
            RunCosts::Uniform(costing) => *costing,
            RunCosts::Different(_) if matches!(strategy, CostStrategy::Beam(_)) => {
                let why = format!("beam search in a model with {DIFFERENT_RATES}");
                return Err(Reason::Unsuited(why));
            }
            RunCosts::Different(rates) => {
                let search = PricedSearch::new(self.model(), goal, rates.clone(), &meter);
                let symmetry = Symmetry::of(self.model(), &[query]);
                let described = describe(&symmetry, options);
                let search = search.map_err(failed)?.reduced(symmetry);
                let found = match strategy {
                    CostStrategy::Automatic => search.optimise_automatically(estimates, watcher),
                    _ => search.optimise(order, estimates, watcher),
                };
                let found = found.map_err(failed)?;
                let remaining = search.labels().remaining.filter(|_| estimates.remaining);
                let labels = CostLabels { remaining, ..search.labels() };
                let by = ("priced zones", Some(DIFFERENT_RATES));
                return Ok(Searched { found, by, labels, symmetry: described });
            }
        };
        let helpers = self.helpers(options);
        let meters = (0..=helpers.count).filter(|_| helpers.count > 0);
        let meters: Vec<Meter> = meters.map(|_| worker_meter(&meter)).collect();
        let workers = Workers { meters: &meters, crew: helpers.crew };
        // Points support only the automatic estimate of tasks.
        let asks_others = estimates != Estimates::NONE && !estimates.automatic;
        let mut why = None;
        if over == Over::Either && !asks_others {
            let points =
                ScheduleSearch::new(self.model(), goal, costing, &meter).map_err(failed)?;
            match points {
                Ok(points) => {
                    let heuristic = if estimates.automatic {
                        TaskHeuristic::Automatic
                    } else {
                        TaskHeuristic::Blind
                    };
                    let found = match strategy {
                        CostStrategy::Automatic => {
                            points.schedule_with(Beams::default(), helpers, watcher)
                        }
                        CostStrategy::Beam(beams) => points.schedule_with(beams, helpers, watcher),
                        CostStrategy::Ordered { .. } if meters.is_empty() => {
                            points.optimise(order, heuristic, watcher)
                        }
                        CostStrategy::Ordered { .. } => {
                            points.optimise_together(order, heuristic, workers, watcher)
                        }
                    };
                    if !has_left_the_range(&found) {
                        let by = ("points", None);
                        let labels = CostLabels::default();
                        return Ok(Searched { found, by, labels, symmetry: None });
                    }
                    if matches!(strategy, CostStrategy::Beam(_)) {
                        let why = format!("beam search in a model with {TOO_LATE}");
                        return Err(Reason::Unsuited(why));
                    }
                    why = Some(TOO_LATE);
                }
                Err(none) if matches!(strategy, CostStrategy::Beam(_)) => {
                    let why = format!("beam search in a model with {}", none.0);
                    return Err(Reason::Unsuited(why));
                }
                Err(none) => why = Some(none.0),
            }
        }
        let zones = Zones::labelled(self.model(), goal, costing, &meter).map_err(failed)?;
        let model = self.model();
        let found = match meters.is_empty() {
            true => zones.optimise_with(model, goal, order, estimates, watcher),
            false => zones.optimise_together(
                model,
                goal,
                Guidance { order, estimates },
                workers,
                watcher,
            ),
        };
        let found = found.map_err(failed)?;
        let remaining = zones.labels().remaining.filter(|_| estimates.remaining);
        let labels = CostLabels { remaining, ..zones.labels() };
        Ok(Searched { found, by: ("zones", why), labels, symmetry: None })
    }

    /// The threads of a search beside its own. A failing transition may be met or not, as threads
    /// are fast or slow, so that a model with such transitions has none.
    fn helpers(&self, options: &VerifyOptions) -> Helpers<'static> {
        let threads = options.threads.map_or(1, NonZeroUsize::get);
        let count = if may_fail(self.model()) { 0 } else { threads - 1 };
        Helpers { crew: &Threads, count }
    }

    /// The outcome if a cost exceeds the range of integers, with its position.
    fn cost_overflow(
        &self,
        found: &Optimisation,
        costs: &RunCosts,
        meter: &Meter,
    ) -> Option<Verdict> {
        let OptimizationOutcome::Failed { error: StepError::ClockRange, steps } = &found.ending
        else {
            return None;
        };
        let price = last_price(self.model(), steps, meter);
        let place = match (price, costs) {
            (Some(price), _) => self.origin.expressions[price],
            (None, RunCosts::Different(rates)) => {
                let (process, location) = rates.dearest()?;
                self.origin.processes[process].locations[location]
            }
            (None, RunCosts::Uniform(_)) => return None,
        };
        let message = "the cost exceeds the range of exact numbers";
        let diagnostic = Diagnostic::error(COST_OVERFLOW, place, message);
        let help = "use a larger unit of cost";
        Some(Verdict::CostOverflow(Box::new(diagnostic.with_help(help))))
    }

    /// The rejection of cost annotations, with the reason and the position.
    fn not_understood(&self, refusal: Refusal) -> Reason {
        let origin = &self.origin;
        let location = |process, location| origin.processes[process].locations[location];
        let (place, message, help) = match refusal {
            Refusal::NonUniform(process, at) => (
                location(process, at),
                "the cost rate differs from that of other locations of this process",
                "use one rate for all locations of the process in which time passes",
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
                let name =
                    "cost rates that are too large for the constants of the model".to_owned();
                let rates = LocationRates::of(self.model(), Combination::Sum).ok();
                let Some((process, at)) = rates.as_ref().and_then(LocationRates::dearest) else {
                    return Reason::Unsuited(name);
                };
                let (feature, instead) = (Feature::Costs, "use a larger unit of cost or of time");
                let place = location(process, at);
                return Reason::Unsupported(vec![Unsupported { feature, name, place, instead }]);
            }
            Refusal::Stopwatches(process, at) => {
                let content = &self.model().processes[process];
                let (name, place) = (&content.name, &content.locations[at].name);
                let message =
                    format!("stopwatches with costs: {name}.{place} sets the rate of a clock");
                let diagnostic = Diagnostic::error(COSTS, location(process, at), message);
                let help =
                    "remove the rate of the clock: where costs are optimised, all clocks run";
                return Reason::Costs(Box::new(diagnostic.with_help(help)));
            }
        };
        let diagnostic = Diagnostic::error(COSTS, place, message).with_help(help);
        Reason::Costs(Box::new(diagnostic))
    }

    fn not_prepared(&self, failure: &Failure) -> Reason {
        match *failure {
            Failure::Refused(refusal) => self.not_understood(refusal),
            Failure::Stopped(why) | Failure::Compile(CompileError::Stopped(why)) => {
                Reason::Stopped(why)
            }
            Failure::Compile(CompileError::TooManyActions(process, _)) => {
                let name = &self.model().processes[process].name;
                let why = format!("an edge of {name} has too many combinations of `select` values");
                Reason::Unsuited(why)
            }
        }
    }
}

/// Whether a search ended because numbers exceed the range of exact results.
fn has_left_the_range(found: &Optimisation) -> bool {
    matches!(found.ending, OptimizationOutcome::Failed { error: StepError::ClockRange, .. })
}

/// The search that leaves no state out.
const BLIND: CostStrategy = CostStrategy::Ordered {
    order: CostOrder::LeastCost,
    estimates: Estimates::NONE,
    over: Over::Zones,
};

/// Whether some transition or invariant may fail at run time, as far as the ranges of variables tell.
pub(crate) fn may_fail(model: &Model) -> bool {
    let mut walk = declared_walk(model);
    model.processes.iter().any(|process| {
        let mut locations = process.locations.iter();
        let mut edges = process.edges.iter();
        locations.any(|location| {
            walk.restart(Overlay::default());
            let _ = walk.condition(&location.invariant);
            !walk.failures().is_empty()
        }) || edges.any(|edge| {
            walk.restart(Overlay::default());
            let _ = walk.update(&model.before_update);
            let _ = walk.select(&edge.select);
            let _ = walk.condition(&edge.guard);
            let _ = walk.update(&edge.updates);
            let _ = walk.update(&model.after_update);
            !walk.failures().is_empty()
        })
    })
}

/// The reason for priced zones.
const DIFFERENT_RATES: &str = "cost rates that differ between locations";

/// The reason for zones if dates exceed the range of points.
const TOO_LATE: &str = "times that exceed the range of point states";

/// The code of unsupported cost annotations.
pub(crate) const COSTS: &str = "TA1002";

/// The code of costs that exceed the range of integers.
const COST_OVERFLOW: &str = "TA1003";

fn verdict_of_optimum(found: &Optimisation) -> Verdict {
    match &found.ending {
        OptimizationOutcome::Optimal => Verdict::Satisfied,
        OptimizationOutcome::Unreachable => Verdict::NotSatisfied,
        OptimizationOutcome::Stopped(why) => Verdict::Unknown(Reason::Stopped(*why)),
        OptimizationOutcome::Failed { error, .. } => verdict_of_failure(*error),
    }
}
