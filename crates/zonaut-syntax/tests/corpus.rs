//! Public models, if the environment variable `ZONAUT_MODELS` names a folder of them.

#![cfg(test)]

use std::path::{Path, PathBuf};
use zonaut_base::{Diagnostic, Diagnostics, FileId, SourceFile, SourceMap};
use zonaut_syntax::tree::{Document, Queries};
use zonaut_syntax::{
    ParseOptions, parse_model, parse_queries, print_queries, print_xml, print_xta,
};

fn files(folder: &Path, extensions: &[&str], out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, extensions, out);
        } else if path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)) {
            out.push(path);
        }
    }
    out.sort();
}

fn corpus(extensions: &[&str]) -> Vec<PathBuf> {
    let folder = std::env::var_os("ZONAUT_MODELS").expect("ZONAUT_MODELS names a folder of models");
    let mut out = Vec::new();
    files(Path::new(&folder), extensions, &mut out);
    assert!(!out.is_empty(), "no models in {}", folder.display());
    out
}

fn load(path: &Path) -> (SourceMap, FileId) {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new(path.display().to_string(), text));
    (sources, file)
}

fn complaints(sources: &SourceMap, diagnostics: &Diagnostics) -> String {
    let line =
        |d: &Diagnostic| format!("{}: {} {}\n", sources.position(d.span()), d.code, d.message);
    diagnostics.iter().map(line).collect()
}

fn is_damaged(path: &Path) -> bool {
    path.ends_with("critical-2-25-50.xta")
}

/// Whether lines of `=` stand as headings among the queries of a model, which are errors of queries.
fn has_headings(path: &Path) -> bool {
    path.ends_with("body-sensors.xml")
}

fn model(name: &str, text: String) -> Document {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new(name, text));
    let (document, diagnostics) = parse_model(&mut sources, file, &ParseOptions::default());
    assert!(!diagnostics.has_errors(), "{}", complaints(&sources, &diagnostics));
    document
}

fn queries(text: String) -> Queries {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("printed.q", text));
    let (queries, diagnostics) = parse_queries(&mut sources, file, &ParseOptions::default());
    assert!(!diagnostics.has_errors(), "{}", complaints(&sources, &diagnostics));
    queries
}

#[test]
#[ignore = "needs public models: set ZONAUT_MODELS, see docs/PUBLIC-MODELS.md"]
fn public_models_parse_and_the_damaged_one_has_errors() {
    for path in corpus(&["xml", "xta", "ta"]) {
        let (mut sources, file) = load(&path);
        let (_, diagnostics) = parse_model(&mut sources, file, &ParseOptions::default());
        if is_damaged(&path) {
            assert_eq!(diagnostics.error_count(), 1, "{}", complaints(&sources, &diagnostics));
            let span = diagnostics.iter().next().unwrap().span();
            assert_eq!(sources.snippet(span), "=");
            assert_eq!(sources.position(span).line, 42);
        } else if has_headings(&path) {
            assert!(diagnostics.iter().all(|d| sources.snippet(d.span()).starts_with("==")));
        } else {
            assert!(!diagnostics.has_errors(), "{}", complaints(&sources, &diagnostics));
        }
    }
}

#[test]
#[ignore = "needs public models: set ZONAUT_MODELS, see docs/PUBLIC-MODELS.md"]
fn queries_of_public_models_parse_and_print_stably() {
    for path in corpus(&["q"]) {
        let (mut sources, file) = load(&path);
        let (found, diagnostics) = parse_queries(&mut sources, file, &ParseOptions::default());
        assert!(!diagnostics.has_errors(), "{}", complaints(&sources, &diagnostics));
        assert!(!found.entries.is_empty(), "{}", path.display());
        let printed = print_queries(&found);
        let again = queries(printed.clone());
        assert_eq!(again.entries.len(), found.entries.len(), "{}", path.display());
        assert_eq!(print_queries(&again), printed, "{}", path.display());
    }
}

#[test]
#[ignore = "needs public models: set ZONAUT_MODELS, see docs/PUBLIC-MODELS.md"]
fn public_models_print_stably_in_both_formats() {
    let is_read = |path: &PathBuf| !is_damaged(path) && !has_headings(path);
    for path in corpus(&["xml", "xta", "ta"]).into_iter().filter(is_read) {
        let (mut sources, file) = load(&path);
        let (document, _) = parse_model(&mut sources, file, &ParseOptions::default());
        let xta = print_xta(&document);
        let from_xta = model("printed.xta", xta.clone());
        assert_eq!(print_xta(&from_xta), xta, "{}", path.display());
        let xml = print_xml(&document);
        let from_xml = model("printed.xml", xml.clone());
        assert_eq!(print_xml(&from_xml), xml, "{}", path.display());
        assert_eq!(print_xta(&from_xml), xta, "{}", path.display());
    }
}
