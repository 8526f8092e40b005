//! Least and greatest values of expressions over the reachable states.
//!
//! Integers belong to the discrete part of a state, so any exploration of all states determines
//! their values ([`integers`]). The values of a clock must not be abstracted where they are asked for,
//! and may be unbounded; [`clock`] describes how they are computed exactly.

mod clock;
mod copy_chain;
mod integers;
mod probes;
mod pump;

pub use clock::{ClockValues, CoveringStates, clock_range, value_bounds};
pub use integers::{IntegerValues, integer_ranges};

use zonaut_compile::{ClockRow, Step};
use zonaut_dbm::{Wide, Zone};
use zonaut_model::{
    ClockConstraint, ClockId, Expression, ExpressionId, Formula, Model, Place, Relation,
};
use zonaut_space::StopReason;
use zonaut_zonegraph::{StepError, Unsound};

/// The range of an expression over the states in which a formula holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// The infimum.
    pub least: Extreme,
    /// The supremum.
    pub greatest: Extreme,
}

/// The ends of a range that are requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ends {
    /// Whether the infimum is.
    pub least: bool,
    /// Whether the supremum is.
    pub greatest: bool,
}

/// An extreme value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extreme {
    /// The value.
    pub value: Value,
    /// The steps to states with this value, or with values arbitrarily close to it.
    pub steps: Vec<Step>,
    /// The pumping loop among the steps, if the value is approached by repeating it.
    pub pumping: Option<PumpingLoop>,
}

/// A loop that increases a clock in every round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PumpingLoop {
    /// The steps of one round, as a range of the steps.
    pub round: std::ops::Range<usize>,
    /// The state at its beginning.
    pub start: PumpingStart,
}

/// The state at the beginning of a pumping loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PumpingStart {
    /// The pumped clock, and then the clocks whose values are abstracted, each with the constant
    /// that it exceeds; `None` if no constant matters.
    pub above: Vec<(ClockRow, Option<i32>)>,
    /// The clocks of the zone.
    pub rows: Vec<ClockRow>,
    /// The valuations.
    pub zone: Zone<Wide>,
}

/// The infimum or supremum of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// Some state has this value.
    Attained(i64),
    /// Values come arbitrarily close, and none is equal.
    Approached(i64),
    /// Values are unbounded.
    Unbounded,
}

/// The reason for which values are unknown.
#[derive(Clone, PartialEq, Debug)]
pub enum Unknown {
    /// A run-time error occurred at the end of these steps.
    Failed(StepError, Vec<Step>),
    /// The search was stopped.
    Stopped(StopReason),
    /// The values cannot be computed by this method.
    Unsupported(&'static str),
}

impl From<StopReason> for Unknown {
    fn from(why: StopReason) -> Self {
        Self::Stopped(why)
    }
}

impl From<Unsound> for Unknown {
    fn from(why: Unsound) -> Self {
        match why {
            Unsound::Differences => Self::Unsupported("values of clocks with clock differences"),
            Unsound::Constants => Self::Failed(StepError::ClockRange, Vec::new()),
        }
    }
}

impl Unknown {
    fn of_error(error: StepError, steps: Vec<Step>) -> Self {
        match error {
            StepError::Stopped(why) => Self::Stopped(why),
            error => Self::Failed(error, steps),
        }
    }
}

/// A copy of a model that is extended by constants, for comparisons with clocks.
#[derive(Clone, Debug)]
pub struct Extended {
    /// The model.
    pub model: Model,
}

impl Extended {
    /// A copy of `model`; everything in it keeps its id.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        Self { model: model.clone() }
    }

    /// The formula that compares `clock` with a number.
    pub fn compared(&mut self, clock: ClockId, relation: Relation, number: i32) -> Formula {
        let bound: ExpressionId = self.model.expressions.push(Expression::Constant(number));
        let left = Place::fixed(clock);
        let constraint = ClockConstraint { condition: None, left, right: None, relation, bound };
        Formula::Clock(constraint)
    }

    /// A formula equivalent to `formula` that keeps `clock` active in every zone.
    fn watched(&mut self, formula: &Formula, clock: ClockId) -> Formula {
        let watched = self.compared(clock, Relation::GreaterEqual, 0);
        Formula::And(vec![formula.clone(), watched])
    }
}
