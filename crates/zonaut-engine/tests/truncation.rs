//! A file that was cut in the middle is an error, never a panic, and never another model.

use std::fs;
use std::path::{Path, PathBuf};
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

/// How many cuts are tried of each model: all of a small one.
const CUTS: usize = 3000;

#[test]
fn a_cut_model_is_refused() {
    for (name, text) in texts() {
        let whole = load_text(&name, &text, &LoadOptions::default());
        assert!(whole.model.is_some(), "{name}: {:?}", whole.diagnostics);
        let stride = text.len().div_ceil(CUTS);
        for end in (0..text.len()).step_by(stride).filter(|&end| text.is_char_boundary(end)) {
            let part = &text[..end];
            let loaded = load_text(&name, part, &LoadOptions::default());
            if loaded.model.is_some() {
                // What follows the system line, and what follows the last tag, can be missing.
                let rest = &text[end..];
                let is_whole = if part.trim_start().starts_with('<') {
                    rest.trim().is_empty()
                } else {
                    part.contains("system")
                };
                assert!(
                    is_whole,
                    "{name} cut at {end} is accepted: ...{}",
                    &part[part.len().saturating_sub(80)..]
                );
            }
        }
    }
}
