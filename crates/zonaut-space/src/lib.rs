//! The border between state spaces and searches: traits only, with their laws.
//!
//! A state space implements [`TransitionSystem`], [`Encoding`] and [`Covering`]; a search drives
//! it through a [`PassedStore`], an [`OpenList`], perhaps a [`Heuristic`], and tells an
//! [`Observer`] what happens. Neither side sees the other, and nothing here knows what a clock is.
//!
//! Three choices shape the traits:
//! - The producer drives: successors are pushed into a visitor that answers with
//!   [`ControlFlow`](std::ops::ControlFlow), so that no expansion allocates.
//! - States are scratch buffers: one owned state type per system, written in place and copied into
//!   and out of the store; no lifetimes cross the border.
//! - What soundness needs is in the types: only an [`AdmissibleHeuristic`] can guide a search for
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
pub use node::NodeId;
pub use observer::{Observer, Progress, Target};
pub use open_list::OpenList;
pub use store::{CostDominance, Covering, Encoding, Eviction, Insertion, Member, PassedStore};
pub use summary::SummaryWord;
pub use system::{EmptyGoal, Goal, PredicateGoal, Successor, TransitionSystem};
pub use zonaut_base::{Meter, StopReason};
