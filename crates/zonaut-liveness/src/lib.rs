//! Questions beyond reachability: maximal runs, and the values of expressions.
//!
//! `A<> p`, `E[] p` and `p --> q` all ask whether a maximal run exists that avoids a formula, from the
//! start or from some moment on ([`Objective`]). A maximal run has infinitely many transitions, or stays in
//! one place while time diverges, or comes to where nothing can happen any more. [`hunt`] looks for
//! one in the zone graph of the runs that avoid the formula, and says how it goes: a [`Lasso`] of the
//! transitions that lead to a cycle or an end, and those that are repeated.
//!
//! `sup`, `inf` and `bounds` ask for the [`Range`] of an expression over the states where a formula
//! holds ([`integer_ranges`], [`clock_range`]).
//!
//! What the crate keeps to:
//! - No guide takes part: the search is depth first, because cycles close on the way back to an
//!   ancestor.
//! - How a run is shown is not its business: it names transitions.
//! - The search ends wherever zones are finitely many.

#[cfg(feature = "faults")]
pub mod faults;
mod lasso;
mod lasso_search;
mod maximal_runs;
mod objective;
mod values;

pub use lasso::{Finding, Lasso, LassoEnd};
pub use lasso_search::{LassoReport, Proof, search_lasso, search_lasso_with_proof};
pub use objective::{CompiledObjective, Objective};
pub use values::{
    ClockValues, Extended, Extreme, IntegerValues, PumpingLoop, PumpingStart, Range, Unknown,
    Value, clock_range, integer_ranges,
};
