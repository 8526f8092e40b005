//! Injected faults in the symmetry reduction, which measure whether tests detect them.
//!
//! Only with the feature `faults`, which no released build enables. At most one fault is selected
//! for the whole process; initially none is.

use zonaut_base::define_faults;

define_faults! {
    /// A fault.
    pub enum Fault {
        /// Clocks are not permuted with their processes.
        ClocksStay,
        /// Arrays are not permuted.
        ArraysStay,
        /// Steps of a path are not renamed by the permutations before them.
        StepsKeepTheirNames,
        /// Contents of cells are not renamed.
        ContentsStay,
    }
}
