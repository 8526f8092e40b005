//! Abstract interpretation of the expressions and statements of a model, generic in the domain.
//!
//! # Structure
//!
//! * [`Walk`] interprets expressions, statements, guards and goals of a model. It is the only code
//!   that defines the semantics of expressions step by step, besides the reference interpreter, the
//!   compiled code of the hot path, and the certificate checker, which shares no code on purpose.
//! * [`Domain`] defines the representation of values and memories, and the effect of operators,
//!   joins, loads and stores. Its laws make the walk sound.
//! * The domains: [`interval`], [`value_set`], [`known`] (partial valuations that record their
//!   reads), [`runs`] (single valuations, chosen on demand), and [`footprint`] (reads, writes and
//!   data flow).
//!
//! Further modules: [`normal_form`] is the negation normal form of conditions, [`action`]
//! enumerates the actions of edges, [`simplified`] removes redundant parts of formulas, [`goal`]
//! determines the reachability question of a query, [`roots`] are the expressions of a model that
//! are not part of others, and [`mention`] are the symbols that occur in code.
//!
//! This crate knows no zone, no search and no text.

pub mod action;
mod arithmetic;
mod domain;
mod failure;
#[cfg(feature = "faults")]
pub mod faults;
pub mod footprint;
pub mod goal;
pub mod interval;
pub mod known;
pub mod mention;
pub mod normal_form;
mod overlay;
mod reachable;
pub mod roots;
pub mod runs;
mod simplification;
mod symbols;
pub mod value_set;
mod variables;
mod walk;

pub use domain::{Applied, Domain, Limited, Truth};
pub use failure::{Failure, FailureKind, FailureKinds, Failures};
pub use overlay::Overlay;
pub use reachable::Reachable;
pub use simplification::simplified;
pub use symbols::{IdSet, Symbols};
pub use variables::{Meaning, Values, VariableId, Variables};
pub use walk::{Displacements, Walk};
