//! Tuple parameters: a struct with named fields is clearer.

use super::sizes::function_name;
use super::source::{CodeLine, code};
use super::tree::File;

/// The maximal number of tuple parameters in the sources, without tests.
///
/// The number only decreases: a change that removes some lowers it.
pub(super) const MOST: usize = 11;

/// The places of all parameters of functions whose type is a tuple, closures and tests excluded.
pub(super) fn places(files: &[File]) -> Vec<String> {
    let mut places = Vec::new();
    for file in files.iter().filter(|file| file.path.contains("/src/")) {
        let code = code(file);
        for (start, line) in code.iter().enumerate() {
            if let Some(name) = function_name(line.text) {
                let count = tuple_parameters(&signature(&code[start..]));
                let place = format!("{}:{}: `{name}`", file.path, line.number);
                places.extend(std::iter::repeat_n(place, count));
            }
        }
    }
    places
}

/// The parameters of the function that starts on the first line, without the outer parentheses.
fn signature(lines: &[CodeLine<'_>]) -> String {
    let text: String = lines.iter().take(40).flat_map(|line| [line.text, " "]).collect();
    let after_name = text.find("fn ").map_or("", |at| &text[at..]);
    let mut depth = 0_usize;
    let mut parameters = String::new();
    let mut angles = 0_usize;
    let mut last = ' ';
    for c in after_name.chars() {
        match c {
            '<' if depth == 0 => angles += 1,
            '>' if depth == 0 && last != '-' => angles = angles.saturating_sub(1),
            '(' if angles == 0 => depth += 1,
            ')' if angles == 0 && depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return parameters.split_off(1);
                }
            }
            _ => {}
        }
        last = c;
        if depth > 0 {
            parameters.push(c);
        }
    }
    String::new()
}

/// How many of these parameters have a tuple type, behind references or not.
fn tuple_parameters(parameters: &str) -> usize {
    split(parameters).filter(|parameter| is_tuple(parameter)).count()
}

/// Whether the type of a parameter is a tuple; the unit type is none.
fn is_tuple(parameter: &str) -> bool {
    let mut depth = 0_usize;
    let colon = parameter.char_indices().find(|&(at, c)| {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_path = parameter[at + c.len_utf8()..].starts_with(':');
        c == ':' && depth == 0 && !is_path
    });
    let Some((colon, _)) = colon else { return false };
    let mut kind = parameter[colon + 1..].trim_start();
    while let Some(rest) = kind.strip_prefix('&') {
        kind = rest.trim_start();
        if kind.starts_with('\'') {
            kind = kind.split_once(' ').map_or("", |(_, rest)| rest);
        }
        kind = kind.strip_prefix("mut ").unwrap_or(kind);
    }
    kind.starts_with('(') && !kind.starts_with("()")
}

/// The parameters one by one.
fn split(parameters: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let mut last = ' ';
    parameters.split(move |c: char| {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if last == '-' || last == '=' => {}
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        last = c;
        c == ',' && depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> usize {
        let path = "crates/a/src/lib.rs".to_owned();
        places(&[File { path, text: text.to_owned() }]).len()
    }

    #[test]
    fn tuples_are_found_behind_patterns_names_and_references() {
        assert_eq!(check("fn f((a, b): (A, B), c: C) {}\n"), 1);
        assert_eq!(check("fn f(\n    pair: &'a mut (A, B),\n    (c, d): (C, D),\n) {}\n"), 2);
        assert_eq!(check("fn f<T: Fn(A) -> B>(pair: (A, B)) -> T {}\n"), 1);
    }

    #[test]
    fn other_types_are_not_tuples() {
        assert_eq!(check("fn f(a: A, b: Vec<(A, B)>, c: impl Fn(A, B) -> (C, D)) {}\n"), 0);
        assert_eq!(check("fn f(&self, unit: ()) -> (A, B) {}\n"), 0);
        assert_eq!(check("fn f() { let g = |(a, b): (A, B)| a; }\n"), 0);
        assert_eq!(check("fn f(Pair { a, b }: Pair, kind: model::Kind) {}\n"), 0);
    }

    #[test]
    fn tests_do_not_count() {
        assert_eq!(check("#[cfg(test)]\nmod tests {\n    fn f(a: (A, B)) {}\n}\n"), 0);
    }
}
