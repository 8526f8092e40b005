//! Possible failures of evaluations.

use std::collections::BTreeSet;
use zonaut_model::ExpressionId;
use zonaut_model::interpret::{ErrorKind, RunTimeError};

/// A kind of run-time error, without the values that caused it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FailureKind {
    /// A stored value is outside the range of its variable, parameter or result.
    Range,
    /// An array index is outside its range.
    Index,
    /// Division or remainder by zero.
    Division,
    /// Shift by less than 0 or more than 31.
    Shift,
    /// A power with a negative exponent.
    Exponent,
    /// A value that does not fit 32 bits.
    Overflow,
    /// A clock set to a negative value.
    NegativeClock,
    /// A clock set to or compared with a value beyond the limit of clock values.
    ClockLimit,
    /// A price below zero.
    NegativeCost,
    /// A function with a result ends without `return`.
    MissingReturn,
    /// An `assert` that does not hold.
    Assertion,
    /// An error of floating point, which symbolic analysis does not evaluate.
    Statistical,
    /// More steps than allowed. If the analysis of failures takes too long, this stands for every
    /// kind.
    Budget,
    /// The meter stopped the evaluation.
    Stopped,
}

impl From<ErrorKind> for FailureKind {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Range(..) => Self::Range,
            ErrorKind::Index(..) => Self::Index,
            ErrorKind::Division => Self::Division,
            ErrorKind::Shift(_) => Self::Shift,
            ErrorKind::Exponent(_) => Self::Exponent,
            ErrorKind::Overflow => Self::Overflow,
            ErrorKind::NegativeClock(_) => Self::NegativeClock,
            ErrorKind::ClockLimit(_) => Self::ClockLimit,
            ErrorKind::NegativeCost(_) => Self::NegativeCost,
            ErrorKind::MissingReturn => Self::MissingReturn,
            ErrorKind::Assertion => Self::Assertion,
            ErrorKind::NotANumber
            | ErrorKind::Distribution
            | ErrorKind::NegativeRate
            | ErrorKind::NoWeight => Self::Statistical,
            ErrorKind::Budget => Self::Budget,
            ErrorKind::Stopped(_) => Self::Stopped,
        }
    }
}

/// A possible run-time error, and its expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Failure {
    /// The kind of error.
    pub kind: FailureKind,
    /// The expression whose evaluation fails, as reported by the interpreter.
    pub expression: ExpressionId,
}

impl From<RunTimeError> for Failure {
    fn from(error: RunTimeError) -> Self {
        Self { kind: error.kind.into(), expression: error.expression }
    }
}

/// The possible run-time errors of an evaluation.
pub type Failures = BTreeSet<Failure>;

/// A set of kinds of failures.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FailureKinds(u16);

impl FailureKinds {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// The set of this kind only.
    #[must_use]
    pub const fn only(kind: FailureKind) -> Self {
        Self(1 << kind as u16)
    }

    /// The set of this kind if the condition holds, and the empty set otherwise.
    #[must_use]
    pub const fn when(applies: bool, kind: FailureKind) -> Self {
        if applies { Self::only(kind) } else { Self::NONE }
    }

    /// The union.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kinds, each once.
    pub fn iter(self) -> impl Iterator<Item = FailureKind> {
        const ALL: [FailureKind; 13] = {
            use FailureKind as F;
            [
                F::Range,
                F::Index,
                F::Division,
                F::Shift,
                F::Exponent,
                F::Overflow,
                F::NegativeClock,
                F::ClockLimit,
                F::NegativeCost,
                F::MissingReturn,
                F::Assertion,
                F::Budget,
                F::Stopped,
            ]
        };
        ALL.into_iter().filter(move |&kind| self.0 & Self::only(kind).0 != 0)
    }
}
