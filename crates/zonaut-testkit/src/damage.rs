//! Mutation tests of the certificate checker: it may accept a damaged certificate only if its claim
//! is true.
//!
//! Each network yields several certificates, valid ones and invalid ones: that of the engine's
//! answer, and the whole set of explored states as if it proved that the goal is unreachable. They
//! are mutated in many ways, most of them with the seal renewed, so that it does not reveal the
//! damage.
//!
//! ```
//! use zonaut_testkit::damage::{Count, damage};
//!
//! let mut count = Count::default();
//! assert!(damage(3, 2, &mut count).is_ok());
//! ```

mod beyond;
mod change;
mod forge;
mod packed;
mod rates;

pub use beyond::damage_beyond;
pub use forge::{KINDS, forge};
pub use packed::damage_packed;
pub use rates::damage_rates;

use crate::generate::generate;
use crate::judge::{Claim, truth};
use crate::oracle::{Answer, Limits};
use crate::random::Random;
use change::Change;
use std::io::{self, Write};
use std::panic::catch_unwind;
use zonaut_base::Id;
use zonaut_certify::{Kind, Refusal, check, fingerprint, seal};
use zonaut_engine::{
    Abstraction, CertificateSink, Evidence, Resources, Session, SetForm, Strategy, VerifyOptions,
};
use zonaut_model::{Formula, Model, QueryId, QueryKind, core_text};

/// The numbers of damaged certificates, by the checker's answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// All of them.
    pub damaged: u64,
    /// Accepted ones, with a true claim.
    pub accepted: u64,
    /// Rejected ones.
    pub rejected: u64,
    /// Malformed ones, and ones about another model.
    pub malformed: u64,
    /// Undecided ones.
    pub undecided: u64,
    /// Accepted ones, with a claim that no oracle decides.
    pub unjudged: u64,
    /// The forged ones among them, by kind.
    pub forged: [u64; KINDS.len()],
}

impl Count {
    /// Adds another count.
    pub fn add(&mut self, other: Self) {
        self.damaged += other.damaged;
        self.accepted += other.accepted;
        self.rejected += other.rejected;
        self.malformed += other.malformed;
        self.undecided += other.undecided;
        self.unjudged += other.unjudged;
        self.forged.iter_mut().zip(other.forged).for_each(|(count, more)| *count += more);
    }

    /// Counts a certificate that was not accepted.
    fn refused(&mut self, refusal: &Refusal) {
        match refusal {
            Refusal::Rejected(_) => self.rejected += 1,
            Refusal::Malformed { .. } | Refusal::WrongModel { .. } => self.malformed += 1,
            Refusal::Undecided(_) => self.undecided += 1,
        }
    }
}

/// A wrongly accepted certificate, or one that made the checker panic.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The seed of the network.
    pub seed: u64,
    /// The error.
    pub what: String,
    /// The core text.
    pub core: String,
    /// The certificate.
    pub certificate: Vec<u8>,
}

/// The state limit of an exploration.
const STATES: usize = 500;

/// Damages certificates about the network of `seed`, `times` times.
///
/// # Errors
/// The first certificate with a false claim that is accepted, or that makes the checker panic.
pub fn damage(seed: u64, times: u64, count: &mut Count) -> Result<(), Box<Violation>> {
    let model = generate(seed).to_model();
    let query = &model.queries[QueryId::from_index(0)].kind;
    let Some((_, truth)) = truth(&model, query, Limits::default()) else { return Ok(()) };
    let core = core_text::write(&model, Some(query));
    let mut random = Random::new(seed ^ 0xda3a6e);
    let bodies = certificates(&model, &core, &mut random);
    if bodies.is_empty() {
        return Ok(());
    }
    for _ in 0..times {
        let certificate = damaged(&bodies, &mut random);
        count.damaged += 1;
        if let Err(what) = judge(&core, certificate.as_bytes(), query, &truth, count) {
            let certificate = certificate.into_bytes();
            return Err(Box::new(Violation { seed, what, core, certificate }));
        }
    }
    Ok(())
}

/// Certificates about a network, without their seals.
fn certificates(model: &Model, core: &str, random: &mut Random) -> Vec<String> {
    // With a heuristic, dead ends are closed by cartesian invariants; lazy nodes have unknown
    // cells.
    let strategies = ["bfs", "bfs", "greedy(hl)", "lazy", "lazy(clocks=lu)"];
    let (models, options) = explorations(model, &strategies, random);
    let texts = models.iter().map(|model| certificate(model, &options));
    let named = |text: String| {
        let lines = text.lines().map(|line| match line.strip_prefix("core ") {
            Some(_) => format!("core {}\n", fingerprint(core.as_bytes())),
            None => format!("{line}\n"),
        });
        lines.collect()
    };
    texts.flatten().map(named).collect()
}

