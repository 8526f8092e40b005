//! What the rest of Zonaut is tested with: oracles, random models, runs that are replayed, and a
//! table of pitfalls.
//!
//! The oracles evaluate networks point by point ([`network`]) and know nothing of zones. They are
//! slow where the engine is fast and short where the engine is long; where the two disagree, one of
//! them is wrong, and the generator's shrinking makes the disagreement small enough to see which.
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

pub mod damage;
pub mod differential;
pub mod fault;
pub mod front_end;
pub mod generate;
pub mod judge;
pub mod network;
pub mod oracle;
pub mod program;
pub mod random;
pub mod replay;
pub mod semantics_document;
pub mod specification;
pub mod tree;
