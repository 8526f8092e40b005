//! The chart that a model draws of its runs: UPPAAL's `gantt` section, without meaning for verdicts.

use crate::{ExpressionId, Formula};

/// A row of the chart, for one choice of its parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChartRow {
    /// Its name, such as `Oven` or `Task(3)`.
    pub name: String,
    /// What it shows; several may be shown at one time.
    pub bars: Vec<ChartBar>,
}

/// What a row shows while a condition holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChartBar {
    /// What it is, for people: the location that it is about, or the condition as written.
    pub label: String,
    /// When it is shown; `deadlock` does not occur in it.
    pub condition: Formula,
    /// The number of its colour, evaluated only where the condition holds.
    pub colour: ExpressionId,
}
