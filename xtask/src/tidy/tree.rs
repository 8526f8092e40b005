//! The text files of the repository.

use std::fs;
use std::io;
use std::path::Path;

/// A text file.
#[derive(Debug)]
pub(super) struct File {
    /// Its path from the root, with `/` between the parts.
    pub(super) path: String,
    /// Its content.
    pub(super) text: String,
}

impl File {
    /// Whether the name ends with a dot and this extension.
    pub(super) fn has_extension(&self, extension: &str) -> bool {
        self.path.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.'))
    }

    /// The lines with their numbers, counted from one.
    pub(super) fn numbered_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

/// Folders with generated content; `.git` is a file in a worktree.
const SKIPPED: &[&str] = &[".git", "target", "corpus", "artifacts", "coverage"];

/// All text files below `root`, sorted by path; other files are passed over.
pub(super) fn read(root: &Path) -> io::Result<Vec<File>> {
    let mut files = Vec::new();
    let mut waiting = vec![(root.to_owned(), String::new())];
    while let Some((folder, prefix)) = waiting.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if SKIPPED.contains(&name.as_str()) {
                continue;
            }
            let path = format!("{prefix}{name}");
            let kind = entry.file_type()?;
            if kind.is_dir() {
                waiting.push((entry.path(), format!("{path}/")));
            } else if kind.is_file()
                && let Ok(text) = String::from_utf8(fs::read(entry.path())?)
            {
                files.push(File { path, text });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_very_file_is_found_and_build_output_is_not() {
        let files = read(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert!(files.iter().any(|file| file.path == "src/tidy/tree.rs"));
        assert!(!files.iter().any(|file| file.path.contains("target/")));
        assert!(files.is_sorted_by(|a, b| a.path < b.path));
    }

    #[test]
    fn extensions_are_whole() {
        let file = File { path: "a/brs".to_owned(), text: String::new() };
        assert!(!file.has_extension("rs"));
        let file = File { path: "a/b.rs".to_owned(), text: String::new() };
        assert!(file.has_extension("rs"));
    }
}
