//! The merge heuristic: distances in a product of automata that is kept small by merging locations.
//!
//! K. Dräger, B. Finkbeiner, A. Podelski: *Directed model checking with distance-preserving
//! abstractions*, SPIN 2006, doi:10.1007/11691617_2.
//!
//! Two automata are replaced by their product, whose locations are merged until few are left, and
//! so on until one automaton is left. A state of the network is looked up in it ([`Merged`]).
//!
//! # Why it is admissible
//! Every intermediate automaton satisfies one law (`automaton.rs`): a transition of the network is
//! a transition of it or, if no participant is inside, keeps its state; and a goal of the network
//! is a goal of it. It holds for processes, whose guards are weakened; for products (`product.rs`);
//! and for automata with merged states, for any merging, because all transitions and goals stay. So
//! a run to a goal is a path to a goal in the last automaton with at most as many transitions.
//! States that are unreachable there are unreachable in the network, and states without a path to a
//! goal have none in the network; these are dead ends if nothing in the model can fail at run time,
//! and are expanded last otherwise.
//!
//! # The whole language
//! Clocks, urgency and priorities are ignored, which allows more. A committed location blocks other
//! processes of the same product. Broadcasts are joined by all enabled receivers. A guard over data
//! is kept as far as value sets refute it at a location; variables that become automata themselves
//! ([`Merging::variables`]) take part in guards and updates, with one transition for each
//! combination of values if several of them depend on each other, and all other variables that
//! these read may have any value. Select variables and indices of channels give one transition for
//! each value.
//!
//! ```
//! use zonaut_heuristics::{DiscreteHeuristic, Relaxation};
//! use zonaut_merge::{Merged, Merging, Work};
//! use zonaut_model::QueryKind;
//! use zonaut_model::builder::NetworkBuilder;
//! use zonaut_space::{Estimate, Meter};
//!
//! // Q waits for two signals, and P goes round in a circle of two to send one.
//! let mut network = NetworkBuilder::new();
//! let signal = network.channel("signal");
//! let p = network.process("P");
//! let (a, b) = (network.location(p, "a"), network.location(p, "b"));
//! network.edge(p, a, b);
//! network.edge(p, b, a).send(signal);
//! let q = network.process("Q");
//! let (x, y, z) = (network.location(q, "x"), network.location(q, "y"), network.location(q, "z"));
//! network.edge(q, x, y).receive(signal);
//! network.edge(q, y, z).receive(signal);
//! network.possibly("E<> Q.z", network.at(q, z));
//! let model = network.finish().expect("a valid network");
//! let QueryKind::Possibly(goal) = &model.queries.iter().next().expect("a query").kind else {
//!     unreachable!("it is")
//! };
//!
//! let relaxation = Relaxation::new(&model, goal);
//! let work = Work { meter: &Meter::default(), is_enough: &|_, _| false };
//! let mut heuristic = Merged::new(&model, goal, Merging::default(), &relaxation, work)
//!     .expect("the default meter never stops");
//! assert_eq!(heuristic.estimate(&[0, 0]), Estimate::Distance(4));
//! assert_eq!(heuristic.estimate(&[1, 1]), Estimate::Distance(1));
//! // The relaxation does not see that P goes round twice.
//! assert_eq!(relaxation.lower().estimate(&[0, 0]), Estimate::Distance(3));
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

mod atom;
mod automaton;
mod effect;
#[cfg(feature = "faults")]
pub mod faults;
mod file;
mod goal;
mod label;
mod merged;
mod pair;
mod product;
mod relation;
mod shrink;

pub use merged::{Merged, Merging, Work};
