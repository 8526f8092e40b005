//! Every domain compared with the reference interpreter: random programs, all valuations of a
//! memory.

mod concrete;
mod examples;
mod faults;
mod footprints;
mod known;
mod normal_forms;
mod program;
mod reachable;
mod runs;
mod simplifications;
mod values;
