//! The test kit of Zonaut: random models, differential tests of all configurations, fault
//! injection, verified and damaged certificates, and a table of pitfalls.
//!
//! Answers are compared with those of [oracles](zonaut_oracle), which do not use zones. If the two
//! disagree, shrinking reduces the model until it is small enough to see which of them is wrong.
//!
//! ```
//! use zonaut_testkit::generate::generate;
//! use zonaut_testkit::judge::{Claim, Judgement, judge};
//! use zonaut_testkit::oracle::Limits;
//!
//! // The network of a seed: its text, and the judgement of the oracles about two claims.
//! let network = generate(1);
//! assert!(network.to_xta().contains("system P0"));
//! let opposites = [Claim::Reachable { shortest: None }, Claim::Unreachable];
//! let right = |&claim: &Claim| judge(&network, claim, Limits::default()) == Judgement::Right;
//! assert_eq!(opposites.iter().filter(|claim| right(claim)).count(), 1);
//! ```
//!
//! For development only: no released program depends on this crate.

pub mod command;
pub mod costs;
pub mod damage;
pub mod differential;
pub mod engine_deadlocks;
pub mod evidence;
pub mod fault;
pub mod features;
pub mod generate;
pub mod liveness;
mod metamorphic;
pub mod mutated;
pub mod priced;
pub mod program;
pub mod sampled_runs;
pub mod semantics_document;
pub mod several_threads;
pub mod stochastic;
pub mod values;
pub mod world;

// Re-exported so that tests need to name one crate only.
pub use zonaut_certify as certify;
pub use zonaut_engine as engine;
pub use zonaut_oracle::{front_end, judge, network, oracle, random, replay, specification, tree};
