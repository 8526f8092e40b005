//! Parts of answering that can be made wrong on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. One fault at a time is
//! selected for the whole process; at first there is none.

use zonaut_base::define_faults;

define_faults! {
    /// What can be wrong.
    pub enum Fault {
        /// Where questions share an exploration, a goal is said to be met one node too early.
        SharedNodeTooEarly,
        /// Where questions share an exploration, a goal that cannot be evaluated is not met.
        SharedFailureForgotten,
        /// Goals with clock constraints share an exploration that knows none of their bounds.
        SharedClocks,
        /// In a graph of states, transitions to what is covered are told as new ones.
        GraphCoveredAsNew,
        /// In a graph of states, transitions begin one node too early.
        GraphSourceTooEarly,
        /// In a graph of states, it is not told that a later state covers another.
        GraphEvictionForgotten,
    }
}
