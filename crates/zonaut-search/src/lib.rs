//! Best-first search over any state space.
//!
//! One loop serves every best-first algorithm. Its parts are a passed store ([`ArenaStore`]), a
//! [`Frontier`] that selects the node to expand next, and an observer:
//!
//! | algorithm | frontier |
//! |---|---|
//! | breadth first | `Uninformed(Fifo::default())`, or `AStar::new(Blind, ..)` for shortest paths |
//! | depth first, random depth first | `Uninformed(Lifo::default())`, `Uninformed(RandomDepthFirst::new(seed))` |
//! | A\* | `AStar::new(heuristic, ties)` |
//! | greedy, weighted A\* | `Guided::greedy(heuristic, ties)`, `Guided::weighted(heuristic, weight, ties)` |
//! | greedy, useless transitions deferred | `Useful::new(heuristic, test, ties)` |
//! | greedy, transitions that interfere with the previous one first | `Contextual::new(heuristic, context, ties)` |
//! | edges taken least often first | `Novel::new(branches, age)` |
//! | multi-queue | `Alternating::new(frontiers)` |
//! | randomised descents with restarts | `Restarting::new(heuristic, descents)` |
//! | least cost first | `LeastCost::new(age)` |
//!
//! A [`Search`] is a value: it runs for a [`Budget`], pauses, can be queried, and resumes. It looks
//! for any path to the goal, for a shortest path, or for a cheapest path by branch and bound.
//! [`Search::finish`] runs to the end; [`Search::close`] expands the nodes that a heuristic had
//! pruned.
//!
//! [`Search::dispatch`] hands a node to an [`Expander`] on another thread, and [`Search::absorb`]
//! takes the [`Batch`] of its successors back.
//!
//! [`Layered`] is breadth-first search by several workers on the threads of a [`Crew`].
//!
//! Other search loops share the parts: the [`NodeTable`] with costs, labels and the [`Coverage`] of
//! stored nodes that are covered; frontiers; and the [`Ledger`] of statistics, which reports to
//! observers and stops at their request.
//!
//! Invariants:
//! - It does not know what a state is: no clocks, no variables.
//! - Paths are read from the [`NodeTable`]; reading a path never changes the exploration.
//! - Running out of memory is an outcome, not an abort. A search may move old states and parents to
//!   [files](SpillFiles) before, which changes neither its verdict nor its counts.
//! - The same system, parts and seed give the same search.
//!
//! ```
//! use std::ops::ControlFlow;
//! use zonaut_search::{AStar, ArenaStore, Blind, Outcome, Search, Ties};
//! use zonaut_space::{Covering, Encoding, Member, Successor, TransitionSystem, PredicateGoal};
//!
//! /// From n to 2n and to n - 1, below 1000.
//! struct Calculator;
//! impl TransitionSystem for Calculator {
//!     type State = [u64; 1];
//!     type Step = &'static str;
//!     type Error = ();
//!     type Scratch = ();
//!     fn scratch(&self) {}
//!     fn for_each_initial(
//!         &self, (): &mut (), mut visit: impl FnMut(Result<&mut [u64; 1], ()>) -> ControlFlow<()>,
//!     ) -> ControlFlow<()> {
//!         visit(Ok(&mut [3]))
//!     }
//!     fn for_each_successor(
//!         &self, &[n]: &[u64; 1], (): &mut (),
//!         mut visit: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
//!     ) -> ControlFlow<()> {
//!         if n < 500 {
//!             visit(Successor::State("double", &mut [2 * n]))?;
//!         }
//!         visit(Successor::State("decrement", &mut [n.saturating_sub(1)]))
//!     }
//! }
//! impl Encoding for Calculator {
//!     type State = [u64; 1];
//!     type Item = i32;
//!     fn bucket_words(&self) -> usize { 1 }
//!     fn bucket<'s>(&self, state: &'s [u64; 1]) -> &'s [u64] { state }
//!     fn payload<'s>(&self, _: &'s [u64; 1]) -> &'s [i32] { &[] }
//!     fn load(&self, bucket: &[u64], _: &[i32], into: &mut [u64; 1]) { into.copy_from_slice(bucket) }
//! }
//! struct Equal;
//! impl Covering for Equal {
//!     type Item = i32;
//!     type Scratch = ();
//!     fn scratch(&self) {}
//!     fn covers(&self, larger: Member<'_, i32>, smaller: Member<'_, i32>, (): &mut ()) -> bool {
//!         larger.payload == smaller.payload
//!     }
//! }
//!
//! let goal = PredicateGoal(|&[n]: &[u64; 1]| n == 10);
//! let store = ArenaStore::new(Calculator, Equal);
//! let frontier = AStar::new(Blind, Ties::default());
//! let (report, _) = Search::shortest(&Calculator, goal, store, frontier).finish(&mut ());
//! let Outcome::Reached { steps, .. } = report.outcome else { unreachable!("3 * 2 - 1 is 5") };
//! assert_eq!(steps, ["double", "decrement", "double"]);
//! ```

mod alternating;
mod asynchronous;
mod batch;
mod contextual;
mod coverage;
mod descent;
mod frontier;
mod growth;
mod guided;
mod layered;
mod least_cost;
mod ledger;
mod node_table;
mod novel;
mod open_list;
mod outcome;
mod priority_list;
mod random;
mod search;
mod search_loop;
mod slab;
mod spill;
mod store;
mod useful;
mod wire;

pub use alternating::Alternating;
pub use asynchronous::{AsyncParts, Asynchronous, Look, Luggage, Standing};
pub use batch::{Batch, BatchOf, Expander};
pub use contextual::{Context, Contextual};
pub use coverage::Coverage;
pub use descent::Restarting;
pub use frontier::{CheapestFirst, Frontier, Popped, Uninformed, Waiting};
pub use guided::{AStar, Blind, Guided, Priority};
pub use layered::{
    Crew, Distribution, Joined, Keeper, Layered, Network, Place, SavedPart, SavedSearch,
    SavedWorker, Task, Unjoined, WorkerEffort, WorkerParts,
};
pub use least_cost::LeastCost;
pub use ledger::{Ledger, ask};
pub use node_table::{Edge, NodeTable};
pub use novel::{Branches, Novel};
pub use open_list::{Fifo, Lifo, RandomDepthFirst};
pub use outcome::{Outcome, OutcomeOf, Report, ReportOf, Statistics};
pub use priority_list::{Buckets, Heap};
pub use random::Random;
pub use search::{Budget, Search, Status};
pub use spill::{Form, Overflow, SpillFile, SpillFiles, Spilling};
#[cfg(feature = "faults")]
pub use store::faults;
pub use store::{ArenaStore, PayloadSlot, PoolSize};
pub use useful::{Useful, UsefulnessTest};
pub use wire::{Bytes, Codec, Malformed, put_blob, put_u32, put_u64};
pub use zonaut_strategy::{Age, Descents, Second, Ties};
