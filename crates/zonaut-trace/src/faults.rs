//! Charts that can be made wrong on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables.

use zonaut_base::define_faults;

define_faults! {
    /// What can be wrong.
    pub enum Fault {
        /// Delays are not cut where clocks come to bounds.
        CutsForgotten,
        /// Delays are not cut where differences of clocks come to bounds.
        DifferencesForgotten,
        /// Stopped clocks go on.
        StoppedClocksGo,
        /// Conditions are asked on arrival, whatever time has passed.
        AskedOnArrival,
        /// Bars go on when their colours change.
        ColoursJoined,
    }
}
