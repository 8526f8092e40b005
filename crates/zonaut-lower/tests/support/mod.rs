//! Helpers that parse and lower models in tests.

use zonaut_base::{Diagnostics, Severity, SourceFile, SourceMap};
use zonaut_lower::{LowerOptions, Lowered, lower};
use zonaut_model::interpret::{DEFAULT_BUDGET, Interpreter};
use zonaut_model::{CellId, Model};
use zonaut_syntax::{ParseOptions, parse_model, parse_queries};

/// Lowers a textual model and its queries. The text itself must parse.
pub(crate) fn lowered(text: &str, queries: &str, options: &LowerOptions) -> Lowered {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("model.xta", text));
    let (document, parsed) = parse_model(&mut sources, file, &ParseOptions::default());
    assert!(!parsed.has_errors(), "{text}\n{}", messages(&parsed));
    let file = sources.add(SourceFile::new("queries.q", queries));
    let (asked, parsed) = parse_queries(&mut sources, file, &ParseOptions::default());
    assert!(!parsed.has_errors(), "{queries}\n{}", messages(&parsed));
    let lowered = lower(&document, &[&asked], options);
    if let Some(model) = &lowered.model {
        assert_eq!(model.validate(), Ok(()), "{text}");
        assert_eq!(model.expressions.len(), lowered.origin.expressions.len(), "{text}");
    }
    for diagnostic in lowered.diagnostics.iter() {
        assert!(diagnostic.help.is_some(), "{} has no help", diagnostic.message);
    }
    lowered
}

/// All messages, for failing assertions.
pub(crate) fn messages(diagnostics: &Diagnostics) -> String {
    let all: Vec<String> = diagnostics
        .iter()
        .map(|one| format!("{} {} ({:?})", one.code, one.message, one.span()))
        .collect();
    all.join("\n")
}

/// The model of a text that has no errors.
#[allow(dead_code, reason = "not every test binary asks for models")]
pub(crate) fn model(text: &str, queries: &str) -> Model {
    let lowered = lowered(text, queries, &LowerOptions::default());
    let messages = messages(&lowered.diagnostics);
    assert!(lowered.model.is_some(), "{text}\n{queries}\n{messages}");
    lowered.model.expect("there is a model")
}

/// The codes of all errors, in order.
#[allow(dead_code, reason = "not every test binary asks for errors")]
pub(crate) fn errors(lowered: &Lowered) -> Vec<&'static str> {
    let errors = lowered.diagnostics.iter().filter(|one| one.severity == Severity::Error);
    errors.map(|error| error.code).collect()
}

/// The codes of all warnings, in order.
#[allow(dead_code, reason = "not every test binary asks for warnings")]
pub(crate) fn warnings(lowered: &Lowered) -> Vec<&'static str> {
    let warnings = lowered.diagnostics.iter().filter(|one| one.severity == Severity::Warning);
    warnings.map(|warning| warning.code).collect()
}

/// A process with one self-loop.
#[allow(dead_code, reason = "not every test binary makes processes of one edge")]
pub(crate) fn with_edge(declarations: &str, label: &str) -> String {
    format!(
        "{declarations}\nprocess P() {{ state L; init L; trans L -> L {{ {label} }}; }}\nsystem P;"
    )
}

/// The value of the cell `name` after the updates of the first edge of the first process.
#[allow(dead_code, reason = "not every test binary runs updates")]
pub(crate) fn after_updates(model: &Model, name: &str) -> Result<i32, String> {
    let mut machine = Interpreter::new(model, DEFAULT_BUDGET);
    let edge = model.processes.iter().flat_map(|process| &process.edges).next();
    for update in &edge.expect("there is an edge").updates {
        machine.evaluate(*update).map_err(|error| error.kind.to_string())?;
    }
    let cell: Option<(CellId, _)> = model.cells.iter_enumerated().find(|(_, c)| c.name == name);
    let (id, _) = cell.expect("the cell exists");
    Ok(machine.cells[zonaut_base::Id::index(id)])
}
