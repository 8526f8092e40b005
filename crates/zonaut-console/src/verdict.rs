//! Verdicts as scripts see them.

use crate::status::Status;
use zonaut_engine::Verdict;

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
