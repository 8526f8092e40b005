//! Parts that can be made wrong on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. One fault at a time is
//! selected for the whole process; at first there is none.

use zonaut_base::define_faults;

define_faults! {
    /// What can be wrong.
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
    }
}
