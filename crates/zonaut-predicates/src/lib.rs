//! Heuristics from predicate abstractions of parts of a model.
//!
//! J. Hoffmann, J.-G. Smaus, A. Rybalchenko, S. Kupferschmid, A. Podelski: *Using predicate
//! abstraction to generate heuristic functions in UPPAAL*, MoChArt 2006.
//!
//! A model is split into parts of few processes (`split.rs`). A part has all transitions of the
//! network, but only the predicates of its own processes. The abstract states of a part are
//! computed backwards from the goal, nearest first (`abstraction.rs`): sets of literals over the
//! [`Vocabulary`], which claim only literals that hold in all states of the pre-image. A state is
//! looked up by the literals that may hold in it (`literals.rs`, `index.rs`). Abstractions can be
//! saved and loaded (`file.rs`).
//!
//! [`Added`] sums up the distances of parts and is not admissible, because two parts may count the
//! same transition. [`Shared`] is admissible: parts share the cost of each transition (`share.rs`),
//! or there is only one part.
//!
//! The whole language is accepted. The effect of updates on literals is found by enumerating
//! values, within a fixed budget for each literal; if the budget is exceeded, the literal is
//! unknown. Clock constraints whose bounds depend on data are weakened to the range of the bound.
//! Urgent channels and priorities are ignored, which is an over-approximation.
//!
//! ```
//! use zonaut_compile::{BoundsTable, CompiledNetwork};
//! use zonaut_dbm::Narrow;
//! use zonaut_model::QueryKind;
//! use zonaut_model::builder::NetworkBuilder;
//! use zonaut_predicates::{Cut, Shared, Work};
//! use zonaut_space::Meter;
//!
//! let mut network = NetworkBuilder::new();
//! let x = network.clock("x");
//! let process = network.process("P");
//! let (a, b) = (network.location(process, "a"), network.location(process, "b"));
//! network.edge(process, a, b).guard(x.at_least(3));
//! network.possibly("E<> P.b", network.at(process, b));
//! let model = network.finish().expect("a valid network");
//! let QueryKind::Possibly(goal) = &model.queries.iter().next().expect("a query").kind else {
//!     unreachable!("it is")
//! };
//!
//! let bounds = BoundsTable::new(&model, goal);
//! let cut = Cut { split: None, ..Cut::default() };
//! let work = Work { meter: &Meter::default(), is_enough: &|states, _| states >= 1000 };
//! let heuristic: Shared<Narrow> =
//!     Shared::new(&model, goal, &bounds, &cut, work).expect("the default meter never stops");
//! assert!(heuristic.size().is_complete);
//! ```

/// Whether a fault is injected; always `false` in releases.
macro_rules! faulty {
    ($fault:ident) => {{
        #[cfg(feature = "faults")]
        let is_selected = crate::faults::Fault::$fault.is_selected();
        #[cfg(not(feature = "faults"))]
        let is_selected = false;
        is_selected
    }};
}

mod abstraction;
mod difference;
#[cfg(feature = "faults")]
pub mod faults;
mod file;
mod goal;
mod index;
mod literals;
mod part;
mod part_distances;
mod refine;
mod share;
mod split;
mod step;
mod table;
mod vocabulary;

pub use part_distances::{Added, Cut, PartDistances, Shared, Size, Work};
pub use vocabulary::{Learning, LessonKind, PathChoice, Rounds, Vocabulary};
