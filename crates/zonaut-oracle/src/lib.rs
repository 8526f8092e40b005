//! Oracles: independent reference implementations that Zonaut's answers are compared with.
//!
//! An oracle evaluates networks at single clock valuations ([`network`]), explores whole state
//! spaces ([`oracle`]), replays runs step by step ([`replay`]) or judges claims about small
//! networks ([`judge`]), which are described by [`specification`]s. The evaluator of [`tree`] works
//! on the syntax tree, before lowering. Oracles are slow where the engine is fast and short where
//! the engine is long; if the two disagree, one of them is wrong. They share only models and their
//! texts with the engine: no zones, no compiled code, no search.
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
//! For development only: no released program depends on this crate.

pub mod front_end;
pub mod judge;
pub mod network;
pub mod oracle;
pub mod random;
pub mod replay;
pub mod specification;
pub mod tree;
