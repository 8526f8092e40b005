//! Limits on the construction of heuristics, which do not end the query.

use crate::environment::Environment;
use std::time::Duration;
use zonaut_space::StopReason;

/// The limits of a heuristic's construction.
pub(super) struct Budget<'s> {
    states: usize,
    bytes: Option<usize>,
    deadline: Option<Duration>,
    environment: &'s dyn Environment,
}

impl<'s> Budget<'s> {
    /// The limits, with time counted from now on.
    pub(super) fn new(
        states: u32,
        seconds: Option<u32>,
        megabytes: Option<u32>,
        environment: &'s dyn Environment,
    ) -> Self {
        let time = seconds.map(|seconds| Duration::from_secs(seconds.into()));
        Self {
            states: states as usize,
            bytes: megabytes.map(|megabytes| megabytes as usize * (1 << 20)),
            deadline: time.map(|time| environment.now().saturating_add(time)),
            environment,
        }
    }

    /// The limit that is reached with this number of states and bytes.
    pub(super) fn reached(&self, states: usize, bytes: usize) -> Option<StopReason> {
        if self.deadline.is_some_and(|deadline| self.environment.now() >= deadline) {
            Some(StopReason::TimeLimit)
        } else if self.bytes.is_some_and(|limit| bytes >= limit) {
            Some(StopReason::MemoryLimit)
        } else {
            (states >= self.states).then_some(StopReason::NodeLimit)
        }
    }
}
