//! Injected faults in the zone graph, which measure whether tests detect them.
//!
//! Only with the feature `faults`, which no released build enables. At most one fault is selected
//! for the whole process; initially none is.

use crate::active_clocks::ActiveClocks;
use zonaut_base::define_faults;
use zonaut_compile::{ClockBounds, ClockRow};

define_faults! {
    /// A fault.
    pub enum Fault {
        /// Cached zone steps ignore the constraints before the transition.
        CacheWithoutGuards,
        /// Cached zone steps ignore resets.
        CacheWithoutResets,
        /// Cached zone steps ignore whether time passes.
        CacheWithoutDelay,
        /// Active clocks keep the lower bounds of another location vector with as many clocks.
        ActiveClocksKeepLower,
        /// Active clocks lack the bounds of the last process.
        ActiveClocksWithoutProcess,
        /// Active clocks lack the bounds of the goal.
        ActiveClocksWithoutGoal,
        /// Of several stopped clocks, the last one runs.
        StoppedClockRuns,
        /// Concrete runs are computed as if no clock were ever stopped.
        RunsWithoutStops,
        /// Cached zone steps ignore the stopped clocks of the target.
        CacheWithoutStops,
        /// A state has no deadlock if a transition is enabled at some valuation of its zone.
        DeadlockBySomeTransition,
        /// Transitions that are enabled only after a delay count as disabled.
        DeadlockWithoutDelay,
        /// Enabledness ignores the invariants of the target.
        DeadlockWithoutTarget,
        /// Enabledness after a delay ignores differences between clocks.
        DeadlockWithoutDifferences,
        /// Enabledness after a delay ignores stopped clocks.
        DeadlockWithoutStops,
        /// A transition of higher priority that is enabled at some valuation excludes others
        /// everywhere.
        PriorityBlocksEverywhere,
        /// Processes have no priorities.
        PriorityOfChannelsOnly,
        /// A transition of higher priority excludes others also where its target's invariants fail.
        PriorityWithoutTarget,
        /// Delays pass through the avoided formula.
        StayThroughAvoided,
        /// A run may end where a delay leads to the avoided formula.
        EndBeforeAvoided,
        /// Divergence of time is not an end of a run.
        DivergenceOverlooked,
        /// A cycle that can be taken once counts as repeatable for ever.
        RepeatedOnce,
    }
}

impl Fault {
    /// Whether it affects only queries with deadlocks.
    #[must_use]
    pub fn is_about_deadlocks(self) -> bool {
        [
            Self::DeadlockBySomeTransition,
            Self::DeadlockWithoutDelay,
            Self::DeadlockWithoutTarget,
            Self::DeadlockWithoutDifferences,
        ]
        .contains(&self)
    }
}

impl Fault {
    /// Whether it affects only models with priorities.
    #[must_use]
    pub fn is_about_priorities(self) -> bool {
        use Fault::{PriorityBlocksEverywhere, PriorityOfChannelsOnly, PriorityWithoutTarget};
        [PriorityBlocksEverywhere, PriorityOfChannelsOnly, PriorityWithoutTarget].contains(&self)
    }
}

/// The active clocks computed last, with some bounds of those computed before.
pub(crate) fn keep_bounds(before: &mut Option<ActiveClocks>, made: &mut ActiveClocks) {
    if let Some(before) = before
        && before.rows.len() == made.rows.len()
        && Fault::ActiveClocksKeepLower.is_selected()
    {
        made.lower.clone_from(&before.lower);
    }
    *before = Some(made.clone());
}

/// Drops a stopped clock.
pub(crate) fn forget_stopped(stopped: &mut Vec<ClockRow>) {
    if Fault::StoppedClockRuns.is_selected() {
        stopped.pop();
    }
}

/// The bounds of a list under the selected fault: its clocks are active, but not bounded.
pub(crate) fn lost(fault: Fault, list: &[ClockBounds]) -> Vec<ClockBounds> {
    let without = |b: &ClockBounds| ClockBounds { lower: -1, upper: -1, ..*b };
    let changed = |b| if fault.is_selected() { without(b) } else { *b };
    list.iter().map(changed).collect()
}
