//! How work that may take long is counted, and ended.
//!
//! Whoever orders work gives a [`Meter`] along. The work counts its steps, which is cheap, and the
//! meter asks now and then whether to go on. Only the one who asks knows of clocks, signals and
//! limits. Once a meter has stopped, it stays so: everything that counts on it ends soon.

use std::fmt;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Why work ended without a result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StopReason {
    /// The time allowed is over.
    TimeLimit,
    /// The memory allowed, or all there is, is used.
    MemoryLimit,
    /// As many states as allowed were seen.
    NodeLimit,
    /// Somebody asked to stop.
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

/// The steps between two questions. A step is a few operations of the machine, so that questions
/// are some hundred microseconds apart.
const STEPS_PER_QUESTION: u32 = 1 << 14;

/// Counts steps and bytes of work, and asks now and then whether to go on. Copies count together.
/// The default never ends anything, and costs next to nothing.
#[derive(Clone, Default)]
pub struct Meter(Option<Arc<Shared>>);

struct Shared {
    /// Steps until the next question; none are left once the work is to end.
    left: AtomicU32,
    /// Steps until the last question.
    asked_after: AtomicU64,
    held: AtomicUsize,
    stopped: OnceLock<StopReason>,
    /// Whether the process ends with the work.
    is_last: bool,
    ask: Box<Ask>,
}

/// Says why to stop, if there is a reason, when told how many bytes the work holds.
type Ask = dyn Fn(usize) -> Option<StopReason> + Send + Sync;

impl Meter {
    /// A meter that asks `ask`, with the bytes that the work holds.
    pub fn new(ask: impl Fn(usize) -> Option<StopReason> + Send + Sync + 'static) -> Self {
        Self::of(ask, false)
    }

    /// The same for the last work of a process: see [`Meter::discard`].
    pub fn of_last_work(ask: impl Fn(usize) -> Option<StopReason> + Send + Sync + 'static) -> Self {
        Self::of(ask, true)
    }

    fn of(
        ask: impl Fn(usize) -> Option<StopReason> + Send + Sync + 'static,
        is_last: bool,
    ) -> Self {
        Self(Some(Arc::new(Shared {
            left: AtomicU32::new(STEPS_PER_QUESTION),
            asked_after: AtomicU64::new(0),
            held: AtomicUsize::new(0),
            stopped: OnceLock::new(),
            is_last,
            ask: Box::new(ask),
        })))
    }

    /// Counts `steps` of work.
    ///
    /// # Errors
    /// When the work is to end.
    #[inline]
    pub fn spend(&self, steps: u32) -> Result<(), StopReason> {
        let Some(shared) = &self.0 else { return Ok(()) };
        let left = shared.left.load(Ordering::Relaxed);
        if steps < left {
            shared.left.store(left - steps, Ordering::Relaxed);
            return Ok(());
        }
        shared.question(0, steps)
    }

    /// Asks at once, on behalf of work that holds `bytes` besides what was counted.
    ///
    /// # Errors
    /// When the work is to end.
    pub fn look(&self, bytes: usize) -> Result<(), StopReason> {
        self.0.as_ref().map_or(Ok(()), |shared| shared.question(bytes, 0))
    }

    /// The steps that were counted so far. The same work takes the same number of steps, whatever
    /// the clock of the machine says meanwhile.
    #[must_use]
    pub fn spent(&self) -> u64 {
        let Some(shared) = &self.0 else { return 0 };
        let left = shared.left.load(Ordering::Relaxed);
        shared.asked_after.load(Ordering::Relaxed) + u64::from(STEPS_PER_QUESTION - left)
    }

    /// Why the work is to end, if it is.
    #[must_use]
    pub fn stopped(&self) -> Option<StopReason> {
        self.0.as_ref().and_then(|shared| shared.stopped.get().copied())
    }

    /// The bytes that count as held now.
    #[must_use]
    pub fn held(&self) -> usize {
        self.0.as_ref().map_or(0, |shared| shared.held.load(Ordering::Relaxed))
    }

    /// Drops a large value; but where the work was stopped and the process ends with it, its memory
    /// is left to the system, because a search can take a second to free what it took a minute to
    /// fill, and whoever set a limit waits for that too.
    pub fn discard<T>(&self, value: T) {
        match self.0.as_ref().is_some_and(|shared| shared.is_last) && self.stopped().is_some() {
            true => std::mem::forget(value),
            false => drop(value),
        }
    }

    /// Bytes that count as held until the value is dropped; none at first.
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
    fn question(&self, bytes: usize, steps: u32) -> Result<(), StopReason> {
        if let Some(why) = self.stopped.get() {
            return Err(*why);
        }
        let used = STEPS_PER_QUESTION - self.left.load(Ordering::Relaxed);
        self.asked_after.fetch_add(u64::from(used) + u64::from(steps), Ordering::Relaxed);
        match (self.ask)(self.held.load(Ordering::Relaxed).saturating_add(bytes)) {
            None => {
                self.left.store(STEPS_PER_QUESTION, Ordering::Relaxed);
                Ok(())
            }
            Some(why) => {
                self.left.store(0, Ordering::Relaxed);
                Err(*self.stopped.get_or_init(|| why))
            }
        }
    }
}

/// Memory that a meter counts.
#[derive(Debug, Default)]
#[must_use]
pub struct Held {
    meter: Meter,
    bytes: usize,
}

impl Held {
    /// Says how many bytes it is now.
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
    fn it_asks_now_and_then_and_stays_stopped() {
        let asked = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&asked);
        let meter = Meter::new(move |_| {
            (seen.fetch_add(1, Ordering::Relaxed) == 2).then_some(StopReason::TimeLimit)
        });
        let copy = meter.clone();
        let steps = (0..1_000_000).take_while(|_| meter.spend(100).is_ok()).count();
        assert_eq!(steps as u32, 3 * STEPS_PER_QUESTION.div_ceil(100) - 1);
        assert_eq!(asked.load(Ordering::Relaxed), 3);
        for _ in 0..3 {
            assert_eq!(copy.spend(0), Err(StopReason::TimeLimit));
            assert_eq!(copy.look(0), Err(StopReason::TimeLimit));
        }
        assert_eq!(copy.stopped(), Some(StopReason::TimeLimit));
        assert_eq!(asked.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn what_is_held_counts_until_it_is_dropped() {
        let meter = Meter::new(|bytes| (bytes >= 100).then_some(StopReason::MemoryLimit));
        let (mut first, mut second) = (meter.hold(), meter.hold());
        first.set(70);
        second.set(29);
        assert_eq!(meter.look(0), Ok(()));
        first.set(20);
        second.set(60);
        assert_eq!(meter.look(19), Ok(()));
        drop(first);
        assert_eq!(meter.look(39), Ok(()));
        assert_eq!(meter.look(40), Err(StopReason::MemoryLimit));
    }

    #[test]
    fn only_what_is_stopped_at_the_end_of_a_process_is_not_freed() {
        let is_freed = |meter: &Meter| {
            let value = Arc::new(());
            meter.discard(Arc::clone(&value));
            Arc::strong_count(&value) == 1
        };
        let over = |_: usize| Some(StopReason::TimeLimit);
        let (last, other) = (Meter::of_last_work(over), Meter::new(over));
        assert!(is_freed(&last) && is_freed(&other) && is_freed(&Meter::default()));
        assert!(last.look(0).is_err() && other.look(0).is_err());
        assert!(!is_freed(&last) && is_freed(&other));
    }

    #[test]
    fn the_default_never_ends_anything() {
        let meter = Meter::default();
        meter.hold().set(usize::MAX);
        assert_eq!((meter.spend(u32::MAX), meter.look(usize::MAX)), (Ok(()), Ok(())));
        assert_eq!(meter.stopped(), None);
    }
}
