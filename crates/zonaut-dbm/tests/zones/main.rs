//! Zones against two oracles: a naive implementation that closes from scratch after every
//! operation, and sets of points on a grid.
//!
//! The files are compiled for narrow bounds here and for wide ones in `wide_zones`.

mod exhaustive;
mod extrapolation;
mod federation;
mod limits;
mod naive;
mod operations;
mod pitfalls;
mod points;
mod simulation;
mod summary;

type Bound = zonaut_dbm::Bound<zonaut_dbm::Narrow>;
type Zone = zonaut_dbm::Zone<zonaut_dbm::Narrow>;
type Federation = zonaut_dbm::Federation<zonaut_dbm::Narrow>;
