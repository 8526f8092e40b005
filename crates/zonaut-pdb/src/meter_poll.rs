//! Regular polls of a meter by work that is not counted as steps.
//!
//! The passes after an exploration evaluate few expressions, so that the meter of the query would
//! not be polled for a long time. Their work is not counted as steps, because the time slices of a
//! portfolio depend on the counted steps.

use zonaut_base::Meter;

/// The number of work items between two polls.
const ITEMS_PER_POLL: u32 = 32;

/// A meter that is polled regularly.
pub(crate) struct MeterPoll<'m> {
    meter: &'m Meter,
    pieces: u32,
}

impl<'m> MeterPoll<'m> {
    /// A poll of `meter`.
    pub(crate) fn at(meter: &'m Meter) -> Self {
        Self { meter, pieces: 0 }
    }

    /// Whether the work has to end; called before every work item.
    pub(crate) fn is_over(&mut self) -> bool {
        self.pieces += 1;
        if self.pieces < ITEMS_PER_POLL {
            return self.meter.stopped().is_some();
        }
        self.pieces = 0;
        self.meter.poll(0).is_err()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use zonaut_base::StopReason;

    #[test]
    fn uncounted_work_ends_soon_after_the_meter_stops() {
        let asked = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&asked);
        let meter = Meter::new(move |_| {
            let times = counter.fetch_add(1, Ordering::Relaxed);
            (times == 3).then_some(StopReason::TimeLimit)
        });
        let mut meter_poll = MeterPoll::at(&meter);
        let end = 4 * ITEMS_PER_POLL;
        assert!((1..end).all(|_| !meter_poll.is_over()));
        assert_eq!(meter.spent(), 0, "looking is no work");
        assert!(meter_poll.is_over());
        assert!(meter_poll.is_over(), "it stays so");
        assert_eq!(asked.load(Ordering::Relaxed), 4);
    }
}
