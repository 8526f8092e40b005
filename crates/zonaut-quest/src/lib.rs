//! From a strategy to a search: guides made of their descriptions, searches of zone graphs that are
//! paused and resumed, and several of them that take turns.
//!
//! * [`Quest`] is a goal in a zone graph; it begins a search as a strategy says, and is the one place
//!   where stores, frontiers and guides meet.
//! * [`HeuristicFactory`] makes guides for a goal, and counts what they do.
//! * [`Resumable`] is what searches of all kinds have in common: they work for a budget, and go on.
//! * [`Portfolio`] lets several searches take turns until one of them answers.
//!
//! This crate does not know which question is asked, nor what an answer means. It touches neither
//! files nor clocks: what it needs of the world is [`Environment`].

pub mod auto;
mod environment;
#[cfg(feature = "faults")]
pub mod faults;
mod heuristics;
mod lazy;
mod quest;
mod resumable;

pub use auto::{Attempt, AttemptEnd, Choosing, Decision, Portfolio};
pub use environment::Environment;
pub use heuristics::{DatabaseSize, DeadEndPolicy, HeuristicFactory, HeuristicWork};
pub use quest::{
    BoxedFrontier, BoxedShortest, NoSearch, Quest, SearchObserver, Searched, ZoneStore, frontier_of,
};
pub use resumable::{BoxedSearch, Resumable};
