//! Verdicts as people and scripts see them.

use crate::status::Status;
use zonaut_engine::{Reason, Session, Verdict};

/// Why there is no answer, if there is none; a failure of the model with its place.
#[must_use]
pub fn described_reason(session: &Session, verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Satisfied | Verdict::NotSatisfied => None,
        Verdict::Unknown(Reason::EvaluationBudget(error)) | Verdict::Error(error) => {
            let place = session.sources().position(session.place_of(error));
            let message = error.kind.to_string();
            Some(format!("{}:{}:{}: {message}", place.file, place.line, place.column))
        }
        Verdict::Unknown(reason) => Some(reason.to_string()),
        Verdict::DamagedQuery => Some("the query has an error".to_owned()),
        Verdict::NoInitialState => Some("the initial state violates an invariant".to_owned()),
        Verdict::Spurious | Verdict::WronglyPruned => {
            verdict.bug().map(|bug| format!("a bug in Zonaut: {bug}"))
        }
    }
}

/// The name of a verdict in reports.
#[must_use]
pub fn verdict_name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Satisfied => "satisfied",
        Verdict::NotSatisfied => "not_satisfied",
        Verdict::Unknown(_) => "unknown",
        Verdict::Error(_)
        | Verdict::NoInitialState
        | Verdict::DamagedQuery
        | Verdict::Spurious
        | Verdict::WronglyPruned => "error",
    }
}

/// How a command with this verdict ends.
pub fn status_of(verdict: &Verdict) -> Status {
    match verdict {
        Verdict::Satisfied => Status::Success,
        Verdict::NotSatisfied => Status::NotSatisfied,
        Verdict::Unknown(_) => Status::Undecided,
        Verdict::Error(_) => Status::RunTimeError,
        Verdict::NoInitialState | Verdict::DamagedQuery => Status::WrongInput,
        Verdict::Spurious | Verdict::WronglyPruned => Status::Bug,
    }
}
