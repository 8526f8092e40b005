//! Decisions are numbered without gaps, and each has the same three parts.

use super::tree::File;

const FOLDER: &str = "docs/decisions/";
const PARTS: &[&str] = &["## Context", "## Decision", "## Consequences"];

/// One line per decision that is out of order or incomplete.
pub(super) fn problems(files: &[File]) -> Vec<String> {
    let decisions = files.iter().filter_map(|file| Some((file, file.path.strip_prefix(FOLDER)?)));
    let mut problems = Vec::new();
    for (index, (file, name)) in decisions.enumerate() {
        let number = format!("{:04}-", index + 1);
        if !name.starts_with(&number) || !name.ends_with(".md") {
            problems.push(format!("{}: expected the name `{number}<title>.md`", file.path));
        }
        for part in PARTS {
            if !file.text.lines().any(|line| line == *part) {
                problems.push(format!("{}: no part `{part}`", file.path));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], text: &str) -> usize {
        let files: Vec<File> = names
            .iter()
            .map(|name| File { path: format!("{FOLDER}{name}"), text: text.to_owned() })
            .collect();
        problems(&files).len()
    }

    #[test]
    fn numbers_are_consecutive_from_one() {
        let whole = PARTS.join("\n");
        assert_eq!(check(&["0001-a.md", "0002-b.md"], &whole), 0);
        assert_eq!(check(&["0001-a.md", "0003-b.md"], &whole), 1);
        assert_eq!(check(&["0001-a.md", "0001-b.md"], &whole), 1);
        assert_eq!(check(&["zones.md"], &whole), 1);
    }

    #[test]
    fn missing_parts_are_found() {
        assert_eq!(check(&["0001-a.md"], "## Context\n## Decision\n"), 1);
    }
}
