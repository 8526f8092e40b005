//! Forged certificates: those of a changed model, sealed for the original one.
//!
//! They are valid for another network, so that their form is correct, and only the differences of
//! the original network can reveal them. Their claims may still be true.

use super::{Count, Violation, beyond, certificates, judge, rates};
use crate::evidence::{answered, asking};
use crate::generate::{Theme, changed};
use crate::judge::truth;
use crate::liveness::questions;
use crate::oracle::Limits;
use crate::priced::{Claim as CostClaim, Priced, Rated};
use crate::random::Random;
use crate::specification::Specification;
use crate::values::{Subject, question};
use std::panic::catch_unwind;
use zonaut_base::Id;
use zonaut_certify::{Claim, check, seal};
use zonaut_engine::{Evidence, OptimizeOptions, Resources, Session, VerifyOptions};
use zonaut_model::{ClockId, Formula, Model, QueryId, QueryKind, core_text};

/// The state limit of an exploration.
const STATES: usize = 500;

/// The kinds of certificates, in the order in which forged ones are counted.
pub const KINDS: [&str; 8] =
    ["reach", "unreach", "deadlock", "nodeadlock", "lasso", "live", "values", "mincost"];

/// A network and changed ones, whose certificates are forged.
struct Forgery {
    seed: u64,
    original: Specification,
    changed: Vec<Specification>,
    random: Random,
}

/// Forges certificates about the network of `seed` from those of `times` changed networks.
///
/// # Errors
/// The first certificate with a false claim that is accepted, or that makes the checker panic.
pub fn forge(seed: u64, times: u64, count: &mut Count) -> Result<(), Box<Violation>> {
    let mut random = Random::new(seed ^ 0xf0_26e5);
    let (_, theme) = random.choose(&Theme::ALL);
    let original = theme.network(seed);
    let changed = (0..times).map(|_| changed(&original, &mut random)).collect();
    let mut forgery = Forgery { seed, original, changed, random };
    forgery.states(count)?;
    forgery.runs_and_values(count)?;
    forgery.costs(count)?;
    forgery.rates(count)
}

impl Forgery {
    /// Forges certificates about reachable states.
    fn states(&mut self, count: &mut Count) -> Result<(), Box<Violation>> {
        let model = self.original.to_model();
        let query = &model.queries[QueryId::from_index(0)].kind;
        let Some((_, truth)) = truth(&model, query, Limits::default()) else { return Ok(()) };
        let core = core_text::write(&model, Some(query));
        for changed in &self.changed {
            for body in certificates(&changed.to_model(), &core, &mut self.random) {
                let certificate = sealed(body, count);
                if let Err(what) = judge(&core, certificate.as_bytes(), query, &truth, count) {
                    return Err(Box::new(Violation {
                        seed: self.seed,
                        what,
                        core,
                        certificate: certificate.into_bytes(),
                    }));
                }
            }
        }
        Ok(())
    }

    /// Forges certificates about maximal runs, and about the values of a clock.
    fn runs_and_values(&mut self, count: &mut Count) -> Result<(), Box<Violation>> {
        let clocks = self.original.clocks.len();
        let subject =
            (clocks > 0).then(|| Subject::Clock(ClockId::from_index(self.random.below(clocks))));
        let asked = |specification: &Specification| {
            let mut model = specification.to_model();
            let mut queries = questions(&mut model, self.seed, 1);
            let values = subject.map(|subject| question(&mut model, &Formula::truth(), &[subject]));
            queries.extend(values);
            (model, queries)
        };
        let (model, queries) = asked(&self.original);
        let options = VerifyOptions { resources: few_states(), ..VerifyOptions::default() };
        let known: Vec<_> =
            queries.iter().map(|query| beyond::truth(&model, query, subject)).collect();
        for changed in &self.changed {
            let (other, others) = asked(changed);
            let pairs = queries.iter().zip(&others).zip(&known);
            for ((query, other_query), truth) in pairs {
                let Some(truth) = truth else { continue };
                let text = answered(&asking(&other, other_query), &options).1;
                let Some(Ok(text)) = text.map(String::from_utf8) else { continue };
                let core = core_text::write(&model, Some(query));
                let certificate = sealed(beyond::about(&text, &core), count);
                if let Err(what) = beyond::judge(&core, &certificate, truth, count) {
                    return Err(Box::new(Violation {
                        seed: self.seed,
                        what,
                        core,
                        certificate: certificate.into_bytes(),
                    }));
                }
            }
        }
        Ok(())
    }

    /// Forges certificates of least costs.
    fn costs(&mut self, count: &mut Count) -> Result<(), Box<Violation>> {
        let Some(priced) = Priced::of(&self.original, self.seed) else { return Ok(()) };
        let id = QueryId::from_index(0);
        let session = Session::of_model(priced.model.clone());
        for changed in &self.changed {
            let Some(other) = Priced::of(changed, self.seed) else { continue };
            let Some(text) = least_cost(&other.model) else { continue };
            let is_of_cost = text.lines().any(|line| line == "kind mincost");
            let core = match is_of_cost {
                true => session.core_text_of_cost(id, OptimizeOptions::default().rates),
                false => session.core_text(Some(id)),
            };
            let certificate = sealed(beyond::about(&text, &core), count);
            if let Err(what) = judge_cost(&core, &certificate, &priced, count) {
                return Err(Box::new(Violation {
                    seed: self.seed,
                    what,
                    core,
                    certificate: certificate.into_bytes(),
                }));
            }
        }
        Ok(())
    }

