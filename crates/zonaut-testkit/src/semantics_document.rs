//! The reader of the executed document `docs/SEMANTICS.md`, whose preamble describes the format.

use std::fmt;

/// A model of the document with its expected answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The nearest heading above it.
    pub heading: String,
    /// The line of the document on which the model begins, from 1.
    pub line: usize,
    /// The model, as XTA text.
    pub model: String,
    /// The queries in order.
    pub queries: Vec<ExpectedQuery>,
    /// Goals, and the expected costs of their cheapest runs.
    pub costs: Vec<ExpectedQuery>,
    /// Codes or parts of messages of errors. If there are any, the model is refused.
    pub errors: Vec<String>,
    /// Codes or parts of messages of warnings.
    pub warnings: Vec<String>,
}

/// A query with its expected verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExpectedQuery {
    /// The line of the document, from 1.
    pub line: usize,
    /// The query as written.
    pub formula: String,
    /// The expected verdict.
    pub expected: Expected,
    /// Whether `unknown: unsupported` is accepted, too.
    pub later: bool,
}

/// An expected verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expected {
    /// The query holds.
    Satisfied,
    /// The query does not hold.
    NotSatisfied,
    /// The model fails at run time.
    Error,
    /// Satisfied or an error: it depends on the search order.
    SatisfiedOrError,
    /// Not satisfied or an error: it depends on the search order.
    NotSatisfiedOrError,
    /// Undecided, with the beginning of the reason.
    Unknown(String),
    /// The query is refused, with a part of the message.
    Wrong(String),
    /// The least cost, or a part of the reason for which none is reported.
    Cost(String),
}

/// An observed verdict, to be compared with the expected one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Observed {
    /// The query holds.
    Satisfied,
    /// The query does not hold.
    NotSatisfied,
    /// The model failed at run time.
    Error,
    /// Undecided, with the reason.
    Unknown(String),
    /// The query was refused, with all messages.
    Wrong(String),
    /// The least cost, or the reason for which none is reported.
    Cost(String),
}

impl ExpectedQuery {
    /// Whether the observed verdict matches the expectation.
    #[must_use]
    pub fn admits(&self, observed: &Observed) -> bool {
        match (&self.expected, observed) {
            (_, Observed::Unknown(reason)) if self.later => reason.starts_with("unsupported"),
            (Expected::Satisfied | Expected::SatisfiedOrError, Observed::Satisfied)
            | (Expected::NotSatisfied | Expected::NotSatisfiedOrError, Observed::NotSatisfied)
            | (
                Expected::Error | Expected::SatisfiedOrError | Expected::NotSatisfiedOrError,
                Observed::Error,
            ) => true,
            (Expected::Unknown(text), Observed::Unknown(reason)) => reason.starts_with(text),
            (Expected::Wrong(text), Observed::Wrong(messages)) => contains(messages, text),
            (Expected::Cost(text), Observed::Cost(cost)) => match text.strip_prefix("refused:") {
                Some(why) => cost.starts_with("refused:") && contains(cost, why.trim()),
                None => cost == text,
            },
            _ => false,
        }
    }
}

/// Whether `part` occurs in `message`, ignoring case.
#[must_use]
pub fn contains(message: &str, part: &str) -> bool {
    message.to_lowercase().contains(&part.to_lowercase())
}

/// A format error of the document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// The problem.
    pub message: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// The cases of `docs/SEMANTICS.md`.
///
/// # Errors
/// If the document is not in its own format.
pub fn semantics() -> Result<Vec<Case>, Mistake> {
    read(include_str!("../../../docs/SEMANTICS.md"))
}

/// The cases of `docs/SEMANTICS.md` that are pitfalls: their headings begin with an id such as
/// `P07`.
///
/// # Errors
/// If the document is not in its own format.
pub fn pitfalls() -> Result<Vec<Case>, Mistake> {
    let mut cases = semantics()?;
    cases.retain(|case| {
        let mut heading = case.heading.chars();
        heading.next() == Some('P') && heading.next().is_some_and(|c| c.is_ascii_digit())
    });
    Ok(cases)
}

/// The cases of a document.
///
/// # Errors
/// If the document is not in its own format.
pub fn read(document: &str) -> Result<Vec<Case>, Mistake> {
    let mut cases: Vec<Case> = Vec::new();
    let mut heading = String::new();
    let mut lines = document.lines().enumerate();
    while let Some((position, line)) = lines.next() {
        if let Some(mark) = line.strip_prefix("```") {
            let block = block(position + 1, &mut lines)?;
            add_block(&mut cases, &heading, mark.trim(), &block)?;
        } else if line.starts_with('#') {
            heading = line.trim_start_matches('#').trim().to_owned();
        }
    }
    match cases.iter().find(|case| case.is_without_expectation()) {
        Some(case) => Err(mistake(case.line, "a model without queries, errors or warnings")),
        None => Ok(cases),
    }
}

