//! The interface between state spaces and searches: traits and their laws, no algorithms.
//!
//! A state space implements [`TransitionSystem`], [`Encoding`] and [`Covering`]; a search drives it
//! through a [`PassedStore`], an [`OpenList`] and optionally a [`Heuristic`], and reports its
//! progress to an [`Observer`]. Neither side depends on the other, and nothing in this crate refers
//! to clocks.
//!
//! Three decisions shape the traits:
//! - The producer drives: successors are pushed into a visitor that answers with
//!   [`ControlFlow`](std::ops::ControlFlow), so that no expansion allocates.
//! - States are scratch buffers: one owned state type per system, written in place and copied into
//!   and out of the store; no lifetimes cross the interface.
//! - Soundness conditions are types: only an [`AdmissibleHeuristic`] can direct a search for
//!   shortest paths.

mod cost;
mod heuristic;
mod node;
mod observer;
mod open_list;
mod store;
mod summary;
mod system;

pub use cost::{Cost, Pricing, Steps};
pub use heuristic::{
    Admissible, AdmissibleHeuristic, Arrival, CacheableHeuristic, DiscretePart, Estimate, Heuristic,
};
pub use node::{NodeId, OwnedNode, WorkerId};
pub use observer::{Observer, Progress, Target};
pub use open_list::OpenList;
pub use store::{
    BucketPart, CostDominance, Covering, Encoding, Eviction, Insertion, Member, PassedStore,
};
pub use summary::SummaryWord;
pub use system::{EmptyGoal, Goal, PredicateGoal, Successor, TransitionSystem};
pub use zonaut_base::{Meter, StopReason};
