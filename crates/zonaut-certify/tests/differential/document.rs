//! The checker against the verdicts of `docs/SEMANTICS.md`.

use super::prover::{Covering, Found, explore};
use super::{is_accepted, query};
use zonaut_model::{Model, QueryKind, core_text};
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::semantics_document::{ExpectedQuery, Observed, semantics};

/// Explores one query of the document; `None` if the prover does not support it. If there is a
/// goal, no certificate without it may be accepted; without a goal, the certificate with all
/// nodes must be.
fn observed(model: &Model, covering: Covering) -> Option<Observed> {
    let positive = match query(model) {
        QueryKind::Possibly(_) => true,
        QueryKind::Always(_) => false,
        _ => return None,
    };
    let is_statistical = !model.needed_reals().is_empty()
        || model.queries.ids().any(|id| !model.needed_reals_of(id).is_empty());
    if model.has_rates() || is_statistical {
        return None;
    }
    let core = core_text::write(model, Some(query(model)));
    let explored = explore(&core, covering);
    let (found, missing) = (Observed::Satisfied, Observed::NotSatisfied);
    let (found, missing) = if positive { (found, missing) } else { (missing, found) };
    match explored.found {
        Found::TooMuch => None,
        Found::Failure => Some(Observed::Error),
        Found::Goal => {
            for body in explored.false_bodies(7) {
                assert!(!is_accepted(model, &core, &body), "{core}\n{body}");
            }
            Some(found)
        }
        Found::Nothing => {
            assert!(is_accepted(model, &core, &explored.body()), "{core}\n{}", explored.body());
            Some(missing)
        }
    }
}

/// Whether the prover's answer is the expected one; `None` if it has no answer.
fn is_as_expected(text: &str, expected: &ExpectedQuery, covering: Covering) -> Option<bool> {
    let (model, _) = model_of(text, &[&expected.formula]).ok()?;
    let observed = observed(&model, covering)?;
    Some(expected.admits(&observed))
}

#[test]
fn the_verdicts_of_the_semantics_document_are_found_and_certified() {
    let mut agreed = 0;
    for case in semantics().unwrap() {
        for expected in &case.queries {
            for covering in [Covering::Inclusion, Covering::Simulation] {
                match is_as_expected(&case.model, expected, covering) {
                    Some(true) => agreed += 1,
                    None => {}
                    Some(false) => {
                        panic!("{} line {}: {}", case.heading, expected.line, expected.formula)
                    }
                }
            }
        }
    }
    assert!(agreed > 300, "{agreed}");
}
