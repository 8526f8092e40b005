//! Parts of the zone graph that can be made wrong on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. One fault at a time is
//! selected for the whole process; at first there is none.

use crate::active_clocks::ActiveClocks;
use zonaut_base::define_faults;
use zonaut_compile::{ClockBounds, ClockRow};

define_faults! {
    /// What can be wrong.
    pub enum Fault {
        /// Steps are remembered without the constraints before them.
        RecallWithoutGuards,
        /// Steps are remembered without what clocks are set to.
        RecallWithoutResets,
        /// Steps are remembered without whether time passes.
        RecallWithoutDelay,
        /// ActiveClocksTable keep the lower bounds of another location vector with as many clocks.
        FrameKeepsLower,
        /// ActiveClocksTable lack the bounds of the last process.
        FrameWithoutProcess,
        /// ActiveClocksTable lack the bounds of the goal.
        FrameWithoutGoal,
        /// Of several clocks that stand still, the last one runs.
        StoppedClockRuns,
        /// Runs are looked for as if no clock ever stood still.
        RunsWithoutStops,
        /// Steps are remembered without the clocks that stand still after them.
        RecallWithoutStops,
        /// There is no deadlock where anything can happen at some valuation of the zone.
        DeadlockBySomeTransition,
        /// What can happen after a delay only counts as impossible.
        DeadlockWithoutDelay,
        /// What can happen does not depend on the invariants of its target.
        DeadlockWithoutTarget,
        /// What can happen after a delay is found as if no clock ever stood still.
        DeadlockWithoutStops,
        /// Something of higher priority that is possible at some valuation excludes others at all.
        PriorityBlocksEverywhere,
        /// Processes have no priorities.
        PriorityOfChannelsOnly,
        /// Something of higher priority excludes others also where its target's invariants fail.
        PriorityWithoutTarget,
        /// Time passes through what is to be avoided.
        StayThroughAvoided,
        /// A run may end where a delay leads to what is to be avoided.
        EndBeforeAvoided,
        /// A run does not stay where time diverges.
        DivergenceOverlooked,
        /// A cycle that can be taken once can be repeated for ever.
        RepeatedOnce,
    }
}

impl Fault {
    /// Whether it makes a difference only where deadlocks are asked for.
    #[must_use]
    pub fn is_about_deadlocks(self) -> bool {
        use Fault::{DeadlockBySomeTransition, DeadlockWithoutDelay, DeadlockWithoutTarget};
        [DeadlockBySomeTransition, DeadlockWithoutDelay, DeadlockWithoutTarget].contains(&self)
    }
}

impl Fault {
    /// Whether it makes a difference only where transitions have priorities.
    #[must_use]
    pub fn is_about_priorities(self) -> bool {
        use Fault::{PriorityBlocksEverywhere, PriorityOfChannelsOnly, PriorityWithoutTarget};
        [PriorityBlocksEverywhere, PriorityOfChannelsOnly, PriorityWithoutTarget].contains(&self)
    }
}

/// The frame just made, with some of the bounds of the frame made before.
pub(crate) fn keep_bounds(
    before: &mut Option<ActiveClocks>,
    mut made: ActiveClocks,
) -> ActiveClocks {
    if let Some(before) = before
        && before.rows.len() == made.rows.len()
        && Fault::FrameKeepsLower.is_selected()
    {
        made.lower.clone_from(&before.lower);
    }
    *before = Some(made.clone());
    made
}

/// Forgets a clock that stands still.
pub(crate) fn forget_stopped(stopped: &mut Vec<ClockRow>) {
    if Fault::StoppedClockRuns.is_selected() {
        stopped.pop();
    }
}

/// The bounds of a list as the selected fault has them: its clocks are active, but not bounded.
pub(crate) fn lost(fault: Fault, list: &[ClockBounds]) -> Vec<ClockBounds> {
    let without = |b: &ClockBounds| ClockBounds { lower: -1, upper: -1, ..*b };
    let changed = |b| if fault.is_selected() { without(b) } else { *b };
    list.iter().map(changed).collect()
}
