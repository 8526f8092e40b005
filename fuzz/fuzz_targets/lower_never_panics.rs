//! No model makes the lowering panic, and a model comes out exactly where there is no error outside
//! of its queries.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zonaut_base::{Severity, SourceFile, SourceMap};
use zonaut_lower::{LowerOptions, lower};
use zonaut_syntax::{ParseOptions, parse_model};

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("fuzz", text));
    let (document, _) = parse_model(&mut sources, file, &ParseOptions::default());
    let lowered = lower(&document, &[&document.queries], &LowerOptions::default());
    let entries = &document.queries.entries;
    let is_of_model = |found: &zonaut_base::Diagnostic| {
        let is_of_query = entries.iter().any(|entry| entry.span.contains(found.span()));
        found.severity == Severity::Error && !is_of_query
    };
    assert_eq!(lowered.model.is_some(), !lowered.diagnostics.iter().any(is_of_model));
});
