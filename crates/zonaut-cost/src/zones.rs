//! Cheapest paths by a search over priced zones.
//!
//! If time is free, a state is a zone and a number. Otherwise the zone has a row for the cost
//! (G. Behrmann, A. Fehnker, T. Hune, K. Larsen, P. Pettersson, J. Romijn: "Efficient guiding towards
//! cost-optimality in UPPAAL", DOI 10.1007/3-540-45319-9_13, section 2.4). Rates other than one are
//! rate one for clocks that run faster (Lemma 3).
//!
//! # Claims
//! *Comparing zones compares costs* (Lemma 4). The zone Z of a state has no upper bound on the cost d:
//! it holds (u, d) if u is reached at a cost of at most d. The start is so, no edge sets d, nothing is
//! compared with it, and a price moves all of the zone. So Z includes Z' exactly if every valuation
//! of Z' is in Z at no greater cost.
//!
//! *The simulation of lower and upper bounds may be used with costs.* Let (u', c') simulate (u, c) if
//! c' <= c, and u' simulates u by lower and upper bounds. The latter is kept by delays of equal length
//! and by resets, and what u satisfies, u' satisfies. So a delay by t is answered by a delay by t, which
//! costs as much, and a transition by itself, which costs as much: prices depend on data alone. Hence
//! each run from (u, c) to a goal is answered by one that costs no more. With the cost as a clock that
//! is always exact, the test for zones asks for equal values d, and as zones have no upper bounds on d,
//! equal values of d mean that c' <= c.
//!
//! *Attained or not.* The least cost of a state is the lower bound on d. It is strict exactly if no
//! valuation has that cost; so the pair of number and strictness is exact, too.

use std::ops::ControlFlow;

use zonaut_base::{Held, Meter};
use zonaut_compile::{ActionId, BoundsTable, CompileError, CompiledNetwork, Measure};
use zonaut_dbm::{ALWAYS_EXACT, Row, Wide, Zone};
use zonaut_model::{Formula, Model};
use zonaut_search::{ArenaStore, AsyncParts, Asynchronous, Crew, Search};
use zonaut_space::{Cost, Pricing, StopReason, Successor, TransitionSystem};
use zonaut_strategy::{CostOrder, Estimates};
use zonaut_zonegraph::{
    Abstraction, Comparison, CompiledGoal, StateEncoding, Step, StepError, SymbolicState, Unsound,
    ZoneCovering, ZoneGoal, ZoneGraph,
};

use crate::costing::{Costing, Refusal};
use crate::drive::{
    Optimisation, OptimizationObserver, OptimizationOutcome, drive, drive_together,
};
use crate::estimate::Estimate;
use crate::infimum::Infimum;
use crate::labels::{CostLabels, LabelPlaces, LabelStore};
use crate::order::Estimated;
use crate::zone_bound::{Ingredients, ZoneBound};

/// States are compared with bounds that hold very large sums.
type State = SymbolicState<Wide>;

/// The reason for which a search over zones is not possible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The costs are not understood.
    Refused(Refusal),
    /// The model cannot be compiled.
    Compile(CompileError),
    /// The meter stopped the preparation.
    Stopped(StopReason),
}

impl From<StopReason> for Failure {
    fn from(why: StopReason) -> Self {
        Self::Stopped(why)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The workers of a search: the meter of each, and their threads.
#[derive(Clone, Copy)]
pub struct Workers<'w> {
    /// The meters; they stop for the same reasons.
    pub meters: &'w [Meter],
    /// The threads.
    pub crew: &'w dyn Crew,
}

/// The order of a search, and its estimates of the remaining cost.
#[derive(Clone, Copy, Debug)]
pub struct Guidance {
    /// The order.
    pub order: CostOrder,
    /// The estimates.
    pub estimates: Estimates,
}

/// A model and a goal, prepared for a search in zones with costs.
pub struct Zones {
    network: CompiledNetwork,
    /// The memory of the network.
    _held: Held,
    meter: Meter,
    pub(crate) bounds: BoundsTable,
    pub(crate) goal: CompiledGoal,
    pub(crate) costing: Costing,
    pub(crate) labels: CostLabels,
    abstraction: Abstraction,
}

impl Zones {
    /// The same with another abstraction than the best one. All lead to the same cost, if they end.
    #[must_use]
    pub fn abstracted(self, abstraction: Abstraction) -> Self {
        Self { abstraction, ..self }
    }

