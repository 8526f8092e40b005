//! The meter: counts the work of long computations and cancels them.
//!
//! The caller of a computation passes a [`Meter`]. The computation counts its steps, which is
//! cheap, and the meter polls its callback every few thousand steps for a reason to stop. Only the
//! callback knows the machine's clock, signals and limits. A meter that has stopped stays stopped:
//! all computations that share it end soon.

use std::fmt;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The reason why a computation ended without a result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StopReason {
    /// The time limit was reached.
    TimeLimit,
    /// The memory limit was reached, or the machine has no more memory.
    MemoryLimit,
    /// The limit of the number of states was reached.
    NodeLimit,
    /// The computation was cancelled.
    Cancelled,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TimeLimit => "time limit",
            Self::MemoryLimit => "memory limit",
            Self::NodeLimit => "state limit",
            Self::Cancelled => "cancelled",
        })
    }
}

/// The number of steps between two polls. A step is a few machine operations, so that polls are
/// some hundred microseconds apart.
const STEPS_PER_POLL: u32 = 1 << 14;

/// Counts steps and bytes of a computation and polls regularly whether to continue. Clones share
/// one count. The default meter never stops a computation and costs almost nothing.
#[derive(Clone, Default)]
pub struct Meter(Option<Arc<Shared>>);

struct Shared {
    /// Steps until the next poll; 0 once the computation is to stop.
    left: AtomicU32,
    /// Steps until the last poll.
    polled_after: AtomicU64,
    held: AtomicUsize,
    stopped: OnceLock<StopReason>,
    /// Whether the process ends with this computation.
    is_last: bool,
    stop_callback: Box<StopCallback>,
}

/// The callback of a meter: called with the number of bytes held, returns the reason to stop if
/// there is one.
type StopCallback = dyn Fn(usize) -> Option<StopReason> + Send + Sync;

impl Meter {
    /// A meter that polls `stop_callback`, which is called with the number of bytes that the
    /// computation holds.
    pub fn new(
        stop_callback: impl Fn(usize) -> Option<StopReason> + Send + Sync + 'static,
    ) -> Self {
        Self::of(stop_callback, false)
    }

    /// A meter for the last computation of a process: see [`Meter::discard`].
    pub fn of_last_work(
        stop_callback: impl Fn(usize) -> Option<StopReason> + Send + Sync + 'static,
    ) -> Self {
        Self::of(stop_callback, true)
    }

    fn of(
        stop_callback: impl Fn(usize) -> Option<StopReason> + Send + Sync + 'static,
        is_last: bool,
    ) -> Self {
        Self(Some(Arc::new(Shared {
            left: AtomicU32::new(STEPS_PER_POLL),
            polled_after: AtomicU64::new(0),
            held: AtomicUsize::new(0),
            stopped: OnceLock::new(),
            is_last,
            stop_callback: Box::new(stop_callback),
        })))
    }

    /// Counts `steps` of work.
    ///
    /// # Errors
    /// The reason to stop, if the computation is to stop.
    #[inline]
    pub fn spend(&self, steps: u32) -> Result<(), StopReason> {
        let Some(shared) = &self.0 else { return Ok(()) };
        let left = shared.left.load(Ordering::Relaxed);
        if steps < left {
            shared.left.store(left - steps, Ordering::Relaxed);
            return Ok(());
        }
        shared.poll(0, steps)
    }

    /// Polls at once, for a computation that holds `bytes` besides the bytes counted by
    /// [`Meter::hold`].
    ///
    /// # Errors
    /// The reason to stop, if the computation is to stop.
    pub fn poll(&self, bytes: usize) -> Result<(), StopReason> {
        self.0.as_ref().map_or(Ok(()), |shared| shared.poll(bytes, 0))
    }

    /// The number of steps counted so far. The same work takes the same number of steps,
    /// independent of the machine's clock.
    #[must_use]
    pub fn spent(&self) -> u64 {
        let Some(shared) = &self.0 else { return 0 };
        let left = shared.left.load(Ordering::Relaxed);
        shared.polled_after.load(Ordering::Relaxed) + u64::from(STEPS_PER_POLL - left)
    }

    /// The reason to stop, if the computation is to stop.
    #[must_use]
    pub fn stopped(&self) -> Option<StopReason> {
        self.0.as_ref().and_then(|shared| shared.stopped.get().copied())
    }

    /// The number of bytes that are held now.
    #[must_use]
    pub fn held(&self) -> usize {
        self.0.as_ref().map_or(0, |shared| shared.held.load(Ordering::Relaxed))
    }

