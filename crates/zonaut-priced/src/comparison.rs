//! All ways to a least cost, compared.

use std::ops::ControlFlow;

use zonaut_base::{Id, Meter};
use zonaut_cost::{
    Beams, Combination, CostOrder, Costing, Ending, Estimates, Infimum, Nothing, Optimisation,
    ScheduleSearch, TaskHeuristic, Watcher, Zones,
};
use zonaut_engine::{OptimizeOptions, Optimum, Session};
use zonaut_model::{Formula, Model, QueryId, QueryKind};
use zonaut_oracle::oracle::Limits;
use zonaut_oracle::oracle::priced::{Claim, is_true};
use zonaut_oracle::random::Random;
use zonaut_space::{Progress, StopReason};

use crate::pricing::Priced;

/// The most states that the oracle looks at.
const STATES: usize = 6_000;
/// More states than a network of this size can need in the order of costs.
const MOST: usize = 200_000;
/// So many states in other orders. In depth, where time has no end, there can be any number of them,
/// which are all compared with each other; what has not ended by then does not for long. What it
/// knows then is compared, too.
const MOST_IN_OTHER_ORDERS: usize = 10_000;

/// What an examination came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Examined {
    /// What all agree on; nothing where the costs are refused, and where the model fails.
    pub claim: Option<Claim>,
    /// Whether the model fails at run time, so that nothing was compared.
    pub fails: bool,
    /// Whether the oracle knew the truth.
    pub is_judged: bool,
    /// How many answers were given.
    pub answers: u64,
}

/// Ends a search that explores more than that.
struct Patience(usize);

impl Watcher for Patience {
    fn progress(&mut self, now: &Progress, _: Infimum) -> ControlFlow<StopReason> {
        match now.explored > self.0 {
            true => ControlFlow::Break(StopReason::NodeLimit),
            false => ControlFlow::Continue(()),
        }
    }
}

/// What a search claims; nothing where the model fails.
fn claim(found: &Optimisation) -> Result<Option<Claim>, String> {
    match (&found.ending, &found.best) {
        (Ending::Unreachable, None) => Ok(Some(Claim::Unreachable)),
        (Ending::Optimal, Some(best)) if found.lower_bound == best.cost => {
            Ok(Some(claim_of(best.cost)))
        }
        (Ending::Failed { .. }, _) => Ok(None),
        other => Err(format!("{other:?}, at least {}", found.lower_bound)),
    }
}

