//! Printed models are read without an error, and printing them again gives the same text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zonaut_base::{SourceFile, SourceMap};
use zonaut_syntax::tree::Document;
use zonaut_syntax::{ParseOptions, parse_model, print_xml, print_xta};

fn parse(text: &str) -> Result<Document, String> {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("fuzz", text));
    let (document, diagnostics) = parse_model(&mut sources, file, &ParseOptions::default());
    match diagnostics.has_errors() {
        false => Ok(document),
        true => Err(format!("{:?}", diagnostics.into_sorted())),
    }
}

fuzz_target!(|text: &str| {
    let Ok(document) = parse(text) else { return };
    for print in [print_xta, print_xml] {
        let printed = print(&document);
        let again = parse(&printed).unwrap_or_else(|e| panic!("refused: {e}\n{printed}"));
        assert_eq!(print(&again), printed);
    }
});
