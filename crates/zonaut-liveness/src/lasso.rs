//! Results of a search for maximal runs.

use zonaut_compile::Step;
use zonaut_space::StopReason;
use zonaut_zonegraph::{RunEnd, StepError};

/// A maximal run that avoids a formula, by its transitions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// The transitions before the formula is avoided; empty if it is avoided from the start.
    pub before: Vec<Step>,
    /// The transitions from then on, up to the cycle or to the end.
    pub prefix: Vec<Step>,
    /// The continuation after the prefix.
    pub end: LassoEnd,
}

/// The continuation of a maximal run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LassoEnd {
    /// It repeats these transitions for ever.
    Cycle(Vec<Step>),
    /// It remains in its state while time diverges.
    Diverging,
    /// No transition is enabled any more, and time passes up to the invariant.
    Blocked,
}

impl From<RunEnd> for LassoEnd {
    fn from(end: RunEnd) -> Self {
        match end {
            RunEnd::Diverging => Self::Diverging,
            RunEnd::Blocked => Self::Blocked,
        }
    }
}

impl Lasso {
    /// The transitions that are repeated; empty without a cycle.
    #[must_use]
    pub fn cycle(&self) -> &[Step] {
        match &self.end {
            LassoEnd::Cycle(steps) => steps,
            LassoEnd::Diverging | LassoEnd::Blocked => &[],
        }
    }
}

/// The outcome of a search for maximal runs.
#[derive(Clone, PartialEq, Debug)]
#[must_use]
pub enum Finding {
    /// A maximal run exists.
    Found(Lasso),
    /// No maximal run exists, and no run-time error occurred in the explored states.
    None,
    /// A run-time error occurred before a maximal run was found.
    Failed {
        /// The error.
        error: StepError,
        /// The steps to it; the last one is the step that failed, unless the evaluation of a
        /// formula failed.
        steps: Vec<Step>,
    },
    /// The search was stopped.
    Stopped(StopReason),
}
