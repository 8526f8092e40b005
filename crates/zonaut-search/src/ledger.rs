//! What every loop counts, and when it looks at who watches.

use std::ops::ControlFlow;

use zonaut_space::{Observer, Progress, StopReason};

use crate::outcome::Statistics;

/// The number of pops and generated states between two looks at the observer.
const EVENTS_PER_PROGRESS: u32 = 256;

/// Comparing so many numbers with those of stored states takes as long as an event.
const EFFORT_PER_EVENT: usize = 1 << 12;

/// The numbers of a search, and the events since somebody was told of them.
#[derive(Clone, Copy, Default, Debug)]
pub struct Ledger {
    /// What the search did until now.
    pub statistics: Statistics,
    events: u32,
}

impl Ledger {
    /// A ledger that goes on with these numbers.
    #[must_use]
    pub fn of(statistics: Statistics) -> Self {
        Self { statistics, events: 0 }
    }

    /// The work done until now: nodes that were expanded and states that were generated.
    #[must_use]
    pub fn work(&self) -> u64 {
        (self.statistics.explored + self.statistics.generated) as u64
    }

    /// Counts the comparisons of an insertion.
    #[inline]
    pub fn count_effort(&mut self, effort: usize) {
        self.events += (effort / EFFORT_PER_EVENT) as u32;
    }

    /// Counts an event; says whether it is time to [ask] who watches.
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

/// Tells `observer` how far a search is, and asks whether it may go on.
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
