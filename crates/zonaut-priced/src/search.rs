//! Cheapest paths by a search over priced zones.

use crate::graph::PricedGraph;
use crate::labels::{LabelEstimate, with_kept_labels};
use crate::state::{PricedCovering, PricedEncoding, PricedState, infimum};
use zonaut_base::{Held, Meter};
use zonaut_compile::{BoundsTable, CompiledNetwork, Step};
use zonaut_cost::{
    CostLabels, Estimated, Failure, Infimum, LocationRates, Optimisation, OptimizationObserver,
    Refusal, drive,
};
use zonaut_dbm::Wide;
use zonaut_model::{Formula, Model};
use zonaut_search::{ArenaStore, Search};
use zonaut_space::{Cost, Goal, Pricing};
use zonaut_strategy::{CostOrder, Estimates};
use zonaut_zonegraph::{Abstraction, CompiledGoal, StepError, ZoneGoal, ZoneGraph};

/// A model with rates of locations and a goal, prepared for a search over priced zones.
pub struct PricedSearch {
    network: CompiledNetwork,
    /// The memory of the network.
    _held: Held,
    meter: Meter,
    bounds: BoundsTable,
    goal: CompiledGoal,
    rates: LocationRates,
    labels: CostLabels,
}

impl PricedSearch {
    /// Prepares `model` for the goal; all evaluations count on `meter`.
    ///
    /// # Errors
    /// Too many actions.
    pub fn new(
        model: &Model,
        goal: &Formula,
        rates: LocationRates,
        meter: &Meter,
    ) -> Result<Self, Failure> {
        let labels = CostLabels::of(model, goal);
        let kept = with_kept_labels(model, labels);
        let network = CompiledNetwork::new(&kept, meter).map_err(Failure::Compile)?;
        Ok(Self {
            _held: network.hold(meter),
            network,
            meter: meter.clone(),
            bounds: BoundsTable::new(model, goal),
            goal: CompiledGoal::new(model, goal),
            rates,
            labels,
        })
    }

    /// The author's labels.
    #[must_use]
    pub fn labels(&self) -> CostLabels {
        self.labels
    }

    /// Looks for a cheapest path to the goal in this order. Of the estimates only `remaining` is
    /// used.
    ///
    /// # Errors
    /// A constant of the model that is too large.
    pub fn optimise(
        &self,
        order: CostOrder,
        estimates: Estimates,
        watcher: &mut dyn OptimizationObserver,
    ) -> Result<Optimisation, Failure> {
        let exact = Abstraction::Exact;
        let zones = ZoneGraph::<Wide>::new(&self.network, &self.bounds, exact, &self.meter);
        let zones = zones.map_err(|_| Refusal::TooLarge)?;
        let graph = PricedGraph::new(zones, &self.rates);
        let goal = || PricedGoal(ZoneGoal::new(graph.zones(), &self.goal));
        let store = ArenaStore::new(PricedEncoding { network: &self.network }, PricedCovering);
        let remaining = self.labels.remaining.filter(|_| estimates.remaining);
        let labels = CostLabels { remaining, ..self.labels };
        let estimate = LabelEstimate::new(labels, self.network.process_count());
        let frontier = Estimated::new(order, estimate);
        let search = Search::cheapest(&graph, ZonePricing(goal()), goal(), store, frontier);
        let read = |steps: &[Step]| {
            steps.iter().map(|&step| graph.zones().read_step(step, <[_]>::to_vec)).collect()
        };
        Ok(drive(search, Infimum::ZERO, read, watcher))
    }
}

/// A goal in some valuation of a priced state.
struct PricedGoal<'g, 'n>(ZoneGoal<'g, 'n, Wide>);

impl<'n> Goal<PricedGraph<'n>> for PricedGoal<'_, 'n> {
    fn holds_in(&mut self, state: &PricedState) -> Result<bool, StepError> {
        self.0.holds_in(&state.symbolic)
    }
}

/// The costs of priced states.
struct ZonePricing<'g, 'n>(PricedGoal<'g, 'n>);

impl<'n> Pricing<PricedGraph<'n>> for ZonePricing<'_, 'n> {
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
