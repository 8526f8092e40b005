//! Liveness and value queries: maximal runs, and suprema and infima of expressions.
//!
//! `A<> p`, `E[] p` and `p --> q` all ask whether a maximal run exists that avoids a formula, from
//! the start or from some moment on ([`Objective`]). A maximal run has infinitely many transitions,
//! or remains in one state while time diverges, or ends in a state without enabled transitions.
//! [`search_lasso`] looks for one in the zone graph of the runs that avoid the formula, and returns
//! it as a [`Lasso`]: the transitions to a cycle or an end, and those of the cycle. States are covered
//! by simulation; components of that graph with cycles are searched exactly.
//!
//! `sup`, `inf` and `bounds` ask for the [`Range`] of an expression over the states in which a
//! formula holds ([`integer_ranges`], [`clock_range`]).
//!
//! Invariants:
//! - No heuristic is involved: the covering graph is built breadth first, and exact searches are depth
//!   first, because cycles are detected by revisiting an ancestor.
//! - Results name transitions; their presentation is left to callers.
//! - The search terminates whenever the number of zones is finite.

mod components;
mod covering_graph;
mod exact_search;
#[cfg(feature = "faults")]
pub mod faults;
mod lasso;
mod lasso_search;
mod maximal_runs;
mod objective;
mod values;

pub use exact_search::{ExactProof, search_exactly};
pub use lasso::{Finding, Lasso, LassoEnd};
pub use lasso_search::{Conclusion, CoveringProof, LassoReport, LassoTask, Proof, search_lasso};
pub use objective::{CompiledObjective, Objective};
pub use values::{
    ClockValues, CoveringStates, Ends, Extended, Extreme, IntegerValues, PumpingLoop, PumpingStart,
    Range, Unknown, Value, clock_range, integer_ranges, value_bounds,
};
