//! The Gantt chart of a model: UPPAAL's `gantt` section. It has no effect on verdicts.

use crate::{ExpressionId, Formula};

/// A row of the chart, for one choice of values of its parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChartRow {
    /// Its name, such as `Oven` or `Task(3)`.
    pub name: String,
    /// Its bars; several may be shown at the same time.
    pub bars: Vec<ChartBar>,
}

/// A bar of a row, shown while a condition holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChartBar {
    /// Its label: the location that the condition is about, or the condition as written.
    pub label: String,
    /// The condition under which it is shown; `deadlock` does not occur in it.
    pub condition: Formula,
    /// The number of its colour, evaluated only if the condition holds.
    pub colour: ExpressionId,
}
