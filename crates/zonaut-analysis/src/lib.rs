//! What expressions and statements mean, in any domain.
//!
//! # Shape
//!
//! * [`Walk`] interprets expressions, statements, guards and goals of a model. It is the only code
//!   that knows what an expression does step by step, besides the reference interpreter, the
//!   compiled code of the hot path, and the certificate checker, which shares nothing on purpose.
//! * [`Domain`] says what a value and a memory are, what operators, joins, loads and stores make of
//!   them. Its laws make the walk sound.
//! * The domains: [`interval`], [`value_set`], [`known`] (partial valuations that report what they
//!   read), [`runs`] (single valuations, chosen when they are read), and [`footprint`] (what is read
//!   and written, and what flows where).
//!
//! What is not about values: [`normal_form`] pushes negations down to the tests of a condition,
//! [`action`] says which ways there are to take part in a transition, and [`goal`] which formula
//! decides a query.
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
pub mod normal_form;
mod overlay;
mod reachable;
pub mod runs;
mod symbols;
pub mod value_set;
mod variables;
mod walk;

pub use domain::{Applied, Domain, Limited, Truth};
pub use failure::{Failure, FailureKind, FailureKinds, Failures};
pub use overlay::Overlay;
pub use reachable::Reachable;
pub use symbols::{IdSet, Symbols};
pub use variables::{Meaning, Values, VariableId, Variables};
pub use walk::{Displacements, Walk};
