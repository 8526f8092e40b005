//! The effort of a task, the same in all records about queries.

use crate::answer::Answer;
use serde::Serialize;

/// The length of the run that was found, and the effort to find and certify it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct EffortRecord {
    /// The length of the run.
    pub transitions: Option<usize>,
    /// Expanded states.
    pub explored: usize,
    /// Stored states.
    pub stored: usize,
    /// The time of the answer, including its certificate.
    pub seconds: f64,
    /// The time of the search and of computing the run.
    pub search_seconds: f64,
    /// The memory of the states and of the independent checker.
    pub memory_bytes: usize,
    /// The memory of the states alone.
    pub search_bytes: usize,
}

impl EffortRecord {
    /// The effort of an answer without its certification.
    pub(super) fn of(answer: &Answer) -> Self {
        Self {
            transitions: answer.trace.as_ref().map(|trace| trace.steps.len()),
            explored: answer.statistics.explored,
            stored: answer.statistics.stored,
            seconds: answer.seconds,
            search_seconds: answer.seconds,
            memory_bytes: answer.statistics.bytes,
            search_bytes: answer.statistics.bytes,
        }
    }

    /// The effort with the time of certification and the memory of the checker.
    pub(super) fn with_certification(self, seconds: f64, bytes: usize) -> Self {
        Self {
            seconds: self.search_seconds + seconds,
            memory_bytes: self.search_bytes.saturating_add(bytes),
            ..self
        }
    }
}
