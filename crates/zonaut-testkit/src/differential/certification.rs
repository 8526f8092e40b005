//! Certificates of answers about random networks, verified by the independent checker.

use super::{Configuration, Mistake};
use zonaut_base::Id;
use zonaut_certify::Refusal;
use zonaut_engine::{Evidence, Resources, Session, Strategy, Verdict, VerifyOptions};
use zonaut_model::{Model, QueryId, core_text};

/// The state limit of an exploration; beyond it there is nothing to certify.
const STATES: usize = 1_000;

/// Checks the certificate of the answer that one configuration gives.
pub(super) fn certify(model: &Model, configuration: Configuration) -> Result<(), Mistake> {
    certified(model, &configuration.options(STATES)).map(drop)
}

/// Checks the certificate of the answer that a strategy gives to the first query of a model.
///
/// # Errors
/// The reason for which it is not accepted.
pub fn certify_with(model: &Model, strategy: &str) -> Result<(), String> {
    let strategy = strategy.parse().map_err(|error| format!("{strategy}: {error}"))?;
    let resources = Resources { states: Some(STATES), ..Resources::default() };
    let options = VerifyOptions { strategy, resources, ..VerifyOptions::default() };
    certified(model, &options).map(drop).map_err(|mistake| mistake.to_string())
}

/// An answer whose certificate is accepted, if it has one.
pub(super) fn certified(
    model: &Model,
    options: &VerifyOptions,
) -> Result<zonaut_engine::Answer, Mistake> {
    let query = QueryId::from_index(0);
    let mut certificate = Vec::new();
    let evidence = Evidence { certificate: Some(&mut certificate), ..Evidence::default() };
    let session = Session::of_model(model.clone());
    let answer = session.verify_with_certificate(query, options, evidence);
    if answer.verdict.bug().is_some() {
        return Err(Mistake::Spurious);
    }
    let has_none = matches!(answer.verdict, Verdict::Unknown(_) | Verdict::NoInitialState);
    // The states behind dead ends may exceed the limit: then the answer stays uncertified.
    if has_none || matches!(answer.certificate, Some(Err(_))) {
        return Ok(answer);
    }
    // An error in the query itself has no certificate.
    if matches!((&answer.verdict, &answer.certificate), (Verdict::Error(_), None)) {
        return Ok(answer);
    }
    let refused = |reason: String| Mistake::Uncertified(reason);
    let core = core_text::write(model, Some(&model.queries[query].kind));
    match zonaut_certify::check(&core, &certificate, &zonaut_certify::Limits::default()) {
        Ok(_) => Ok(answer),
        // Wide ranges of unconstrained cells may fall into more parts than the checker allows: then
        // the answer stays uncertified, as the command line reports.
        Err(Refusal::Undecided(_)) if matches!(options.strategy, Strategy::Lazy(_)) => Ok(answer),
        Err(refusal) => Err(refused(refusal.to_string())),
    }
}
