//! Cheapest paths by a search over priced zones.

use crate::date_bound::DateBound;
use crate::graph::PricedGraph;
use crate::labels::{LabelEstimate, with_kept_labels};
use crate::state::{PricedCovering, PricedEncoding, PricedState, infimum};
use std::ops::ControlFlow;
use zonaut_base::{Held, Meter};
use zonaut_compile::{ActionId, BoundsTable, CompiledNetwork, Step};
use zonaut_cost::{
    CostLabels, Estimate, Estimated, Failure, Infimum, LocationRates, Optimisation,
    OptimizationObserver, OptimizationOutcome, Refusal, Solution, drive, first_solution,
};
use zonaut_dbm::Wide;
use zonaut_model::{Formula, Model};
use zonaut_search::{ArenaStore, Search};
use zonaut_space::{Cost, Goal, Pricing, Successor, TransitionSystem};
use zonaut_strategy::{CostOrder, Estimates};
use zonaut_symmetry::{SymmetricGraph, Symmetry};
use zonaut_zonegraph::{Abstraction, CompiledGoal, StepError, ZoneGoal, ZoneGraph};

/// A model with rates of locations and a goal, prepared for a search over priced zones.
pub struct PricedSearch<'m> {
    model: &'m Model,
    formula: &'m Formula,
    network: CompiledNetwork,
    /// The memory of the network.
    _held: Held,
    meter: Meter,
    bounds: BoundsTable,
    goal: CompiledGoal,
    rates: LocationRates,
    labels: CostLabels,
    /// The symmetry by which states are replaced by representatives.
    symmetry: Option<Symmetry>,
}

impl<'m> PricedSearch<'m> {
    /// Prepares `model` for the goal; all evaluations count on `meter`.
    ///
    /// # Errors
    /// Too many actions.
    pub fn new(
        model: &'m Model,
        goal: &'m Formula,
        rates: LocationRates,
        meter: &Meter,
    ) -> Result<Self, Failure> {
        Self::with_labels(model, goal, rates, CostLabels::of(model, goal), meter)
    }

    /// The same without the author's labels, for a proof.
    ///
    /// # Errors
    /// Too many actions.
    pub fn without_labels(
        model: &'m Model,
        goal: &'m Formula,
        rates: LocationRates,
        meter: &Meter,
    ) -> Result<Self, Failure> {
        Self::with_labels(model, goal, rates, CostLabels::default(), meter)
    }

    fn with_labels(
        model: &'m Model,
        goal: &'m Formula,
        rates: LocationRates,
        labels: CostLabels,
        meter: &Meter,
    ) -> Result<Self, Failure> {
        let kept = with_kept_labels(model, labels);
        let network = CompiledNetwork::new(&kept, meter).map_err(Failure::Compile)?;
        Ok(Self {
            model,
            formula: goal,
            _held: network.hold(meter),
            network,
            meter: meter.clone(),
            bounds: BoundsTable::new(model, goal),
            goal: CompiledGoal::new(model, goal),
            rates,
            labels,
            symmetry: None,
        })
    }

    /// The same search with symmetry reduction. Rates and prices are symmetric as the model is: they
    /// are expressions of templates, which a symmetry of the model respects.
    #[must_use]
    pub fn reduced(self, symmetry: Symmetry) -> Self {
        Self { symmetry: Some(symmetry).filter(|symmetry| !symmetry.is_trivial()), ..self }
    }

    pub(crate) fn model(&self) -> &Model {
        self.model
    }

    pub(crate) fn goal(&self) -> &CompiledGoal {
        &self.goal
    }

    /// The author's labels.
    #[must_use]
    pub fn labels(&self) -> CostLabels {
        self.labels
    }

    /// Looks for a cheapest path to the goal in this order, with the estimate from dates and that of
    /// the author. A smaller network is not used.
    ///
    /// # Errors
    /// A constant of the model that is too large.
    pub fn optimise(
        &self,
        order: CostOrder,
        estimates: Estimates,
        watcher: &mut dyn OptimizationObserver,
    ) -> Result<Optimisation, Failure> {
        self.optimise_by(Plan::Ordered(order), estimates, watcher)
    }

    /// Looks for a first path depth first and then for a cheapest one by A\*, so that a limit leaves
    /// an incumbent.
    ///
    /// # Errors
    /// A constant of the model that is too large.
    pub fn optimise_automatically(
        &self,
        estimates: Estimates,
        watcher: &mut dyn OptimizationObserver,
    ) -> Result<Optimisation, Failure> {
        self.optimise_by(Plan::Automatic, estimates, watcher)
    }

