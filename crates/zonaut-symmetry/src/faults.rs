//! Parts of the symmetry that can be made wrong on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. One fault at a time is
//! selected for the whole process; at first there is none.

use zonaut_base::define_faults;

define_faults! {
    /// What can be wrong.
    pub enum Fault {
        /// Clocks stay where they are when their processes move.
        ClocksStay,
        /// Arrays stay where they are when elements move.
        ArraysStay,
        /// Steps of a path are not renamed by the permutations before them.
        StepsKeepTheirNames,
        /// What a cell holds is not renamed.
        ContentsStay,
    }
}
