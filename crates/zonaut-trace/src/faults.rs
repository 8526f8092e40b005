//! Injected faults of charts, which measure whether the tests detect errors.
//!
//! Compiled only with the feature `faults`, which no released program enables.

use zonaut_base::define_faults;

define_faults! {
    /// A fault of charts.
    pub enum Fault {
        /// Delays are not split where clocks reach bounds.
        CutsForgotten,
        /// Delays are not split where differences of clocks reach bounds.
        DifferencesForgotten,
        /// Stopped clocks run.
        StoppedClocksGo,
        /// Conditions are evaluated on arrival, whatever time has passed.
        AskedOnArrival,
        /// Bars continue when their colours change.
        ColoursJoined,
    }
}
