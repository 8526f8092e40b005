//! Pattern databases for timed automata: abstractions of a model that drop some of its symbols, and
//! databases of their distances.
//!
//! A [`Pattern`] is a set of processes, cells and clocks that are dropped; it is closed, so that no
//! kept symbol depends on a dropped one. The [`AbstractModel`] of a model is the model without
//! them: the abstract model can simulate the original in no more steps. Its distances to the goal,
//! stored in a [`Database`], therefore never overestimate those of the model: they are an
//! admissible heuristic. [`error_path_pattern`] and [`cone`] choose patterns.
//!
//! A database is built in two passes. The forward pass explores the abstract model with the
//! engine's own search; only the discrete graph with its clock constraints is kept. The backward
//! pass computes the exact sets of valuations at each distance, so that a look-up is as precise as
//! the pattern allows: no precision is lost to widened zones.
//!
//! ```
//! use zonaut_compile::{BoundsTable, CompiledNetwork};
//! use zonaut_model::builder::NetworkBuilder;
//! use zonaut_model::{QueryKind, Range};
//! use zonaut_pdb::{AbstractModel, Database, Inputs, error_path_pattern};
//!
//! // P waits for two ticks of Q; R is irrelevant.
//! let mut network = NetworkBuilder::new();
//! let (tick, n) = (network.channel("tick"), network.integer("n", Range { low: 0, high: 9 }, 0));
//! let p = network.process("P");
//! let (a, b, c) = (network.location(p, "a"), network.location(p, "b"), network.location(p, "c"));
//! network.edge(p, a, b).receive(tick);
//! network.edge(p, b, c).receive(tick);
//! let q = network.process("Q");
//! let here = network.location(q, "here");
//! network.edge(q, here, here).send(tick);
//! let r = network.process("R");
//! let there = network.location(r, "there");
//! network.edge(r, there, there).guard(n.term().less(9)).update(n.set(n + 1));
//! network.possibly("E<> P.c", network.at(p, c));
//! let model = network.finish().expect("a valid model");
//!
//! let QueryKind::Possibly(goal) = &model.queries.iter().next().expect("a query").kind else {
//!     unreachable!("it is")
//! };
//! let pattern = error_path_pattern(&model, goal, Inputs::Dropped);
//! let abstract_model = AbstractModel::new(&model, goal, &pattern);
//! assert_eq!(abstract_model.processes, [p, q]);
//! let bounds = BoundsTable::new(&model, goal);
//! let database: Database =
//!     Database::build(&model, &bounds, &abstract_model, &mut ()).expect("explorable");
//! assert!(database.is_complete());
//! assert_eq!(database.size().keys, 3);
//! ```

mod abstract_model;
mod access;
mod backward;
mod cone;
mod database;
mod error_path_pattern;
mod exploration;
mod failure;
pub mod faults;
mod file;
mod mapping;
mod meter_poll;
mod origin;
mod partners;
mod pattern;
mod skeleton;
mod updates;
mod weaken;

pub use abstract_model::{AbstractModel, STUB};
pub use cone::cone;
pub use database::{Database, Distance, Size};
pub use error_path_pattern::{error_path_pattern, metered_error_path_pattern};
pub use exploration::Unexplorable;
pub use mapping::Activity;
pub use pattern::Pattern;
pub use zonaut_analysis::{IdSet, Symbols};
pub use zonaut_base::LoadError;
pub use zonaut_strategy::Inputs;