    /// Drops a large value, except after the last computation of a process was stopped: then its
    /// memory is left to the operating system, because freeing the memory of a large search can
    /// take a second, which the user would wait for beyond the limit.
    pub fn discard<T>(&self, value: T) {
        match self.0.as_ref().is_some_and(|shared| shared.is_last) && self.stopped().is_some() {
            true => std::mem::forget(value),
            false => drop(value),
        }
    }

    /// A counter of bytes that are held until it is dropped; 0 at first.
    pub fn hold(&self) -> Held {
        Held { meter: self.clone(), bytes: 0 }
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meter").field("stopped", &self.stopped()).finish_non_exhaustive()
    }
}

impl Shared {
    #[cold]
    fn poll(&self, bytes: usize, steps: u32) -> Result<(), StopReason> {
        if let Some(why) = self.stopped.get() {
            return Err(*why);
        }
        let used = STEPS_PER_POLL - self.left.load(Ordering::Relaxed);
        self.polled_after.fetch_add(u64::from(used) + u64::from(steps), Ordering::Relaxed);
        match (self.stop_callback)(self.held.load(Ordering::Relaxed).saturating_add(bytes)) {
            None => {
                self.left.store(STEPS_PER_POLL, Ordering::Relaxed);
                Ok(())
            }
            Some(why) => {
                self.left.store(0, Ordering::Relaxed);
                Err(*self.stopped.get_or_init(|| why))
            }
        }
    }
}

/// A number of bytes that a meter counts as held.
#[derive(Debug, Default)]
#[must_use]
pub struct Held {
    meter: Meter,
    bytes: usize,
}

impl Held {
    /// Sets the number of bytes.
    pub fn set(&mut self, bytes: usize) {
        if let Some(shared) = &self.meter.0 {
            if bytes >= self.bytes {
                shared.held.fetch_add(bytes - self.bytes, Ordering::Relaxed);
            } else {
                shared.held.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
            }
        }
        self.bytes = bytes;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meter_polls_regularly_and_stays_stopped() {
        let asked = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&asked);
        let meter = Meter::new(move |_| {
            (seen.fetch_add(1, Ordering::Relaxed) == 2).then_some(StopReason::TimeLimit)
        });
        let copy = meter.clone();
        let steps = (0..1_000_000).take_while(|_| meter.spend(100).is_ok()).count();
        assert_eq!(steps as u32, 3 * STEPS_PER_POLL.div_ceil(100) - 1);
        assert_eq!(asked.load(Ordering::Relaxed), 3);
        for _ in 0..3 {
            assert_eq!(copy.spend(0), Err(StopReason::TimeLimit));
            assert_eq!(copy.poll(0), Err(StopReason::TimeLimit));
        }
        assert_eq!(copy.stopped(), Some(StopReason::TimeLimit));
        assert_eq!(asked.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn held_bytes_count_until_they_are_dropped() {
        let meter = Meter::new(|bytes| (bytes >= 100).then_some(StopReason::MemoryLimit));
        let (mut first, mut second) = (meter.hold(), meter.hold());
        first.set(70);
        second.set(29);
        assert_eq!(meter.poll(0), Ok(()));
        first.set(20);
        second.set(60);
        assert_eq!(meter.poll(19), Ok(()));
        drop(first);
        assert_eq!(meter.poll(39), Ok(()));
        assert_eq!(meter.poll(40), Err(StopReason::MemoryLimit));
    }

    #[test]
    fn memory_is_not_freed_if_the_last_work_of_a_process_is_stopped() {
        let is_freed = |meter: &Meter| {
            let value = Arc::new(());
            meter.discard(Arc::clone(&value));
            Arc::strong_count(&value) == 1
        };
        let over = |_: usize| Some(StopReason::TimeLimit);
        let (last, other) = (Meter::of_last_work(over), Meter::new(over));
        assert!(is_freed(&last) && is_freed(&other) && is_freed(&Meter::default()));
        assert!(last.poll(0).is_err() && other.poll(0).is_err());
        assert!(!is_freed(&last) && is_freed(&other));
    }

    #[test]
    fn the_default_meter_never_stops() {
        let meter = Meter::default();
        meter.hold().set(usize::MAX);
        assert_eq!((meter.spend(u32::MAX), meter.poll(usize::MAX)), (Ok(()), Ok(())));
        assert_eq!(meter.stopped(), None);
    }
}
