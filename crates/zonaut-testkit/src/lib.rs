//! What the rest of Zonaut is tested with: oracles, random models, runs that are replayed, and a
//! table of pitfalls.
//!
//! The oracles evaluate networks point by point ([`network`]) and know nothing of zones. They are
//! slow where the engine is fast and short where the engine is long; where the two disagree, one of
//! them is wrong, and the generator's shrinking makes the disagreement small enough to see which.
//!
//! For development only: nothing that is shipped depends on this crate.

pub mod differential;
pub mod front_end;
pub mod generate;
pub mod judge;
pub mod network;
pub mod oracle;
pub mod random;
pub mod replay;
pub mod semantics_document;
pub mod specification;
