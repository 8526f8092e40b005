//! What is directly inside an expression.

use crate::{Argument, Expression, ExpressionId, Place};

impl Expression {
    /// Calls `visit` with every expression directly inside, those of computed indices included.
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
}
