//! The search on toy state spaces.

mod asynchronous;
mod batches;
mod counts;
mod distribution;
mod endings;
mod faults;
mod layered;
mod lazy;
mod pauses;
mod prices;
mod spilling;
mod toy;
mod verdicts;
