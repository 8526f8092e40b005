//! The checker against oracles without zones, on random networks.
//!
//! A naive prover, built from the checker's own successor computation, explores whole networks. If
//! it disagrees with the region oracle, the successors are wrong. Its results are written as
//! certificates, valid ones and invalid ones.

mod cartesian;
mod document;
mod prover;
mod runs;

use crate::{Claim, Limits, Refusal, check, fingerprint, seal};
use prover::{Covering, Found, explore};
use zonaut_model::{Model, QueryKind, core_text};
use zonaut_testkit::generate::{Stratum, Theme, generate_in};
use zonaut_testkit::oracle::{self, Verdict};

fn query(model: &Model) -> &QueryKind {
    &model.queries.as_slice()[0].kind
}

fn core_of(model: &Model) -> String {
    core_text::write(model, Some(query(model)))
}

/// A sealed certificate with this kind and body.
fn certificate(core: &str, kind: &str, body: &str) -> String {
    let clocks: Vec<&str> = core
        .lines()
        .filter_map(|line| line.strip_prefix("clock "))
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    let names: String = clocks.iter().map(|name| format!(" {name}")).collect();
    let fingerprint = fingerprint(core.as_bytes());
    let count = clocks.len();
    let head = format!("tacert 1\nkind {kind}\ncore {fingerprint}\nclocks {count}{names}\n");
    seal(head + body)
}

fn negative(model: &Model) -> Claim {
    match query(model) {
        QueryKind::Possibly(_) => Claim::NotSatisfied,
        _ => Claim::Satisfied,
    }
}

/// Whether the certificate with this body is accepted; it must be well formed.
fn is_accepted(model: &Model, core: &str, body: &str) -> bool {
    match check(core, &certificate(core, "unreach", body), &Limits::default()) {
        Ok(accepted) => {
            assert_eq!(accepted.claim, negative(model));
            true
        }
        Err(Refusal::Rejected(_)) => false,
        Err(other) => panic!("{other}\n{body}"),
    }
}

fn model_of(stratum: Stratum, seed: u64) -> Model {
    generate_in(stratum, seed).to_model()
}

/// How many seeds of each stratum are tried.
const SEEDS: u64 = 60;

/// Compares the prover with the region oracle; returns whether it proved unreachability, or `None`
/// if it reached a limit.
fn examine(model: &Model, covering: Covering, context: &str) -> Option<bool> {
    let verdict = oracle::region(model, query(model), oracle::Limits::default());
    let Verdict::Decided(answer) = verdict else { return None };
    let core = core_of(model);
    let explored = explore(&core, covering);
    match (answer.goal.is_some(), answer.failure.is_some(), explored.found) {
        (_, _, Found::TooMuch) => None,
        (false, false, Found::Nothing) => {
            assert!(is_accepted(model, &core, &explored.body()), "{context}\n{core}");
            Some(true)
        }
        (true, _, Found::Goal) | (_, true, Found::Failure) | (true, false, Found::Failure) => {
            Some(false)
        }
        (goal, failure, explored) => {
            panic!("oracle {goal} {failure}, prover {explored:?}: {context}\n{core}")
        }
    }
}

/// Examines many networks, with both kinds of covering.
fn examine_all(models: impl Iterator<Item = (Model, String)>) {
    let (mut proved, mut found) = (0, 0);
    for (model, context) in models {
        for covering in [Covering::Inclusion, Covering::Simulation] {
            let outcome = examine(&model, covering, &format!("{context} {covering:?}"));
            proved += u32::from(outcome == Some(true));
            found += u32::from(outcome == Some(false));
        }
    }
    assert!(proved > 200 && found > 200, "{proved} {found}");
}

#[test]
fn exploration_agrees_with_the_region_oracle_and_its_certificates_are_accepted() {
    examine_all(Stratum::ALL.into_iter().flat_map(|stratum| {
        (0..SEEDS).map(move |seed| (model_of(stratum, seed), format!("{stratum:?} {seed}")))
    }));
}

#[test]
fn deadlocks_agree_with_the_region_oracle() {
    let network = |seed| (Theme::Deadlock.network(seed).to_model(), format!("{seed}"));
    examine_all((0..600).map(network));
}

#[test]
fn priorities_agree_with_the_region_oracle() {
    let network = |seed| (Theme::Priorities.network(seed).to_model(), format!("{seed}"));
    examine_all((0..600).map(network));
}

#[test]
fn no_mutated_certificate_for_a_false_claim_is_accepted() {
    let mut tried = 0;
    for stratum in Stratum::ALL {
        for seed in 0..SEEDS {
            let model = model_of(stratum, seed);
            let verdict = oracle::region(&model, query(&model), oracle::Limits::default());
            if verdict.is_reachable() != Some(true) {
                continue;
            }
            let core = core_of(&model);
            for covering in [Covering::Inclusion, Covering::Simulation] {
                for body in explore(&core, covering).false_bodies(seed) {
                    let accepted = is_accepted(&model, &core, &body);
                    assert!(!accepted, "{stratum:?} {seed}\n{core}\n{body}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 1000, "{tried}");
}
