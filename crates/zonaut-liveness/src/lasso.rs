//! What a search for maximal runs finds.

use zonaut_compile::Step;
use zonaut_space::StopReason;
use zonaut_zonegraph::StepError;

/// A maximal run that avoids a formula, by its transitions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// The transitions before the formula is avoided; none where it is from the start.
    pub before: Vec<Step>,
    /// The transitions from then on, to the cycle or to the end.
    pub prefix: Vec<Step>,
    /// How it goes on.
    pub end: LassoEnd,
}

/// How a maximal run goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LassoEnd {
    /// It repeats these transitions for ever.
    Cycle(Vec<Step>),
    /// It stays while time diverges.
    Diverging,
    /// Nothing can happen any more, and time passes as far as it may.
    Blocked,
}

impl Lasso {
    /// The transitions that are repeated; none where the run stays.
    #[must_use]
    pub fn cycle(&self) -> &[Step] {
        match &self.end {
            LassoEnd::Cycle(steps) => steps,
            LassoEnd::Diverging | LassoEnd::Blocked => &[],
        }
    }
}

/// How a search for maximal runs ended.
#[derive(Clone, PartialEq, Debug)]
#[must_use]
pub enum Finding {
    /// There is one.
    Found(Lasso),
    /// There is none, and nothing goes wrong where it was looked for.
    None,
    /// Something went wrong before one was met.
    Failed {
        /// What went wrong.
        error: StepError,
        /// The steps to it; the last one is the step that went wrong, unless it was a formula that
        /// could not be evaluated.
        steps: Vec<Step>,
    },
    /// The search was stopped.
    Stopped(StopReason),
}
