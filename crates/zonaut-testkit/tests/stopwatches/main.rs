//! Models whose clocks stand still, against times on a grid and against their own evidence.
//!
//! No oracle decides such models. But what is reached at whole and half times is reached, so it must
//! not be denied; a run that is shown must be one, for the checker of certificates and for the step
//! relation of the oracles; and a proof must be accepted by the checker.

#[cfg(not(feature = "faults"))]
mod answers;
mod check;
#[cfg(feature = "faults")]
mod faults;
mod models;
