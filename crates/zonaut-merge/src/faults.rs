//! Injected faults of merging, which measure whether the tests detect errors.
//!
//! Compiled only with the feature `faults`, which no released program enables. At most one fault is
//! selected at a time for the whole process; initially none is.

use zonaut_base::define_faults;

define_faults! {
    /// A fault of merging.
    pub enum Fault {
        /// Distances of merged locations are one too large.
        LargeDistance,
        /// A merged location has the distance of the farthest location in it.
        FarthestLocation,
        /// No receiver joins a broadcast of an automaton that it is merged with.
        NoReceiverJoins,
        /// A process that is not committed waits, even for a partner that is.
        PartnersForgotten,
        /// Run-time errors are ignored.
        ErrorsForgotten,
        /// Values flow from the state before the transition even if another participant wrote
        /// before.
        FlowsTooEarly,
        /// Of two participants that write a variable, only one is considered.
        SecondWriterForgotten,
    }
}
