//! Predicate abstractions compared with exact distances in the state spaces of small networks.

#[path = "../../../zonaut-heuristics/tests/heuristics/data_networks.rs"]
mod data_networks;
#[cfg(feature = "faults")]
mod faults;
#[path = "../../../zonaut-heuristics/tests/heuristics/goals.rs"]
mod goals;
mod laws;

mod figures;
#[cfg(not(feature = "faults"))]
mod properties;
#[cfg(not(feature = "faults"))]
mod saved;
