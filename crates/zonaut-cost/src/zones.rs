//! Cheapest ways by zones with costs.
//!
//! Where time is free, a state is a zone and a number. Where it costs, the zone has a row for the cost
//! (G. Behrmann, A. Fehnker, T. Hune, K. Larsen, P. Pettersson, J. Romijn: "Efficient guiding towards
//! cost-optimality in UPPAAL", DOI 10.1007/3-540-45319-9_13, section 2.4). Rates other than one are
//! rate one for clocks that run faster (Lemma 3).
//!
//! # Claims
//! *Comparing zones compares costs* (Lemma 4). The zone Z of a state has no upper bound on the cost d:
//! it holds (u, d) if u is reached at a cost of at most d. The start is so, nobody sets d, nothing is
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

use zonaut_base::Meter;
use zonaut_compile::{BoundsTable, CompileError, CompiledNetwork, Measure};
use zonaut_dbm::{Clock, Wide, Zone};
use zonaut_model::Formula;
use zonaut_search::{ArenaStore, Search};
use zonaut_space::{Cost, Pricing};
use zonaut_zonegraph::{
    Abstraction, Comparison, CompiledGoal, StateEncoding, Step, StepError, SymbolicState, Unsound,
    ZoneCovering, ZoneGoal, ZoneGraph,
};

use crate::costing::{Costing, Refusal};
use crate::drive::{Optimisation, Watcher, drive};
use crate::estimate::Estimate;
use crate::infimum::Infimum;
use crate::order::{Estimated, Order};
use zonaut_model::Model;

/// States are compared with bounds that hold very large sums.
type State = SymbolicState<Wide>;

/// Why there are no zones with costs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The costs are not understood.
    Refused(Refusal),
    /// The model cannot be compiled.
    Compile(CompileError),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// A model and a goal, prepared for a search in zones with costs.
pub struct Zones {
    network: CompiledNetwork,
    bounds: BoundsTable,
    goal: CompiledGoal,
    costing: Costing,
}

impl Zones {
    /// Prepares `model` for the goal; all evaluations count on `meter`.
    ///
    /// # Errors
    /// Where the rate is too large for the constants of the model, or there are too many actions.
    pub fn new(
        model: &Model,
        goal: &Formula,
        costing: Costing,
        meter: &Meter,
    ) -> Result<Self, Failure> {
        let network = CompiledNetwork::metered(model, meter).map_err(Failure::Compile)?;
        let bounds = BoundsTable::new(model, goal);
        let compiled = CompiledGoal::metered(model, goal, meter);
        if costing.rate == 0 {
            return Ok(Self { network, bounds, goal: compiled, costing });
        }
        let bounds = bounds.scaled(costing.rate).ok_or(Refusal::TooLarge)?;
        Ok(Self {
            network: network.scaled(costing.rate).with_measure(match costing.has_prices {
                true => Measure::Cost,
                false => Measure::Time,
            }),
            bounds: bounds.with_exact_clock(),
            goal: compiled.scaled(costing.rate),
            costing,
        })
    }

    /// Looks for a cheapest way to the goal.
    ///
    /// # Errors
    /// Where a constant of the model is too large.
    pub fn optimise(
        &self,
        order: Order,
        estimate: impl Estimate<State>,
        watcher: &mut dyn Watcher,
    ) -> Result<Optimisation, Failure> {
        let abstraction = Abstraction::best(&self.bounds);
        let graph = ZoneGraph::<Wide>::new(&self.network, &self.bounds, abstraction);
        let graph = graph.map_err(|unsound| match unsound {
            Unsound::Constants | Unsound::Differences => Refusal::TooLarge,
        })?;
        let comparison = Comparison::of(abstraction);
        let covering = ZoneCovering::new(&graph, comparison);
        let store = ArenaStore::new(StateEncoding::new(&graph), covering);
        let goal = ZoneGoal::new(&graph, &self.goal);
        let pricing = ZonePricing {
            goal: ZoneGoal::new(&graph, &self.goal),
            is_in_zones: self.costing.rate > 0,
        };
        let search =
            Search::cheapest(&graph, pricing, goal, store, Estimated::new(order, estimate));
        let read = |steps: &[Step]| {
            steps.iter().map(|&step| graph.read_step(step, <[_]>::to_vec)).collect()
        };
        Ok(drive(search, Infimum::ZERO, read, watcher))
    }
}

/// What symbolic states cost.
struct ZonePricing<'g, 'n> {
    goal: ZoneGoal<'g, 'n, Wide>,
    /// Whether zones have a row for the cost, their last one; otherwise only transitions cost.
    is_in_zones: bool,
}

/// The least value of the last clock.
fn least(zone: &Zone<Wide>) -> Infimum {
    let bound = zone.bound(Clock::ZERO, Clock((zone.dim() - 1) as u16));
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
