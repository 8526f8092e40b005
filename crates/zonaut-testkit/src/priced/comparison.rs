//! Comparison of all searches for a least cost.

use std::ops::ControlFlow;

use crate::oracle::Limits;
use crate::oracle::priced::{Claim, is_true};
use crate::random::Random;
use zonaut_base::{Id, Meter};
use zonaut_cost::{
    Combination, CostOrder, Costing, Estimates, Infimum, Nothing, Optimisation,
    OptimizationObserver, OptimizationOutcome, Zones,
};
use zonaut_engine::{Evidence, OptimizeOptions, Session, Verdict};
use zonaut_model::{Formula, Model, QueryId, QueryKind};
use zonaut_scheduling::{Beams, ScheduleSearch, TaskHeuristic};
use zonaut_space::{Progress, StopReason};

use super::pricing::Priced;

/// The state limit of the oracle.
const STATES: usize = 6_000;
/// More states than a network of this size can need in the order of costs.
const MOST: usize = 200_000;
/// The state limit of other orders. Depth-first search may visit any number of states if time is
/// unbounded, and compares them all with each other; a search that has not terminated by then would
/// take long. Its bounds are compared, too.
const MOST_IN_OTHER_ORDERS: usize = 10_000;

/// The result of an examination.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Examined {
    /// The claim on which all agree; `None` if the costs are refused, or the model fails.
    pub claim: Option<Claim>,
    /// Whether the model fails at run time, so that nothing was compared.
    pub fails: bool,
    /// Whether the oracle could decide the least cost.
    pub is_judged: bool,
    /// The number of answers.
    pub answers: u64,
}

/// Stops a search after this number of states.
pub(super) struct StateLimit(pub(super) usize);

impl OptimizationObserver for StateLimit {
    fn progress(&mut self, now: &Progress, _: Infimum) -> ControlFlow<StopReason> {
        match now.explored > self.0 {
            true => ControlFlow::Break(StopReason::NodeLimit),
            false => ControlFlow::Continue(()),
        }
    }
}

/// The claim of a search; `None` if the model fails.
fn claim(found: &Optimisation) -> Result<Option<Claim>, String> {
    match (&found.ending, &found.best) {
        (OptimizationOutcome::Unreachable, None) => Ok(Some(Claim::Unreachable)),
        (OptimizationOutcome::Optimal, Some(best)) if found.lower_bound == best.cost => {
            Ok(Some(claim_of(best.cost)))
        }
        (OptimizationOutcome::Failed { .. }, _) => Ok(None),
        other => Err(format!("{other:?}, at least {}", found.lower_bound)),
    }
}

/// Compares the result of a search with the known claim; returns whether the search was complete.
/// If it was stopped, its incumbent and its lower bound must enclose the known cost.
fn agree(found: &Optimisation, known: Claim) -> Result<bool, String> {
    if found.ending == OptimizationOutcome::Stopped(StopReason::NodeLimit) {
        let is_better = |found: Infimum| least_of(known).is_none_or(|least| found < least);
        let is_dearer = |bound: Infimum| least_of(known).is_some_and(|least| bound > least);
        let best = found.best.as_ref().map(|best| best.cost);
        return match best.is_some_and(is_better) || is_dearer(found.lower_bound) {
            true => Err(format!("{best:?}, at least {}, and not {known:?}", found.lower_bound)),
            false => Ok(false),
        };
    }
    match claim(found)? {
        Some(other) if other != known => Err(format!("{other:?} and not {known:?}")),
        claimed => Ok(claimed.is_some()),
    }
}

/// The claimed least cost.
fn least_of(claim: Claim) -> Option<Infimum> {
    match claim {
        Claim::Unreachable => None,
        Claim::Least(value) => Some(Infimum::attained(i64::from(value))),
        Claim::Infimum(value) => Some(Infimum::approached(i64::from(value))),
    }
}

