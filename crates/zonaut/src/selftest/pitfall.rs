//! The pitfalls of `docs/SEMANTICS.md`: small models that wrong model checkers answer wrongly.

use super::{Findings, certified, certified_cost, loaded};
use zonaut_engine::{Verdict, VerifyOptions};

const DOCUMENT: &str = include_str!("../../SEMANTICS.md");

/// A model of the document, with its expected results.
#[derive(Default)]
struct Case<'d> {
    heading: &'d str,
    model: String,
    /// Queries with their verdicts.
    queries: Vec<(&'d str, &'d str)>,
    /// Goals with their minimal costs.
    costs: Vec<(&'d str, &'d str)>,
    /// Whether the model is rejected.
    is_wrong: bool,
}

/// Answers the queries of all pitfalls.
pub(super) fn examine() -> Findings {
    let mut findings = Findings::default();
    for case in cases(DOCUMENT) {
        let problems = case.problems(&mut findings.answers).into_iter();
        findings.problems.extend(problems.map(|problem| format!("{}: {problem}", case.heading)));
    }
    findings
}

impl Case<'_> {
    fn problems(&self, answers: &mut usize) -> Vec<String> {
        if self.is_wrong {
            let is_read = !loaded(&self.model).has_errors();
            return is_read.then(|| "the model is not rejected".to_owned()).into_iter().collect();
        }
        let mut problems = Vec::new();
        let verdicts = self.queries.iter().map(|query| (query, false));
        for ((formula, expected), is_cost) in
            verdicts.chain(self.costs.iter().map(|query| (query, true)))
        {
            let loaded = loaded(&format!("{}\nquery {{ {formula} }}\n", self.model));
            let session = loaded.session().filter(|_| !loaded.has_errors());
            let query = session.as_ref().and_then(|session| session.queries().next());
            let (Some(session), Some((id, _))) = (&session, query) else {
                problems.push(format!("{formula}: it cannot be read"));
                continue;
            };
            *answers += 1;
            let answer = match is_cost {
                true => certified_cost(session, id).map(|cost| (cost == *expected, cost)),
                false => certified(session, id, &VerifyOptions::default()).map(|answer| {
                    let verdict = answer.verdict;
                    (is_admitted(&verdict, expected), verdict.name().to_owned())
                }),
            };
            match answer {
                Ok((true, _)) => {}
                Ok((false, other)) => {
                    problems.push(format!("{formula}: {other}; expected {expected}"));
                }
                Err(why) => problems.push(format!("{formula}: {why}")),
            }
        }
        problems
    }
}

/// Whether the document allows a verdict.
fn is_admitted(verdict: &Verdict, expected: &str) -> bool {
    let name = match verdict {
        Verdict::Satisfied => "satisfied",
        Verdict::NotSatisfied => "not satisfied",
        Verdict::Error(_) => "error",
        _ => return expected.starts_with("unknown") || expected.ends_with("(later)"),
    };
    let expected = expected.trim_end_matches("(later)").trim_end();
    expected.split(" or ").any(|one| one == name)
}

/// The pitfalls of the document: the blocks below a heading that starts with an id such as `P07`,
/// without queries and costs that are rejected.
fn cases(document: &str) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    let (mut heading, mut block) = ("", None);
    for line in document.lines() {
        match (block, line.strip_prefix("```")) {
            (Some(_), Some(_)) => block = None,
            (None, Some(mark)) => {
                block = Some(mark);
                if is_pitfall(heading) && mark == "xta" {
                    cases.push(Case { heading, ..Case::default() });
                }
            }
            (None, None) => heading = line.strip_prefix("### ").unwrap_or(heading),
            (Some(mark), None) if is_pitfall(heading) => {
                if let Some(case) = cases.last_mut() {
                    case.line(mark, line);
                }
            }
            (Some(_), None) => {}
        }
    }
    cases
}

impl<'d> Case<'d> {
    /// Adds a line of a block with this mark.
    fn line(&mut self, mark: &str, line: &'d str) {
        match (mark, line.rsplit_once(" -- ")) {
            ("xta", _) => {
                self.model.push_str(line);
                self.model.push('\n');
            }
            ("queries", Some((formula, expected))) if !expected.starts_with("wrong") => {
                self.queries.push((formula, expected));
            }
            ("costs", Some((formula, expected))) if !expected.starts_with("refused") => {
                self.costs.push((formula, expected));
            }
            ("error", _) => self.is_wrong = true,
            _ => {}
        }
    }
}

fn is_pitfall(heading: &str) -> bool {
    let mut characters = heading.chars();
    characters.next() == Some('P') && characters.next().is_some_and(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_and_queries_are_found_below_headings_of_pitfalls_only() {
        let text = "### 1 x\n```xta\na\n```\n### P07 y\ntext\n```xta\nb\n```\n```queries\nE<> c -- \
                    satisfied\nE<> d -- wrong: e\n```\n### P08 z\n```xta\nf\n```\n```error\ng\n```\n";
        let cases = cases(text);
        let shown: Vec<_> =
            cases.iter().map(|case| (case.heading, &*case.model, &case.queries[..])).collect();
        assert_eq!(
            shown,
            [("P07 y", "b\n", &[("E<> c", "satisfied")][..]), ("P08 z", "f\n", &[][..])]
        );
        assert!(cases[1].is_wrong && !cases[0].is_wrong);
    }

    #[test]
    fn all_verdicts_of_the_document_are_understood() {
        let cases = cases(DOCUMENT);
        assert!(cases.len() > 40, "{}", cases.len());
        assert!(cases.iter().map(|case| case.costs.len()).sum::<usize>() >= 8);
        for (formula, expected) in cases.iter().flat_map(|case| &case.queries) {
            let verdicts = [Verdict::Satisfied, Verdict::NotSatisfied];
            let is_error = expected.contains("error") || expected.starts_with("unknown");
            let is_admitted = verdicts.iter().any(|verdict| is_admitted(verdict, expected));
            assert!(is_error || is_admitted, "{formula} -- {expected}");
        }
    }
}