    /// Explores the graph, or with a symmetry the representatives of its states.
    fn optimise_by(
        &self,
        plan: Plan,
        estimates: Estimates,
        watcher: &mut dyn OptimizationObserver,
    ) -> Result<Optimisation, Failure> {
        let (graph, search) = (&self.graph()?, self);
        match &self.symmetry {
            None => {
                let unfold = &|steps: &[Step]| steps.to_vec();
                Explored { search, graph, system: graph, unfold }.optimise(plan, estimates, watcher)
            }
            Some(symmetry) => {
                let system = &SymmetricGraph::new(graph, symmetry);
                // A path that cannot be unfolded has no run, which the concretisation detects.
                let unfold = &|steps: &[Step]| {
                    system.unfold(self.model, steps).unwrap_or_else(|| steps.to_vec())
                };
                Explored { search, graph, system, unfold }.optimise(plan, estimates, watcher)
            }
        }
    }

    pub(crate) fn graph(&self) -> Result<PricedGraph<'_>, Failure> {
        let exact = Abstraction::Exact;
        let zones = ZoneGraph::<Wide>::new(&self.network, &self.bounds, exact, &self.meter);
        Ok(PricedGraph::new(zones.map_err(|_| Refusal::TooLarge)?, &self.rates))
    }

    fn estimate<'g>(
        &'g self,
        graph: &'g PricedGraph<'g>,
        estimates: Estimates,
    ) -> Result<PricedEstimate<'g, 'g>, Failure> {
        let remaining = self.labels.remaining.filter(|_| estimates.remaining);
        let labels = CostLabels { remaining, ..self.labels };
        let labels = LabelEstimate::new(labels, self.network.process_count());
        let dates = match estimates.automatic {
            true => DateBound::new(graph.zones(), self.model, self.formula, &self.rates)?,
            false => None,
        };
        Ok(PricedEstimate { labels, dates })
    }

    /// The automatic estimates of the states along a path, the start first: the least after each
    /// number of transitions, because a path leads to several priced zones. Covered ones are left out:
    /// on a long path the others are few, and all parts of parts would be exponentially many.
    ///
    /// # Errors
    /// A constant of the model that is too large, or the meter stops.
    pub fn totals_along(&self, path: &[Vec<ActionId>]) -> Result<Vec<Option<Infimum>>, Failure> {
        let graph = self.graph()?;
        let estimates = Estimates { automatic: true, ..Estimates::NONE };
        let mut estimate = self.estimate(&graph, estimates)?;
        let mut least = |states: &[PricedState]| {
            states.iter().filter_map(|state| estimate.total(state, state.least)).min()
        };
        let mut states = Vec::new();
        let _ = graph.for_each_initial(&mut graph.scratch(), |initial| {
            if let Ok(state) = initial {
                insert_uncovered(&mut states, state);
            }
            ControlFlow::Continue(())
        });
        let mut totals = vec![least(&states)];
        for actions in path {
            let mut next = Vec::new();
            for state in &states {
                let _ = graph.for_each_successor(state, &mut graph.scratch(), |successor| {
                    if let Successor::State(step, after) = successor
                        && graph.zones().read_step(step, |taken| taken == actions.as_slice())
                    {
                        insert_uncovered(&mut next, after);
                    }
                    ControlFlow::Continue(())
                });
            }
            states = next;
            totals.push(least(&states));
        }
        Ok(totals)
    }
}

/// Adds a state unless another one covers it, and removes those that it covers.
fn insert_uncovered(states: &mut Vec<PricedState>, state: &PricedState) {
    let covers = |one: &PricedState, other: &PricedState| {
        one.symbolic.key() == other.symbolic.key() && one.covers(other)
    };
    if !states.iter().any(|known| covers(known, state)) {
        states.retain(|known| !covers(state, known));
        states.push(state.clone());
    }
}

/// The most states of the search for a first path.
const FIRST: usize = 1_000;

/// The order of a search, or the choice of one.
#[derive(Clone, Copy)]
enum Plan {
    /// One search.
    Ordered(CostOrder),
    /// A first path depth first, and a search by A\* below its cost.
    Automatic,
}

/// A transition system of priced states.
pub(crate) trait PricedSystem:
    TransitionSystem<State = PricedState, Step = Step, Error = StepError>
{
}

impl<Ts> PricedSystem for Ts where
    Ts: TransitionSystem<State = PricedState, Step = Step, Error = StepError>
{
}

/// The system that a search explores.
struct Explored<'g, Ts> {
    search: &'g PricedSearch<'g>,
    graph: &'g PricedGraph<'g>,
    /// The graph, or the representatives of its states.
    system: &'g Ts,
    /// The steps of the graph for a path of the system.
    unfold: &'g dyn Fn(&[Step]) -> Vec<Step>,
}

/// The search of priced zones.
type ZoneSearch<'g, Ts> = Search<
    'g,
    Ts,
    PricedGoal<'g, 'g>,
    ArenaStore<PricedEncoding<'g>, PricedCovering>,
    Estimated<PricedEstimate<'g, 'g>>,
    ZonePricing<'g, 'g>,
>;

/// A search, and the least estimate of its initial states.
struct Prepared<'g, Ts: PricedSystem> {
    search: ZoneSearch<'g, Ts>,
    at_least: Infimum,
}

