//! Oracles: explorers of whole state spaces that share nothing with zones.

mod ceilings;
mod explore;
mod integer_time;
pub mod priced;
mod reached;
mod region;
mod scope;
mod table;
mod witness;

pub use explore::{Answer, Failure, Limits, Verdict};
pub use integer_time::{grid_time, integer_time};
pub use region::region;
pub use scope::{is_closed, is_diagonal_free};
