//! Results as annotations: lines of output that GitHub's runners show beside the annotated line of
//! a file.

use super::case::{Case, Outcome};
use std::fmt::Write;
use zonaut_console::one_line;
use zonaut_engine::{Diagnostic, Severity, SourceMap};

/// A place in a file that an annotation is shown at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    file: String,
    /// Line and column, from 1; `None` for the whole file.
    position: Option<(u32, u32)>,
}

impl Place {
    /// A whole file.
    pub(super) fn of_file(file: &str) -> Self {
        Self { file: file.to_owned(), position: None }
    }

    /// A line and a column of a file, from 1.
    pub(super) fn at(file: &str, line: u32, column: u32) -> Self {
        Self { file: file.to_owned(), position: Some((line, column)) }
    }
}

/// The annotation of a case, as a line; `None` if it passed or was skipped, or if diagnostics
/// annotate its place already.
pub(super) fn of_case(case: &Case) -> Option<String> {
    if matches!(case.result, Outcome::Passed | Outcome::Skipped) {
        return None;
    }
    let title = match case.index {
        0 => "The model cannot be tested".to_owned(),
        index => format!("Query {index} {}", case.result.name()),
    };
    let complaint = case.complaint().unwrap_or_default();
    let message = match case.formula.as_str() {
        "" => complaint,
        formula => format!("{formula}: {complaint}"),
    };
    Some(line("error", case.place.as_ref()?, &title, &message))
}

/// The annotation of an error or a warning, as a line.
pub(super) fn of_diagnostic(sources: &SourceMap, found: &Diagnostic) -> String {
    let level = match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let position = sources.position(found.span());
    let place = Place::at(position.file, position.line, position.column);
    line(level, &place, found.code, &found.message)
}

fn line(level: &str, place: &Place, title: &str, message: &str) -> String {
    let mut text = format!("::{level} file={}", property(&place.file));
    if let Some((line, column)) = place.position {
        let _ = write!(text, ",line={line},col={column}");
    }
    let _ = writeln!(text, ",title={}::{}", property(title), data(message));
    text
}

/// A text after the second `::`, where only `%` has a meaning.
fn data(text: &str) -> String {
    one_line(text).replace('%', "%25")
}

/// The value of a property, where `:` and `,` have a meaning, too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::expected::Expected;
    use super::*;

    #[test]
    fn only_tests_that_fail_are_annotated_and_no_text_ends_a_property() {
        let passed = Case {
            result: Outcome::Passed,
            expected: Some(Expected::Satisfied),
            verdict: Some("satisfied"),
            place: Some(Place::at("a,b:c.q", 3, 7)),
            ..Case::unasked("m.xta", 2, "E<> x % 2 == 0")
        };
        assert_eq!(of_case(&passed), None);
        let failed = Case {
            result: Outcome::Failed,
            verdict: Some("not_satisfied"),
            reason: Some("two\nlines".to_owned()),
            ..passed
        };
        let text = of_case(&failed).expect("an annotation");
        let (head, message) = text.trim_end().split_at(text.rfind("::").unwrap_or(0));
        assert_eq!(head, "::error file=a%2Cb%3Ac.q,line=3,col=7,title=Query 2 failed");
        assert!(message.starts_with("::E<> x %25 2 == 0: expected satisfied"), "{message}");
        assert!(!message.contains('\n'), "{message}");
        let unread = Case::unreadable("m.xta", "no such file".to_owned());
        assert_eq!(of_case(&unread), None);
        let unread = Case { place: Some(Place::of_file("m.xta")), ..unread };
        let expected = "::error file=m.xta,title=The model cannot be tested::no such file\n";
        assert_eq!(of_case(&unread).as_deref(), Some(expected));
    }
}
