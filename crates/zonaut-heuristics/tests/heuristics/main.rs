//! Heuristics compared with true distances in the whole state space of small networks.

mod data_networks;
#[cfg(feature = "faults")]
mod faults;
mod goals;
mod laws;
mod sums;
mod weights;

#[cfg(not(feature = "faults"))]
mod figures;
#[cfg(not(feature = "faults"))]
mod language;
#[cfg(not(feature = "faults"))]
mod properties;
