//! Zones against two oracles: a naive twin that closes from scratch after every operation, and
//! sets of points on a grid.

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
