//! Damaged certificates about maximal runs and values.

use super::{Count, Violation, damaged};
use crate::evidence::{answered, asking};
use crate::generate::generate;
use crate::judge::truth as oracle_truth;
use crate::liveness::questions;
use crate::oracle::{Extreme, Extremes, Limits, MaximalRuns, clock_extremes, maximal_runs};
use crate::random::Random;
use crate::values::{Subject, question};
use std::panic::catch_unwind;
use zonaut_base::Id;
use zonaut_certify::{Accepted, Claim, Value, Values, check, fingerprint};
use zonaut_engine::{Resources, VerifyOptions};
use zonaut_liveness::Objective;
use zonaut_model::{ClockId, Formula, Model, QueryKind, core_text};

/// The true answer to a query.
pub(crate) enum Truth {
    /// Whether it is satisfied, and whether a run-time error is reachable.
    Verdict(bool, bool),
    /// The values, and whether a run-time error is reachable.
    Values(Values, bool),
}

/// The state limit of oracles and explorations.
const STATES: usize = 500;

/// Damages certificates about the maximal runs and the values of the network of `seed`, `times`
/// times for each query. Certificates of other queries are included as ones that are wrong from the
/// start.
///
/// # Errors
/// The first certificate with a false claim that is accepted, or that makes the checker panic.
pub fn damage_beyond(seed: u64, times: u64, count: &mut Count) -> Result<(), Box<Violation>> {
    let mut model = generate(seed).to_model();
    let mut queries = questions(&mut model, seed, 1);
    let mut random = Random::new(seed ^ 0xbe70);
    let subject = (!model.clocks.is_empty())
        .then(|| Subject::Clock(ClockId::from_index(random.below(model.clocks.len()))));
    if let Some(subject) = subject {
        queries.push(question(&mut model, &Formula::truth(), &[subject]));
    }
    let resources = Resources { states: Some(STATES), ..Resources::default() };
    let options = VerifyOptions { resources, ..VerifyOptions::default() };
    let written = |query| answered(&asking(&model, query), &options).1;
    let texts = queries.iter().filter_map(|query| String::from_utf8(written(query)?).ok());
    let texts: Vec<String> = texts.collect();
    for query in &queries {
        let Some(truth) = truth(&model, query, subject) else { continue };
        let core = core_text::write(&model, Some(query));
        let bodies: Vec<String> = texts.iter().map(|text| about(text, &core)).collect();
        if bodies.is_empty() {
            continue;
        }
        for _ in 0..times {
            let certificate = damaged(&bodies, &mut random);
            count.damaged += 1;
            if let Err(what) = judge(&core, &certificate, &truth, count) {
                return Err(Box::new(Violation {
                    seed,
                    what,
                    core,
                    certificate: certificate.into_bytes(),
                }));
            }
        }
    }
    Ok(())
}

/// A certificate without its seal, with the fingerprint of `core`.
pub(crate) fn about(text: &str, core: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("end "));
    let lines = lines.map(|line| match line.strip_prefix("core ") {
        Some(_) => format!("core {}\n", fingerprint(core.as_bytes())),
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// The true answer to a query; `None` if no oracle can decide it.
pub(crate) fn truth(model: &Model, query: &QueryKind, subject: Option<Subject>) -> Option<Truth> {
    let limits = Limits { states: 20 * STATES, ..Limits::default() };
    let fails = fails(model, limits)?;
    if let Some(objective) = Objective::of(query) {
        let MaximalRuns::Decided { exists, .. } = maximal_runs(model, query, limits) else {
            return None;
        };
        return Some(Truth::Verdict(exists == objective.is_wanted, fails));
    }
    let Some(Subject::Clock(clock)) = subject else { return None };
    let Extremes::Decided { range, .. } = clock_extremes(model, &Formula::truth(), clock, limits)
    else {
        return None;
    };
    let value = |extreme| match extreme {
        Extreme::Attained(number) => Value::Attained(number),
        Extreme::Approached(number) => Value::Approached(number),
        Extreme::Unbounded => Value::Unbounded,
    };
    let (least, greatest) = range.map(|(least, greatest)| (value(least), value(greatest))).unzip();
    Some(Truth::Values(Values { least, greatest }, fails))
}

/// Whether a run-time error is reachable anywhere: a run that fails proves it for any query, even
/// if the answer does not depend on it.
fn fails(model: &Model, limits: Limits) -> Option<bool> {
    let nowhere = QueryKind::Possibly(Formula::Or(Vec::new()));
    oracle_truth(model, &nowhere, limits).map(|(_, answer)| answer.failure.is_some())
}

/// Checks that the checker's answer is compatible with the truth.
pub(crate) fn judge(
    core: &str,
    certificate: &str,
    truth: &Truth,
    count: &mut Count,
) -> Result<(), String> {
    let limits = zonaut_certify::Limits { steps: 100_000, ..Default::default() };
    let checked = catch_unwind(|| check(core, certificate, &limits));
    match checked.map_err(|_| "the checker panics".to_owned())? {
        Ok(accepted) => {
            count.accepted += 1;
            if !is_true(&accepted, truth) {
                return Err(format!("{accepted}, which is not true"));
            }
        }
        Err(refusal) => count.refused(&refusal),
    }
    Ok(())
}

fn is_true(accepted: &Accepted, truth: &Truth) -> bool {
    match (accepted.claim, truth) {
        (Claim::Fails, Truth::Verdict(_, fails) | Truth::Values(_, fails)) => *fails,
        (claim, Truth::Verdict(is_satisfied, _)) => (claim == Claim::Satisfied) == *is_satisfied,
        (_, Truth::Values(values, _)) => accepted.values == [*values],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_certificates_about_runs_and_values_are_accepted_only_if_they_are_true() {
        let mut count = Count::default();
        for seed in 0..150 {
            if let Err(violation) = damage_beyond(seed, 8, &mut count) {
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
        assert!(count.accepted > 100 && count.rejected > 200 && count.malformed > 200, "{count:?}");
    }
}
