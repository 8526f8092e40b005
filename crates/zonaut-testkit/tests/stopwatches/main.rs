//! Models with stopwatches, against a grid of times and against their own evidence.
//!
//! No oracle decides such models. But a state that is reached at whole and half times is reachable,
//! so the engine must not deny it; a run that it returns must be valid, for the checker of
//! certificates and for the transition relation of the oracles; and the checker must accept its
//! proofs.

#[cfg(not(feature = "faults"))]
mod answers;
mod check;
#[cfg(feature = "faults")]
mod faults;
mod models;
