//! Tests of cost-optimal reachability: random priced models, and a comparison of all searches.
//!
//! A model has one least cost, attained or approached. Every search order finds it, with and
//! without estimates, over zones and, in networks of tasks, over point states and by beam search;
//! the oracle agrees; estimates are admissible along a cheapest path; and the checker accepts the
//! certificate.

mod agreement;
mod comparison;
mod integer_time;
mod near_tasks;
mod network;
mod pricing;
mod rates;
pub mod shops;

pub use crate::oracle::priced::Claim;
pub use agreement::{Agreement, Automatic, Kind, STATE_LIMIT, Sample};
pub use comparison::{Examined, examine};
pub use pricing::Priced;
pub(crate) use rates::claimed_by;
pub use rates::{ExaminedRates, Rated};
