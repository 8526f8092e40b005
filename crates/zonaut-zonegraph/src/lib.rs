//! The zone graph of a compiled network: symbolic states, their successors, and how they are
//! stored and compared.
//!
//! A symbolic state is a location vector, the data, and a zone over the clocks that matter there.
//! Its zone has time passed already, as far as invariants and urgency allow; goals are evaluated on
//! it. [`ZoneGraph`] implements the traits of `zonaut-space`, so that a search can explore it
//! without knowing what a clock is. Paths become concrete runs in [`concretise`].

mod abstraction;
mod concrete;
mod constraints;
mod delay;
mod enabled;
mod frame;
mod goal;
mod graph;
mod state;
mod store;
mod successors;

pub use abstraction::{Abstraction, Differences, zone_names};
pub use concrete::{ConcreteRun, RunStep, Spurious, concretise};
pub use goal::{CompiledGoal, ZoneGoal};
pub use graph::{Step, StepError, Transition, Unsound, ZoneGraph};
pub use state::SymbolicState;
pub use store::{Comparison, StateEncoding, ZoneCovering};
pub use successors::{Scratch, Visit};
