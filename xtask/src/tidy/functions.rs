//! A function that grows past the cap is probably several functions.
//!
//! The lengths are read off the indentation, which `cargo fmt` guarantees:
//! the brace that ends a function stands where its first line starts.

use super::Finding;
use super::tree::File;

/// The most lines a function may have, from its first line to its closing brace.
const HARD: usize = 100;

pub(super) fn findings(file: &File) -> Vec<Finding> {
    if !file.has_extension("rs") {
        return Vec::new();
    }
    let lines: Vec<&str> = file.text.lines().collect();
    let mut findings = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let length = length(&lines[start..]);
        if length > HARD {
            let message = format!("function `{name}` has {length} lines, more than {HARD}");
            findings.push(Finding { line: start + 1, item: name.to_owned(), message });
        }
    }
    findings
}

/// The name of the function that starts on this line.
fn function_name(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    loop {
        if let Some(declaration) = rest.strip_prefix("fn ") {
            let end = declaration.find(|c: char| !c.is_alphanumeric() && c != '_')?;
            return Some(&declaration[..end]);
        }
        let (word, tail) = rest.split_once(' ')?;
        let is_qualifier =
            matches!(word, "pub" | "const" | "async" | "unsafe" | "extern" | "default")
                || word.starts_with("pub(")
                || word.starts_with('"');
        if !is_qualifier {
            return None;
        }
        rest = tail;
    }
}

/// The number of lines of the function that starts on the first of these.
fn length(lines: &[&str]) -> usize {
    let Some(body) = lines.iter().position(|line| opens_or_ends(line)) else { return 0 };
    if !lines[body].trim_end().ends_with('{') {
        return body + 1;
    }
    let indentation = lines[0].len() - lines[0].trim_start().len();
    let end = lines[body + 1..].iter().position(|line| {
        line.len() - line.trim_start().len() == indentation && line.trim_start().starts_with('}')
    });
    end.map_or(0, |end| body + end + 2)
}

/// Whether the signature ends here: with a body, with a body on the same line, or without one.
fn opens_or_ends(line: &str) -> bool {
    let line = line.trim_end();
    line.ends_with('{') || line.ends_with(';') || line.ends_with('}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Vec<(usize, String)> {
        let findings = findings(&File { path: "a.rs".to_owned(), text: text.to_owned() });
        findings.into_iter().map(|finding| (finding.line, finding.item)).collect()
    }

    fn function(head: &str, lines: usize) -> String {
        format!("{head} {{\n{}}}\n", "    x();\n".repeat(lines - 2))
    }

    #[test]
    fn the_cap_counts_the_head_and_the_closing_brace() {
        assert_eq!(check(&function("fn short()", HARD)), []);
        assert_eq!(check(&function("fn long()", HARD + 1)), [(1, "long".to_owned())]);
    }

    #[test]
    fn qualifiers_and_generics_do_not_hide_a_function() {
        let text = function("pub(crate) const unsafe fn long<T>(t: T)", HARD + 1);
        assert_eq!(check(&text), [(1, "long".to_owned())]);
    }

    #[test]
    fn two_short_functions_are_not_one_long_one() {
        let text = format!("{}{}", function("fn a()", 60), function("fn b()", 60));
        assert_eq!(check(&text), []);
    }

    #[test]
    fn a_declaration_without_body_ends_at_its_semicolon() {
        let text = format!("trait T {{\n    fn declared(\n        x: u8,\n    );\n{}}}\n", {
            "    const X: u8 = 1;\n".repeat(HARD)
        });
        assert_eq!(check(&text), []);
    }

    #[test]
    fn a_body_after_a_where_clause_is_counted() {
        let head = "fn long<T>(t: T)\nwhere\n    T: Copy,\n";
        let text = format!("{head}{{\n{}}}\n", "    x();\n".repeat(HARD));
        assert_eq!(check(&text), [(1, "long".to_owned())]);
    }
}
