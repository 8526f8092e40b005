//! Operands: lowered expressions before their context is known.

use crate::scope::Access;
use crate::value_type::Type;
use std::sync::Arc;
use zonaut_base::Span;
use zonaut_model::statistical::{RealCellId, RealId};
use zonaut_model::{
    ChannelId, ClockConstraint, ClockId, ExpressionId, Place, ProcessId, Rate, Storage,
};

/// A number: a constant, or an expression that is evaluated at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Code {
    Constant(i32),
    Run(ExpressionId),
}

/// A number that is used as a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tested {
    pub(crate) code: Code,
    /// Whether its value is always 0 or 1.
    pub(crate) is_boolean: bool,
}

impl Code {
    /// A condition whose value is 0 or 1.
    pub(crate) fn boolean(self) -> Tested {
        Tested { code: self, is_boolean: true }
    }

    /// A condition whose value may be any integer.
    pub(crate) fn number(self) -> Tested {
        Tested { code: self, is_boolean: false }
    }

    /// A condition of this type.
    pub(crate) fn of_type(self, ty: &Type) -> Tested {
        Tested { code: self, is_boolean: matches!(ty, Type::Boolean) }
    }
}

/// A lowered expression. The context determines the forms that are allowed.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    /// A number, constant or computed.
    Value(Code, Type),
    /// Integers in storage, a single one or an aggregate.
    Data(DataPlace),
    /// A clock or an array of clocks.
    Clock(Place<ClockId>, Type),
    /// A sum of clocks and numbers.
    Linear(Linear),
    /// A channel or an array of channels.
    Channel(Place<ChannelId>, Type),
    /// The rate of a clock.
    ClockRate(Place<ClockId>),
    /// The rate of a hybrid clock.
    HybridRate(Place<RealCellId>),
    /// The rate of the cost.
    CostRate,
    /// The cost.
    Cost,
    /// A condition that contains clocks, rates or `deadlock`.
    Truth(Truth),
    /// A process.
    Process(ProcessId),
    /// An effect without a value.
    Effect(ExpressionId),
    /// A floating-point number.
    Real(RealCode),
    /// Floating-point storage, a single number or an aggregate.
    RealData(RealPlace),
    /// A text.
    Text(Arc<str>),
    /// An expression with an error that has been reported.
    Damaged,
}

/// An operand and its position.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub(crate) operand: Operand,
    pub(crate) span: Span,
}

/// A place of integers, and the calls that must run before it is read.
#[derive(Clone, Debug)]
pub(crate) struct DataPlace {
    pub(crate) place: Place<Storage>,
    pub(crate) ty: Type,
    pub(crate) access: Access,
    /// Calls that store their result in the place; empty for variables.
    pub(crate) prelude: Vec<ExpressionId>,
}

/// A floating-point number: a constant, or an expression that is evaluated at run time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum RealCode {
    Constant(f64),
    Run(RealId),
}

impl RealCode {
    /// Its value, if it is constant.
    pub(crate) fn constant(self) -> Option<f64> {
        match self {
            Self::Constant(value) => Some(value),
            Self::Run(_) => None,
        }
    }
}

/// A place in floating-point storage, and the calls that must run before it is read.
#[derive(Clone, Debug)]
pub(crate) struct RealPlace {
    pub(crate) place: Place<RealCellId>,
    pub(crate) ty: Type,
    pub(crate) access: Access,
    /// Calls that store their result in the place; empty for variables.
    pub(crate) prelude: Vec<ExpressionId>,
}

impl RealPlace {
    /// A variable at a fixed place.
    pub(crate) fn fixed(first: RealCellId, ty: Type) -> Self {
        let (place, prelude) = (Place::fixed(first), Vec::new());
        Self { place, ty, access: Access::Writable, prelude }
    }

    /// Whether it holds one floating-point number.
    pub(crate) fn is_number(&self) -> bool {
        self.ty.is_real_number()
    }
}

/// The rate of a hybrid clock, as part of an invariant.
#[derive(Clone, Debug)]
pub(crate) struct HybridEquation {
    pub(crate) condition: Option<ExpressionId>,
    pub(crate) clock: Place<RealCellId>,
    pub(crate) rate: RealId,
}

