//! Random networks with different rates of locations, examined with a grid of times.

use crate::oracle::{GridCost, Limits, is_closed, least_cost_on_grid};
use crate::random::Random;
use crate::specification::Specification;
use zonaut_base::Meter;
use zonaut_cost::{
    Combination, CostOrder, Costing, Estimates, Infimum, LocationRates, Nothing, Optimisation,
    OptimizationOutcome, Refusal, Solution, Zones,
};
use zonaut_model::{Expression, Formula, Model, QueryKind};
use zonaut_priced::{PricedSearch, paid_along, run_along};

use super::comparison::StateLimit;
use super::pricing::{Priced, goal_of_costs};

/// The state limit of the oracle.
const STATES: usize = 60_000;
/// The parts of a unit of time if bounds are strict: coarse, and fine for a second opinion.
const PARTS: [i32; 2] = [12, 48];
/// The state limit of a search.
const MOST: usize = 4_000;

/// A network whose locations have different rates, with prices of edges and a goal.
#[derive(Clone, Debug)]
pub struct Rated {
    /// The network, with the goal as its first query.
    pub model: Model,
    goal: Formula,
}

/// The result of an examination.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExaminedRates {
    /// The least cost, if the goal is reachable.
    pub least: Option<Infimum>,
    /// Whether an oracle decided it.
    pub is_judged: bool,
    /// The number of answers.
    pub answers: u64,
}

impl Rated {
    /// The network of `specification` with random rates and prices; `None` if its query is not a
    /// reachability goal for costs.
    #[must_use]
    pub fn of(specification: &Specification, seed: u64) -> Option<Self> {
        let mut model = specification.to_model();
        let goal = goal_of_costs(&mut model)?;
        if model.has_rates() {
            return None;
        }
        let mut random = Random::new(seed ^ 0x7a7e);
        let Model { processes, expressions, .. } = &mut model;
        for process in processes.iter_mut() {
            for edge in process.edges.iter_mut() {
                if !random.chance(25) {
                    continue;
                }
                let price = expressions.push(Expression::Constant(random.between(0, 4)));
                edge.updates.push(expressions.push(Expression::AddCost(price)));
            }
            for location in process.locations.iter_mut() {
                if !random.chance(80) {
                    continue;
                }
                let rate = Expression::Constant(random.between(0, 4));
                location.cost_rate = Some(expressions.push(rate));
            }
        }
        Some(Self { model, goal })
    }

    /// A model as text and the goal of its query; `None` if its rates do not differ.
    ///
    /// # Errors
    /// The messages of the front end.
    pub fn of_text(text: &str, query: &str) -> Result<Option<Self>, Vec<String>> {
        let Priced { model, goal, .. } = Priced::of_text(text, query)?;
        let differ = matches!(Costing::of(&model, Combination::Sum), Err(Refusal::NonUniform(..)));
        Ok(differ.then_some(Self { model, goal }))
    }

    /// The least cost by the oracle, on a grid of `parts` per unit; `None` if it cannot decide.
    fn judged(&self, parts: i32) -> Option<Option<Infimum>> {
        let query = QueryKind::Possibly(self.goal.clone());
        let limits = Limits { states: STATES, ..Limits::default() };
        match least_cost_on_grid(&self.model, &query, parts, limits)? {
            GridCost::Unreachable => Some(None),
            GridCost::Least(cost) => {
                let (value, rest) = (cost / i64::from(parts), cost % i64::from(parts));
                let least = match rest {
                    0 => Infimum::attained(value),
                    _ => Infimum::approached(value),
                };
                Some(Some(least))
            }
        }
    }

    /// Compares the least cost with the oracle; returns whether that decided it.
    fn judge(&self, least: Option<Infimum>) -> Result<bool, String> {
        let query = QueryKind::Possibly(self.goal.clone());
        let grids: &[i32] = if is_closed(&self.model, &query) { &[1] } else { &PARTS };
        let mut judged = None;
        for &parts in grids {
            judged = self.judged(parts);
            match judged {
                Some(known) if known == least => return Ok(true),
                // A grid may be too coarse.
                Some(_) => {}
                None => return Ok(false),
            }
        }
        Err(format!("{least:?}, and by the oracle {judged:?}"))
    }

