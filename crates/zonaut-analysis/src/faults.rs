//! A walk that can be made wrong on purpose, to measure whether tests of the whole notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. The tests of this crate put
//! faults into domains without it.

use zonaut_base::define_faults;

define_faults! {
    /// What can be wrong.
    pub enum Fault {
        /// The limit of clock values is forgotten.
        ClockLimitForgotten,
    }
}