/// Compares what a search found with what is known; whether it found out everything. Where patience
/// ended before the search, its best way and its lower bound are on both sides of what is known.
fn agree(found: &Optimisation, known: Claim) -> Result<bool, String> {
    if found.ending == Ending::Stopped(StopReason::NodeLimit) {
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

/// The least cost that is claimed.
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

/// The same for costs that are not multiplied.
fn divided(claim: Claim, factor: i32) -> Result<Claim, String> {
    match claim {
        Claim::Unreachable => Ok(claim),
        Claim::Least(value) if value % factor == 0 => Ok(Claim::Least(value / factor)),
        Claim::Infimum(value) if value % factor == 0 => Ok(Claim::Infimum(value / factor)),
        _ => Err(format!("{claim:?} is no multiple of {factor}")),
    }
}

/// What is asked for.
struct Asked<'m> {
    model: &'m Model,
    goal: &'m Formula,
    costing: Costing,
}

impl Asked<'_> {
    fn zones(&self) -> Result<Zones, String> {
        let Self { model, goal, costing } = *self;
        Zones::labelled(model, goal, costing, &Meter::default()).map_err(|why| format!("{why:?}"))
    }

    /// The least cost in the order of costs, without estimates.
    fn least(&self) -> Result<Option<Claim>, String> {
        let found = self.zones()?.optimise(CostOrder::LeastCost, Nothing, &mut Patience(MOST));
        claim(&found.map_err(|why| format!("{why:?}"))?)
    }

    /// Compares a search by zones with what is known; whether it said anything. With estimates,
    /// nothing on a cheapest way may be believed to cost more than that.
    fn compare(
        &self,
        order: CostOrder,
        estimates: Estimates,
        known: Claim,
    ) -> Result<bool, String> {
        let (zones, asked) = (self.zones()?, (self.model, self.goal));
        let fail = |why| format!("{order:?}, {estimates:?}: {why:?}");
        let patience = &mut Patience(MOST_IN_OTHER_ORDERS);
        let found = zones.optimise_with(asked, order, estimates, patience).map_err(fail)?;
        let agreed = agree(&found, known);
        if !agreed.map_err(|why| format!("{order:?}, {estimates:?}: {why}"))? {
            return Ok(false);
        }
        let is_provable = estimates.automatic || estimates.smaller;
        if let Some(best) = found.best.filter(|_| is_provable) {
            let totals = zones.totals_along(asked, estimates, &best.steps).map_err(fail)?;
            let is_true = |total: &Option<Infimum>| total.is_some_and(|total| total <= best.cost);
            if totals.len() != best.steps.len() + 1 || !totals.iter().all(is_true) {
                return Err(format!("{totals:?} on a way that costs {}", best.cost));
            }
        }
        Ok(true)
    }

    /// Compares searches by points with what is known, in a network of tasks; how many there were.
    fn compare_points(&self, order: CostOrder, widest: usize, known: Claim) -> Result<u64, String> {
        let points = ScheduleSearch::new(self.model, self.goal, self.costing, &Meter::default());
        let Ok(points) = points.map_err(|why| format!("{why:?}"))? else { return Ok(0) };
        let patience = || Patience(MOST_IN_OTHER_ORDERS);
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

/// Has the engine optimise the first query, and its answer checked.
fn certify(model: &Model, known: Claim) -> Result<(), String> {
    let session = Session::of_model(model.clone());
    let (id, options) = (QueryId::from_index(0), OptimizeOptions::default());
    let mut nobody = |_, _| {};
    let found =
        session.optimize(id, &options, &mut nobody).map_err(|why| format!("refused: {why:?}"))?;
    let claimed = match (&found.optimum, found.cost) {
        (Optimum::Unreachable, None) => Claim::Unreachable,
        (Optimum::Proven, Some(cost)) => claim_of(cost),
        (Optimum::Error(_), _) => return Ok(()),
        other => return Err(format!("{other:?}")),
    };
    if claimed != known {
        return Err(format!("the engine claims {claimed:?} and not {known:?}"));
    }
    let mut bytes = Vec::new();
    session
        .certify_optimum((id, &found), &options, None, &mut bytes)
        .map_err(|why| format!("no certificate: {why:?}"))?;
    let text = String::from_utf8(bytes).map_err(|why| why.to_string())?;
    let core = session.core_text_of_optimum(id, &found, options.rates);
    let accepted = zonaut_certify::check(&core, &text, &Default::default())
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
    /// Whether a claim about the least cost, with the sum of all rates, is true; nothing where the
    /// oracle does not know.
    #[must_use]
    pub fn is_true(&self, claim: Claim) -> Option<bool> {
        let costing = Costing::of(&self.model, Combination::Sum).ok()?;
        // The oracle knows a rate of 0 or 1.
        if costing.rate > self.factor {
            return None;
        }
        let Ok(divided) = divided(claim, self.factor) else { return Some(false) };
        let query = QueryKind::Possibly(self.goal.clone());
        let limits = Limits { states: STATES, ..Limits::default() };
        is_true(&self.judged, &query, costing.rate.min(1), divided, limits)
    }
}

/// Examines a priced model; `seed` chooses the orders.
///
/// # Errors
/// The first wrong answer, or what is wrong with its certificate.
pub fn examine(priced: &Priced, seed: u64) -> Result<Examined, String> {
    let Priced { model, goal, .. } = priced;
    let Ok(costing) = Costing::of(model, Combination::Sum) else { return Ok(Examined::default()) };
    let asked = Asked { model, goal, costing };
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