    /// The same with the [labels](CostLabels) of the model kept beside states.
    ///
    /// # Errors
    /// As [`Zones::new`].
    pub fn labelled(
        model: &Model,
        goal: &Formula,
        costing: Costing,
        meter: &Meter,
    ) -> Result<Self, Failure> {
        let labels = CostLabels::of(model, goal);
        let cells = labels.cells();
        if cells.is_empty() {
            return Self::new(model, goal, costing, meter);
        }
        let zones = Self::new(&labels.outside(model), goal, costing, meter)?;
        Ok(Self { network: zones.network.with_kept(&cells), labels, ..zones })
    }

    /// The labels that are kept.
    #[must_use]
    pub fn labels(&self) -> CostLabels {
        self.labels
    }

    /// Looks for a cheapest path to the goal of `model` with these estimates.
    ///
    /// # Errors
    /// A constant of the model that is too large, or the meter stops.
    pub fn optimise_with(
        &self,
        model: &Model,
        goal: &Formula,
        order: CostOrder,
        estimates: Estimates,
        watcher: &mut dyn OptimizationObserver,
    ) -> Result<Optimisation, Failure> {
        let graph = self.graph(self.abstraction)?;
        let mut estimate = self.estimate(&graph, model, goal, estimates)?;
        let start = self.starts(&graph).into_iter();
        let start = start.filter_map(|(state, cost)| estimate.total(&state, cost)).min();
        let at_least = start.unwrap_or(Infimum::ZERO);
        Ok(self.run(&graph, order, estimate, at_least, watcher))
    }

    /// The same by several workers, each in the given order. The least cost is the same.
    ///
    /// # Errors
    /// As [`Zones::optimise_with`].
    pub fn optimise_together(
        &self,
        model: &Model,
        goal: &Formula,
        Guidance { order, estimates }: Guidance,
        workers: Workers<'_>,
        watcher: &mut dyn OptimizationObserver,
    ) -> Result<Optimisation, Failure> {
        let graphs = workers.meters.iter().map(|meter| self.graph_on(self.abstraction, meter));
        let graphs = graphs.collect::<Result<Vec<_>, _>>()?;
        let mut parts = Vec::new();
        let mut at_least = None;
        for (number, graph) in graphs.iter().enumerate() {
            let mut estimate = self.estimate(graph, model, goal, estimates)?;
            if number == 0 {
                let start = self.starts(graph).into_iter();
                at_least = start.filter_map(|(state, cost)| estimate.total(&state, cost)).min();
            }
            let places = LabelPlaces::new(self.labels, self.network.process_count());
            parts.push(AsyncParts {
                system: graph,
                goal: ZoneGoal::new(graph, &self.goal),
                store: self.store(graph, places.clone()),
                frontier: Estimated::new(of_worker(order, number), estimate),
                pricing: ZonePricing::new(ZoneGoal::new(graph, &self.goal), self.costing),
                encoding: StateEncoding::new(graph),
                luggage: places,
            });
        }
        let search = Asynchronous::cheapest(parts);
        let read = |steps: &[Step]| {
            steps.iter().map(|&step| graphs[0].read_step(step, <[_]>::to_vec)).collect()
        };
        let at_least = at_least.unwrap_or(Infimum::ZERO);
        let found = drive_together(search, workers.crew, at_least, read, watcher);
        match found.ending {
            // In another order, a goal might have been met before: one worker decides.
            OptimizationOutcome::Failed { .. } => {
                self.optimise_with(model, goal, order, estimates, watcher)
            }
            _ => Ok(found),
        }
    }

    fn store<'g, 'n>(
        &self,
        graph: &'g ZoneGraph<'n, Wide>,
        places: LabelPlaces,
    ) -> LabelStore<ArenaStore<StateEncoding<'g, Wide>, ZoneCovering<'g, Wide>>> {
        let covering = ZoneCovering::new(graph, Comparison::of(graph.abstraction()));
        LabelStore::new(ArenaStore::new(StateEncoding::new(graph), covering), places)
    }

