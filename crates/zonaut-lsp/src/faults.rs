//! Injected faults in the language server, which measure whether tests detect them.
//!
//! Only with the feature `faults`, which no released build enables. At most one fault is selected
//! for the whole process; initially none is.

use zonaut_base::define_faults;

define_faults! {
    /// A fault.
    pub enum Fault {
        /// An edit keeps the analysis of the text before it.
        StaleAnalysis,
        /// The first use of a name is not found.
        MissedReference,
        /// Positions count bytes instead of UTF-16 units.
        BytesForUnits,
    }
}
