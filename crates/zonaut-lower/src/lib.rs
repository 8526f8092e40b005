//! From syntax trees to the typed network: names are resolved, types checked, constants folded,
//! functions specialised, templates instantiated and processes expanded in system order.
//!
//! Lowering never fails: it returns every problem it finds, and a model only if none of them is
//! an error. Beside the model it returns the way back to the text, an
//! [`Origin`](zonaut_model::Origin).
//!
//! A file is hostile until read: sizes are computed before anything is allocated, constants are
//! evaluated with a budget of steps, and long chains of operators are walked without recursion.

mod assignments;
mod calls;
mod clock_arithmetic;
mod clock_constraints;
pub mod codes;
mod conditionals;
mod declarations;
mod edges;
mod expressions;
mod functions;
mod initial_state;
mod initializers;
mod layout;
mod limits;
mod logic;
mod lowering;
mod operand;
mod operators;
mod quantifiers;
mod queries;
mod scope;
mod statements;
mod system;
mod templates;
mod type_expressions;
mod value_type;

pub use limits::Limits;

use lowering::Lowering;
use zonaut_base::Diagnostics;
use zonaut_model::{Model, Origin};
use zonaut_syntax::tree::{Document, Queries};

/// How to lower.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LowerOptions {
    /// Global constants whose values are replaced, by name.
    pub defines: Vec<(String, i64)>,
    /// What a model may ask for.
    pub limits: Limits,
}

/// What lowering gives.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The network with its queries; absent if there are errors.
    pub model: Option<Model>,
    /// Where its elements came from.
    pub origin: Origin,
    /// Errors and warnings.
    pub diagnostics: Diagnostics,
}

/// Lowers a document and the queries to ask of it.
#[must_use]
pub fn lower(document: &Document, queries: &[&Queries], options: &LowerOptions) -> Lowered {
    let mut lowering = Lowering::new(document, options);
    lowering.whole_document();
    for queries in queries {
        lowering.queries(queries);
    }
    lowering.apply_priorities();
    if !lowering.diagnostics.has_errors() {
        lowering.check_initial_state();
    }
    let Lowering { model, origin, diagnostics, .. } = lowering;
    let model = (!diagnostics.has_errors()).then_some(model);
    Lowered { model, origin, diagnostics }
}
