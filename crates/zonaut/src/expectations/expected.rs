//! The notation of expected verdicts in files.

use serde::Serialize;
use zonaut_engine::Verdict;

/// The expected verdict of a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Expected {
    Satisfied,
    NotSatisfied,
    Unknown,
    Error,
}

/// The meaning of a word in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// A verdict.
    Verdict(Expected),
    /// An inexact result, which implies no exact verdict.
    Inexact,
}

/// The meaning of `word`: UPPAAL's outcomes, the letters of its query files, and ours.
pub(super) fn meaning(word: &str) -> Result<Meaning, String> {
    let normal = word.trim().to_ascii_lowercase().replace([' ', '-'], "_");
    Ok(match normal.as_str() {
        "success" | "satisfied" | "true" | "t" => Meaning::Verdict(Expected::Satisfied),
        "failure" | "not_satisfied" | "violated" | "false" | "f" => {
            Meaning::Verdict(Expected::NotSatisfied)
        }
        "unknown" | "undecided" => Meaning::Verdict(Expected::Unknown),
        "error" | "e" => Meaning::Verdict(Expected::Error),
        "maybe_true" | "maybe_false" => Meaning::Inexact,
        _ => return Err(format!("`{}` is not an outcome that can be expected", word.trim())),
    })
}

impl Expected {
    /// The name in reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Satisfied => "satisfied",
            Self::NotSatisfied => "not_satisfied",
            Self::Unknown => "unknown",
            Self::Error => "error",
        }
    }

    /// Whether `verdict` is the expected one. A bug or an error in the query never is.
    pub(super) fn is_met_by(self, verdict: &Verdict) -> bool {
        match verdict {
            Verdict::Satisfied => self == Self::Satisfied,
            Verdict::NotSatisfied => self == Self::NotSatisfied,
            Verdict::Unknown(_) => self == Self::Unknown,
            Verdict::Error(_)
            | Verdict::CostOverflow(_)
            | Verdict::FailedRun(_)
            | Verdict::NoInitialState => self == Self::Error,
            Verdict::DamagedQuery | Verdict::Spurious | Verdict::WronglyPruned => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_all_formats_are_understood() {
        let check = |words: &[&str], expected| {
            for word in words {
                assert_eq!(meaning(word), Ok(Meaning::Verdict(expected)), "{word}");
            }
        };
        check(&["success", "T", "true", " Satisfied "], Expected::Satisfied);
        check(
            &["failure", "F", "false", "violated", "not satisfied", "not_satisfied"],
            Expected::NotSatisfied,
        );
        check(&["unknown"], Expected::Unknown);
        check(&["error"], Expected::Error);
        assert_eq!(meaning("maybe_true"), Ok(Meaning::Inexact));
        for wrong in ["", "yes!", "0", "satisfiable"] {
            assert!(meaning(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_name_means_its_verdict() {
        for expected in
            [Expected::Satisfied, Expected::NotSatisfied, Expected::Unknown, Expected::Error]
        {
            assert_eq!(meaning(expected.name()), Ok(Meaning::Verdict(expected)));
        }
    }

    #[test]
    fn only_the_same_verdict_meets_an_expectation() {
        assert!(Expected::Satisfied.is_met_by(&Verdict::Satisfied));
        assert!(!Expected::Satisfied.is_met_by(&Verdict::NotSatisfied));
        assert!(Expected::NotSatisfied.is_met_by(&Verdict::NotSatisfied));
        assert!(!Expected::Error.is_met_by(&Verdict::Spurious));
        assert!(Expected::Error.is_met_by(&Verdict::NoInitialState));
    }
}
