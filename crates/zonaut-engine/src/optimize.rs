//! Cheapest runs, and the proof that there are no cheaper ones.

use crate::answer::Reason;
use crate::resources::{Resources, Watch};
use crate::session::Session;
use crate::unsupported::Unsupported;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use zonaut_analysis::goal::Reachability;
use zonaut_base::{Diagnostic, FileId, Id, Meter, Span};
use zonaut_compile::{ActionId, BoundsTable, CompileError, CompiledNetwork};
use zonaut_concrete::{ConcreteRun, Destination, NoRun, concretise};
use zonaut_cost::{
    Costing, Ending, Failure, Guide, Improvement, Infimum, Nothing, Optimisation, Order, Points,
    Refusal, Solution, Watcher, Zones,
};
use zonaut_dbm::Wide;
use zonaut_model::interpret::{ErrorKind, RunTimeError};
use zonaut_model::{
    Clock, ClockConstraint, Expression, Formula, Model, Place, QueryId, QueryKind, Relation,
};
use zonaut_search::Statistics;
use zonaut_space::{Observer, Progress, StopReason};
use zonaut_trace::Trace;
use zonaut_zonegraph::{Abstraction, CompiledGoal, StepError, ZoneGraph};

/// How a cheapest run is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Plan {
    /// By beams, then by the least sum of cost and estimate, where the model is a network of tasks;
    /// by the least cost elsewhere.
    #[default]
    Automatic,
    /// In this order, over points where the model is a network of tasks.
    Ordered(Order),
    /// In this order, over zones.
    Zones(Order),
}

impl Plan {
    /// The plan of this name: `auto`, the name of an order, or `zones:` and the name of an order.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match (name, name.strip_prefix("zones:")) {
            ("auto", _) => Some(Self::Automatic),
            (_, Some(order)) => Order::named(order).map(Self::Zones),
            (order, None) => Order::named(order).map(Self::Ordered),
        }
    }

    /// The names of all plans.
    #[must_use]
    pub fn names() -> Vec<String> {
        let orders = || Order::ALL.map(Order::name).into_iter();
        let zones = orders().map(|name| format!("zones:{name}"));
        std::iter::once("auto".to_owned()).chain(orders().map(str::to_owned)).chain(zones).collect()
    }
}

/// The greatest width of beams before all that is left is searched.
const WIDEST_BEAM: usize = 1 << 16;

/// How a run is optimised.
#[derive(Clone, Debug, Default)]
pub struct OptimizeOptions {
    /// How to look for it.
    pub plan: Plan,
    /// The seed of random choices.
    pub seed: u64,
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
    /// What was searched, `points` or `zones`, and why not points.
    pub searched: (&'static str, Option<&'static str>),
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

/// Who is told of better runs, and when they were found.
pub type ImprovementListener<'l> = dyn FnMut(Improvement, Duration) + 'l;

/// Watches an optimisation.
struct Watching<'w> {
    watch: Watch<'w>,
    listener: &'w mut ImprovementListener<'w>,
    start: Instant,
}

