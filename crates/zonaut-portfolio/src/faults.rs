//! Injected faults in the portfolio, which measure whether tests detect them.
//!
//! Only with the feature `faults`, which no released build enables. At most one fault is selected
//! for the whole process; initially none is.

use zonaut_base::define_faults;

define_faults! {
    /// A fault.
    pub enum Fault {
        /// A paused search counts as exhausted.
        PauseIsProof,
        /// Time slices never grow.
        TurnsNeverGrow,
        /// With two threads, the answer of the first member precedes that of the others.
        FirstAnswerPrecedes,
        /// With two threads, answers of the second one are lost.
        AnswerBesideLost,
        /// In an exploration with several goals, a goal is noted one node too early.
        SharedNodeTooEarly,
        /// In an exploration with several goals, a goal whose evaluation fails counts as not met.
        SharedFailureForgotten,
    }
}
