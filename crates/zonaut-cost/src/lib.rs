//! Cheapest paths to a goal, with proofs of optimality.
//!
//! A model has prices of transitions and a rate of time ([`Costing`]); without cost annotations, cost
//! is elapsed time. [`Zones`] looks for a cheapest path by branch and bound, in one of several
//! [`CostOrder`]s, over symbolic states that know what they cost. Every order gives the same answer.
//!
//! Invariants:
//! - Costs are [`Infimum`]s: a number, and whether it is attained.
//! - A path that is reported exists; a lower bound holds, also while the search is running.

mod certificate;
mod costing;
mod drive;
mod estimate;
#[cfg(feature = "faults")]
pub mod faults;
mod infimum;
mod labels;
mod order;
mod resources;
mod run;
mod smaller;
pub mod tasks;
mod zone_bound;
mod zones;

pub use certificate::{
    Unproven, WrittenDelay, WrittenRun, write_constraints, write_discrete, write_participants,
    write_run,
};
pub use costing::{Combination, Costing, LocationRates, Refusal};
pub use drive::{
    Improvement, Optimisation, OptimizationObserver, OptimizationOutcome, Solution, Watched, drive,
    drive_together, first_solution,
};
pub use estimate::{Estimate, Nothing};
pub use infimum::Infimum;
pub use labels::CostLabels;
pub use order::Estimated;
pub use resources::{Resource, resources};
pub use run::{last_price, overestimated, paid_along, run_along};
pub use zonaut_strategy::{CostOrder, Estimates};
pub use zone_bound::demands_of;
pub use zones::{Failure, Guidance, Workers, Zones, of_worker};