    /// Checks that some run along an optimal path has the claimed cost, or, if this is an infimum, a
    /// cost of less than one more.
    fn check_run(&self, best: &Solution) -> Result<(), String> {
        let Self { model, goal } = self;
        let rates = LocationRates::of(model, Combination::Sum);
        let rates = rates.map_err(|why| format!("refused: {why:?}"))?;
        let meter = Meter::default();
        let run = run_along(model, goal, &rates, best, &meter);
        let (network, run) = run.map_err(|why| format!("{} without a run: {why:?}", best.cost))?;
        let paid = paid_along(&network, &rates, best, &run, &meter);
        let above = paid.last().map_or(0.0, |(_, paid)| *paid) - best.cost.value() as f64;
        // Sums of few fractions with small denominators are nearly exact.
        let is_right = match best.cost.is_attained() {
            true => above.abs() < 1e-6,
            false => (1e-6..1.0).contains(&above),
        };
        if is_right { Ok(()) } else { Err(format!("{} by a run of {paid:?}", best.cost)) }
    }

    /// Looks for the least cost over priced zones in several orders, with and without estimates, and
    /// compares the results with each other, with the search for uniform rates where it applies, and
    /// with the oracle. Every optimal path has a run of its cost, and no estimate of a state on it
    /// exceeds the least cost.
    ///
    /// # Errors
    /// The first wrong answer.
    pub fn examine(&self, seed: u64) -> Result<ExaminedRates, String> {
        let Self { model, goal } = self;
        let rates = LocationRates::of(model, Combination::Sum);
        let rates = rates.map_err(|why| format!("refused: {why:?}"))?;
        let search = PricedSearch::new(model, goal, rates, &Meter::default());
        let search = search.map_err(|why| format!("{why:?}"))?;
        let mut random = Random::new(seed ^ 0x0bde);
        let orders = [
            (CostOrder::LeastCost, Estimates::NONE),
            (random.choose(&CostOrder::ALL), Estimates::ALL),
        ];
        let mut examined = ExaminedRates::default();
        let mut known: Option<Option<Infimum>> = None;
        for (order, estimates) in orders {
            let found = search.optimise(order, estimates, &mut StateLimit(MOST));
            let found = found.map_err(|why| format!("{order:?}: {why:?}"))?;
            let Some(least) = least_of(&found)? else { continue };
            examined.answers += 1;
            if let Some(best) = &found.best {
                self.check_run(best).map_err(|why| format!("{order:?}: {why}"))?;
                let totals = search.totals_along(&best.steps);
                let totals = totals.map_err(|why| format!("{order:?}: {why:?}"))?;
                if totals.iter().any(|total| total.is_none_or(|total| total > best.cost)) {
                    return Err(format!("{order:?}: {} and estimates {totals:?}", best.cost));
                }
            }
            if known.is_some_and(|known| known != least) {
                return Err(format!("{order:?}: {least:?} and not {known:?}"));
            }
            known = Some(least);
        }
        let Some(least) = known else { return Ok(examined) };
        let found = search.optimise_automatically(Estimates::ALL, &mut StateLimit(MOST));
        let automatic = least_of(&found.map_err(|why| format!("automatic: {why:?}"))?)?;
        if automatic.is_some_and(|automatic| automatic != least) {
            return Err(format!("{least:?}, and automatically {automatic:?}"));
        }
        if let Ok(costing) = Costing::of(model, Combination::Sum)
            && !costing.is_time
        {
            let zones = Zones::new(model, goal, costing, &Meter::default());
            let zones = zones.map_err(|why| format!("{why:?}"))?;
            let found = zones.optimise(CostOrder::LeastCost, Nothing, &mut StateLimit(MOST));
            let uniform = least_of(&found.map_err(|why| format!("{why:?}"))?)?;
            if uniform.is_some_and(|uniform| uniform != least) {
                return Err(format!("{least:?}, and with uniform rates {uniform:?}"));
            }
        }
        examined.least = least;
        examined.is_judged = self.judge(least)?;
        Ok(examined)
    }
}

/// The least cost that a search proves; `None` if the model fails or a limit came first.
fn least_of(found: &Optimisation) -> Result<Option<Option<Infimum>>, String> {
    match (&found.ending, &found.best) {
        (OptimizationOutcome::Unreachable, None) => Ok(Some(None)),
        (OptimizationOutcome::Optimal, Some(best)) if found.lower_bound == best.cost => {
            Ok(Some(Some(best.cost)))
        }
        (OptimizationOutcome::Failed { .. } | OptimizationOutcome::Stopped(_), _) => Ok(None),
        other => Err(format!("{other:?}, at least {}", found.lower_bound)),
    }
}
