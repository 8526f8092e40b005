//! Pruned dead ends are closed by cartesian invariants in the certificate.

use zonaut_base::Id;
use zonaut_engine::{Evidence, Resources, Session, VerifyOptions};
use zonaut_model::{QueryId, core_text};
use zonaut_testkit::generate::generate;

/// The number of examined networks.
const SEEDS: u64 = 1_200;

/// The certificate of a guided search in a network, with the core text.
fn certificate(seed: u64) -> Option<(String, Vec<u8>)> {
    let model = generate(seed).to_model();
    let query = QueryId::from_index(0);
    let options = VerifyOptions {
        strategy: "astar(hl)".parse().expect("a strategy"),
        resources: Resources { states: Some(1_000), ..Resources::default() },
        ..VerifyOptions::default()
    };
    let mut bytes = Vec::new();
    let evidence = Evidence { certificate: Some(&mut bytes), ..Evidence::default() };
    let session = Session::of_model(model.clone());
    let answer = session.verify_with_certificate(query, &options, evidence);
    answer.certificate?.ok()?;
    let core = core_text::write(&model, Some(&model.queries[query].kind));
    Some((core, bytes))
}

#[test]
fn the_checker_accepts_invariants_around_dead_ends() {
    let (mut with_reasons, mut certificates) = (0, 0);
    for seed in 0..SEEDS {
        let Some((core, certificate)) = certificate(seed) else { continue };
        let text = String::from_utf8_lossy(&certificate);
        certificates += 1;
        with_reasons += u32::from(text.contains("\nreason "));
        let checked =
            zonaut_certify::check(&core, &certificate, &zonaut_certify::Limits::default());
        assert!(checked.is_ok(), "seed {seed}: {}\n{text}", checked.unwrap_err());
    }
    assert!(with_reasons > 100, "only {with_reasons} of {certificates} have reasons");
}
