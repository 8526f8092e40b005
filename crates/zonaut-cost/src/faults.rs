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
        /// A strict least cost counts as attained.
        StrictnessForgotten,
        /// The price of a transition is not added to what was paid before.
        PriceForgotten,
        /// The cost is forgotten where zones are compared.
        CostNotCompared,
        /// The row of the cost is extrapolated.
        CostExtrapolated,
        /// A stay is counted from now on, whenever it began.
        StayBegunAgain,
        /// A lock may be taken while it is not free.
        LockNotAskedFor,
        /// A lock may be given back by a process that does not hold it.
        GivenBackByOthers,
        /// Only the first possible partner in a transition is considered.
        PartnersForgotten,
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
        /// An estimate of 2^30 - 1 or more is the marker for "never".
        EstimateSaturates,
        /// Prices are estimated where time is searched.
        MeasureMixedUp,
        /// A task in a cycle leaves no trace.
        TracelessInCycle,
        /// A task whose updates read what others write leaves no trace.
        TracelessReading,
        /// A sleeper without deadline has overslept where dates leave their range.
        SleepEndsWithRange,
        /// Clocks count as set where the search in a smaller network begins.
        ClocksKnownTooSoon,
    }
}