    fn estimate<'g, 'n>(
        &self,
        graph: &'g ZoneGraph<'n, Wide>,
        model: &Model,
        goal: &Formula,
        estimates: Estimates,
    ) -> Result<ZoneBound<'g, 'n>, StopReason> {
        let remaining = self.labels.remaining.filter(|_| estimates.remaining);
        let labels = CostLabels { remaining, ..self.labels };
        let costing = self.costing;
        ZoneBound::new(graph, &Ingredients { model, goal, costing, labels, estimates })
    }

    /// The initial states, with their costs.
    fn starts(&self, graph: &ZoneGraph<'_, Wide>) -> Vec<(State, Infimum)> {
        let pricing = ZonePricing::new(ZoneGoal::new(graph, &self.goal), self.costing);
        let mut starts = Vec::new();
        let _ = graph.for_each_initial(&mut graph.scratch(), |initial| {
            starts.extend(initial.ok().map(|state| (state.clone(), pricing.of_initial(state))));
            ControlFlow::Continue(())
        });
        starts
    }

    /// The estimates of the states along a path, the start first: the least after each number of
    /// transitions, where the path leads to several states.
    ///
    /// # Errors
    /// A constant of the model that is too large, or the meter stops.
    pub fn totals_along(
        &self,
        model: &Model,
        goal: &Formula,
        estimates: Estimates,
        path: &[Vec<ActionId>],
    ) -> Result<Vec<Option<Infimum>>, Failure> {
        let graph = self.graph(self.abstraction)?;
        let pricing = ZonePricing::new(ZoneGoal::new(&graph, &self.goal), self.costing);
        let mut estimate = self.estimate(&graph, model, goal, estimates)?;
        let mut least = |states: &[(State, Infimum)]| {
            states.iter().filter_map(|(state, cost)| estimate.total(state, *cost)).min()
        };
        let mut states = self.starts(&graph);
        let mut totals = vec![least(&states)];
        for actions in path {
            let mut next = Vec::new();
            for (state, cost) in &states {
                let _ = graph.for_each_successor(state, &mut graph.scratch(), |successor| {
                    if let Successor::State(step, after) = successor
                        && graph.read_step(step, |taken| taken == actions.as_slice())
                    {
                        next.push((after.clone(), pricing.after(*cost, step, after)));
                    }
                    ControlFlow::Continue(())
                });
            }
            states = next;
            totals.push(least(&states));
        }
        Ok(totals)
    }

    /// Prepares `model` for the goal; all evaluations count on `meter`.
    ///
    /// # Errors
    /// A rate that is too large for the constants of the model, or too many actions.
    pub fn new(
        model: &Model,
        goal: &Formula,
        costing: Costing,
        meter: &Meter,
    ) -> Result<Self, Failure> {
        let network = CompiledNetwork::new(model, meter).map_err(Failure::Compile)?;
        let bounds = BoundsTable::new(model, goal);
        let zones = Self {
            abstraction: Abstraction::best(&bounds),
            _held: network.hold(meter),
            meter: meter.clone(),
            goal: CompiledGoal::new(model, goal),
            labels: CostLabels::default(),
            network,
            bounds,
            costing,
        };
        if costing.rate == 0 {
            return Ok(zones);
        }
        let bounds = zones.bounds.scaled(costing.rate).ok_or(Refusal::TooLarge)?;
        let bounds = bounds.with_clock(cost_bound());
        Ok(Self {
            abstraction: Abstraction::best(&bounds),
            network: zones.network.scaled(costing.rate).with_measure(match costing.has_prices {
                true => Measure::Cost,
                false => Measure::Time,
            }),
            bounds,
            goal: zones.goal.scaled(costing.rate),
            ..zones
        })
    }

    pub(crate) fn graph(&self, abstraction: Abstraction) -> Result<ZoneGraph<'_, Wide>, Failure> {
        self.graph_on(abstraction, &self.meter)
    }

