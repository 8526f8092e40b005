//! A barrier at which workers wait for each other.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// The number of looks at the gate before a worker blocks: at first, at least, and at most. To block
/// and to be woken takes as long as some thousand looks.
const FIRST_LOOKS: u32 = 1 << 10;
const LEAST_LOOKS: u32 = 1 << 5;
const MOST_LOOKS: u32 = 1 << 13;

/// A barrier for a number of workers that meet often. A worker looks at it for a short time before it
/// blocks, since the others mostly arrive soon; for less time if that was in vain before, since more
/// workers than processors would take time from each other.
pub(super) struct Gate {
    workers: usize,
    arrived: AtomicUsize,
    /// The number of times that it has opened.
    openings: AtomicUsize,
    /// The number of blocked workers.
    blocked: Mutex<usize>,
    opened: Condvar,
}

/// The patience of one worker: the number of looks before it blocks.
pub(super) struct Patience(u32);

impl Default for Patience {
    fn default() -> Self {
        Self(FIRST_LOOKS)
    }
}

impl Gate {
    pub(super) fn new(workers: usize) -> Self {
        let (arrived, openings) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { workers, arrived, openings, blocked: Mutex::new(0), opened: Condvar::new() }
    }

    /// Returns when all workers have arrived.
    pub(super) fn wait(&self, patience: &mut Patience) {
        let before = self.openings.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.workers {
            // The others arrive again only after it has opened.
            self.arrived.store(0, Ordering::Relaxed);
            let blocked = self.blocked.lock().unwrap_or_else(PoisonError::into_inner);
            self.openings.store(before.wrapping_add(1), Ordering::Release);
            if *blocked > 0 {
                self.opened.notify_all();
            }
            return;
        }
        let is_closed = || self.openings.load(Ordering::Acquire) == before;
        for _ in 0..patience.0 {
            if !is_closed() {
                patience.0 = (2 * patience.0).min(MOST_LOOKS);
                return;
            }
            spin_loop();
        }
        patience.0 = (patience.0 - patience.0 / 8).max(LEAST_LOOKS);
        let mut blocked = self.blocked.lock().unwrap_or_else(PoisonError::into_inner);
        *blocked += 1;
        while is_closed() {
            blocked = self.opened.wait(blocked).unwrap_or_else(PoisonError::into_inner);
        }
        *blocked -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn no_worker_passes_before_all_have_arrived() {
        for workers in 1..5 {
            let (gate, arrivals) = (Gate::new(workers), AtomicUsize::new(0));
            let work = || {
                let mut patience = Patience::default();
                for round in 1..2_000 {
                    arrivals.fetch_add(1, Ordering::Relaxed);
                    gate.wait(&mut patience);
                    let arrived = arrivals.load(Ordering::Relaxed);
                    assert!((workers * round..=workers * (round + 1)).contains(&arrived));
                }
            };
            thread::scope(|scope| (0..workers).for_each(|_| _ = scope.spawn(work)));
        }
    }
}
