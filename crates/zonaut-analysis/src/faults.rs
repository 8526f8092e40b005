//! Injected faults of the walk, which measure whether integration tests detect errors.
//!
//! Compiled only with the feature `faults`, which no released program enables. The tests of this
//! crate inject faults into domains without it.

use zonaut_base::define_faults;

define_faults! {
    /// A fault of the walk.
    pub enum Fault {
        /// The limit of clock values is not checked.
        ClockLimitForgotten,
    }
}
