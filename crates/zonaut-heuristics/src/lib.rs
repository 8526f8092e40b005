//! Estimates of the distance to a goal, computed from a model.
//!
//! A [`Guide`] looks at the discrete part of a state: where the processes are and what the cells
//! hold. Clocks are not its business, and neither is what a search makes of the estimate;
//! [`Discrete`] makes it a heuristic for states of any kind that have a discrete part. Guides that
//! never overestimate carry the marker [`zonaut_space::Admissible`].
//!
//! Distances are numbers of steps, or whatever [`Weights`] say that transitions count.
//!
//! * [`Relaxation`] prepares the monotonicity abstraction of a model: values that were reached stay
//!   reached. [`Lower`] (`hl`) counts its layers up to the goal, [`Upper`] (`hu`) the steps of a way
//!   through them, which it can also tell.
//! * [`Usefulness`] says which transitions lead nowhere nearer, by the relaxation without them.
//! * [`Invariants`] keeps what the relaxation finds around a dead end, as evidence that it is one.
//! * [`GraphDistance`] looks at each process on its own, and takes the maximum (`dl`) or the sum
//!   (`du`).
//! * [`Interference`] says which transitions have to do with each other.
//! * [`Hamming`] counts the parts of the goal that do not hold.
//! * [`Cached`] keeps the answers of a guide, by what it has read.
//!
//! All of them accept the whole language: arrays, functions, select, broadcast, and any state
//! formula as the goal.
//!
//! ```
//! use zonaut_heuristics::{Guide, Relaxation};
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
//! // Closed, with the counter at 0; then open. Beyond 3 there is no way.
//! assert_eq!(relaxation.lower().estimate(&[0, 0]), Estimate::Distance(4));
//! assert_eq!(relaxation.lower().estimate(&[1, 3]), Estimate::Distance(0));
//! assert_eq!(relaxation.lower().estimate(&[0, 4]), Estimate::DeadEnd);
//! let path = relaxation.upper().path(&[0, 1]).expect("a way");
//! assert_eq!(path.len(), 3);
//! ```

/// Whether a fault is put in; `false` in what is shipped.
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
#[cfg(feature = "faults")]
pub mod faults;
mod graph_distance;
mod guide;
mod hamming;
mod interference;
mod relaxation;
mod shares;
mod weights;

pub use cached::Cached;
pub use graph_distance::{Combination, GraphDistance, Maximum, Total};
pub use guide::{Discrete, Guide};
pub use hamming::Hamming;
pub use interference::Interference;
pub use relaxation::{
    AbstractStep, CartesianInvariant, ClockClasses, Compared, Invariants, Lower, Relaxation, Sight,
    Upper, Usefulness,
};
pub use shares::{Companions, Share, Sharing, UNIT, conjuncts};
pub use weights::{Participant, Units, Weights};
