//! Results as JUnit XML.
//!
//! One `testsuite` for each model, one `testcase` for each query: a wrong verdict is a `failure`, a
//! missing verdict is an `error`.

use super::case::{Case, Outcome, Summary};
use std::fmt::Write;
use zonaut_console::is_unsafe;

/// The document for all cases, which are grouped by model.
pub(super) fn document(cases: &[Case]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(text, "<testsuites name=\"zonaut\"{}>", counts(cases));
    for cases in cases.chunk_by(|one, other| one.model == other.model) {
        let name = cases.first().map_or("", |case| case.model.as_str());
        let _ = writeln!(text, "  <testsuite name=\"{}\"{}>", escaped(name), counts(cases));
        for case in cases {
            text.push_str(&element(case));
        }
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

fn counts(cases: &[Case]) -> String {
    let summary = Summary::of(cases);
    format!(
        " tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\"",
        summary.tests,
        summary.failed,
        summary.errors + summary.undecided,
        summary.skipped,
        summary.seconds,
    )
}

fn element(case: &Case) -> String {
    let name = match case.index {
        0 => "reading the model".to_owned(),
        index => format!("{index}: {}", case.formula),
    };
    let opening = format!(
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
        escaped(&case.model),
        escaped(&name),
        case.seconds
    );
    let inner = match case.result {
        Outcome::Passed => return format!("{opening}/>\n"),
        Outcome::Failed => "failure",
        Outcome::Undecided | Outcome::Error => "error",
        Outcome::Skipped => "skipped",
    };
    let message = escaped(&case.complaint().unwrap_or_default());
    let kind = match case.result {
        Outcome::Skipped => String::new(),
        result => format!(" type=\"{}\"", result.name()),
    };
    let body = case.trace.as_deref().map(escaped).unwrap_or_default();
    format!(
        "{opening}>\n      <{inner} message=\"{message}\"{kind}>{body}</{inner}>\n    </testcase>\n"
    )
}

/// `text` for an attribute or an element; characters that XML forbids and control characters are
/// replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push(' '),
            c if is_unsafe(c) || matches!(c, '\u{FFFE}' | '\u{FFFF}') => {
                out.push(char::REPLACEMENT_CHARACTER);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::expected::Expected;
    use super::*;

    #[test]
    fn models_are_suites_and_queries_are_cases() {
        let passed = Case {
            result: Outcome::Passed,
            expected: Some(Expected::Satisfied),
            verdict: Some("satisfied"),
            seconds: 0.5,
            ..Case::unasked("a.xta", 1, "E<> x < 3")
        };
        let failed = Case {
            result: Outcome::Failed,
            verdict: Some("not_satisfied"),
            trace: Some("  start\n".to_owned()),
            index: 2,
            ..passed.clone()
        };
        let unread = Case::unreadable("b.xta", "there is no such \u{1b}file".to_owned());
        assert_eq!(
            document(&[passed, failed, unread]),
            "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites name=\"zonaut\" tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\" time=\"1.000\">
  <testsuite name=\"a.xta\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"1.000\">
    <testcase classname=\"a.xta\" name=\"1: E&lt;&gt; x &lt; 3\" time=\"0.500\"/>
    <testcase classname=\"a.xta\" name=\"2: E&lt;&gt; x &lt; 3\" time=\"0.500\">
      <failure message=\"expected satisfied, found not satisfied\" type=\"failed\">  start&#10;</failure>
    </testcase>
  </testsuite>
  <testsuite name=\"b.xta\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" time=\"0.000\">
    <testcase classname=\"b.xta\" name=\"reading the model\" time=\"0.000\">
      <error message=\"there is no such \u{fffd}file\" type=\"error\"></error>
    </testcase>
  </testsuite>
</testsuites>
"
        );
    }
}
