//! The zone graph of a compiled network: symbolic states, their successors, and their storage and
//! covering.
//!
//! A symbolic state is a location vector, the values of the variables, and a zone over the active
//! clocks. Its zone is closed under the delays that invariants and urgency allow; goals are
//! evaluated on it. [`ZoneGraph`] implements the traits of `zonaut-space`, so that a search can
//! explore it without knowledge of clocks. Paths become concrete runs in `zonaut-concrete`.
//!
//! ```
//! use std::ops::ControlFlow;
//! use zonaut_base::Meter;
//! use zonaut_compile::{BoundsTable, CompiledNetwork};
//! use zonaut_model::builder::NetworkBuilder;
//! use zonaut_model::Formula;
//! use zonaut_space::TransitionSystem;
//! use zonaut_concrete::{Destination, concretise};
//! use zonaut_zonegraph::{Abstraction, ZoneGraph};
//!
//! // start -> end when x >= 3.
//! let mut network = NetworkBuilder::new();
//! let x = network.clock("x");
//! let process = network.process("P");
//! let start = network.location(process, "start");
//! let end = network.location(process, "end");
//! network.edge(process, start, end).guard(x.at_least(3));
//! let model = network.finish().expect("a valid model");
//!
//! let meter = Meter::default();
//! let network = CompiledNetwork::new(&model, &meter).expect("few actions");
//! let bounds = BoundsTable::new(&model, &Formula::truth());
//! let graph: ZoneGraph<'_> =
//!     ZoneGraph::new(&network, &bounds, Abstraction::Simulation, &meter).expect("sound");
//!
//! let (mut initial, mut steps) = (None, Vec::new());
//! let mut scratch = graph.scratch();
//! let _ = graph.visit_initial(&mut scratch, &mut |_, _, state| {
//!     initial = state.ok().cloned();
//!     ControlFlow::Continue(())
//! });
//! let initial = initial.expect("an initial state");
//! let _ = graph.visit_successors(&initial, &mut scratch, &mut |step, _, target| {
//!     assert_eq!(target.expect("no error").values, [1]);
//!     steps.push(step);
//!     ControlFlow::Continue(())
//! });
//! let run = concretise(&graph, &steps, Destination::Anywhere).expect("a run");
//! assert_eq!((run.steps[0].delay, run.denominator), (3, 1));
//! ```

mod abstraction;
mod active_clocks;
mod avoiding;
mod backward;
mod broadcast;
mod constraints;
mod deadlock;
mod delay;
mod enabled_transition;
#[cfg(feature = "faults")]
pub mod faults;
mod fire;
mod goal;
mod graph;
#[cfg(test)]
mod grid;
mod kinds;
mod obstacle;
mod part;
mod precedence;
mod state;
mod store;
mod successors;
mod zone_step_cache;

pub use abstraction::{Abstraction, Differences, Properties};
pub use active_clocks::{ActiveClocks, ActiveClocksTable};
pub use avoiding::{AvoidingGraph, Departures, RunEnd, constraints_of};
pub use backward::{
    Before, before_delay, before_effects, constraint_before, origin, position, restrict,
};
pub use constraints::{Valuation, ZoneConstraint, constrain};
pub use deadlock::{DeadlockSurvey, is_deadlocked};
pub use fire::Fired;
pub use goal::{CompiledGoal, ZoneGoal};
pub use graph::{StepError, Transition, Unsound, ZoneGraph};
pub use obstacle::{Blocked, Obstacle};
pub use state::{SymbolicState, zone_names};
pub use store::{Comparison, CoveringScratch, StateEncoding, ZoneCovering};
pub use successors::{Scratch, Visit};
pub use zonaut_compile::Step;
