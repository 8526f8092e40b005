//! Parts that can be made wrong on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. One fault at a time is
//! selected for the whole process; at first no fault is.

use zonaut_base::define_faults;

define_faults! {
    /// A fault to inject.
    pub enum Fault {
        /// An estimate is one too large.
        EstimateTooLarge,
        /// Points are compared without the date.
        DateForgotten,
        /// Schedules better than the incumbent have too early a limit.
        LimitTooEarly,
        /// A use that fits before others, but not twice, comes after them.
        EdgeFoundTooSoon,
        /// A use follows the one before it after twice the time.
        FollowsTooLate,
        /// Waiting for a task that may end in several ways makes a point before one of them is chosen.
        WaitCoveredByParent,
        /// Locations with an invariant and no exit count as tasks, so that edges at the bound are lost.
        MoveAtBoundLost,
        /// A task in a cycle leaves no trace.
        TracelessInCycle,
        /// A task whose updates read what others write leaves no trace.
        TracelessReading,
        /// A sleeper without deadline has overslept where dates leave their range.
        SleepEndsWithRange,
        /// A learnt clause lacks one of the orders that a conflict follows from.
        AntecedentForgotten,
        /// A search adopts clauses of searches with earlier limits.
        LemmaBeyondLimit,
        /// An aim without schedule counts as a limit without one.
        AimCountsAsLimit,
        /// Guards on counters count as those that hold if processes hold less.
        GuardOfCounterForgotten,
        /// A deadline at the end of a task may be earlier than that of the task.
        DeadlineAfterTask,
        /// A task without trace may lead to an earlier deadline.
        TracelessIntoDeadline,
        /// The date of an arrival is one too late.
        ArrivalTooLate,
    }
}
