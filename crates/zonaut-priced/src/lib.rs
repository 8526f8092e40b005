//! Cheapest paths in linearly priced timed automata: the rate of time differs between locations.
//!
//! If all locations of a process have one rate, a cost is a further clock, and `zonaut-cost` is
//! faster. Here the valuations of a symbolic state have affine costs ([`PricedZone`]);
//! [`PricedGraph`] is the transition system of such states, and [`PricedSearch`] looks for a cheapest
//! path with the search loop, the orders and the branch and bound of `zonaut-cost`.
//!
//! Invariants:
//! - Costs are integers at the vertices of zones, and every operation is exact.
//! - In one priced zone either all costs are attained or none is.

mod certificate;
mod date_bound;
mod date_cost;
#[cfg(feature = "faults")]
pub mod faults;
mod flow;
mod graph;
mod labels;
mod priced_zone;
mod run;
mod search;
mod separation;
mod state;

pub use graph::{PricedGraph, PricedScratch};
pub use priced_zone::{CostFunction, CostRange, Least, PricedZone};
pub use run::{paid_along, run_along, written_run};
pub use search::PricedSearch;
pub use state::PricedState;
