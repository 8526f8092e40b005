//! Heuristics for directed model checking: estimates of the distance from a state to a goal,
//! computed from an abstraction of the model.
//!
//! A [`DiscreteHeuristic`] estimates from the discrete part of a state: the locations of the
//! processes and the values of the cells. It ignores zones; [`Discrete`] turns it into a heuristic
//! on any states that have a discrete part. Heuristics that never overestimate carry the marker
//! [`zonaut_space::Admissible`].
//!
//! Distances are numbers of steps, or sums of [`Weights`] of transitions.
//!
//! * [`Relaxation`] prepares the monotonicity abstraction of a model, the analogue of delete
//!   relaxation in planning: values that were reached stay reached. [`Lower`] (`hl`) counts its
//!   layers up to the goal, [`Upper`] (`hu`) the steps of a relaxed path, which it can also return.
//! * [`Usefulness`] decides which transitions are useless, by the relaxation without them.
//! * [`Invariants`] extracts a cartesian invariant around a dead end as evidence.
//! * [`GraphDistance`] considers each process alone, and takes the maximum (`dl`) or the sum (`du`)
//!   of the distances.
//! * [`Interference`] decides which transitions may depend on each other.
//! * [`Hamming`] counts the tests of the goal that do not hold.
//! * [`Cached`] caches the estimates of a heuristic.
//!
//! All of them accept the whole language: arrays, functions, select, broadcast, and any state
//! formula as the goal.
//!
//! ```
//! use zonaut_heuristics::{DiscreteHeuristic, Relaxation};
//! use zonaut_model::builder::NetworkBuilder;
//! use zonaut_model::{Formula, QueryKind, Range};
//! use zonaut_space::Estimate;
//!
//! // A counter that is increased three times before the door opens.
//! let mut network = NetworkBuilder::new();
//! let count = network.integer("count", Range { low: 0, high: 9 }, 0);
//! let door = network.process("Door");
//! let closed = network.location(door, "closed");
//! let open = network.location(door, "open");
//! network.edge(door, closed, closed).guard(count.term().less(3)).update(count.set(count + 1));
//! network.edge(door, closed, open).guard(count.term().equals(3));
//! network.possibly("E<> Door.open", network.at(door, open));
//! let model = network.finish().expect("a valid network");
//! let goal = model.queries.iter().find_map(|query| match &query.kind {
//!     QueryKind::Possibly(goal) => Some(goal.clone()),
//!     _ => None,
//! });
//!
//! let relaxation = Relaxation::new(&model, &goal.unwrap_or(Formula::truth()));
//! // Closed, with the counter at 0; then open. Beyond 3 the goal is unreachable.
//! assert_eq!(relaxation.lower().estimate(&[0, 0]), Estimate::Distance(4));
//! assert_eq!(relaxation.lower().estimate(&[1, 3]), Estimate::Distance(0));
//! assert_eq!(relaxation.lower().estimate(&[0, 4]), Estimate::DeadEnd);
//! let path = relaxation.upper().path(&[0, 1]).expect("a path");
//! assert_eq!(path.len(), 3);
//! ```

/// Whether a fault is injected; `false` in released programs.
macro_rules! faulty {
    ($fault:ident) => {{
        #[cfg(feature = "faults")]
        let is_selected = crate::faults::Fault::$fault.is_selected();
        #[cfg(not(feature = "faults"))]
        let is_selected = false;
        is_selected
    }};
}

mod cached;
mod dependencies;
mod discrete_heuristic;
#[cfg(feature = "faults")]
pub mod faults;
mod graph_distance;
mod hamming;
mod interference;
mod relaxation;
mod shares;
mod weights;

pub use cached::Cached;
pub use discrete_heuristic::{Discrete, DiscreteHeuristic};
pub use graph_distance::{Combination, GraphDistance, Maximum, Total};
pub use hamming::Hamming;
pub use interference::Interference;
pub use relaxation::{
    AbstractStep, CartesianInvariant, ClockClasses, Compared, Invariants, Lower, Relaxation, Upper,
    Usefulness,
};
pub use shares::{EdgeGroups, Share, Sharing, UNIT, conjuncts};
pub use weights::{Participant, Units, Weights};
pub use zonaut_strategy::Precision;
