//! Statistics of a search loop, and the intervals at which it calls its observer.

use std::ops::ControlFlow;

use zonaut_space::{Observer, Progress, StopReason};

use crate::outcome::Statistics;

/// The number of pops and generated states between two calls of the observer.
const EVENTS_PER_PROGRESS: u32 = 256;

/// The number of comparisons with stored states that take as long as one event.
const EFFORT_PER_EVENT: usize = 1 << 12;

/// The statistics of a search, and the events since the last progress report.
#[derive(Clone, Copy, Default, Debug)]
pub struct Ledger {
    /// The statistics so far.
    pub statistics: Statistics,
    events: u32,
}

impl Ledger {
    /// A ledger that continues from these statistics.
    #[must_use]
    pub fn of(statistics: Statistics) -> Self {
        Self { statistics, events: 0 }
    }

    /// The work so far: expanded nodes plus generated states.
    #[must_use]
    pub fn work(&self) -> u64 {
        (self.statistics.explored + self.statistics.generated) as u64
    }

    /// Counts the comparisons of an insertion.
    #[inline]
    pub fn count_effort(&mut self, effort: usize) {
        self.events += (effort / EFFORT_PER_EVENT) as u32;
    }

    /// Counts an event; returns whether the observer is due to be [asked](ask).
    #[inline]
    #[must_use]
    pub fn count_event(&mut self) -> bool {
        self.events += 1;
        let is_time = self.events >= EVENTS_PER_PROGRESS;
        if is_time {
            self.events = 0;
        }
        is_time
    }
}

/// Reports progress to `observer`, which may stop the search.
///
/// # Errors
/// When the observer stops the search.
pub fn ask<S, Step, Ob>(observer: &mut Ob, now: &Progress) -> Result<(), StopReason>
where
    Ob: Observer<S, Step> + ?Sized,
{
    match observer.progress(now) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(why) => Err(why),
    }
}
