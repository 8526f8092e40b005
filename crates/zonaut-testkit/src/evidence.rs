//! Certificates of the engine's answers, verified by the independent checker.

use zonaut_base::Id;
use zonaut_certify::{Claim, Limits, Value, Values, check};
use zonaut_engine::{Answer, Evidence, FoundValues, Session, Unwritten, Verdict, VerifyOptions};
use zonaut_model::{Model, QueryId, QueryKind, core_text};

/// The model with `query` as its first one.
#[must_use]
pub fn asking(model: &Model, query: &QueryKind) -> Model {
    let mut model = model.clone();
    model.queries[QueryId::from_index(0)].kind = query.clone();
    model
}

/// The answer to the first query of a model, and its certificate if there is one.
#[must_use]
pub fn answered(model: &Model, options: &VerifyOptions) -> (Answer, Option<Vec<u8>>) {
    let mut bytes = Vec::new();
    let evidence = Evidence { certificate: Some(&mut bytes), ..Evidence::default() };
    let session = Session::of_model(model.clone());
    let answer = session.verify_with_certificate(QueryId::from_index(0), options, evidence);
    let is_written = matches!(answer.certificate, Some(Ok(())));
    (answer, is_written.then_some(bytes))
}

/// Checks that the certificate of an answer to the first query of a model is accepted, and that it
/// proves this answer.
///
/// # Errors
/// The reason for which it is not.
pub fn judge(model: &Model, answer: &Answer, certificate: &[u8]) -> Result<(), String> {
    let core = core_text::write(model, Some(&model.queries[QueryId::from_index(0)].kind));
    let accepted =
        check(&core, certificate, &Limits::default()).map_err(|refusal| refusal.to_string())?;
    let is_shown = match (&answer.verdict, accepted.claim) {
        (Verdict::Satisfied, Claim::Satisfied) | (Verdict::NotSatisfied, Claim::NotSatisfied) => {
            same(answer.values(), &accepted.values)
        }
        (Verdict::Error(_), Claim::Fails) => true,
        _ => false,
    };
    if is_shown { Ok(()) } else { Err(format!("{accepted} is not {:?}", answer.verdict)) }
}

fn same(found: &[FoundValues], shown: &[Values]) -> bool {
    let value = |value: Option<zonaut_engine::Value>| {
        value.map(|value| match value {
            zonaut_engine::Value::Attained(number) => Value::Attained(number),
            zonaut_engine::Value::Approached(number) => Value::Approached(number),
            zonaut_engine::Value::Unbounded => Value::Unbounded,
        })
    };
    let found = found
        .iter()
        .map(|found| Values { least: value(found.infimum), greatest: value(found.supremum) });
    found.eq(shown.iter().copied())
}

/// Answers a query of any kind and verifies the answer; `None` if it needs no evidence, or if the
/// engine reports why it has none.
///
/// # Errors
/// The mistake in the answer or in its evidence.
pub fn certified(model: &Model, query: &QueryKind) -> Result<Option<Answer>, String> {
    let model = asking(model, query);
    let (answer, certificate) = answered(&model, &VerifyOptions::default());
    if let Some(bug) = answer.verdict.bug() {
        return Err(bug.to_owned());
    }
    match (&answer.certificate, certificate) {
        (_, Some(text)) => judge(&model, &answer, &text).map(|()| Some(answer)),
        (Some(Err(Unwritten::Failed(error))), _) => Err(error.to_string()),
        // An error in the query itself has no certificate.
        (None, _) if matches!(answer.verdict, Verdict::Satisfied | Verdict::NotSatisfied) => {
            Err("there is no certificate".to_owned())
        }
        _ => Ok(None),
    }
}
