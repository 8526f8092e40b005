//! No text makes a parser panic, and every place it complains about is in the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zonaut_base::{Diagnostics, SourceFile, SourceMap};
use zonaut_syntax::tree::Dialect;
use zonaut_syntax::{ParseOptions, parse_model, parse_queries};

fn check_places(text: &str, diagnostics: &Diagnostics) {
    for label in diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels) {
        let (start, end) = (label.span.start as usize, label.span.end as usize);
        assert!(start <= end && end <= text.len(), "{start}..{end} of {}", text.len());
        assert!(text.is_char_boundary(start) && text.is_char_boundary(end), "{start}..{end}");
    }
}

fuzz_target!(|text: &str| {
    for dialect in [None, Some(Dialect::Old), Some(Dialect::Current)] {
        let options = ParseOptions { dialect, ..Default::default() };
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new("fuzz", text));
        let (_, diagnostics) = parse_model(&mut sources, file, &options);
        check_places(text, &diagnostics);
    }
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("fuzz", text));
    let (_, diagnostics) = parse_queries(&mut sources, file, &ParseOptions::default());
    check_places(text, &diagnostics);
});
