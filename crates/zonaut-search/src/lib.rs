//! Best-first search over any state space.
//!
//! One loop serves every algorithm. Its parts are a passed store ([`ArenaStore`]), a [`Frontier`]
//! that decides what is expanded next, and an observer:
//!
//! | algorithm | frontier |
//! |---|---|
//! | breadth first | `Unguided(Fifo::default())`, or `AStar::new(Blind, ..)` for shortest ways |
//! | depth first, random depth first | `Unguided(Lifo::default())`, `Unguided(RandomDepthFirst::new(seed))` |
//! | A\* | `AStar::new(heuristic, ties)` |
//! | greedy, weighted A\* | `Guided::greedy(heuristic, ties)`, `Guided::weighted(heuristic, weight, ties)` |
//! | multi-queue | `Alternating::new(frontiers)` |
//!
//! [`reach`] looks for any way to the goal, [`shortest`] for a shortest one.
//!
//! What the crate keeps to:
//! - It does not know what a state is: no clocks, no variables.
//! - Paths are read from the [`SearchTree`]; asking for one never changes what is explored.
//! - Running out of memory is an outcome, not an abort.
//! - The same system, parts and seed give the same run.
mod alternating;
mod frontier;
mod growth;
mod guided;
mod open_list;
mod outcome;
mod priority_list;
mod random;
mod run;
mod slab;
mod store;
mod tree;

pub use alternating::Alternating;
pub use frontier::{Frontier, Popped, Unguided, Waiting};
pub use guided::{AStar, Blind, DeadEnds, Guided, Priority, Second, Ties};
pub use open_list::{Fifo, Lifo, RandomDepthFirst};
pub use outcome::{Outcome, Report, ReportOf, Statistics};
pub use priority_list::{Buckets, Heap, Order};
pub use random::Random;
pub use run::{Parts, reach, shortest};
pub use store::ArenaStore;
pub use tree::SearchTree;