/// The model, the same with a query that all states are explored for, and options with one of the
/// strategies.
fn explorations(
    model: &Model,
    strategies: &[&str],
    random: &mut Random,
) -> ([Model; 2], VerifyOptions) {
    let abstractions = [Abstraction::Maximum, Abstraction::LowerUpperPlus, Abstraction::Simulation];
    let abstraction = random.choose(&abstractions);
    let strategy: Strategy = random.choose(strategies).parse().expect("invariant: a strategy");
    let is_lazy = matches!(strategy, Strategy::Lazy(_));
    let options = VerifyOptions {
        strategy,
        // Lazy searches have abstractions of their own.
        abstraction: (!is_lazy).then_some(abstraction),
        resources: Resources { states: Some(STATES), ..Resources::default() },
        ..VerifyOptions::default()
    };
    let mut everywhere = model.clone();
    // Nothing satisfies the empty disjunction: all states are explored.
    everywhere.queries[QueryId::from_index(0)].kind = QueryKind::Possibly(Formula::Or(Vec::new()));
    ([model.clone(), everywhere], options)
}

/// The certificate of the engine's answer without its seal; `None` if there is no certificate.
fn certificate(model: &Model, options: &VerifyOptions) -> Option<String> {
    let mut text = String::from_utf8(written(model, options, SetForm::Legible)).ok()?;
    text.truncate(text.rfind("end ")?);
    Some(text)
}

/// The bytes of the certificate of the engine's answer, with sets in this form.
fn written(model: &Model, options: &VerifyOptions, form: SetForm) -> Vec<u8> {
    let mut sink = Sink { bytes: Vec::new(), form };
    let evidence = Evidence { certificate: Some(&mut sink), ..Evidence::default() };
    let session = Session::of_model(model.clone());
    let _ = session.verify_with_certificate(QueryId::from_index(0), options, evidence);
    sink.bytes
}

/// A receiver of a certificate with sets in a given form.
struct Sink {
    bytes: Vec<u8>,
    form: SetForm,
}

impl CertificateSink for Sink {
    fn open(&mut self, _: &[QueryId]) -> io::Result<&mut dyn Write> {
        Ok(&mut self.bytes)
    }

    fn set_form(&self) -> SetForm {
        self.form
    }
}

/// One of `bodies`, mutated one to three times, and in most cases sealed again.
fn damaged(bodies: &[String], random: &mut Random) -> String {
    let body = random.choose(bodies);
    let mut text = if random.chance(15) { seal(body.clone()) } else { body };
    let is_sealed = text.lines().last().is_some_and(|line| line.starts_with("end "));
    for _ in 0..random.between(1, 3) {
        text = match random.chance(75) {
            true => Change::gentle(random).applied_to_content(&text, random),
            false => Change::any(random).applied(&text, random),
        };
    }
    if is_sealed { text } else { seal(text) }
}

/// Checks that the checker's answer is compatible with the truth.
fn judge(
    core: &str,
    certificate: &[u8],
    query: &QueryKind,
    truth: &Answer,
    count: &mut Count,
) -> Result<(), String> {
    let limits = zonaut_certify::Limits { steps: 100_000, ..Default::default() };
    let checked = catch_unwind(|| check(core, certificate, &limits));
    match checked.map_err(|_| "the checker panics".to_owned())? {
        Ok(accepted) => {
            let claim = match (accepted.kind, accepted.claim) {
                (_, zonaut_certify::Claim::Fails) => Claim::Failed,
                (Kind::Reach | Kind::Deadlock, _) => Claim::Reachable { shortest: None },
                (Kind::Unreach | Kind::NoDeadlock, _) => Claim::Unreachable,
                (Kind::MinCost, _) => Claim::Reachable { shortest: None },
                (Kind::Lasso | Kind::Live | Kind::Values, _) => {
                    return Err(format!("{accepted}, but that is no answer to this query"));
                }
            };
            count.accepted += 1;
            let means = meaning(accepted.claim, query);
            if means != claim || !claim.agrees_with(truth) {
                return Err(format!("{accepted}, but the goal is at {:?}", truth.goal));
            }
        }
        Err(refusal) => count.refused(&refusal),
    }
    Ok(())
}

/// The claim about the goal that a claim about the query implies.
fn meaning(claim: zonaut_certify::Claim, query: &QueryKind) -> Claim {
    let is_sought = matches!(query, QueryKind::Possibly(_));
    match claim {
        zonaut_certify::Claim::Fails => Claim::Failed,
        zonaut_certify::Claim::Satisfied if is_sought => Claim::Reachable { shortest: None },
        zonaut_certify::Claim::NotSatisfied if !is_sought => Claim::Reachable { shortest: None },
        zonaut_certify::Claim::LeastCost(_) | zonaut_certify::Claim::CostInfimum(_) => {
            Claim::Reachable { shortest: None }
        }
        _ => Claim::Unreachable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_certificates_are_accepted_only_if_their_claims_are_true() {
        let mut count = Count::default();
        for seed in 0..115 {
            if let Err(violation) = damage(seed, 20, &mut count) {
                unreachable!(
                    "{}: {}\n{}\n{}",
                    violation.seed,
                    violation.what,
                    violation.core,
                    violation.certificate.escape_ascii()
                );
            }
        }
        assert!(count.damaged > 2_000, "{count:?}");
        assert!(count.accepted > 200 && count.rejected > 400 && count.malformed > 400, "{count:?}");
    }
}
