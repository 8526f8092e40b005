//! The exit status of verdicts.

use crate::status::Status;
use zonaut_engine::Verdict;

/// The exit status of a command with this verdict.
pub fn status_of(verdict: &Verdict) -> Status {
    match verdict {
        Verdict::Satisfied => Status::Success,
        Verdict::NotSatisfied => Status::NotSatisfied,
        Verdict::Unknown(_) => Status::Undecided,
        Verdict::Error(_) | Verdict::CostOverflow(_) | Verdict::FailedRun(_) => {
            Status::RunTimeError
        }
        Verdict::NoInitialState | Verdict::DamagedQuery => Status::WrongInput,
        Verdict::Spurious | Verdict::WronglyPruned => Status::Bug,
    }
}
