//! Limits on the size of a model.

use zonaut_model::{CLOCK_LIMIT, interpret};

/// Limits on the size of a model: untrusted input must not exhaust the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Integers of the state, of the working storage and of the constants, each.
    pub cells: u64,
    /// Clocks.
    pub clocks: u64,
    /// Channels.
    pub channels: u64,
    /// Processes.
    pub processes: u64,
    /// Locations, edges and expressions, in total.
    pub elements: u64,
    /// Expanded copies of quantified formulas, in the whole model.
    pub expansions: u64,
    /// Steps for the evaluation of one constant.
    pub steps: u64,
    /// The largest constant that a clock is compared with or set to. Beyond it, sums of bounds
    /// would exceed the range in which zones are exact.
    pub clock_constant: i32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            cells: 1_000_000,
            clocks: 4_096,
            channels: 1_000_000,
            processes: 100_000,
            elements: 20_000_000,
            expansions: 1_000_000,
            steps: interpret::DEFAULT_BUDGET,
            clock_constant: CLOCK_LIMIT,
        }
    }
}
