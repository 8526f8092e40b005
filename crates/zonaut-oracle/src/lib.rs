//! Oracles: what Zonaut's answers are compared with.
//!
//! They evaluate networks point by point ([`network`]), explore whole state spaces ([`oracle`]),
//! replay runs step by step ([`replay`]) and judge claims about small networks ([`judge`]), which
//! are written down as [`specification`]s. A [`tree`] is evaluated as it was written, before anything
//! was lowered. They are slow where the engine is fast and short where
//! the engine is long; where the two disagree, one of them is wrong. For that they share nothing
//! with it but models and their texts: no zone, no compiled code, no search.
//!
//! ```
//! use zonaut_oracle::front_end::model_of;
//! use zonaut_oracle::oracle::{Limits, region};
//!
//! let text = "clock x; process P() { state a, b; init a; trans a -> b { guard x > 2; }; } system P;";
//! let (model, _) = model_of(text, &["E<> P.b && x < 3", "E<> P.b && x <= 2"]).expect("correct");
//! let reached = model.queries.iter().map(|query| region(&model, &query.kind, Limits::default()));
//! let reached: Vec<_> = reached.map(|verdict| verdict.is_reachable()).collect();
//! assert_eq!(reached, [Some(true), Some(false)]);
//! ```
//!
//! For development only: nothing that is shipped depends on this crate.

pub mod front_end;
pub mod judge;
pub mod network;
pub mod oracle;
pub mod random;
pub mod replay;
pub mod specification;
pub mod tree;
