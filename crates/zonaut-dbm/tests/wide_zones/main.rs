//! The tests of `zones` for wide bounds.

#[path = "../zones/exhaustive.rs"]
mod exhaustive;
#[path = "../zones/extrapolation.rs"]
mod extrapolation;
#[path = "../zones/federation.rs"]
mod federation;
#[path = "../zones/limits.rs"]
mod limits;
#[path = "../zones/naive.rs"]
mod naive;
#[path = "../zones/operations.rs"]
mod operations;
#[path = "../zones/pitfalls.rs"]
mod pitfalls;
#[path = "../zones/points.rs"]
mod points;
#[path = "../zones/simulation.rs"]
mod simulation;
#[path = "../zones/summary.rs"]
mod summary;

type Bound = zonaut_dbm::Bound<zonaut_dbm::Wide>;
type Zone = zonaut_dbm::Zone<zonaut_dbm::Wide>;
type Federation = zonaut_dbm::Federation<zonaut_dbm::Wide>;
