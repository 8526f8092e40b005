//! A test case: one query with its expectation.

use super::expected::Expected;
use super::github::Place;
use serde::Serialize;
use zonaut_console::Status;

/// The result of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    /// The verdict is the expected one.
    Passed,
    /// The verdict differs from the expected one.
    Failed,
    /// A limit was reached, or the query is not supported.
    Undecided,
    /// The model cannot be read or fails at run time, or Zonaut has a bug.
    Error,
    /// There is no expectation that can be compared.
    Skipped,
}

impl Outcome {
    /// The name in reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Undecided => "undecided",
            Self::Error => "error",
            Self::Skipped => "skipped",
        }
    }
}

/// A test case; also its JSON object.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Case {
    pub(super) model: String,
    /// Its number among the queries; 0 if the model or its queries could not be read.
    pub(super) index: u32,
    pub(super) formula: String,
    pub(super) result: Outcome,
    pub(super) expected: Option<Expected>,
    /// `None` if the query was not answered.
    pub(super) verdict: Option<&'static str>,
    pub(super) reason: Option<String>,
    pub(super) explored: usize,
    pub(super) stored: usize,
    pub(super) seconds: f64,
    pub(super) certified: bool,
    /// The run that proves the verdict, as text.
    #[serde(skip)]
    pub(super) trace: Option<String>,
    /// The place of the query or of the problem; `None` if diagnostics have it.
    #[serde(skip)]
    pub(super) place: Option<Place>,
    /// The exit status if all others pass.
    #[serde(skip)]
    pub(super) status: Status,
}

impl Case {
    /// A query that was not answered.
    pub(super) fn unasked(model: &str, index: u32, formula: &str) -> Self {
        Self {
            model: model.to_owned(),
            index,
            formula: formula.to_owned(),
            result: Outcome::Skipped,
            expected: None,
            verdict: None,
            reason: None,
            explored: 0,
            stored: 0,
            seconds: 0.0,
            certified: false,
            trace: None,
            place: None,
            status: Status::Success,
        }
    }

    /// A model that could not be read.
    pub(super) fn unreadable(model: &str, reason: String) -> Self {
        Self {
            result: Outcome::Error,
            reason: Some(reason),
            status: Status::WrongInput,
            ..Self::unasked(model, 0, "")
        }
    }

    /// The failure on one line; `None` if it passed.
    pub(super) fn complaint(&self) -> Option<String> {
        let shown = |name: &str| name.replace('_', " ");
        let found = match (self.expected, self.verdict) {
            (Some(expected), Some(verdict)) if self.result != Outcome::Passed => {
                Some(format!("expected {}, found {}", shown(expected.name()), shown(verdict)))
            }
            _ => None,
        };
        let reason = self.reason.clone().filter(|_| self.result != Outcome::Passed);
        let parts: Vec<String> = found.into_iter().chain(reason).collect();
        (!parts.is_empty()).then(|| parts.join(": "))
    }
}

/// The numbers of tests by their result.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub(super) struct Summary {
    pub(super) models: usize,
    pub(super) tests: usize,
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) undecided: usize,
    pub(super) errors: usize,
    pub(super) skipped: usize,
    pub(super) seconds: f64,
}

impl Summary {
    pub(super) fn of(cases: &[Case]) -> Self {
        let count = |outcome| cases.iter().filter(|case| case.result == outcome).count();
        let mut models: Vec<&str> = cases.iter().map(|case| case.model.as_str()).collect();
        models.sort_unstable();
        models.dedup();
        Self {
            models: models.len(),
            tests: cases.len(),
            passed: count(Outcome::Passed),
            failed: count(Outcome::Failed),
            undecided: count(Outcome::Undecided),
            errors: count(Outcome::Error),
            skipped: count(Outcome::Skipped),
            // The sum of no floating-point numbers is negative zero.
            seconds: cases.iter().fold(0.0, |sum, case| sum + case.seconds),
        }
    }

    /// The summary on one line.
    pub(super) fn line(&self) -> String {
        let numbers = [
            (self.passed, "passed"),
            (self.failed, "failed"),
            (self.undecided, "undecided"),
            (self.errors, if self.errors == 1 { "error" } else { "errors" }),
            (self.skipped, "skipped"),
        ];
        let shown = numbers.into_iter().filter(|&(count, name)| count > 0 || name == "passed");
        let shown: Vec<String> = shown.map(|(count, name)| format!("{count} {name}")).collect();
        format!("{} in {:.3} s", shown.join(", "), self.seconds)
    }
}
