//! Lazy abstraction: a search whose labels keep only the facts that its verdict needs.
//!
//! An eager search distinguishes all states that differ in any variable or clock bound. Here each
//! node has, besides its exact state, a *label* that represents more states, and covering compares
//! labels. Labels are as weak as possible at first. Whenever a step or a goal is disabled in the
//! exact state, the label is strengthened just enough to exclude it, and so are the labels on the
//! path to the node; nodes that it covered before may then be uncovered.
//!
//! # Structure
//!
//! * [`Lazy`] is the loop: close or expand. Its order is a frontier, as in other searches.
//! * [`LazyDomain`] is the interface of label domains. Data domains are [`Explicit`], whose labels
//!   fix all cells, and [`Visible`], whose labels fix the cells that were needed; clock domains are
//!   [`Eager`], [`LowerUpper`] and [`ZoneInterpolation`]. [`Pair`] is the product of one of each.
//! * [`Refutation`] finds the reasons for which a goal does not hold.
//! * [`Proof`] gives access to the labels of an exhausted search, [`Explanation`] describes them in
//!   the user's names.
//! * [`Choice`] names domains, and [`LazyTask`] searches with them, in one call or as a [`LazySearch`]
//!   that is paused and resumed.
//!
//! This crate depends neither on the kind of query nor on the frontiers of eager searches.

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
mod refutation;
mod store;

pub use choice::{AnyFrontier, Choice, LazySearch, LazyTask, Refused};
pub use clocks::{Eager, LowerUpper, ZoneInterpolation};
pub use data::{CellRange, Explicit, Precision, Visible};
pub use domain::{
    ActiveClockBounds, ClockDomain, DataDomain, DraftLabel, Exact, Labelled, LazyDomain, Obstacle,
    Pair, PathSegment, TransitionRecord,
};
pub use explanation::{Explanation, LocationNeeds};
pub use graph::{Labelling, Lazy, Options, Report};
pub use proof::{Proof, ProofNode, Region};
pub use refutation::Refutation;
pub use zonaut_strategy::lazy::{Clocks, CoveringOrder, Data, Refinement};
