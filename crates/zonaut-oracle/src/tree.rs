//! A second, naive evaluator: the syntax tree, evaluated as it was written.
//!
//! Nothing is resolved, typed, flattened or folded beforehand: a name is looked up when it is met, a
//! value is a number, a list or a record, a reference is the path of a variable, and every operand
//! is evaluated where it stands, from left to right, as section 2.4 of the semantics says. What
//! lowering does to a model has to come to the same: [`compare()`] compares single edges, and
//! [`explore()`] is an oracle for whole models.
//!
//! It knows what the programs of the generator use: numbers, arrays, structs, functions, templates
//! with bound and free parameters, selections, branches, binary and broadcast channels, urgent and
//! committed locations, and clocks with closed bounds.

mod calls;
mod compare;
mod declarations;
mod explore;
mod expressions;
mod machine;
mod network;
mod operators;
mod statements;
mod value;

pub use compare::{Difference, compare};
pub use explore::{Explored, explore};
pub use machine::{Machine, State, Stop};
