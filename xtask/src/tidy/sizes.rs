//! Unusually large crates, files and functions: places to look for a second concept.
//!
//! Sizes are examples, not limits: an outlier is a warning and never a failure.
//! Neither tests nor comments count.

use super::source::{CodeLine, code};
use super::tree::File;
use std::collections::BTreeMap;

/// Lines of code above which a crate is an outlier.
const CRATE: usize = 8000;
/// Lines of code above which a file is an outlier.
const FILE: usize = 600;
/// Lines of code above which a function is an outlier.
const FUNCTION: usize = 90;

/// One line per outlier, crates first, then files and functions by path.
pub(super) fn outliers(files: &[File]) -> Vec<String> {
    let mut crates: BTreeMap<&str, usize> = BTreeMap::new();
    let mut lines = Vec::new();
    for file in files {
        let code = code(file);
        if let Some((name, _)) = file.path.split_once("/src/") {
            *crates.entry(name).or_default() += code.len();
        }
        if code.len() > FILE {
            lines.push(format!("{}: {} lines of code", file.path, code.len()));
        }
        for function in functions(&code) {
            if function.length > FUNCTION {
                let Function { name, line, length } = function;
                lines.push(format!("{}:{line}: `{name}` has {length} lines of code", file.path));
            }
        }
    }
    let large = crates.into_iter().filter(|&(_, lines)| lines > CRATE);
    let large = large.map(|(name, lines)| format!("{name}: {lines} lines of code"));
    large.chain(lines).collect()
}

/// A function, from its first line to its closing brace.
#[derive(Debug, PartialEq)]
struct Function<'a> {
    name: &'a str,
    line: usize,
    length: usize,
}

/// The functions of a file.
///
/// The lengths are read off the indentation, which `cargo fmt` guarantees:
/// the brace that ends a function stands where its first line starts.
fn functions<'a>(code: &[CodeLine<'a>]) -> Vec<Function<'a>> {
    let starts = code.iter().enumerate();
    let named = starts.filter_map(|(start, line)| Some((start, function_name(line.text)?)));
    named
        .map(|(start, name)| {
            let length = length(&code[start..]);
            Function { name, line: code[start].number, length }
        })
        .collect()
}

/// The name of the function that starts on this line.
pub(super) fn function_name(line: &str) -> Option<&str> {
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
fn length(lines: &[CodeLine<'_>]) -> usize {
    let Some(body) = lines.iter().position(|line| opens_or_ends(line.text)) else { return 0 };
    if !lines[body].text.trim_end().ends_with('{') {
        return body + 1;
    }
    let indentation = lines[0].text.len() - lines[0].text.trim_start().len();
    let end = lines[body + 1..].iter().position(|line| {
        let rest = line.text.trim_start();
        line.text.len() - rest.len() == indentation && rest.starts_with('}')
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

    fn source(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    fn lengths(text: &str) -> Vec<(String, usize)> {
        let file = source("a.rs", text);
        let code = code(&file);
        functions(&code).into_iter().map(|found| (found.name.to_owned(), found.length)).collect()
    }

    fn function(head: &str, lines: usize) -> String {
        format!("{head} {{\n{}}}\n", "    x();\n".repeat(lines - 2))
    }

    #[test]
    fn the_sources_of_a_crate_are_counted_together() {
        let half = "x\n".repeat(FILE);
        let file = |name: usize| source(&format!("crates/a/src/{name}.rs"), &half);
        let few: Vec<File> = (0..CRATE / FILE).map(file).collect();
        assert_eq!(outliers(&few), [""; 0]);
        let many: Vec<File> = (0..=CRATE / FILE).map(file).collect();
        assert_eq!(outliers(&many), [format!("crates/a: {} lines of code", many.len() * FILE)]);
    }

    #[test]
    fn comments_make_no_file_an_outlier() {
        let text = format!("{}{}", "// reason\n".repeat(FILE), "x\n".repeat(FILE));
        assert_eq!(outliers(&[source("a.rs", &text)]), [""; 0]);
        assert_eq!(outliers(&[source("a.rs", &format!("{text}x\n"))]).len(), 1);
    }

    #[test]
    fn qualifiers_generics_and_where_clauses_do_not_hide_a_function() {
        assert_eq!(
            lengths(&function("pub(crate) const unsafe fn f<T>(t: T)", 7)),
            [("f".to_owned(), 7)]
        );
        let head = "fn f<T>(t: T)\nwhere\n    T: Copy,\n";
        assert_eq!(lengths(&format!("{head}{{\n    x();\n}}\n")), [("f".to_owned(), 6)]);
    }

    #[test]
    fn functions_end_at_their_closing_brace() {
        let text = format!("{}{}", function("fn a()", 6), function("fn b()", 4));
        assert_eq!(lengths(&text), [("a".to_owned(), 6), ("b".to_owned(), 4)]);
        let text = "trait T {\n    fn declared(\n        x: u8,\n    );\n    const X: u8 = 1;\n}\n";
        assert_eq!(lengths(text), [("declared".to_owned(), 3)]);
    }
}
