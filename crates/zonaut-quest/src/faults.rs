//! Parts of searches that take turns that can be made wrong on purpose, to measure whether tests
//! notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. One fault at a time is
//! selected for the whole process; at first there is none.

use zonaut_base::define_faults;

define_faults! {
    /// What can be wrong.
    pub enum Fault {
        /// A search that is paused is taken for one that has seen everything.
        PauseIsProof,
        /// What searches may do in a turn never grows.
        TurnsNeverGrow,
    }
}
