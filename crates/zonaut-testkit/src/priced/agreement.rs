//! Strategies over point states and zones, compared with an exhaustive search over integer dates.

use crate::front_end::{messages, model_of};
use crate::oracle::Limits;
use crate::oracle::priced::{Claim, is_true};
use crate::random::Random;
use zonaut_base::{Id, Severity};
use zonaut_cost::{CostOrder, Estimates, Infimum};
use zonaut_engine::strategy::{CostStrategy, Over};
use zonaut_engine::{
    Answer, CertificateSink, Evidence, OptimizeOptions, Optimum, Reason, Resources, Session,
    StopReason, Unwritten, Verdict,
};
use zonaut_model::{Model, QueryId};
use zonaut_scheduling::Beams;

use super::integer_time::{Truth, least_cost};
use super::near_tasks;
use super::network::{Network, Units};

/// The state limit of the region oracle.
const STATES: usize = 6_000;
/// The state limit of a search; depth-first searches may need any number.
pub const STATE_LIMIT: usize = 5_000;
/// A bound on a rate times a constant, and on costs, below which no model may be refused.
const NEVER_REFUSED: i64 = 1 << 28;

/// A kind of random network that is examined with integer dates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Networks of tasks, and networks that are nearly ones.
    NearTasks,
    /// The same with costs up to 2^31 and beyond.
    LargeCosts,
}

/// The answer of the automatic strategy, which no oracle contradicts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Automatic {
    /// The least cost.
    Least(Infimum),
    /// The goal is unreachable.
    Unreachable,
    /// The search ended early: at the state limit, or at a clock value out of range.
    Undecided,
    /// A cost exceeds the range of integers.
    Overflow,
    /// Refused before the search, because of large numbers.
    #[default]
    Refused,
}

impl Automatic {
    fn of(found: &Answer) -> Self {
        let Some(optimum) = found.optimum() else { return Self::Refused };
        match (&found.verdict, optimum.cost) {
            (Verdict::CostOverflow(_), _) => Self::Overflow,
            (Verdict::NotSatisfied, _) => Self::Unreachable,
            (Verdict::Satisfied, Some(cost)) => Self::Least(cost),
            _ => Self::Undecided,
        }
    }
}

/// The result of an examination.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Agreement {
    /// The answer of the automatic strategy.
    pub automatic: Automatic,
    /// Whether the goal is reachable.
    pub is_reachable: bool,
    /// Whether an oracle could decide the least cost.
    pub is_judged: bool,
    /// The number of answers.
    pub answers: u64,
    /// The number of answers by a search over point states.
    pub by_points: u64,
    /// The number of strategies that refused the model or reached a limit.
    pub refused: u64,
    /// The number of certified answers.
    pub certified: u64,
}

/// A random network as text, and its query.
#[derive(Clone, Debug)]
pub struct Sample {
    network: Network,
    /// The network as XTA.
    pub text: String,
    /// The query.
    pub query: String,
}

impl Sample {
    /// The sample of a seed.
    #[must_use]
    pub fn of(kind: Kind, seed: u64) -> Self {
        let network = match kind {
            Kind::NearTasks => near_tasks::network(seed),
            Kind::LargeCosts => near_tasks::large_network(seed),
        };
        let (text, query) = (network.text(), network.query());
        Self { network, text, query }
    }