impl<'g, Ts: PricedSystem> Explored<'g, Ts> {
    fn optimise(
        &self,
        plan: Plan,
        estimates: Estimates,
        watcher: &mut dyn OptimizationObserver,
    ) -> Result<Optimisation, Failure> {
        let read = |steps: &[Step]| self.read(steps);
        let order = match plan {
            Plan::Automatic => CostOrder::BestDepthFirst { total: 1, work: 0 },
            Plan::Ordered(order) => {
                let Prepared { search, at_least } = self.prepare(order, estimates)?;
                return Ok(drive(search, at_least, read, watcher));
            }
        };
        let Prepared { search, at_least } = self.prepare(order, estimates)?;
        let (incumbent, first) = first_solution(search, at_least, FIRST, read, watcher);
        let Prepared { search, at_least } = self.prepare(CostOrder::LeastTotal, estimates)?;
        let mut found = match &incumbent {
            Some(Solution { cost, .. }) => drive(search.below(*cost), at_least, read, watcher),
            None => drive(search, at_least, read, watcher),
        };
        found.statistics.explored += first.explored;
        if let Some(incumbent) = incumbent.filter(|_| found.best.is_none()) {
            found.lower_bound = found.lower_bound.min(incumbent.cost);
            if found.ending == OptimizationOutcome::Unreachable {
                // No path costs less.
                found.ending = OptimizationOutcome::Optimal;
                found.lower_bound = incumbent.cost;
            }
            found.best = Some(incumbent);
        }
        Ok(found)
    }

    fn prepare(&self, order: CostOrder, estimates: Estimates) -> Result<Prepared<'g, Ts>, Failure> {
        let Self { search, graph, system, .. } = *self;
        let goal = || PricedGoal(ZoneGoal::new(graph.zones(), &search.goal));
        let store = ArenaStore::new(PricedEncoding { network: &search.network }, PricedCovering);
        let mut estimate = search.estimate(graph, estimates)?;
        let at_least = start(graph, &mut estimate);
        let frontier = Estimated::new(order, estimate);
        let search = Search::cheapest(system, ZonePricing(goal()), goal(), store, frontier);
        Ok(Prepared { search, at_least })
    }

    /// The actions of each step of a path.
    fn read(&self, steps: &[Step]) -> Vec<Vec<ActionId>> {
        let steps = (self.unfold)(steps).into_iter();
        steps.map(|step| self.graph.zones().read_step(step, <[_]>::to_vec)).collect()
    }
}

/// The least estimate of the initial states.
fn start(graph: &PricedGraph<'_>, estimate: &mut PricedEstimate<'_, '_>) -> Infimum {
    let mut least: Option<Infimum> = None;
    let _ = graph.for_each_initial(&mut graph.scratch(), |initial| {
        if let Ok(state) = initial
            && let Some(total) = estimate.total(state, state.least)
        {
            least = Some(least.map_or(total, |known| known.min(total)));
        }
        ControlFlow::Continue(())
    });
    least.unwrap_or(Infimum::ZERO)
}

/// The greater of the author's estimate and the estimate from dates.
struct PricedEstimate<'g, 'n> {
    labels: LabelEstimate,
    dates: Option<DateBound<'g, 'n>>,
}

impl Estimate<PricedState> for PricedEstimate<'_, '_> {
    fn total(&mut self, state: &PricedState, cost: Infimum) -> Option<Infimum> {
        let total = self.labels.total(state, cost)?;
        match &mut self.dates {
            Some(dates) => dates.total(state, cost).map(|dated| dated.max(total)),
            None => Some(total),
        }
    }

    fn rank(&self) -> i64 {
        self.labels.rank()
    }
}

/// A goal in some valuation of a priced state.
pub(crate) struct PricedGoal<'g, 'n>(pub(crate) ZoneGoal<'g, 'n, Wide>);

impl<Ts: PricedSystem> Goal<Ts> for PricedGoal<'_, '_> {
    fn holds_in(&mut self, state: &PricedState) -> Result<bool, StepError> {
        self.0.holds_in(&state.symbolic)
    }
}

/// The costs of priced states.
pub(crate) struct ZonePricing<'g, 'n>(pub(crate) PricedGoal<'g, 'n>);

impl<Ts: PricedSystem> Pricing<Ts> for ZonePricing<'_, '_> {
    type Cost = Infimum;

    fn is_in_states(&self) -> bool {
        true
    }

    fn of_initial(&self, state: &PricedState) -> Infimum {
        state.least
    }

    fn after(&self, before: Infimum, _step: Step, state: &PricedState) -> Infimum {
        debug_assert!(state.least >= before, "law: rates and prices are not negative");
        state.least.max(before)
    }

    fn at_goal(&mut self, cost: Infimum, state: &PricedState) -> Result<Infimum, StepError> {
        let mut best = Infimum::GREATEST;
        let mut is_bounded = true;
        let PricedGoal(goal) = &mut self.0;
        goal.for_each_part(&state.symbolic, |part| match state.cost.least_in(part) {
            Some(least) => best = best.min(infimum(least)),
            None => is_bounded = false,
        })?;
        if is_bounded { Ok(best.max(cost)) } else { Err(StepError::ClockRange) }
    }
}
