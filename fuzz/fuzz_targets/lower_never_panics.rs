//! No model makes the lowering panic, and a model comes out exactly where there is no error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zonaut_base::{SourceFile, SourceMap};
use zonaut_lower::{LowerOptions, lower};
use zonaut_syntax::{ParseOptions, parse_model};

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("fuzz", text));
    let (document, _) = parse_model(&mut sources, file, &ParseOptions::default());
    let lowered = lower(&document, &[&document.queries], &LowerOptions::default());
    assert_eq!(lowered.model.is_some(), !lowered.diagnostics.has_errors());
});