    /// Optimises the sample with random strategies, every second time with a certificate, and
    /// compares verdict, cost and attainment with the truth.
    ///
    /// # Errors
    /// The first wrong answer.
    pub fn examine(&self, seed: u64) -> Result<Agreement, String> {
        let read = model_of(&self.text, &[&self.query]);
        let (model, _) =
            read.map_err(|problems| messages(&problems, Severity::Error).join("; "))?;
        let session = Session::of_model(model.clone());
        let mut random = Random::new(seed ^ 0xa9ee);
        let truth = match self.network.is_closed() {
            true => least_cost(&self.network),
            false => None,
        };
        let mut agreement = Agreement { is_judged: truth.is_some(), ..Agreement::default() };
        let strategies = [CostStrategy::Automatic, strategy(&mut random), strategy(&mut random)];
        for (index, strategy) in strategies.into_iter().enumerate() {
            let is_certified = index == 0 && random.chance(50) || random.chance(25);
            let context = |why: String| format!("{strategy}: {why}");
            let is_small = self.is_small(truth);
            let asked = CostQuery { session: &session, strategy, is_certified, is_small, seed };
            let answer = asked.answer(&mut agreement).map_err(context)?;
            let optimum = answer.as_ref().and_then(Answer::optimum);
            let (Some(found), Some(optimum)) = (&answer, optimum) else {
                if is_small && is_automatic(strategy) {
                    return Err(context("refused, though all numbers are small".to_owned()));
                }
                agreement.refused += 1;
                continue;
            };
            match truth {
                Some(truth) => compare(&found.verdict, optimum, truth).map_err(context)?,
                None => {
                    if let Some(is_true) = self.judge(&model, &found.verdict, optimum.cost) {
                        agreement.is_judged = true;
                        if !is_true {
                            return Err(context(format!("{:?} is not true", optimum.cost)));
                        }
                    }
                }
            }
            agreement.is_reachable |= optimum.cost.is_some();
            agreement.answers += 1;
            agreement.by_points += u64::from(optimum.searched.0 == "points");
        }
        Ok(agreement)
    }

    /// Whether numbers are so small that no strategy may refuse the model. Where the truth is not
    /// known, costs are known to be small only in units of 1.
    fn is_small(&self, truth: Option<Truth>) -> bool {
        let constants = self.network.clock_comparisons().map(|one| i64::from(one.value));
        let greatest = constants.max().unwrap_or(0).max(1);
        let unit = i64::from(self.network.rate.unwrap_or(1)) * i64::from(self.network.units.time);
        let cost = match truth {
            None if self.network.units == Units::ONE => 0,
            None => NEVER_REFUSED,
            Some(Truth::Unreachable) => i64::from(self.network.units.price) * 4,
            Some(Truth::Least(cost)) => cost,
        };
        // A price out of range is refused also where no cheapest run pays it.
        let prices = self.network.edges().map(|edge| i64::from(edge.price));
        let price = prices.max().unwrap_or(0) * i64::from(self.network.units.price);
        [greatest * unit, price, cost].into_iter().all(|number| number < NEVER_REFUSED)
    }

    /// Whether the claim of an answer is true by the region oracle; only for cost rates of 0 and 1.
    fn judge(&self, model: &Model, verdict: &Verdict, cost: Option<Infimum>) -> Option<bool> {
        let has_prices = self.network.edges().any(|edge| edge.price > 0);
        let rate = self.network.rate.unwrap_or(i32::from(!has_prices));
        if rate > 1 || !matches!(verdict, Verdict::Satisfied | Verdict::NotSatisfied) {
            return None;
        }
        let claim = match cost {
            None => Claim::Unreachable,
            Some(cost) => {
                let value = i32::try_from(cost.value()).ok()?;
                if cost.is_attained() { Claim::Least(value) } else { Claim::Infimum(value) }
            }
        };
        let limits = Limits { states: STATES, ..Limits::default() };
        let query = &model.queries[QueryId::from_index(0)].kind;
        is_true(model, query, rate, claim, limits)
    }
}

fn is_automatic(strategy: CostStrategy) -> bool {
    strategy == CostStrategy::Automatic
}

/// A random strategy.
fn strategy(random: &mut Random) -> CostStrategy {
    if random.chance(20) {
        let widest = random.choose(&[1, 4, 1 << 16]);
        return CostStrategy::Beam(Beams { widest, ..Beams::default() });
    }
    let automatic = Estimates { automatic: true, ..Estimates::NONE };
    let smaller = Estimates { smaller: true, ..Estimates::NONE };
    let all = [Estimates::NONE, Estimates::ALL, Estimates::ALL, automatic];
    // A search for each combination of locations takes longer than all others together.
    let estimates = if random.chance(5) { smaller } else { random.choose(&all) };
    let over = if random.chance(30) { Over::Zones } else { Over::Either };
    CostStrategy::Ordered { order: random.choose(&CostOrder::ALL), estimates, over }
}

