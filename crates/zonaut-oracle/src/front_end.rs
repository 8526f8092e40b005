//! Parsing and lowering in one call, for tests.

use zonaut_base::{Diagnostic, Severity, SourceFile, SourceMap};
use zonaut_lower::{LowerOptions, lower};
use zonaut_model::Model;
use zonaut_syntax::{ParseOptions, parse_model, parse_query_text};

/// The model of a text with these queries, and the warnings about it.
///
/// # Errors
/// All diagnostics, if the model or a query has an error.
pub fn model_of(text: &str, queries: &[&str]) -> Result<(Model, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("model.xta", text));
    let options = ParseOptions::default();
    let (document, mut diagnostics) = parse_model(&mut sources, file, &options);
    let mut parsed = Vec::new();
    for query in queries {
        let file = sources.add(SourceFile::new("query.q", *query));
        let (queries, problems) = parse_query_text(&mut sources, file, &options);
        diagnostics.extend(problems);
        parsed.push(queries);
    }
    if diagnostics.has_errors() {
        return Err(diagnostics.into_sorted());
    }
    let queries: Vec<_> = parsed.iter().collect();
    let lowered = lower(&document, &queries, &LowerOptions::default());
    diagnostics.extend(lowered.diagnostics);
    let has_errors = diagnostics.has_errors();
    let diagnostics = diagnostics.into_sorted();
    match lowered.model {
        Some(model) if !has_errors => Ok((model, diagnostics)),
        _ => Err(diagnostics),
    }
}

/// The messages of one severity, one line each, with their codes.
#[must_use]
pub fn messages(diagnostics: &[Diagnostic], severity: Severity) -> Vec<String> {
    let chosen = diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity);
    chosen.map(|diagnostic| format!("{} {}", diagnostic.code, diagnostic.message)).collect()
}
