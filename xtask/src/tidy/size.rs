//! A source file that grows past the cap is probably two concepts.

use super::Finding;
use super::tree::File;

/// The most lines a source file may have, its unit tests included.
pub(super) const HARD: usize = 800;

pub(super) fn findings(file: &File) -> Vec<Finding> {
    let lines = file.text.lines().count();
    if !file.has_extension("rs") || lines <= HARD {
        return Vec::new();
    }
    vec![Finding::at(0, format!("{lines} lines, more than {HARD}; split it by concept"))]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, lines: usize) -> usize {
        findings(&File { path: path.to_owned(), text: "x\n".repeat(lines) }).len()
    }

    #[test]
    fn only_source_files_past_the_cap_are_found() {
        assert_eq!(check("a.rs", HARD), 0);
        assert_eq!(check("a.rs", HARD + 1), 1);
        assert_eq!(check("a.md", HARD + 1), 0);
    }
}
