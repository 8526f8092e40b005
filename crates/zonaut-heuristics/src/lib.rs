//! Estimates of the distance to a goal, computed from a model.
//!
//! A guide looks at the discrete part of a state: where the processes are and what the cells hold.
//! Clocks are not its business.

/// Whether a fault is put in; `false` in what is shipped.
macro_rules! faulty {
    ($fault:ident) => {{
        #[cfg(feature = "faults")]
        let is_selected = crate::faults::Fault::$fault.is_selected();
        #[cfg(not(feature = "faults"))]
        let is_selected = false;
        is_selected
    }};
}

mod cached;
mod dependencies;
mod evaluate;
#[cfg(feature = "faults")]
pub mod faults;
mod formula;
mod graph_distance;
mod guide;
mod hamming;
mod interval;
mod relaxation;
mod variables;

pub use cached::Cached;
pub use graph_distance::{Combination, GraphDistance, Maximum, Total};
pub use guide::Guide;
pub use hamming::Hamming;
pub use relaxation::{AbstractStep, Lower, Relaxation, Upper};
