//! The laws of the label domains, on which the proof of the adaptive simulation graph relies
//! (decision 0024): each domain against sets of concrete states.

mod clocks;
mod data;
