//! Explicit-state explorers of whole state spaces, without zones.

mod ceilings;
mod explore;
mod extremes;
mod integer_time;
mod maximal;
pub mod priced;
mod rates;
mod reached;
mod region;
mod scope;
mod table;
mod witness;

pub use explore::{Answer, Failure, Limits, Verdict};
pub use extremes::{Extreme, Extremes};
pub use integer_time::{grid_time, integer_time};
pub use maximal::MaximalRuns;
pub use rates::{GridCost, infimum_at_corners, least_cost_on_grid};
pub use region::{cell_extremes, clock_extremes, maximal_runs, region};
pub use scope::{is_closed, is_diagonal_free};