    /// Forges certificates of least costs with different rates of locations.
    fn rates(&mut self, count: &mut Count) -> Result<(), Box<Violation>> {
        let Some(rated) = Rated::of(&self.original, self.seed) else { return Ok(()) };
        let id = QueryId::from_index(0);
        let session = Session::of_model(rated.model.clone());
        for changed in &self.changed {
            let Some(other) = Rated::of(changed, self.seed) else { continue };
            let Some(text) = least_cost(&other.model) else { continue };
            let is_of_cost = text.lines().any(|line| line == "kind mincost");
            let core = match is_of_cost {
                true => session.core_text_of_cost(id, OptimizeOptions::default().rates),
                false => session.core_text(Some(id)),
            };
            let certificate = sealed(beyond::about(&text, &core), count);
            if let Err(what) = rates::judge(&core, &certificate, &rated, count) {
                return Err(Box::new(Violation {
                    seed: self.seed,
                    what,
                    core,
                    certificate: certificate.into_bytes(),
                }));
            }
        }
        Ok(())
    }
}

/// A certificate without its seal, counted by its kind and sealed.
fn sealed(body: String, count: &mut Count) -> String {
    let kind = body.lines().find_map(|line| line.strip_prefix("kind "));
    if let Some(position) = KINDS.iter().position(|name| Some(*name) == kind) {
        count.forged[position] += 1;
    }
    count.damaged += 1;
    seal(body)
}

fn few_states() -> Resources {
    Resources { states: Some(STATES), ..Resources::default() }
}

/// The certificate of the least cost of a model, or of its unreachable goal; `None` if there is no
/// certificate.
fn least_cost(model: &Model) -> Option<String> {
    let session = Session::of_model(model.clone());
    let options = OptimizeOptions { resources: few_states(), ..OptimizeOptions::default() };
    let id = QueryId::from_index(0);
    let mut bytes = Vec::new();
    let evidence = Evidence { certificate: Some(&mut bytes), ..Evidence::default() };
    let found = session.optimize_with_certificate(id, &options, evidence).ok()?;
    found.certificate?.ok()?;
    String::from_utf8(bytes).ok()
}

/// Checks that the checker's answer about a least cost is compatible with the truth.
fn judge_cost(
    core: &str,
    certificate: &str,
    priced: &Priced,
    count: &mut Count,
) -> Result<(), String> {
    let limits = zonaut_certify::Limits { steps: 100_000, ..Default::default() };
    let checked = catch_unwind(|| check(core, certificate, &limits));
    let accepted = match checked.map_err(|_| "the checker panics".to_owned())? {
        Ok(accepted) => accepted,
        Err(refusal) => {
            count.refused(&refusal);
            return Ok(());
        }
    };
    let claim = |cost: i64| i32::try_from(cost).map_err(|_| format!("{accepted}, which is odd"));
    let claim = match accepted.claim {
        Claim::NotSatisfied => CostClaim::Unreachable,
        Claim::LeastCost(cost) => CostClaim::Least(claim(cost)?),
        Claim::CostInfimum(cost) => CostClaim::Infimum(claim(cost)?),
        Claim::Satisfied | Claim::Fails => {
            let QueryKind::Possibly(_) = &priced.model.queries[QueryId::from_index(0)].kind else {
                return Err(format!("{accepted}, but that is no answer to this query"));
            };
            count.unjudged += 1;
            return Ok(());
        }
    };
    match priced.is_true(claim) {
        Some(true) => count.accepted += 1,
        None => count.unjudged += 1,
        Some(false) => return Err(format!("{accepted}, which is not true")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_certify::Refusal;

    #[test]
    fn forged_certificates_are_accepted_only_if_their_claims_are_true() {
        let mut count = Count::default();
        for seed in 0..60 {
            if let Err(violation) = forge(seed, 3, &mut count) {
                unreachable!(
                    "{}: {}\n{}\n{}",
                    violation.seed,
                    violation.what,
                    violation.core,
                    violation.certificate.escape_ascii()
                );
            }
        }
        assert!(count.damaged > 600, "{count:?}");
        assert!(count.accepted > 100 && count.rejected > 100, "{count:?}");
        assert!(count.forged.iter().all(|&forged| forged > 0), "{count:?}");
    }

    #[test]
    fn refusals_are_counted_by_kind() {
        let mut count = Count::default();
        count.refused(&Refusal::Rejected(String::new()));
        count.refused(&Refusal::Undecided(String::new()));
        count.refused(&Refusal::Undecided(String::new()));
        assert_eq!((count.rejected, count.undecided, count.malformed), (1, 2, 0));
    }
}
