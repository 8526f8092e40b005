//! Questions beyond reachability: maximal runs, and the values of expressions.
//!
//! `A<> p`, `E[] p` and `p --> q` all ask whether a maximal run exists that avoids a formula, from the
//! start or from some moment on ([`Aim`]). A maximal run has infinitely many transitions, or stays in
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

mod aim;
#[cfg(feature = "faults")]
pub mod faults;
mod hunt;
mod lasso;
mod maximal_runs;
mod values;

pub use aim::{Aim, CompiledAim};
pub use hunt::{Hunt, Proof, hunt, hunt_with_proof};
pub use lasso::{Finding, Lasso, LassoEnd};
pub use values::{
    ClockValues, Drive, DriveStart, Extended, Extreme, IntegerValues, Range, Unknown, Value,
    clock_range, integer_ranges,
};
