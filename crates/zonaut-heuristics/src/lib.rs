//! Estimates of the distance to a goal, computed from a model.
//!
//! A guide looks at the discrete part of a state: where the processes are and what the cells hold.
//! Clocks are not its business.

mod dependencies;
mod evaluate;
mod formula;
mod graph_distance;
mod guide;
mod hamming;
mod interval;
mod relaxation;
mod variables;

pub use graph_distance::{Combination, GraphDistance, Maximum, Total};
pub use guide::Guide;
pub use hamming::Hamming;
pub use relaxation::{AbstractStep, Lower, Relaxation, Upper};
