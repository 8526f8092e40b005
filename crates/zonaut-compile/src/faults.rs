//! Injected faults in the analysis of clock bounds, which measure whether tests detect them.
//!
//! Only with the feature `faults`, which no released build enables. At most one fault is selected
//! for the whole process; initially none is.

use zonaut_base::define_faults;

define_faults! {
    /// A fault.
    pub enum Fault {
        /// Bounds from both sides do not flow backwards from the locations that need them.
        TwoSidedWithoutFlow,
        /// The bounds of a pinned clock do not flow backwards from the locations of the condition.
        PinnedWithoutFlow,
    }
}
