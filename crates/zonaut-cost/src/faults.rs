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
        /// An estimate of 2^30 - 1 or more is the marker for "never".
        EstimateSaturates,
        /// Prices are estimated where time is searched.
        MeasureMixedUp,
        /// Clocks count as set where the search in a smaller network begins.
        ClocksKnownTooSoon,
        /// Uses of half of a capacity exclude each other.
        HalfExcludesHalf,
        /// The capacity of a counter is one too small.
        CapacityTooSmall,
    }
}
