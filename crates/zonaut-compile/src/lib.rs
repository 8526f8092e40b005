//! Compilation of the typed network to the tables that exploration runs on.
//!
//! [`CompiledNetwork`] has actions (edges with chosen select values), locations with their outgoing
//! actions, and code for expressions without a common form; [`BoundsTable`] has the LU bounds of
//! clocks; [`Packing`] turns the values of a state into words. After this point there are no
//! strings and no lookups by name.
//!
//! A state's *values* are one slice of integers: the location of every process, followed by the
//! cells.
//!
//! ```
//! use zonaut_base::Meter;
//! use zonaut_compile::{BoundsTable, CompiledNetwork};
//! use zonaut_model::builder::NetworkBuilder;
//! use zonaut_model::{Formula, Range};
//!
//! // start -> end when x >= 3, counting in v.
//! let mut builder = NetworkBuilder::new();
//! let x = builder.clock("x");
//! let v = builder.integer("v", Range { low: 0, high: 9 }, 4);
//! let process = builder.process("P");
//! let start = builder.location(process, "start");
//! let end = builder.location(process, "end");
//! builder.edge(process, start, end).guard(x.at_least(3)).update(v.set(v + 1));
//! let model = builder.finish().expect("a valid model");
//!
//! let meter = Meter::default();
//! let network = CompiledNetwork::new(&model, &meter).expect("few actions");
//! let (mut values, mut machine) = (network.initial.to_vec(), network.machine(&meter));
//! assert_eq!(values, [0, 4]);
//! let action = network.location(0, &values).internal[0];
//! network.take(&[action], &mut values, &mut machine).expect("no run-time error");
//! assert_eq!(values, [1, 5]);
//!
//! let bounds = BoundsTable::new(&model, &Formula::truth());
//! assert_eq!(bounds.of(process, start)[0].lower, 3);
//! assert!(bounds.of(process, end).is_empty());
//! ```

mod bounds;
mod code;
mod condition;
#[cfg(feature = "faults")]
pub mod faults;
mod location_flags;
mod network;
mod packing;
pub mod random;
mod rate;
mod real_code;
mod sampling;
mod step;
#[cfg(test)]
mod test_models;
mod translate;

pub use bounds::{BoundedDifference, BoundsTable, ClockBounds, TwoSidedLocations};
pub use code::Machine;
pub use condition::{ClockRow, CompiledCondition, CompiledUpdates, Constraint, row_of};
pub use location_flags::LocationFlags;
pub use network::{
    ACTION_LIMIT, Action, ActionId, CompileError, CompiledLocation, CompiledNetwork, CompiledQuery,
    Measure, Priority, Translation,
};
pub use packing::Packing;
pub use real_code::RealMemory;
pub use sampling::{CompiledNumber, Flow, FlowTarget, RealConstraint};
pub use step::{Step, StepNames};
