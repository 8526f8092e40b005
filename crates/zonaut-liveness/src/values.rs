//! The least and greatest values of expressions over the states that can be reached.
//!
//! Integers belong to the discrete part of a state, so any exploration of all states finds them
//! ([`integers`]). A clock has values that zones must not forget, and there may be no greatest one;
//! [`clock`] tells how they are found exactly.

mod clock;
mod copy_chain;
mod integers;
mod probes;
mod pump;

pub use clock::{ClockValues, clock_range};
pub use integers::{IntegerValues, integer_ranges};

use zonaut_compile::{ClockRow, Step};
use zonaut_dbm::{Wide, Zone};
use zonaut_model::{
    ClockConstraint, ClockId, Expression, ExpressionId, Formula, Model, Place, Relation,
};
use zonaut_space::StopReason;
use zonaut_zonegraph::{StepError, Unsound};

/// The values of an expression in the states where a formula holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// The infimum.
    pub least: Extreme,
    /// The supremum.
    pub greatest: Extreme,
}

/// An extreme value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extreme {
    /// The value.
    pub value: Value,
    /// The steps to states that have it, or come as near as one likes.
    pub steps: Vec<Step>,
    /// The loop among the steps that has to be taken again and again, if there is one.
    pub pumping: Option<PumpingLoop>,
}

/// A loop that drives a clock up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PumpingLoop {
    /// Which of the steps are those of one round.
    pub round: std::ops::Range<usize>,
    /// Where it begins.
    pub start: PumpingStart,
}

/// Where a loop begins that drives a clock up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PumpingStart {
    /// The clock that rises, and then those whose values are forgotten, each with the constant that
    /// it is above; nothing where no constant matters.
    pub above: Vec<(ClockRow, Option<i32>)>,
    /// The clocks of the zone.
    pub rows: Vec<ClockRow>,
    /// The valuations there.
    pub zone: Zone<Wide>,
}

/// The infimum or supremum of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// Some state has this value.
    Attained(i64),
    /// Values come as near as one likes, and none is equal.
    Approached(i64),
    /// Values are as large as one likes.
    Unbounded,
}

/// Why values are not known.
#[derive(Clone, PartialEq, Debug)]
pub enum Unknown {
    /// Something went wrong at the end of these steps.
    Failed(StepError, Vec<Step>),
    /// The search was stopped.
    Stopped(StopReason),
    /// The values cannot be found in this way.
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

/// A model with numbers besides its own, to compare clocks with.
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

    /// The formula that says how `clock` compares with a number.
    pub fn compared(&mut self, clock: ClockId, relation: Relation, number: i32) -> Formula {
        let bound: ExpressionId = self.model.expressions.push(Expression::Constant(number));
        let left = Place::fixed(clock);
        let constraint = ClockConstraint { condition: None, left, right: None, relation, bound };
        Formula::Clock(constraint)
    }

    /// A formula that holds wherever `formula` does, and keeps the value of `clock` in every zone.
    pub fn watched(&mut self, formula: &Formula, clock: ClockId) -> Formula {
        let watched = self.compared(clock, Relation::GreaterEqual, 0);
        Formula::And(vec![formula.clone(), watched])
    }
}
