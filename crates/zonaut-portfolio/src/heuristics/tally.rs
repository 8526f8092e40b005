//! Counts of the evaluations of one heuristic, which other threads can read.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use zonaut_space::Estimate;

/// The lowest estimate of heuristics so far; several threads may note and read it.
#[derive(Debug)]
pub struct LowestEstimate(AtomicU64);

/// No estimate is noted; above every estimate.
const NONE: u64 = u64::MAX;

impl Default for LowestEstimate {
    /// No estimate is noted.
    fn default() -> Self {
        Self(AtomicU64::new(NONE))
    }
}

impl LowestEstimate {
    /// Notes an estimate; returns whether it is lower than all before it.
    pub fn note(&self, estimate: u32) -> bool {
        let estimate = u64::from(estimate);
        // Almost no estimate is the lowest, and reading is cheaper than an atomic minimum.
        estimate < self.0.load(Ordering::Relaxed)
            && estimate < self.0.fetch_min(estimate, Ordering::Relaxed)
    }

    /// The lowest estimate; `None` if no estimate is noted.
    #[must_use]
    pub fn get(&self) -> Option<u32> {
        u32::try_from(self.0.load(Ordering::Relaxed)).ok()
    }
}

/// The counts of one heuristic. Its owner alone writes them, so that a count is loaded and stored
/// without an atomic addition and no count is lost; anyone may read them.
#[derive(Debug, Default)]
pub(super) struct Tally {
    evaluations: AtomicU64,
    nanoseconds: AtomicU64,
    lowest: LowestEstimate,
    /// Whether a state had the estimate `Last`.
    puts_last: AtomicBool,
}

impl Tally {
    /// Notes an estimate; returns it if it is the lowest so far.
    #[inline]
    pub(super) fn note(&self, estimate: Estimate<u32>) -> Option<u32> {
        match estimate {
            Estimate::Distance(h) => self.lowest.note(h).then_some(h),
            Estimate::Last => {
                self.puts_last.store(true, Ordering::Relaxed);
                None
            }
            Estimate::DeadEnd => None,
        }
    }

    /// Counts an evaluation that took this long.
    #[inline]
    pub(super) fn count(&self, time: Duration) {
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let add = |count: &AtomicU64, more| {
            let sum = count.load(Ordering::Relaxed).saturating_add(more);
            count.store(sum, Ordering::Relaxed);
        };
        add(&self.nanoseconds, time);
        add(&self.evaluations, 1);
    }

    /// The number of evaluations.
    pub(super) fn evaluations(&self) -> u64 {
        self.evaluations.load(Ordering::Relaxed)
    }

    /// The time of all evaluations.
    pub(super) fn spent(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }

    /// The lowest estimate; `None` if no evaluation returned a number.
    pub(super) fn lowest(&self) -> Option<u32> {
        self.lowest.get()
    }

    /// Whether a state had the estimate `Last`.
    pub(super) fn puts_last(&self) -> bool {
        self.puts_last.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn only_lower_estimates_are_noted() {
        let tally = Tally::default();
        assert_eq!((tally.lowest(), tally.puts_last()), (None, false));
        assert_eq!(tally.note(Estimate::Distance(u32::MAX)), Some(u32::MAX));
        assert_eq!(tally.note(Estimate::Distance(7)), Some(7));
        assert_eq!(tally.note(Estimate::Distance(7)), None);
        assert_eq!(tally.note(Estimate::DeadEnd), None);
        assert_eq!((tally.lowest(), tally.puts_last()), (Some(7), false));
        assert_eq!(tally.note(Estimate::Last), None);
        assert_eq!((tally.lowest(), tally.puts_last()), (Some(7), true));
    }

    #[test]
    fn counts_move_with_the_heuristic_to_other_threads() {
        let tally = Arc::new(Tally::default());
        for _ in 0..3 {
            let owner = Arc::clone(&tally);
            let thread = std::thread::spawn(move || owner.count(Duration::from_nanos(5)));
            assert!(thread.join().is_ok());
        }
        assert_eq!((tally.evaluations(), tally.spent()), (3, Duration::from_nanos(15)));
    }

    #[test]
    fn the_lowest_estimate_of_several_threads_is_kept() {
        let lowest = LowestEstimate::default();
        std::thread::scope(|scope| {
            for first in [40, 10, 30] {
                let lowest = &lowest;
                scope.spawn(move || (first..first + 100).rev().for_each(|h| _ = lowest.note(h)));
            }
        });
        assert_eq!(lowest.get(), Some(10));
    }
}