fn claim_of(cost: Infimum) -> Claim {
    let value = i32::try_from(cost.value()).unwrap_or(i32::MAX);
    if cost.is_attained() { Claim::Least(value) } else { Claim::Infimum(value) }
}

/// The claim for costs divided by `factor`.
fn divided(claim: Claim, factor: i32) -> Result<Claim, String> {
    match claim {
        Claim::Unreachable => Ok(claim),
        Claim::Least(value) if value % factor == 0 => Ok(Claim::Least(value / factor)),
        Claim::Infimum(value) if value % factor == 0 => Ok(Claim::Infimum(value / factor)),
        _ => Err(format!("{claim:?} is no multiple of {factor}")),
    }
}

/// A query for the least cost.
struct CostQuery<'m> {
    model: &'m Model,
    goal: &'m Formula,
    costing: Costing,
}

impl CostQuery<'_> {
    fn zones(&self) -> Result<Zones, String> {
        let Self { model, goal, costing } = *self;
        Zones::labelled(model, goal, costing, &Meter::default()).map_err(|why| format!("{why:?}"))
    }

    /// The least cost in the order of costs, without estimates.
    fn least(&self) -> Result<Option<Claim>, String> {
        let found = self.zones()?.optimise(CostOrder::LeastCost, Nothing, &mut StateLimit(MOST));
        claim(&found.map_err(|why| format!("{why:?}"))?)
    }

    /// Compares a search over zones with the known claim; returns whether it had a result.
    /// Estimates must be admissible on a cheapest path.
    fn compare(
        &self,
        order: CostOrder,
        estimates: Estimates,
        known: Claim,
    ) -> Result<bool, String> {
        let (zones, model, goal) = (self.zones()?, self.model, self.goal);
        let fail = |why| format!("{order:?}, {estimates:?}: {why:?}");
        let patience = &mut StateLimit(MOST_IN_OTHER_ORDERS);
        let found = zones.optimise_with(model, goal, order, estimates, patience).map_err(fail)?;
        let agreed = agree(&found, known);
        if !agreed.map_err(|why| format!("{order:?}, {estimates:?}: {why}"))? {
            return Ok(false);
        }
        let is_provable = estimates.automatic || estimates.smaller;
        if let Some(best) = found.best.filter(|_| is_provable) {
            let totals = zones.totals_along(model, goal, estimates, &best.steps).map_err(fail)?;
            let is_true = |total: &Option<Infimum>| total.is_some_and(|total| total <= best.cost);
            if totals.len() != best.steps.len() + 1 || !totals.iter().all(is_true) {
                return Err(format!("{totals:?} on a path that costs {}", best.cost));
            }
        }
        Ok(true)
    }

    /// Compares searches over point states with the known claim, in a network of tasks; returns
    /// their number.
    fn compare_points(&self, order: CostOrder, widest: usize, known: Claim) -> Result<u64, String> {
        let points = ScheduleSearch::new(self.model, self.goal, self.costing, &Meter::default());
        let Ok(points) = points.map_err(|why| format!("{why:?}"))? else { return Ok(0) };
        let patience = || StateLimit(MOST_IN_OTHER_ORDERS);
        let found = [
            points.optimise(order, TaskHeuristic::Blind, &mut patience()),
            points.optimise(order, TaskHeuristic::Automatic, &mut patience()),
            points.schedule(Beams { widest, ..Beams::default() }, &mut patience()),
        ];
        let mut answers = 0;
        for found in &found {
            let agreed = agree(found, known);
            let agreed = agreed.map_err(|why| format!("points, {order:?}, {widest}: {why}"))?;
            answers += u64::from(agreed);
        }
        Ok(answers)
    }
}