/// An optimisation query for the engine.
struct CostQuery<'s> {
    session: &'s Session,
    strategy: CostStrategy,
    is_certified: bool,
    /// Whether all numbers are so small that a certificate must exist.
    is_small: bool,
    seed: u64,
}

impl CostQuery<'_> {
    /// The answer, certified if requested; `None` if the engine refuses the model.
    fn answer(&self, agreement: &mut Agreement) -> Result<Option<Answer>, String> {
        let Self { session, strategy, is_certified, is_small, seed } = *self;
        let id = QueryId::from_index(0);
        let resources = Resources { states: Some(STATE_LIMIT), ..Resources::default() };
        let options = OptimizeOptions { strategy, seed, resources, ..OptimizeOptions::default() };
        let mut bytes = Vec::new();
        let certificate = is_certified.then_some(&mut bytes as &mut dyn CertificateSink);
        let evidence = Evidence { certificate, ..Evidence::default() };
        let found = session.optimize_with_certificate(id, &options, evidence);
        let found = found.map_err(|why| format!("refused: {why:?}"))?;
        if is_automatic(strategy) {
            agreement.automatic = Automatic::of(&found);
        }
        match found.verdict {
            Verdict::Satisfied | Verdict::NotSatisfied => {}
            Verdict::Unknown(Reason::Stopped(StopReason::NodeLimit)) => return Ok(Some(found)),
            Verdict::Unknown(Reason::ClockRange | Reason::Unsuited(_) | Reason::Unsupported(_)) => {
                return Ok(None);
            }
            Verdict::CostOverflow(_) => return Ok(None),
            ref other => return Err(format!("{other:?}")),
        }
        if is_certified {
            let is_shown = certify(session, &found, &bytes)?;
            if is_small && !is_shown {
                return Err("no certificate, though all numbers are small".to_owned());
            }
            agreement.certified += u64::from(is_shown);
        }
        Ok(Some(found))
    }
}

/// Compares an answer with the truth. A search that reached a limit has bounds on both sides of it.
fn compare(verdict: &Verdict, found: &Optimum, truth: Truth) -> Result<(), String> {
    let least = match truth {
        Truth::Unreachable => None,
        Truth::Least(cost) => Some(Infimum::attained(cost)),
    };
    let is_right = match verdict {
        Verdict::Satisfied => found.cost == least && least.is_some(),
        Verdict::NotSatisfied => found.cost.is_none() && least.is_none(),
        _ => {
            let is_dearer = least.is_some_and(|least| found.lower_bound > least);
            let is_cheaper = found.cost.is_some_and(|cost| least.is_none_or(|least| cost < least));
            !is_dearer && !is_cheaper
        }
    };
    match is_right {
        true => Ok(()),
        false => Err(format!(
            "{verdict:?} with {:?}, at least {}, over {}; by integer dates {truth:?}",
            found.cost, found.lower_bound, found.searched.0
        )),
    }
}

/// Requires that the checker accepts the certificate of an answer, with the same claim; returns
/// false if the engine writes none.
fn certify(session: &Session, found: &Answer, certificate: &[u8]) -> Result<bool, String> {
    match &found.certificate {
        Some(Ok(())) => {}
        Some(Err(Unwritten::Failed(_) | Unwritten::Stopped(_))) => return Ok(false),
        why => return Err(format!("the evidence is against it: {why:?}")),
    }
    let core = session.core_text_of_answer(QueryId::from_index(0), found);
    let accepted = zonaut_certify::check(&core, certificate, &Default::default())
        .map_err(|refusal| format!("the certificate is refused: {refusal}"))?;
    let shown = match accepted.claim {
        zonaut_certify::Claim::NotSatisfied => None,
        zonaut_certify::Claim::LeastCost(cost) => Some(Infimum::attained(cost)),
        zonaut_certify::Claim::CostInfimum(cost) => Some(Infimum::approached(cost)),
        other => return Err(format!("the certificate shows {other:?}")),
    };
    let cost = found.cost();
    match shown == cost {
        true => Ok(true),
        false => Err(format!("the certificate shows {shown:?} and not {cost:?}")),
    }
}
