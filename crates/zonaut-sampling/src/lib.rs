//! Random runs of networks, and statistics about them.
//!
//! [`Sampler`] implements the stochastic semantics of
//! [SEMANTICS.md](../../docs/SEMANTICS.md#98-statistical-queries) over the discrete layer
//! `zonaut-discrete`: one run after the other, each with a generator of random numbers of its own
//! that depends on the seed and the number of the run alone. [`SampledQuery`] observes runs for a
//! query; [`estimate`] has the statistics, which know nothing of models.
//!
//! The crate knows neither threads nor files. Callers distribute the numbers of runs among workers
//! and absorb the outcomes in the order of these numbers, so that the result does not depend on the
//! number of workers.

mod beta;
pub mod estimate;
#[cfg(feature = "faults")]
pub mod faults;
mod formula;
mod histogram;
mod motion;
mod observe;
mod sampler;

pub use histogram::Histogram;
pub use observe::{Outcome, RunSubject, SampledQuery, Trajectory};
pub use sampler::{Observer, RunError, Sampler, SamplerOptions};
