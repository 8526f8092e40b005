//! Hand-written certificates: valid ones are accepted, those that violate a rule are rejected.

mod binary;
mod constants;
mod costs;
mod damage;
mod deadlocks;
mod extremes;
mod malformed;
mod maximal_runs;
mod packed;
mod priced;
mod reasons;
mod runs;
mod sets;
mod stopwatches;
mod unknown;
mod values;

use zonaut_certify::{Accepted, Limits, Refusal, check, fingerprint, seal};
use zonaut_model::core_text;
use zonaut_testkit::front_end::model_of;

/// The core text of a model with a query.
fn core(model: &str, query: &str) -> String {
    let (model, _) = model_of(model, &[query]).expect("the model is right");
    let query = model.queries.iter().next().map(|query| &query.kind);
    core_text::write(&model, query)
}

/// The core text of a query for the least cost of reaching a formula.
fn core_of_cost(model: &str, query: &str, measure: &str) -> String {
    let core = core(model, query).replacen("core 1", "core 2", 1);
    let lines = core.strip_suffix("end\n").expect("a last line");
    format!("{lines}measure {measure}\nend\n")
}

/// A sealed certificate about `core`.
fn certificate(core: &str, kind: &str, body: &str) -> String {
    let clocks = core.lines().filter_map(|line| line.strip_prefix("clock "));
    let names: Vec<&str> = clocks.filter_map(|line| line.split(' ').next()).collect();
    let mut words = vec![names.len().to_string()];
    words.extend(names.iter().map(|name| (*name).to_owned()));
    let (core, clocks) = (fingerprint(core.as_bytes()), words.join(" "));
    let version = if kind == "mincost" { 2 } else { 1 };
    seal(format!("tacert {version}\nkind {kind}\ncore {core}\nclocks {clocks}\n{body}"))
}

/// The result for a certificate with this body, whose lines may be indented.
fn answer(core: &str, kind: &str, body: &str) -> Result<Accepted, Refusal> {
    let body: String = body.trim().lines().map(|line| format!("{}\n", line.trim())).collect();
    check(core, &certificate(core, kind, &body), &Limits::default())
}

#[track_caller]
fn accepted(core: &str, kind: &str, body: &str) {
    let given = answer(core, kind, body);
    assert!(given.is_ok(), "{given:?}\n{core}");
}

/// Checks that a set of zones is accepted.
#[track_caller]
fn set(core: &str, body: &str) {
    accepted(core, "unreach", body);
}

/// Checks that a set of zones is rejected.
#[track_caller]
fn no_set(core: &str, body: &str, reason: &str) {
    rejected(core, "unreach", body, reason);
}

/// Checks that a certificate is undecided, with a reason that contains `reason`.
#[track_caller]
fn undecided(core: &str, kind: &str, body: &str, reason: &str) {
    let given = answer(core, kind, body);
    let is_right = |given: &str| given.contains(reason);
    assert!(
        matches!(&given, Err(Refusal::Undecided(given)) if is_right(given)),
        "{given:?}\n{core}"
    );
}

/// Checks that a certificate is rejected with a reason that contains `reason`.
#[track_caller]
fn rejected(core: &str, kind: &str, body: &str, reason: &str) {
    let given = answer(core, kind, body);
    let is_right = |given: &str| given.contains(reason);
    assert!(
        matches!(&given, Err(Refusal::Rejected(given)) if is_right(given)),
        "{given:?}\n{core}"
    );
}
