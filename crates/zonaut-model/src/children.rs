//! Visitors for the direct parts of an expression: subexpressions, places, clocks.

use crate::{Argument, ClockId, Expression, ExpressionId, FunctionId, Place, Storage, ValueOf};

/// How an expression uses a place, and how many integers from there on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Usage {
    /// Reads them.
    Read(u32),
    /// Writes them.
    Written(u32),
    /// Reads as many integers as the parameter with this position of a function takes.
    Argument(FunctionId, usize),
}

impl Expression {
    /// Calls `visit` with every direct subexpression, those of computed indices included.
    pub fn for_each_child(&self, mut visit: impl FnMut(ExpressionId)) {
        fn indices<Root>(place: &Place<Root>, visit: &mut impl FnMut(ExpressionId)) {
            place.indices.iter().for_each(|index| visit(index.value));
        }
        match self {
            Self::Constant(_) | Self::At(..) => {}
            Self::Read(place) => indices(place, &mut visit),
            Self::Unary(_, inner) | Self::AddCost(inner) | Self::Quantifier { body: inner, .. } => {
                visit(*inner)
            }
            Self::Binary(_, left, right) | Self::And(left, right) | Self::Or(left, right) => {
                visit(*left);
                visit(*right);
            }
            Self::Conditional(condition, yes, no) => {
                visit(*condition);
                visit(*yes);
                visit(*no);
            }
            Self::SameContent(left, right, _) | Self::CopyContent(left, right, _) => {
                indices(left, &mut visit);
                indices(right, &mut visit);
            }
            Self::Assign { place, value, .. } => {
                indices(place, &mut visit);
                visit(*value);
            }
            Self::Call(_, arguments) => {
                for argument in arguments {
                    match argument {
                        Argument::Value(value) => visit(*value),
                        Argument::Content(place) => indices(place, &mut visit),
                    }
                }
            }
            Self::AssignClock(place, value) => {
                indices(place, &mut visit);
                visit(*value);
            }
            Self::CopyClock(target, source) => {
                indices(target, &mut visit);
                indices(source, &mut visit);
            }
            Self::Sequence(parts) => parts.iter().copied().for_each(visit),
        }
    }

    /// Calls `visit` with every place that the expression itself reads or writes, indices
    /// unevaluated.
    pub fn for_each_place(&self, mut visit: impl FnMut(&Place<Storage>, Usage)) {
        match self {
            Self::Read(place) => visit(place, Usage::Read(1)),
            Self::SameContent(left, right, length) => {
                visit(left, Usage::Read(*length));
                visit(right, Usage::Read(*length));
            }
            Self::Assign { place, operator, result, .. } => {
                visit(place, Usage::Written(1));
                if operator.is_some() || *result == ValueOf::Before {
                    visit(place, Usage::Read(1));
                }
            }
            Self::CopyContent(target, source, length) => {
                visit(target, Usage::Written(*length));
                visit(source, Usage::Read(*length));
            }
            Self::Call(function, arguments) => {
                for (number, argument) in arguments.iter().enumerate() {
                    if let Argument::Content(place) = argument {
                        visit(place, Usage::Argument(*function, number));
                    }
                }
            }
            _ => {}
        }
    }

    /// Calls `visit` with every place of clocks that the expression itself uses; the flag is `true`
    /// for a place that is written.
    pub fn for_each_clock_place(&self, mut visit: impl FnMut(&Place<ClockId>, bool)) {
        match self {
            Self::AssignClock(place, _) => visit(place, true),
            Self::CopyClock(target, source) => {
                visit(target, true);
                visit(source, false);
            }
            _ => {}
        }
    }
}
