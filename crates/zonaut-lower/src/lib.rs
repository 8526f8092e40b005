//! The second half of the front end: lowers syntax trees to the typed network. Names are resolved,
//! types checked, constants folded, functions specialised, templates instantiated, and processes
//! expanded in system order.
//!
//! Lowering always returns a result: all diagnostics, and a model unless there is an error outside
//! queries. A query with an error becomes a [damaged](zonaut_model::QueryKind::Damaged) one. An
//! [`Origin`] maps the elements of the model to their source text.
//!
//! Input is untrusted: sizes are computed before storage is allocated, constants are evaluated with
//! a step budget, and long chains of operators are traversed without recursion.
//!
//! ```
//! use zonaut_base::{SourceFile, SourceMap};
//! use zonaut_lower::{LowerOptions, lower};
//! use zonaut_syntax::{ParseOptions, parse_model, parse_queries};
//!
//! let model = "clock x; process P(int[1,2] i) { state a { x <= i }, b; init a;
//!              trans a -> b { guard x == i; }; } system P;";
//! let mut sources = SourceMap::default();
//! let file = sources.add(SourceFile::new("p.xta", model));
//! let (document, _) = parse_model(&mut sources, file, &ParseOptions::default());
//! let file = sources.add(SourceFile::new("p.q", "E<> P(1).b && P(2).b"));
//! let (queries, _) = parse_queries(&mut sources, file, &ParseOptions::default());
//! let lowered = lower(&document, &[&queries], &LowerOptions::default());
//! let model = lowered.model.expect("the model has no errors");
//! assert_eq!(model.processes.len(), 2);
//! assert_eq!(model.queries.len(), 1);
//! ```

mod assignments;
mod calls;
mod chart;
mod clock_arithmetic;
mod clock_constraints;
pub mod codes;
mod conditionals;
mod declarations;
mod edges;
mod expressions;
mod externals;
mod functions;
mod initial_state;
mod initializers;
mod layout;
mod limits;
mod logic;
mod lowering;
mod names;
mod numbers;
mod operand;
mod operators;
mod places;
mod quantifiers;
mod queries;
mod reals;
mod scalar_uses;
mod scope;
mod statements;
mod statistical_queries;
mod system;
mod templates;
mod temporaries;
mod type_expressions;
mod value_type;
mod written_parameters;

pub use limits::Limits;
pub use names::{Definition, NameKind, NameTable};

use lowering::Lowering;
use zonaut_base::{Diagnostics, Meter, Span};
use zonaut_model::{Model, Origin};
use zonaut_syntax::tree::{Document, Queries};

/// Options of lowering.
#[derive(Clone, Debug, Default)]
pub struct LowerOptions {
    /// Global constants whose values are replaced, by name.
    pub defines: Vec<(String, i64)>,
    /// The positions of these definitions, in the same order, for diagnostics; a definition without
    /// a position is reported at the start of the model.
    pub define_places: Vec<Span>,
    /// Limits on the size of a model.
    pub limits: Limits,
    /// Counts the work. Once it has stopped, lowering ends soon with a result that must be
    /// discarded.
    pub meter: Meter,
    /// Whether resolved names are recorded, for editors.
    pub names: bool,
}

/// The result of lowering.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// The network with its queries; absent if there are errors outside of queries.
    pub model: Option<Model>,
    /// The source positions of its elements.
    pub origin: Origin,
    /// Errors and warnings.
    pub diagnostics: Diagnostics,
    /// The resolved names; empty unless asked for.
    pub names: NameTable,
}

/// Lowers a document and its queries.
#[must_use]
pub fn lower(document: &Document, queries: &[&Queries], options: &LowerOptions) -> Lowered {
    let mut lowering = Lowering::new(document, options);
    lowering.whole_document();
    for queries in queries {
        lowering.queries(queries);
    }
    // The chart comes last, so that it does not change the ids of other elements.
    lowering.chart();
    lowering.apply_priorities();
    if !lowering.diagnostics.has_errors() {
        lowering.check_initial_state();
    }
    let Lowering { model, origin, mut diagnostics, query_diagnostics, names, .. } = lowering;
    let model = (!diagnostics.has_errors()).then_some(model);
    diagnostics.extend(query_diagnostics);
    Lowered { model, origin, diagnostics, names: names.unwrap_or_default() }
}