impl Case {
    fn is_without_expectation(&self) -> bool {
        let has_questions = !self.queries.is_empty() || !self.costs.is_empty();
        !has_questions && self.errors.is_empty() && self.warnings.is_empty()
    }
}

/// A fenced block: the number of its first line, and its lines.
struct Block<'d> {
    first: usize,
    lines: Vec<&'d str>,
}

fn block<'d>(
    fence: usize,
    lines: &mut impl Iterator<Item = (usize, &'d str)>,
) -> Result<Block<'d>, Mistake> {
    let mut content = Vec::new();
    for (_, line) in lines {
        if line.starts_with("```") {
            return Ok(Block { first: fence + 1, lines: content });
        }
        content.push(line);
    }
    Err(mistake(fence, "a block without end"))
}

fn add_block(
    cases: &mut Vec<Case>,
    heading: &str,
    mark: &str,
    block: &Block<'_>,
) -> Result<(), Mistake> {
    if mark == "xta" {
        cases.push(Case {
            heading: heading.to_owned(),
            line: block.first,
            model: block.lines.join("\n") + "\n",
            queries: Vec::new(),
            costs: Vec::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
        });
        return Ok(());
    }
    if !["queries", "costs", "error", "warning"].contains(&mark) {
        return Ok(());
    }
    let case = cases.last_mut().filter(|case| case.heading == heading);
    let case = case.ok_or_else(|| mistake(block.first, "no model above under this heading"))?;
    let texts = || block.lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
    match mark {
        "error" => case.errors.extend(texts().map(str::to_owned)),
        "warning" => case.warnings.extend(texts().map(str::to_owned)),
        _ => {
            let into = if mark == "costs" { &mut case.costs } else { &mut case.queries };
            for (position, line) in block.lines.iter().enumerate() {
                if !line.trim().is_empty() && !line.starts_with("//") {
                    into.push(query(block.first + position, line, mark)?);
                }
            }
        }
    }
    Ok(())
}

fn query(line: usize, text: &str, mark: &str) -> Result<ExpectedQuery, Mistake> {
    let Some((formula, verdict)) = text.rsplit_once(" -- ") else {
        return Err(mistake(line, "a query without a verdict"));
    };
    let verdict = verdict.trim();
    let (verdict, later) = match verdict.strip_suffix("(later)") {
        Some(verdict) => (verdict.trim(), true),
        None => (verdict, false),
    };
    let expected = match verdict {
        cost if mark == "costs" => Expected::Cost(cost.to_owned()),
        "satisfied" => Expected::Satisfied,
        "not satisfied" => Expected::NotSatisfied,
        "error" => Expected::Error,
        "satisfied or error" => Expected::SatisfiedOrError,
        "not satisfied or error" => Expected::NotSatisfiedOrError,
        _ => match verdict.split_once(':') {
            Some(("unknown", text)) => Expected::Unknown(text.trim().to_owned()),
            Some(("wrong", text)) => Expected::Wrong(text.trim().to_owned()),
            _ => return Err(mistake(line, "a verdict that is not in the table")),
        },
    };
    Ok(ExpectedQuery { line, formula: formula.trim().to_owned(), expected, later })
}

fn mistake(line: usize, message: &str) -> Mistake {
    Mistake { line, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_separator_divides_formula_and_verdict() {
        let read = query(1, "A[] a --> b -- not satisfied (later)", "queries").unwrap();
        assert_eq!(read.formula, "A[] a --> b");
        assert_eq!((read.expected, read.later), (Expected::NotSatisfied, true));
    }

    #[test]
    fn a_later_feature_may_be_unsupported_but_not_answered_wrongly() {
        let later = query(1, "E<> deadlock -- satisfied (later)", "queries").unwrap();
        assert!(later.admits(&Observed::Satisfied));
        assert!(later.admits(&Observed::Unknown("unsupported: deadlock".to_owned())));
        assert!(!later.admits(&Observed::NotSatisfied));
        assert!(!later.admits(&Observed::Unknown("time limit".to_owned())));
        let either = query(1, "E<> P.b -- satisfied or error", "queries").unwrap();
        assert!(either.admits(&Observed::Error) && either.admits(&Observed::Satisfied));
        let wrong = query(1, "E<> P.t -- wrong: Unknown name", "queries").unwrap();
        assert!(wrong.admits(&Observed::Wrong("an unknown name `t`".to_owned())));
        assert!(!wrong.admits(&Observed::Error));
    }
}
