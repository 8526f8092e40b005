//! Abstractions of models by leaving parts out, and databases of their distances.
//!
//! A [`Pattern`] says which processes, cells and clocks are left out; it is closed, so that nothing
//! that is kept depends on what is not. The [`Child`] of a model is the model without them: whatever
//! the model does, the child can do in no more steps. Its distances to the goal, kept in a
//! [`Database`], therefore never overestimate those of the model, and guide a search to shortest
//! runs. [`russian_doll`] and [`cone`] choose patterns.
//!
//! A database is built in two passes. Forward, the child is explored with the engine's own search;
//! what is kept of that is the discrete graph with its clock constraints. Backward, the exact sets of
//! valuations at each distance are found, so that a lookup is as good as the pattern allows: no
//! accuracy is lost to zones that are wider than what was asked about.
//!
//! ```
//! use zonaut_compile::{BoundsTable, CompiledNetwork};
//! use zonaut_model::builder::NetworkBuilder;
//! use zonaut_model::{QueryKind, Range};
//! use zonaut_pdb::{Child, Database, Inputs, russian_doll};
//!
//! // P waits for two ticks of Q; nobody waits for R.
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
//! let child = Child::new(&model, goal, &russian_doll(&model, goal, Inputs::Dropped));
//! assert_eq!(child.processes, [p, q]);
//! let bounds = BoundsTable::new(&model, goal);
//! let database: Database = Database::build(&model, &bounds, &child, &mut ()).expect("explorable");
//! assert!(database.is_complete());
//! assert_eq!(database.size().keys, 3);
//! ```

mod access;
mod backward;
mod child;
mod cone;
mod database;
mod exploration;
mod failure;
pub mod faults;
mod file;
mod look;
mod mapping;
mod mention;
mod origin;
mod partners;
mod pattern;
mod roots;
mod russian_doll;
mod skeleton;
mod text;
mod updates;
mod weaken;

pub use child::{Child, STUB};
pub use cone::cone;
pub use database::{Database, Distance, Size};
pub use exploration::Unexplorable;
pub use mapping::Activity;
pub use pattern::Pattern;
pub use russian_doll::{Inputs, metered_russian_doll, russian_doll};
pub use text::{formula_text, model_text};
pub use zonaut_analysis::{IdSet, Symbols};
pub use zonaut_base::LoadError;
