//! Waiting for other processes, threads and pipes, with limits on time and memory.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use zonaut_engine::{Resources, StopReason, held_memory, is_beyond};

/// The limits of waiting: a deadline, a memory limit of all processes together, and a cancellation.
#[derive(Clone, Debug, Default)]
pub struct Patience {
    /// The deadline.
    pub(crate) deadline: Option<Instant>,
    /// The memory limit of all processes together.
    pub(crate) memory: Option<u64>,
    /// Set by a signal to end waiting.
    pub(crate) cancelled: Arc<AtomicBool>,
}

impl Patience {
    /// The shortest and the longest polling period.
    const PERIODS: (Duration, Duration) = (Duration::from_micros(500), Duration::from_millis(5));

    /// The limits of `resources` for a query that starts now.
    #[must_use]
    pub fn of(resources: &Resources) -> Self {
        let cancelled = Arc::clone(&resources.cancelled);
        let memory = resources.memory.map(|bytes| bytes as u64);
        Self { deadline: None, memory, cancelled }.within(resources.time)
    }

    /// The same limits, with a deadline after at most `limit` from now.
    pub(crate) fn within(&self, limit: Option<Duration>) -> Self {
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        let deadline = self.deadline.into_iter().chain(end).min();
        Self { deadline, memory: self.memory, cancelled: Arc::clone(&self.cancelled) }
    }

    /// The remaining time, if there is a deadline.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Whether the memory `held` by another process, together with this one, exceeds the limit.
    pub(crate) fn is_too_much(&self, held: u64) -> bool {
        let own = || held_memory(std::process::id()).unwrap_or(0);
        self.memory.is_some_and(|limit| is_beyond(own().saturating_add(held), limit))
    }

    /// The reason to stop waiting, if there is one.
    pub(crate) fn over(&self) -> Option<StopReason> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(StopReason::Cancelled);
        }
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        is_late.then_some(StopReason::TimeLimit)
    }

    /// Polls `look` until it returns a value.
    ///
    /// # Errors
    /// The error of `look`, or the reason to stop waiting.
    pub(crate) fn wait<T>(
        &self,
        mut look: impl FnMut() -> io::Result<Option<T>>,
    ) -> io::Result<Result<T, StopReason>> {
        let mut period = Self::PERIODS.0;
        loop {
            if let Some(found) = look()? {
                return Ok(Ok(found));
            }
            if let Some(why) = self.over() {
                return Ok(Err(why));
            }
            thread::sleep(period);
            period = (period * 2).min(Self::PERIODS.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_ends_with_a_value_or_at_the_first_limit() {
        let patience = Patience::default();
        let mut looks = 0;
        let found = patience.wait(|| {
            looks += 1;
            Ok((looks == 3).then_some(looks))
        });
        assert_eq!(found.unwrap(), Ok(3));
        let nothing = |patience: &Patience| patience.wait(|| Ok(None::<()>)).unwrap();
        let short = patience.within(Some(Duration::from_millis(5)));
        assert_eq!(
            nothing(&short.within(Some(Duration::from_secs(9)))),
            Err(StopReason::TimeLimit)
        );
        patience.cancelled.store(true, Ordering::Relaxed);
        assert_eq!(nothing(&short), Err(StopReason::Cancelled));
        assert!(patience.wait(|| Err::<Option<()>, _>(io::Error::other("no"))).is_err());
    }
}
