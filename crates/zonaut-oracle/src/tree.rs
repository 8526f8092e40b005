//! A second, naive evaluator: the syntax tree, evaluated as it was written.
//!
//! Nothing is resolved, typed, flattened or folded beforehand: a name is looked up when it is met,
//! a value is a number, a list or a record, a reference is the path of a variable, and operands are
//! evaluated from left to right in the order of the text, as section 2.4 of the semantics demands.
//! Lowering must preserve these results: [`compare()`] compares single edges, and [`explore()`] is
//! an oracle for whole models. [`Simulator`] runs models at random.
//!
//! It supports the language of the generator's programs: numbers, arrays, structs, functions,
//! templates with bound and free parameters, selections, branches, binary and broadcast channels,
//! urgent and committed locations, and clocks with closed bounds.

mod calls;
mod compare;
mod declarations;
mod explore;
mod expressions;
mod machine;
mod network;
mod operators;
mod simulate;
mod statements;
mod value;

pub use compare::{Difference, compare};
pub use explore::{Explored, explore};
pub use machine::{Machine, State, Stop};
pub use simulate::{RandomRun, RunEnd, RunLimits, Simulator};