    /// The graph whose evaluations count on `meter`.
    fn graph_on(
        &self,
        abstraction: Abstraction,
        meter: &Meter,
    ) -> Result<ZoneGraph<'_, Wide>, Failure> {
        let graph = ZoneGraph::<Wide>::new(&self.network, &self.bounds, abstraction, meter);
        graph.map_err(|unsound| match unsound {
            Unsound::Constants | Unsound::Differences => Refusal::TooLarge.into(),
        })
    }

    /// Looks for a cheapest path to the goal.
    ///
    /// # Errors
    /// A constant of the model that is too large.
    pub fn optimise(
        &self,
        order: CostOrder,
        estimate: impl Estimate<State>,
        watcher: &mut dyn OptimizationObserver,
    ) -> Result<Optimisation, Failure> {
        let graph = self.graph(self.abstraction)?;
        Ok(self.run(&graph, order, estimate, Infimum::ZERO, watcher))
    }

    fn run(
        &self,
        graph: &ZoneGraph<'_, Wide>,
        order: CostOrder,
        estimate: impl Estimate<State>,
        at_least: Infimum,
        watcher: &mut dyn OptimizationObserver,
    ) -> Optimisation {
        let places = LabelPlaces::new(self.labels, self.network.process_count());
        let store = self.store(graph, places);
        let goal = ZoneGoal::new(graph, &self.goal);
        let pricing = ZonePricing::new(ZoneGoal::new(graph, &self.goal), self.costing);
        let search = Search::cheapest(graph, pricing, goal, store, Estimated::new(order, estimate));
        let read = |steps: &[Step]| {
            steps.iter().map(|&step| graph.read_step(step, <[_]>::to_vec)).collect()
        };
        drive(search, at_least, read, watcher)
    }
}

/// The order in which a worker expands its states: random orders differ.
pub fn of_worker(order: CostOrder, number: usize) -> CostOrder {
    match order {
        CostOrder::RandomDepthFirst(seed) => {
            CostOrder::RandomDepthFirst(seed.wrapping_add(number as u64))
        }
        order => order,
    }
}

/// Up to what the row of the cost is compared: it is never extrapolated.
fn cost_bound() -> i32 {
    #[cfg(feature = "faults")]
    if crate::faults::Fault::CostExtrapolated.is_selected() {
        return 1;
    }
    ALWAYS_EXACT
}

/// The costs of symbolic states.
pub(crate) struct ZonePricing<'g, 'n> {
    goal: ZoneGoal<'g, 'n, Wide>,
    /// Whether zones have a row for the cost, their last one; otherwise only transitions cost.
    is_in_zones: bool,
}

impl<'g, 'n> ZonePricing<'g, 'n> {
    pub(crate) fn new(goal: ZoneGoal<'g, 'n, Wide>, costing: Costing) -> Self {
        Self { goal, is_in_zones: costing.rate > 0 }
    }
}

/// The least value of the last clock.
fn least(zone: &Zone<Wide>) -> Infimum {
    let bound = zone.bound(Row::ZERO, Row((zone.dim() - 1) as u16));
    #[cfg(feature = "faults")]
    if crate::faults::Fault::StrictnessForgotten.is_selected() {
        return Infimum::attained(-bound.value());
    }
    match bound.is_strict() {
        true => Infimum::approached(-bound.value()),
        false => Infimum::attained(-bound.value()),
    }
}

impl<'n> Pricing<ZoneGraph<'n, Wide>> for ZonePricing<'_, 'n> {
    type Cost = Infimum;

    fn is_in_states(&self) -> bool {
        #[cfg(feature = "faults")]
        if crate::faults::Fault::CostNotCompared.is_selected() {
            return true;
        }
        self.is_in_zones
    }

    fn of_initial(&self, state: &State) -> Infimum {
        if self.is_in_zones { least(&state.zone) } else { Infimum::ZERO }
    }

    fn after(&self, before: Infimum, _step: Step, state: &State) -> Infimum {
        match self.is_in_zones {
            // Zones that were confined may be larger than exact ones, but not cheaper.
            true => least(&state.zone).max(before),
            #[cfg(feature = "faults")]
            false if crate::faults::Fault::PriceForgotten.is_selected() => {
                before.max(Infimum::attained(state.price))
            }
            false => before.plus(Infimum::attained(state.price)),
        }
    }

    fn at_goal(&mut self, cost: Infimum, state: &State) -> Result<Infimum, StepError> {
        if !self.is_in_zones {
            return Ok(cost);
        }
        let mut best = Infimum::GREATEST;
        self.goal.for_each_part(state, |part| best = best.min(least(part)))?;
        Ok(best.max(cost))
    }
}
