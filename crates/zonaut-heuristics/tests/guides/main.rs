//! Guides against the truth: distances in the whole space of small networks.

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
