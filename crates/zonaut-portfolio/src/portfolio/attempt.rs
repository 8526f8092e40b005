//! Records of portfolio members.

use zonaut_search::Statistics;
use zonaut_space::StopReason;
use zonaut_strategy::Strategy;

/// The record of a portfolio member that was started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// Its strategy.
    pub strategy: Strategy,
    /// Its purpose.
    pub purpose: &'static str,
    /// The number of its time slices.
    pub turns: usize,
    /// Its work, in units that count the same for all members.
    pub work: u64,
    /// Its statistics.
    pub statistics: Statistics,
    /// Its end.
    pub end: AttemptEnd,
}

/// The purpose of an exhaustive search.
pub(super) const EXPLORATION: &str = "exhaustive breadth-first search";

/// The end of a portfolio member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttemptEnd {
    /// It has decided.
    Decided,
    /// Another member was faster, or all were stopped.
    Paused,
    /// It was given up, so that others could continue.
    Stopped(StopReason),
    /// It cannot search this model, with the reason.
    Refused(String),
    /// Its heuristic finds no path to the goal.
    Blind,
}

impl std::fmt::Display for AttemptEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Decided => f.write_str("decided"),
            Self::Paused => f.write_str("paused"),
            Self::Stopped(why) => write!(f, "abandoned: {why}"),
            Self::Refused(why) => write!(f, "not applicable: {why}"),
            Self::Blind => f.write_str("abandoned: the heuristic finds no path to the goal"),
        }
    }
}