/// `plus - minus + offset`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Linear {
    pub(crate) plus: Option<Place<ClockId>>,
    pub(crate) minus: Option<Place<ClockId>>,
    pub(crate) offset: Option<Code>,
}

/// A condition in negation normal form: negations stand only before `Deadlock` and rates.
#[derive(Clone, Debug)]
pub(crate) enum Truth {
    Data(Code, Span),
    Clock(ClockConstraint, Span),
    /// The negation of an equality on clocks.
    ClockDiffers(ClockConstraint, Span),
    Deadlock(Span),
    Rate(Rate, Span),
    CostRate(ExpressionId, Span),
    HybridRate(HybridEquation, Span),
    Not(Box<Truth>),
    And(Vec<Truth>),
    Or(Vec<Truth>),
}

impl Truth {
    /// The first position in it.
    pub(crate) fn span(&self) -> Option<Span> {
        match self {
            Self::Data(_, span)
            | Self::Clock(_, span)
            | Self::ClockDiffers(_, span)
            | Self::Deadlock(span)
            | Self::Rate(_, span)
            | Self::HybridRate(_, span)
            | Self::CostRate(_, span) => Some(*span),
            Self::Not(inner) => inner.span(),
            Self::And(parts) | Self::Or(parts) => parts.iter().find_map(Self::span),
        }
    }

    /// The number of its parts.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Not(inner) => 1 + inner.size(),
            Self::And(parts) | Self::Or(parts) => 1 + parts.iter().map(Self::size).sum::<u64>(),
            _ => 1,
        }
    }

    /// The conjunction, kept flat.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::And(mut parts), Self::And(more)) => {
                parts.extend(more);
                Self::And(parts)
            }
            (Self::And(mut parts), other) => {
                parts.push(other);
                Self::And(parts)
            }
            (first, other) => Self::And(vec![first, other]),
        }
    }

    /// The disjunction, kept flat.
    pub(crate) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Or(mut parts), Self::Or(more)) => {
                parts.extend(more);
                Self::Or(parts)
            }
            (Self::Or(mut parts), other) => {
                parts.push(other);
                Self::Or(parts)
            }
            (first, other) => Self::Or(vec![first, other]),
        }
    }
}

impl Operand {
    pub(crate) fn constant(value: i32, ty: Type) -> Self {
        Self::Value(Code::Constant(value), ty)
    }

    /// Whether it is a floating-point number.
    pub(crate) fn is_real(&self) -> bool {
        match self {
            Self::Real(_) => true,
            Self::RealData(data) => data.is_number(),
            _ => false,
        }
    }

    /// Whether it is a floating-point number, a clock or a sum of clocks.
    pub(crate) fn is_real_or_clock(&self) -> bool {
        self.is_real() || matches!(self, Self::Clock(_, Type::Clock) | Self::Linear(_))
    }

    /// A description for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Value(_, ty) => format!("a value of type {ty}"),
            Self::Data(data) => format!("a value of type {}", data.ty),
            Self::Clock(_, ty) if ty.is_aggregate() => "an array of clocks".into(),
            Self::Clock(..) => "a clock".into(),
            Self::Linear(_) => "a sum of clocks".into(),
            Self::Channel(_, ty) if ty.is_aggregate() => "an array of channels".into(),
            Self::Channel(..) => "a channel".into(),
            Self::ClockRate(_) | Self::HybridRate(_) | Self::CostRate => "a rate".into(),
            Self::Cost => "the cost".into(),
            Self::Truth(_) => "a condition on clocks".into(),
            Self::Process(_) => "a process".into(),
            Self::Effect(_) => "an expression without value".into(),
            Self::Real(_) => "a floating-point number".into(),
            Self::RealData(data) if data.is_number() => "a floating-point number".into(),
            Self::RealData(data) => format!("a value of type {}", data.ty),
            Self::Text(_) => "a string".into(),
            Self::Damaged => "something damaged".into(),
        }
    }
}
