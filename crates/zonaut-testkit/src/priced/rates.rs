//! Random networks with different rates of locations, examined with a grid of times.

use crate::oracle::{GridCost, Limits, infimum_at_corners, is_closed, least_cost_on_grid};
use crate::random::Random;
use crate::specification::Specification;
use zonaut_base::{Id, Meter};
use zonaut_certify::{Accepted, Claim};
use zonaut_cost::{
    Combination, CostOrder, Costing, Estimates, Infimum, LocationRates, Nothing, Optimisation,
    OptimizationOutcome, Refusal, Solution, Zones,
};
use zonaut_engine::{Evidence, OptimizeOptions, Resources, Session, Unwritten, Verdict};
use zonaut_model::{Expression, Formula, Model, QueryId, QueryKind};
use zonaut_priced::{PricedSearch, paid_along, run_along};

use super::comparison::StateLimit;
use super::pricing::{Priced, goal_of_costs};

/// The limits of the oracles.
const LIMITS: Limits = Limits { states: 60_000, complete: false, witness: false };
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
    /// Whether the checker accepted its certificate.
    pub is_certified: bool,
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
        let mut has_costs = false;
        let Model { processes, expressions, .. } = &mut model;
        for process in processes.iter_mut() {
            for edge in process.edges.iter_mut() {
                if !random.chance(25) {
                    continue;
                }
                has_costs = true;
                let price = expressions.push(Expression::Constant(random.between(0, 4)));
                edge.updates.push(expressions.push(Expression::AddCost(price)));
            }
            for location in process.locations.iter_mut() {
                if !random.chance(80) {
                    continue;
                }
                has_costs = true;
                let rate = Expression::Constant(random.between(0, 4));
                location.cost_rate = Some(expressions.push(rate));
            }
        }
        // Without annotations, cost is elapsed time.
        has_costs.then_some(Self { model, goal })
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

    /// The least cost by the oracle on a grid of `parts` per unit, if it is at most `most`; `None` if
    /// it cannot decide.
    fn on_grid(&self, parts: i32, most: Option<i64>) -> Option<GridCost> {
        let query = QueryKind::Possibly(self.goal.clone());
        least_cost_on_grid(&self.model, &query, parts, most, LIMITS)
    }

    /// The infimum by corner points of regions, if it is at most `most`; `None` if they cannot decide
    /// it.
    fn at_corners(&self, most: Option<i64>) -> Option<GridCost> {
        let query = QueryKind::Possibly(self.goal.clone());
        infimum_at_corners(&self.model, &query, most, LIMITS)
    }

    /// Whether a claim about the least cost is true; `None` if no oracle can decide it. The oracles
    /// look for runs up to the claimed cost only.
    #[must_use]
    pub fn is_true(&self, claimed: Option<Infimum>) -> Option<bool> {
        let query = QueryKind::Possibly(self.goal.clone());
        // A priority disables other transitions where a guard holds: its negation is strict.
        if is_closed(&self.model, &query) && !self.model.has_priorities() {
            return self.on_grid(1, claimed.map(Infimum::value)).map(|known| match claimed {
                None => known == GridCost::Unreachable,
                Some(least) => least.is_attained() && known == GridCost::Least(least.value()),
            });
        }
        // Corner points have the infimum, and only a fine grid shows whether it is attained.
        let infimum = self.at_corners(claimed.map(Infimum::value));
        let is_infimum = infimum.map(|known| match claimed {
            None => known == GridCost::Unreachable,
            Some(least) => known == GridCost::Least(least.value()),
        });
        match (claimed, is_infimum) {
            (_, Some(false)) => Some(false),
            (None, _) => self.first_of_grids(None, |known, _| Some(known == GridCost::Unreachable)),
            (Some(least), _) if least.is_attained() => {
                self.first_of_grids(Some(least.value()), |known, unit| match known {
                    GridCost::Least(known) => Some(known == least.value() * unit),
                    GridCost::Unreachable | GridCost::Above => None,
                })
            }
            // Runs with many strict bounds come close to the infimum on still finer grids only.
            (Some(least), Some(true)) => PARTS.into_iter().try_fold(true, |is_true, parts| {
                let known = self.on_grid(parts, Some(least.value() * i64::from(parts)))?;
                Some(is_true && !matches!(known, GridCost::Least(_)))
            }),
            (Some(least), None) => {
                self.first_of_grids(Some(least.value() + 1), |known, unit| match known {
                    GridCost::Least(known) if known / unit > least.value() => None,
                    GridCost::Least(known) => Some(known > least.value() * unit),
                    GridCost::Unreachable | GridCost::Above => None,
                })
            }
        }
    }

    /// The first verdict from the coarse grid to the fine one, and `false` without a verdict; `None`
    /// if a grid before it cannot decide. Costs above `most` are not searched; the second argument of
    /// `verdict` is the number of parts of a unit.
    fn first_of_grids(
        &self,
        most: Option<i64>,
        verdict: impl Fn(GridCost, i64) -> Option<bool>,
    ) -> Option<bool> {
        for parts in PARTS {
            let unit = i64::from(parts);
            let known = self.on_grid(parts, most.map(|most| most * unit))?;
            if let Some(verdict) = verdict(known, unit) {
                return Some(verdict);
            }
        }
        Some(false)
    }

    /// Compares the least cost with the oracles; returns whether they decided it.
    fn judge(&self, least: Option<Infimum>) -> Result<bool, String> {
        match self.is_true(least) {
            Some(false) => {
                let (infimum, grids) =
                    (self.at_corners(None), PARTS.map(|parts| self.on_grid(parts, None)));
                Err(format!("{least:?}, by corners {infimum:?}, on grids {grids:?}"))
            }
            truth => Ok(truth.is_some()),
        }
    }

    /// Lets the engine find the least cost and the checker check its certificate; returns whether a
    /// certificate was accepted.
    fn certify(&self, least: Option<Infimum>) -> Result<bool, String> {
        let (core, bytes) = match self.certificate()? {
            Some(written) => written,
            None => return Ok(false),
        };
        let accepted = zonaut_certify::check(&core, &bytes, &Default::default());
        let accepted = accepted.map_err(|refusal| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            format!("the certificate is refused: {refusal}\n{text}")
        })?;
        match claimed_by(&accepted) {
            Some(shown) if shown == least => Ok(true),
            _ => Err(format!("{least:?}, and by its certificate: {accepted}")),
        }
    }

    /// The core text and the certificate of the engine's answer; `None` if the model fails.
    ///
    /// # Errors
    /// The engine has no answer, or no certificate of it.
    pub(crate) fn certificate(&self) -> Result<Option<(String, Vec<u8>)>, String> {
        let session = Session::of_model(self.model.clone());
        let resources = Resources { states: Some(MOST), ..Resources::default() };
        let options = OptimizeOptions { resources, ..OptimizeOptions::default() };
        let id = QueryId::from_index(0);
        let mut bytes = Vec::new();
        let evidence = Evidence { certificate: Some(&mut bytes), ..Evidence::default() };
        let found = session.optimize_with_certificate(id, &options, evidence);
        let found = found.map_err(|why| format!("refused: {why:?}"))?;
        if matches!(found.verdict, Verdict::Error(_) | Verdict::Unknown(_)) {
            return Ok(None);
        }
        match &found.certificate {
            Some(Ok(())) => Ok(Some((session.core_text_of_answer(id, &found), bytes))),
            Some(Err(Unwritten::Stopped(_))) => Ok(None),
            why => Err(format!("{:?} without a certificate: {why:?}", found.verdict)),
        }
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
    /// with the oracles, and in every other case with the certificate. Every optimal path has a run of its cost, and no estimate of a state on it
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
        let mut fails_below = false;
        for (order, estimates) in orders {
            let found = search.optimise(order, estimates, &mut StateLimit(MOST));
            let found = found.map_err(|why| format!("{order:?}: {why:?}"))?;
            fails_below |= matches!(found.ending, OptimizationOutcome::Failed { .. });
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
        // Half of the networks are examined without certification. An estimate may hide a transition that
        // fails below the least cost; the proof explores all states below it, and ends there.
        if seed.is_multiple_of(2) && !fails_below {
            examined.is_certified = self.certify(least)?;
        }
        Ok(examined)
    }
}

/// The least cost that a certificate proves, `None` inside if the goal is unreachable; `None` if it
/// proves something else.
pub(crate) fn claimed_by(accepted: &Accepted) -> Option<Option<Infimum>> {
    match accepted.claim {
        Claim::NotSatisfied => Some(None),
        Claim::LeastCost(cost) => Some(Some(Infimum::attained(cost))),
        Claim::CostInfimum(cost) => Some(Some(Infimum::approached(cost))),
        Claim::Satisfied | Claim::Fails => None,
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
