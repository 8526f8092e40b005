//! What was tried.

use zonaut_search::Statistics;
use zonaut_space::StopReason;
use zonaut_strategy::{Order, Strategy};

/// A search that was tried for an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// How it searched.
    pub strategy: Strategy,
    /// What it was tried for.
    pub purpose: &'static str,
    /// How many turns it had.
    pub turns: usize,
    /// Its work, in units that count the same for all searches.
    pub work: u64,
    /// What it did.
    pub statistics: Statistics,
    /// What came of it.
    pub end: AttemptEnd,
}

impl Attempt {
    /// An exploration of everything, breadth first, that others had turns beside.
    #[must_use]
    pub fn exploration(turns: usize, statistics: Statistics, end: AttemptEnd) -> Self {
        Self {
            strategy: Strategy::Blind(Order::BreadthFirst),
            purpose: EXPLORATION,
            turns,
            work: (statistics.explored + statistics.generated) as u64,
            statistics,
            end,
        }
    }
}

/// What an exploration of everything is tried for.
pub(super) const EXPLORATION: &str = "explores everything, what is nearest first";

/// What came of a search that was tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttemptEnd {
    /// It has given the answer.
    Decided,
    /// Another one was faster, or all were stopped.
    Paused,
    /// It was given up, so that others could go on.
    Stopped(StopReason),
    /// It cannot search this model, and why.
    Refused(String),
    /// Its guide sees no way to the goal that it could follow.
    Blind,
}

impl std::fmt::Display for AttemptEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Decided => f.write_str("decided"),
            Self::Paused => f.write_str("paused"),
            Self::Stopped(why) => write!(f, "given up: {why}"),
            Self::Refused(why) => write!(f, "refused: {why}"),
            Self::Blind => f.write_str("given up: the guide sees no way to the goal"),
        }
    }
}
