//! Injected faults in the sampling of runs, which measure whether tests detect them.
//!
//! Only with the feature `faults`, which no released build enables. At most one fault is selected
//! for the whole process; initially none is.

use zonaut_base::define_faults;

define_faults! {
    /// A fault.
    pub enum Fault {
        /// The last receiver of a broadcast does not take part.
        ForgottenReceiver,
        /// The interval of the delays that an invariant allows is open at its end.
        OpenInterval,
        /// All exponential rates are 1.
        IgnoredRate,
    }
}
