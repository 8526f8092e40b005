//! Values and their types.

use std::sync::Arc;
use zonaut_model::statistical::Real;

/// A value.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Value {
    /// An integer, a truth value, or the value of a clock.
    Number(i64),
    /// A floating-point number, or the value of a clock in a random run.
    Real(Real),
    /// The elements of an array.
    Array(Vec<Value>),
    /// The members of a struct.
    Struct(Vec<Value>),
}

/// A type, with its ranges and sizes computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Number { low: i64, high: i64 },
    Boolean,
    Clock,
    Double,
    Channel { broadcast: bool, urgent: bool },
    Void,
    Array { low: i64, size: usize, element: Box<Type> },
    Struct(Vec<(Arc<str>, Type)>),
}

/// The range of `int`.
pub(super) const PLAIN: Type = Type::Number { low: -32_768, high: 32_767 };
/// The range of a constant `int`.
pub(super) const WIDE: Type = Type::Number { low: i32::MIN as i64, high: i32::MAX as i64 };

impl Type {
    /// The value of a variable without initialiser.
    pub(super) fn default(&self) -> Value {
        match self {
            Self::Number { low, high } if (*low..=*high).contains(&0) => Value::Number(0),
            Self::Number { low, .. } => Value::Number(*low),
            Self::Double => Value::Real(Real::new(0.0)),
            Self::Boolean | Self::Clock | Self::Channel { .. } | Self::Void => Value::Number(0),
            Self::Array { size, element, .. } => Value::Array(vec![element.default(); *size]),
            Self::Struct(members) => {
                Value::Struct(members.iter().map(|(_, member)| member.default()).collect())
            }
        }
    }

    /// The type of a constant of this type: a plain `int` may have any value.
    pub(super) fn of_constant(self) -> Self {
        match self {
            plain if plain == PLAIN => WIDE,
            Self::Array { low, size, element } => {
                Self::Array { low, size, element: Box::new(element.of_constant()) }
            }
            Self::Struct(members) => Self::Struct(
                members.into_iter().map(|(name, member)| (name, member.of_constant())).collect(),
            ),
            other => other,
        }
    }
}
