//! A truncated file is an error, never a panic, and never another model.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use zonaut_engine::{LoadOptions, load_text};

/// The project's own models.
fn texts() -> Vec<(String, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")];
    let mut paths: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the models are there") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() { folders.push(path) } else { paths.push(path) }
        }
    }
    paths.retain(|path| path.extension().is_some_and(|e| e == "xta" || e == "xml"));
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("our models are UTF-8");
        (path.display().to_string(), text)
    };
    paths.into_iter().map(read).collect()
}

/// The number of truncations of each model: all of a small one.
const CUTS: usize = 1000;

#[test]
fn a_cut_model_is_refused() {
    let texts = texts();
    let (even, odd): (Vec<_>, Vec<_>) = texts.iter().enumerate().partition(|(n, _)| n % 2 == 0);
    thread::scope(|scope| {
        for half in [even, odd] {
            scope.spawn(move || half.iter().for_each(|(_, (name, text))| refuse_cuts(name, text)));
        }
    });
}

fn refuse_cuts(name: &str, text: &str) {
    let whole = load_text(name, text, &LoadOptions::default());
    assert!(whole.model.is_some(), "{name}: {:?}", whole.diagnostics);
    let stride = text.len().div_ceil(CUTS);
    for end in (0..text.len()).step_by(stride).filter(|&end| text.is_char_boundary(end)) {
        let part = &text[..end];
        if load_text(name, part, &LoadOptions::default()).model.is_some() {
            // Text after the system line, or after the last tag, may be missing.
            let is_whole = if part.trim_start().starts_with('<') {
                text[end..].trim().is_empty()
            } else {
                part.contains("system")
            };
            let tail = &part[part.len().saturating_sub(80)..];
            assert!(is_whole, "{name} cut at {end} is accepted: ...{tail}");
        }
    }
}
