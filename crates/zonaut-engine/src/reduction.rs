//! Symmetry reduction of scalar sets: when it is used, and its description in reports.

use crate::verify::{SymmetryWish, VerifyOptions};
use zonaut_model::{Model, QueryId, ScalarUseKind};
use zonaut_strategy::Strategy;
use zonaut_symmetry::Symmetry;

/// Whether searches with these options use a symmetry.
pub(crate) fn is_used(symmetry: &Symmetry, options: &VerifyOptions) -> bool {
    refused_by(options).is_none() && !symmetry.is_trivial()
}

/// The reason why the options exclude symmetry reduction.
fn refused_by(options: &VerifyOptions) -> Option<&'static str> {
    match (options.symmetry, &options.strategy) {
        (SymmetryWish::Ignore, _) => Some("disabled by an option"),
        (SymmetryWish::Use, Strategy::Lazy(_)) => Some("lazy abstraction"),
        (SymmetryWish::Use, _) => None,
    }
}

/// The description of the symmetry reduction with these options; `None` if the model has no
/// symmetry.
pub(crate) fn describe(symmetry: &Symmetry, options: &VerifyOptions) -> Option<String> {
    let is_there = !symmetry.is_trivial() || !symmetry.refusals().is_empty();
    is_there.then(|| match refused_by(options) {
        Some(why) => format!("off ({why})"),
        None => symmetry.to_string(),
    })
}

/// The description if searches of this kind do not use it.
pub(crate) fn describe_unused(model: &Model, why: &str) -> Option<String> {
    let symmetry = Symmetry::of(model, &[]);
    let is_there = !symmetry.is_trivial() || !symmetry.refusals().is_empty();
    is_there.then(|| format!("off ({why})"))
}

/// Whether a query names an element of a scalar set.
pub(crate) fn names_an_element(model: &Model, query: QueryId) -> bool {
    model.scalar_uses.iter().any(|use_| use_.kind == ScalarUseKind::Query(query))
}
