//! The checker against oracles that know nothing of zones, on random networks.
//!
//! A naive prover, built from the checker's own successors, explores whole networks. Where it
//! disagrees with the region oracle, the successors are wrong. What it finds is written as
//! certificates, true ones and false ones.

mod cartesian;
mod document;
mod prover;
mod runs;

use crate::{Claim, Limits, Refusal, check, fingerprint, seal};
use prover::{Covering, Found, explore};
use zonaut_model::{Model, QueryKind, core_text};
use zonaut_testkit::generate::{Stratum, generate_in};
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

#[test]
fn exploration_agrees_with_the_region_oracle_and_its_certificates_are_accepted() {
    let (mut proved, mut found) = (0, 0);
    for stratum in Stratum::ALL {
        for seed in 0..SEEDS {
            let model = model_of(stratum, seed);
            let verdict = oracle::region(&model, query(&model), oracle::Limits::default());
            let Verdict::Decided(answer) = verdict else { continue };
            let core = core_of(&model);
            for covering in [Covering::Inclusion, Covering::Simulation] {
                let context = || format!("{stratum:?} {seed} {covering:?}\n{core}");
                let explored = explore(&core, covering);
                match (answer.goal.is_some(), answer.failure.is_some(), explored.found) {
                    (_, _, Found::TooMuch) => {}
                    (false, false, Found::Nothing) => {
                        assert!(is_accepted(&model, &core, &explored.body()), "{}", context());
                        proved += 1;
                    }
                    (true, _, Found::Goal) | (_, true, Found::Failure) => found += 1,
                    (true, false, Found::Failure) => found += 1,
                    (goal, failure, explored) => {
                        panic!("oracle {goal} {failure}, prover {explored:?}: {}", context())
                    }
                }
            }
        }
    }
    assert!(proved > 200 && found > 200, "{proved} {found}");
}

#[test]
fn no_certificate_for_a_false_claim_is_accepted_whatever_is_left_out_or_changed() {
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
