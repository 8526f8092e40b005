//! Injected faults in the liveness searches, which measure whether tests detect them.
//!
//! Only with the feature `faults`, which no released build enables. At most one fault is selected
//! for the whole process; initially none is.

use zonaut_base::define_faults;

define_faults! {
    /// A fault.
    pub enum Fault {
        /// A state that an ancestor covers counts as a cycle.
        CycleByCovering,
        /// The edges of the covering graph to evicted nodes are lost.
        EvictedEdgeLost,
        /// Clock constraints of the avoided formula bound clocks from one side only.
        OtherSideForgotten,
        /// A state in which a run may be blocked is covered by one in which it is not.
        BlockedEndCovered,
        /// A loop counts as pumping a clock if its bounds do not fall.
        PumpWithoutGrowth,
        /// A clock that is above its greatest constant counts as unbounded.
        UnboundedAboveConstant,
        /// The clock whose values are computed is abstracted above its constants, too.
        WatchedForgotten,
        /// For an infimum the clock is pinned as for a supremum, and the other way round.
        PinnedFromOtherSide,
        /// A loop counts as pumping a clock although it sets the clock.
        PumpThroughSetting,
        /// The states that prove the absence of maximal runs are listed in the wrong order.
        RanksReversed,
        /// The greatest value of an integer is one too small.
        GreatestTooSmall,
    }
}

impl Fault {
    /// Whether it affects values rather than maximal runs.
    #[must_use]
    pub fn is_about_values(self) -> bool {
        ![
            Self::CycleByCovering,
            Self::RanksReversed,
            Self::EvictedEdgeLost,
            Self::OtherSideForgotten,
            Self::BlockedEndCovered,
        ]
        .contains(&self)
    }
}
