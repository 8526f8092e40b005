//! The input languages of Zonaut: UPPAAL's XML and XTA (current and 3.x) and its queries.
//!
//! Text goes in, a [`tree`] and diagnostics come out; printers go the other way.
//! Nothing here knows what a name refers to or what type an expression has.

pub mod tree;
