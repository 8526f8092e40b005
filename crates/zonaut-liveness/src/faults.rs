//! Parts of the searches that can be made wrong on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. One fault at a time is
//! selected for the whole process; at first there is none.

use zonaut_base::define_faults;

define_faults! {
    /// What can be wrong.
    pub enum Fault {
        /// A state that an ancestor covers counts as a cycle.
        CycleByCovering,
        /// A loop drives a clock up if its bounds do not fall.
        PumpWithoutGrowth,
        /// A clock that is above its greatest constant counts as unbounded.
        UnboundedAboveConstant,
        /// The clock whose values are asked for is forgotten above its constants, too.
        WatchedForgotten,
        /// The states that show that there is no maximal run are named in the wrong order.
        RanksReversed,
        /// The greatest value of an integer is one too small.
        GreatestTooSmall,
    }
}

impl Fault {
    /// Whether it makes values wrong, rather than maximal runs.
    #[must_use]
    pub fn is_about_values(self) -> bool {
        ![Self::CycleByCovering, Self::RanksReversed].contains(&self)
    }
}
