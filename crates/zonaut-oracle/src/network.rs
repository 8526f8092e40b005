//! The transition relation of a network, evaluated at single clock valuations.
//!
//! There are no zones, no splitting and no negation of guards: "this receiver is not enabled" is
//! simply a test that fails. That makes the rules of synchronisation, urgency and broadcast short
//! enough to be compared with the semantics document line by line, and independent of the code that
//! they are the reference for.

mod clocks;
mod machine;
mod offers;
mod prepared;
mod state;
mod steps;
mod time;

pub use clocks::{Clocks, compare};
pub use machine::{Machine, Problem};
pub use offers::{Offer, Participant};
pub use state::State;
