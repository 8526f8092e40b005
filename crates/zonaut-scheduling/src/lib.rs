//! Optimal schedules of networks of tasks, by a search over points.
//!
//! In a [network of tasks](TaskNetwork) everything takes a fixed time once it has begun, so that a
//! state is a point: a discrete state, the date, and the dates at which clocks were zero.
//! [`ScheduleSearch`] explores few delays, compares points by their dates, and finds an optimal
//! schedule by [beams](Beams) of growing width and a complete search. Orders of exploration, branch and
//! bound, costs and the look-ahead in tasks and locks are those of `zonaut-cost`.
//!
//! Invariants:
//! - A model that is no network of tasks is refused with a reason ([`NoTasks`]).
//! - The least cost is that of the search over zones ([`zonaut_cost::Zones`]).

mod beam;
mod bound;
mod edge_finding;
#[cfg(feature = "faults")]
pub mod faults;
mod goal;
mod order_search;
mod orders;
mod plan;
mod propagation;
mod schedule_search;
mod state;
mod system;
mod task_network;
mod team;

pub use schedule_search::{Helpers, ScheduleSearch, TaskHeuristic};
pub use task_network::{NoTasks, TaskNetwork};
pub use zonaut_strategy::Beams;
