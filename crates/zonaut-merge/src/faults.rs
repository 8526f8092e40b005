//! Merging that can be made wrong on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. One fault at a time is
//! selected for the whole process; at first there is none.

use zonaut_base::define_faults;

define_faults! {
    /// What can be wrong.
    pub enum Fault {
        /// Distances of merged locations are one too large.
        LargeDistance,
        /// A merged location has the distance of the farthest location in it.
        FarthestLocation,
        /// Nobody joins a broadcast of an automaton that it is merged with.
        NobodyJoins,
        /// A process that is not committed waits, even for a partner that is.
        PartnersForgotten,
        /// Run-time errors are forgotten.
        ErrorsForgotten,
        /// Values flow from what was there before anybody wrote.
        FlowsTooEarly,
        /// Of two participants that write a variable, only one is looked at.
        SecondWriterForgotten,
    }
}
