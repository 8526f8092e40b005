//! What least costs are tested with: random priced models, and all ways to an answer compared.
//!
//! A model has one least cost, attained or approached. Every order finds it, with estimates and
//! without, over zones and, in networks of tasks, over points and by beams; the oracle agrees; nothing
//! on a cheapest way is estimated to cost more; and the checker accepts the certificate.
//!
//! For development only: nothing that is shipped depends on this crate.

mod agreement;
mod comparison;
mod integer_time;
mod near_tasks;
mod network;
mod pricing;
pub mod shops;

pub use agreement::{Agreement, Kind, Sample};
pub use comparison::{Examined, examine};
pub use pricing::Priced;
pub use zonaut_oracle::oracle::priced::Claim;
