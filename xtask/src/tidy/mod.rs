//! `cargo xtask tidy`: the conventions of the repository that a program can check.
//!
//! Each rule is a function from files to findings, in a file of its own.

mod allowed;
mod decisions;
mod leftovers;
mod links;
mod names;
mod outside;
mod sizes;
mod source;
mod tree;
mod tuples;
mod whitespace;

use std::path::Path;

use crate::report::{Failure, Outcome, outcome_of};
use allowed::{Exception, Exceptions};
use tree::File;

/// A violation of a rule.
#[derive(Debug, PartialEq)]
struct Finding {
    /// The line it starts at, counted from one; zero for the whole file.
    line: usize,
    /// The item that an exception names to excuse it; empty for the file.
    item: String,
    /// The problem.
    message: String,
}

impl Finding {
    fn at(line: usize, message: impl Into<String>) -> Self {
        Finding { line, item: String::new(), message: message.into() }
    }
}

/// A rule and the name under which exceptions to it are listed.
struct Rule {
    name: &'static str,
    findings: fn(&File) -> Vec<Finding>,
}

const RULES: &[Rule] = &[
    Rule { name: "leftover", findings: leftovers::findings },
    Rule { name: "name", findings: names::findings },
    Rule { name: "outside", findings: outside::findings },
    Rule { name: "whitespace", findings: whitespace::findings },
];

/// Checks all files below `root`.
pub(crate) fn run(root: &Path) -> Outcome {
    let files = tree::read(root).map_err(|error| Failure::Environment(error.to_string()))?;
    for outlier in sizes::outliers(&files) {
        eprintln!("tidy: warning: {outlier}");
    }
    outcome_of("tidy", problems(&files, allowed::EXCEPTIONS))
}

/// One line per finding without an exception, and one per exception without a finding.
fn problems(files: &[File], exceptions: &'static [Exception]) -> Vec<String> {
    let mut exceptions = Exceptions::new(exceptions);
    let mut lines = decisions::problems(files);
    lines.extend(links::problems(files));
    let tuples = tuples::places(files);
    if tuples.len() > tuples::MOST {
        lines.push(format!("{} tuple parameters, more than {}", tuples.len(), tuples::MOST));
        lines.extend(tuples);
    }
    for file in files {
        for rule in RULES {
            for finding in (rule.findings)(file) {
                if exceptions.excuse(rule.name, &file.path, &finding.item) {
                    continue;
                }
                let place = match finding.line {
                    0 => file.path.clone(),
                    line => format!("{}:{line}", file.path),
                };
                lines.push(format!("{place}: {} [{}]", finding.message, rule.name));
            }
        }
    }
    lines.extend(exceptions.unused());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXCUSED: &[Exception] =
        &[Exception { rule: "whitespace", path: "table.rs", item: "", reason: "a table" }];

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_finding_is_shown_with_its_place_and_rule() {
        let lines = problems(&[file("a.rs", "let x = 1; \n")], &[]);
        assert_eq!(lines, ["a.rs:1: trailing white space [whitespace]"]);
    }

    #[test]
    fn an_exception_excuses_and_an_unused_one_is_a_problem() {
        let text = "let x = 1; \n";
        assert!(problems(&[file("table.rs", text)], EXCUSED).is_empty());
        assert_eq!(problems(&[file("other.rs", text)], EXCUSED).len(), 2);
        assert_eq!(
            problems(&[], EXCUSED),
            ["table.rs: the exception from rule `whitespace` is no longer needed"]
        );
    }
}
