//! What the rest of Zonaut is tested with: random models, comparisons of every way to an answer,
//! injected faults, checked evidence, and a table of pitfalls.
//!
//! Answers are compared with those of [oracles](zonaut_oracle), which know nothing of zones; where
//! the two disagree, shrinking makes the disagreement small enough to see who is wrong.
//!
//! ```
//! use zonaut_testkit::generate::generate;
//! use zonaut_testkit::judge::{Claim, Judgement, judge};
//! use zonaut_testkit::oracle::Limits;
//!
//! // The network of a seed: its text for the front end, and what the oracles say of an answer.
//! let network = generate(1);
//! assert!(network.to_xta().contains("system P0"));
//! let opposites = [Claim::Reachable { shortest: None }, Claim::Unreachable];
//! let right = |&claim: &Claim| judge(&network, claim, Limits::default()) == Judgement::Right;
//! assert_eq!(opposites.iter().filter(|claim| right(claim)).count(), 1);
//! ```
//!
//! For development only: nothing that is shipped depends on this crate.

pub mod costs;
pub mod differential;
pub mod evidence;
pub mod fault;
pub mod features;
pub mod generate;
pub mod liveness;
pub mod mutated;
pub mod program;
mod retold;
pub mod semantics_document;
pub mod values;
pub mod world;

// Tests name one crate, whatever they compare with.
pub use zonaut_oracle::{front_end, judge, network, oracle, random, replay, specification, tree};
