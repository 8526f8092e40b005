//! From the typed network to the tables that exploration runs on.
//!
//! [`CompiledNetwork`] holds actions (edges with chosen select values), locations with the actions
//! that leave them, and code for whatever is not one of the common shapes; [`BoundsTable`] holds
//! what static analysis knows of clocks; [`Packing`] turns the values of a state into words.
//! After this point there are no strings and no lookups by name.
//!
//! A state's *values* are one slice of integers: the location of every process, then the cells.

mod bounds;
mod code;
mod condition;
mod interval;
mod network;
mod packing;
mod translate;

pub use bounds::{BoundsTable, ClockBounds};
pub use code::Machine;
pub use condition::{ClockRow, CompiledCondition, CompiledUpdates, Constraint, row_of};
pub use network::{
    ACTION_LIMIT, Action, ActionId, CompileError, CompiledLocation, CompiledNetwork, CompiledQuery,
    Translation,
};
pub use packing::Packing;