/// Optimises the first query with the engine, and verifies the certificate of the answer.
fn certify(model: &Model, known: Claim) -> Result<(), String> {
    let session = Session::of_model(model.clone());
    let (id, options) = (QueryId::from_index(0), OptimizeOptions::default());
    let mut bytes = Vec::new();
    let evidence = Evidence { certificate: Some(&mut bytes), ..Evidence::default() };
    let found = session.optimize_with_certificate(id, &options, evidence);
    let found = found.map_err(|why| format!("refused: {why:?}"))?;
    let claimed = match (&found.verdict, found.cost()) {
        (Verdict::NotSatisfied, None) => Claim::Unreachable,
        (Verdict::Satisfied, Some(cost)) => claim_of(cost),
        (Verdict::Error(_), _) => return Ok(()),
        other => return Err(format!("{other:?}")),
    };
    if claimed != known {
        return Err(format!("the engine claims {claimed:?} and not {known:?}"));
    }
    let Some(Ok(())) = found.certificate else {
        return Err(format!("no certificate: {:?}", found.certificate));
    };
    let core = session.core_text_of_answer(id, &found);
    let accepted = zonaut_certify::check(&core, &bytes, &Default::default())
        .map_err(|refusal| format!("the certificate is refused: {refusal}"))?;
    let shown = match accepted.claim {
        zonaut_certify::Claim::NotSatisfied => Claim::Unreachable,
        zonaut_certify::Claim::LeastCost(cost) => claim_of(Infimum::attained(cost)),
        zonaut_certify::Claim::CostInfimum(cost) => claim_of(Infimum::approached(cost)),
        other => return Err(format!("the certificate shows {other:?}")),
    };
    if shown == known { Ok(()) } else { Err(format!("the certificate shows {shown:?}")) }
}

impl Priced {
    /// Whether a claim about the least cost, with the sum of all rates, is true; `None` if the
    /// oracle cannot decide it.
    #[must_use]
    pub fn is_true(&self, claim: Claim) -> Option<bool> {
        let costing = Costing::of(&self.model, Combination::Sum).ok()?;
        // The oracle supports rates of 0 and 1.
        if costing.rate > self.factor {
            return None;
        }
        let Ok(divided) = divided(claim, self.factor) else { return Some(false) };
        let query = QueryKind::Possibly(self.goal.clone());
        let limits = Limits { states: STATES, ..Limits::default() };
        is_true(&self.judged, &query, costing.rate.min(1), divided, limits)
    }
}

/// Examines a priced model; `seed` selects the search orders.
///
/// # Errors
/// The first wrong answer, or the reason for which its certificate is not accepted.
pub fn examine(priced: &Priced, seed: u64) -> Result<Examined, String> {
    let Priced { model, goal, .. } = priced;
    let Ok(costing) = Costing::of(model, Combination::Sum) else { return Ok(Examined::default()) };
    let asked = CostQuery { model, goal, costing };
    let Some(known) = asked.least()? else {
        return Ok(Examined { fails: true, answers: 1, ..Examined::default() });
    };
    let mut random = Random::new(seed ^ 0x0bde);
    // A search for each combination of locations takes longer than all others together.
    let asks_smaller = random.chance(25);
    let mut order = || random.choose(&CostOrder::ALL);
    let mut answers = 1;
    let smaller = Estimates { smaller: true, ..Estimates::NONE };
    let all = [
        (order(), Estimates::NONE),
        (order(), Estimates::ALL),
        (CostOrder::LeastTotal, Estimates::ALL),
        (CostOrder::LeastTotal, smaller),
    ];
    for (order, estimates) in all.into_iter().filter(|(_, one)| asks_smaller || !one.smaller) {
        answers += u64::from(asked.compare(order, estimates, known)?);
    }
    answers += asked.compare_points(order(), 4, known)?;
    let truth = priced.is_true(known);
    if truth == Some(false) {
        return Err(format!("{known:?} is not true"));
    }
    certify(model, known)?;
    Ok(Examined { claim: Some(known), fails: false, is_judged: truth.is_some(), answers })
}
