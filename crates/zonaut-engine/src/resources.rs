//! What a search may use, and how it is watched and stopped.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use zonaut_space::{Observer, Progress, StopReason};

/// What a search may use.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// The time, counted from the start of each query.
    pub time: Option<Duration>,
    /// The memory of states, in bytes.
    pub memory: Option<usize>,
    /// The number of states to explore.
    pub states: Option<usize>,
    /// Set from elsewhere to stop the search.
    pub cancelled: Arc<AtomicBool>,
}

/// Who is told how a search goes on.
pub type ProgressListener<'l> = dyn FnMut(&Progress, Duration) + 'l;

/// Watches a search: stops it at its limits and passes its progress on.
pub(crate) struct Watch<'w> {
    resources: &'w Resources,
    start: Instant,
    /// When it has to end, whatever the resources say.
    deadline: Option<Instant>,
    listener: Option<&'w mut ProgressListener<'w>>,
}

impl<'w> Watch<'w> {
    pub(crate) fn new(
        resources: &'w Resources,
        listener: Option<&'w mut ProgressListener<'w>>,
    ) -> Self {
        Self { resources, start: Instant::now(), deadline: None, listener }
    }

    /// Ends what is watched after `time` from now on.
    pub(crate) fn limit(&mut self, time: Option<Duration>) {
        self.deadline = time.and_then(|time| Instant::now().checked_add(time));
    }

    fn limit_reached(&self, now: &Progress) -> Option<StopReason> {
        let Resources { time, memory, states, cancelled } = self.resources;
        if cancelled.load(Ordering::Relaxed) {
            Some(StopReason::Cancelled)
        } else if time.is_some_and(|limit| self.start.elapsed() >= limit)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
        {
            Some(StopReason::TimeLimit)
        } else if memory.is_some_and(|limit| now.bytes >= limit) {
            Some(StopReason::MemoryLimit)
        } else if states.is_some_and(|limit| now.explored >= limit) {
            Some(StopReason::NodeLimit)
        } else {
            None
        }
    }
}

impl<S, Step> Observer<S, Step> for Watch<'_> {
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        if let Some(listener) = &mut self.listener {
            listener(now, self.start.elapsed());
        }
        match self.limit_reached(now) {
            Some(reason) => ControlFlow::Break(reason),
            None => ControlFlow::Continue(()),
        }
    }
}