impl Watcher for Watching<'_> {
    fn improved(&mut self, found: Improvement) {
        (self.listener)(found, self.start.elapsed());
    }
    fn progress(&mut self, now: &Progress, _lower_bound: Infimum) -> ControlFlow<StopReason> {
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
        listener: &'o mut ImprovementListener<'o>,
    ) -> Result<Optimized, NotOptimized> {
        let kind = &self.model().queries[query].kind;
        let QueryKind::Possibly(goal) = kind else { return Err(NotOptimized::NoGoal) };
        let mut reasons = Unsupported::of_query(self.model(), &self.origin, query);
        reasons.extend(Unsupported::of_model(self.model(), &self.origin));
        if !reasons.is_empty() {
            return Err(NotOptimized::Unsupported(reasons));
        }
        let costing = Costing::of(self.model()).map_err(|why| self.not_understood(why))?;
        self.optimize_goal(goal, costing, options, listener)
    }

    /// Looks for a cheapest run to a goal.
    pub(crate) fn optimize_goal<'o>(
        &self,
        goal: &Formula,
        costing: Costing,
        options: &'o OptimizeOptions,
        listener: &'o mut ImprovementListener<'o>,
    ) -> Result<Optimized, NotOptimized> {
        let start = Instant::now();
        let watch = Watch::new(&options.resources, start, None);
        let mut watcher = Watching { watch, listener, start };
        let (found, searched) = self.search(goal, costing, options, &mut watcher)?;
        let mut optimized = Optimized {
            optimum: optimum_of(&found),
            cost: found.best.as_ref().map(|best| best.cost),
            lower_bound: found.lower_bound,
            trace: None,
            searched,
            statistics: found.statistics,
            seconds: 0.0,
        };
        if let Some(best) = &found.best {
            // The run is shown whatever ended the search.
            match self.run_along(goal, costing, best) {
                Ok(trace) => optimized.trace = Some(trace),
                Err(NoRun::ClockRange) => {}
                Err(NoRun::Spurious | NoRun::Stopped(_)) => optimized.optimum = Optimum::Spurious,
            }
        }
        optimized.seconds = start.elapsed().as_secs_f64();
        Ok(optimized)
    }

    /// Searches over points where that is exact, and over zones elsewhere.
    fn search(
        &self,
        goal: &Formula,
        costing: Costing,
        options: &OptimizeOptions,
        watcher: &mut Watching<'_>,
    ) -> Result<(Optimisation, (&'static str, Option<&'static str>)), NotOptimized> {
        let meter = watcher.watch.work().clone();
        let failed = |failure: Failure| self.not_prepared(&failure);
        let seeded = |order| match order {
            Order::RandomDepthFirst(_) => Order::RandomDepthFirst(options.seed),
            order => order,
        };
        let (order, why) = match options.plan {
            Plan::Zones(order) => (order, None),
            Plan::Automatic | Plan::Ordered(_) => {
                let points = Points::new(self.model(), goal, costing, &meter).map_err(failed)?;
                match (points, options.plan) {
                    (Ok(points), Plan::Ordered(order)) => {
                        let found = points.optimise(seeded(order), Guide::Automatic, watcher);
                        return Ok((found, ("points", None)));
                    }
                    (Ok(points), _) => {
                        return Ok((points.schedule(WIDEST_BEAM, watcher), ("points", None)));
                    }
                    (Err(why), Plan::Ordered(order)) => (order, Some(why.0)),
                    (Err(why), _) => (Order::LeastCost, Some(why.0)),
                }
            }
        };
        let zones = Zones::new(self.model(), goal, costing, &meter).map_err(failed)?;
        let found = zones.optimise(seeded(order), Nothing, watcher).map_err(failed)?;
        Ok((found, ("zones", why)))
    }

    /// The earliest run along the way of a solution that costs as much as is claimed, or, where that
    /// is only approached, less than one more.
    fn run_along(
        &self,
        goal: &Formula,
        costing: Costing,
        solution: &Solution,
    ) -> Result<Trace, NoRun> {
        let mut session = self.clone();
        let time = {
            let (model, origin) = session.parts();
            origin.clocks.push(nowhere());
            model.clocks.push(Clock { name: "#time".into(), owner: None, initial: 0 })
        };
        let network = compiled(session.model())?;
        let formula = match time_limit(&network, costing, solution)? {
            None => goal.clone(),
            Some((relation, bound)) => {
                let (model, origin) = session.parts();
                origin.expressions.push(nowhere());
                let bound = model.expressions.push(Expression::Constant(bound));
                let (left, right) = (Place::fixed(time), None);
                let early = ClockConstraint { condition: None, left, right, relation, bound };
                Formula::And(vec![goal.clone(), Formula::Clock(early)])
            }
        };
        let bounds = BoundsTable::new(session.model(), &formula);
        let graph = ZoneGraph::<Wide>::new(&network, &bounds, Abstraction::Exact);
        let graph = graph.map_err(|_| NoRun::ClockRange)?;
        let steps: Vec<_> =
            solution.steps.iter().map(|step| network.names().name(step, 0)).collect();
        let compiled_goal = CompiledGoal::new(session.model(), &formula);
        let mut run = concretise(&graph, &steps, Destination::Goal(&compiled_goal))?;
        forget_time(&mut run);
        Ok(self.namer().trace(&network, &run))
    }

    /// Why the costs of the model are not understood, where it says so.
    fn not_understood(&self, refusal: Refusal) -> NotOptimized {
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

/// The code of costs that are not understood.
const COSTS: &str = "TA1002";

/// The place of what no text says.
fn nowhere() -> Span {
    Span { file: FileId::from_index(0), start: 0, end: 0 }
}

fn compiled(model: &Model) -> Result<CompiledNetwork, NoRun> {
    CompiledNetwork::new(model).map_err(|_| NoRun::Spurious)
}

/// Until when the goal has to be reached so that a run along the way of `solution` costs as little as
/// is claimed; nothing where time costs nothing.
fn time_limit(
    network: &CompiledNetwork,
    costing: Costing,
    solution: &Solution,
) -> Result<Option<(Relation, i32)>, NoRun> {
    if costing.rate == 0 {
        return Ok(None);
    }
    let prices = if costing.has_prices { prices_along(network, &solution.steps)? } else { 0 };
    let (rate, left) = (i64::from(costing.rate), solution.cost.value() - prices);
    // All constants are integers, so the least time along a path is one, or a limit from above.
    let (relation, bound) = match solution.cost.is_attained() {
        true => (Relation::LessEqual, left.div_euclid(rate)),
        false => (Relation::Less, left.div_euclid(rate) + 1),
    };
    match i32::try_from(bound) {
        Ok(bound) if bound < zonaut_model::CLOCK_LIMIT => Ok(Some((relation, bound))),
        _ => Ok(None),
    }
}

/// What transitions cost one after the other: prices depend on data alone.
fn prices_along(network: &CompiledNetwork, steps: &[Vec<ActionId>]) -> Result<i64, NoRun> {
    let mut machine = network.machine();
    let (mut values, mut sum) = (network.initial.to_vec(), 0);
    for step in steps {
        network.take(step, &mut values, &mut machine).map_err(|_| NoRun::Spurious)?;
        sum += machine.cost;
    }
    Ok(sum)
}

/// Takes the last clock out of all states.
fn forget_time(run: &mut ConcreteRun) {
    run.start_clocks.pop();
    for step in &mut run.steps {
        step.clocks.pop();
    }
}

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
        match self.optimize_goal(&goal, Costing::TIME, &options, &mut nobody) {
            Ok(Optimized { optimum, trace: Some(trace), .. }) => {
                Fastest { trace, is_proven: optimum == Optimum::Proven }
            }
            _ => unproven(found),
        }
    }
}
