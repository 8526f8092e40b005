//! Lazy abstraction: a graph that remembers only what its answer needs.
//!
//! A search that has to prove that nothing bad can be reached need not tell apart all that it meets.
//! Here a node covers another one if it would do so by what it *remembers*, and it remembers nothing
//! at first. Whenever a step is impossible, the node learns enough of why, and so do the nodes on
//! the way to it; what it covered before may then be covered no longer.
//!
//! # Shape
//!
//! * [`Lazy`] is the loop: close or expand. It finds its order in a frontier, as other searches do.
//! * [`LazyDomain`] says what can be remembered. Domains for data are [`Explicit`], which remembers
//!   all of it, and [`Visible`], which remembers cells that were needed; for clocks [`Eager`],
//!   [`LowerUpper`] and [`ZoneInterpolation`]. [`Pair`] is one of each.
//! * [`Refutation`] says why a goal does not hold.
//! * [`Proof`] shows what the nodes remember when nothing was found, [`Explanation`] in the user's
//!   names.
//! * [`Choice`] names domains, and [`Quest`] searches with them, in one go or as a [`LazySearch`]
//!   that is paused and resumed.
//!
//! This crate does not know which question is asked, nor how the eager search keeps its frontier.

mod blocking;
mod choice;
mod clocks;
mod cover_index;
mod data;
mod discrete_index;
mod domain;
mod explanation;
#[cfg(feature = "faults")]
pub mod faults;
mod graph;
mod interner;
mod proof;
mod refinement;
mod refutation;
mod store;

pub use choice::{AnyFrontier, Choice, Clocks, Data, LazySearch, Quest, Refused};
pub use clocks::{Eager, LowerUpper, ZoneInterpolation};
pub use cover_index::CoveringOrder;
pub use data::{CellRange, Explicit, Precision, Visible};
pub use domain::{
    ActiveClockBounds, ClockDomain, DataDomain, Exact, Labelled, LazyDomain, Obstacle, Pair,
    PathSegment, Remembered, TransitionRecord,
};
pub use explanation::{Explanation, LocationNeeds};
pub use graph::{Labelling, Lazy, Options, Report};
pub use proof::{Proof, ProofNode, Region};
pub use refinement::Refinement;
pub use refutation::Refutation;
