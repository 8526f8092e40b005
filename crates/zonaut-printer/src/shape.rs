//! The expressions of a model that can be printed as expressions of the language.
//!
//! The language has no sequence inside of an expression, no assignment of whole arrays by parts,
//! and cannot evaluate an index once and use it several times. If a model does that, statements are
//! printed instead.

use crate::names::Names;
use crate::storage::{Scopes, returns_content};
use zonaut_analysis::mention::Mentions;
use zonaut_base::IndexVec;
use zonaut_model::{
    Argument, BinaryOperator, Expression, ExpressionId, Model, Place, Storage, ValueOf,
};

/// The properties of the expressions of a model.
pub(crate) struct Shapes {
    /// Whether it can be printed as an expression inside of a function.
    pub(crate) plain: IndexVec<ExpressionId, bool>,
    /// Whether it can be printed as an expression outside of functions, where temporary storage
    /// cannot be declared.
    pub(crate) plain_outside: IndexVec<ExpressionId, bool>,
    /// Whether it can be evaluated several times instead of once.
    pub(crate) repeatable: IndexVec<ExpressionId, bool>,
    /// Whether it is constant.
    pub(crate) constant: IndexVec<ExpressionId, bool>,
}

impl Shapes {
    pub(crate) fn new(mentions: &Mentions<'_>, names: &Names, scopes: &Scopes) -> Self {
        let mut this = Self {
            plain: IndexVec::new(),
            plain_outside: IndexVec::new(),
            repeatable: IndexVec::new(),
            constant: IndexVec::new(),
        };
        let model = mentions.model();
        for expression in &model.expressions {
            let mut all = [true; 4];
            expression.for_each_child(|child| {
                all[0] &= this.plain[child];
                all[1] &= this.plain_outside[child];
                all[2] &= this.repeatable[child];
                all[3] &= this.constant[child];
            });
            let is_plain = this.is_plain(model, names, expression);
            let is_passed = match expression {
                Expression::Call(function, _) => scopes.needs_storage(*function),
                _ => false,
            };
            let is_local = is_passed || scopes.mentions_variable(&mentions.itself(expression));
            this.plain.push(all[0] && is_plain);
            this.plain_outside.push(all[1] && is_plain && !is_local);
            this.repeatable.push(all[2] && is_repeatable(expression, mentions, scopes));
            let is_constant = match expression {
                Expression::Read(place) => matches!(place.root, Storage::Constant(_)),
                Expression::At(..) | Expression::Call(..) | Expression::SameContent(..) => false,
                _ => true,
            };
            this.constant.push(all[3] && is_constant);
        }
        this
    }

    /// Whether an expression can be printed if its operands can.
    fn is_plain(&self, model: &Model, names: &Names, expression: &Expression) -> bool {
        match expression {
            Expression::Sequence(_) | Expression::CopyContent(..) => false,
            Expression::SameContent(left, right, _) => {
                self.is_repeatable(left) && self.is_repeatable(right)
            }
            Expression::Call(function, arguments) => {
                !returns_content(&model.functions[*function])
                    && arguments.iter().all(|argument| match argument {
                        Argument::Value(_) => true,
                        Argument::Content(place) => self.is_repeatable(place),
                    })
            }
            Expression::Assign { place, operator, value, result } => {
                let is_one = matches!(model.expressions[*value], Expression::Constant(1));
                match operator {
                    None => *result == ValueOf::After,
                    Some(_) if names.narrower_range(model, place).is_some() => false,
                    Some(operator) => {
                        is_step(*operator, *result) && is_one
                            || *result == ValueOf::After && compound(*operator).is_some()
                    }
                }
            }
            _ => true,
        }
    }

    /// Whether all indices of a place can be evaluated several times.
    pub(crate) fn is_repeatable<Root>(&self, place: &Place<Root>) -> bool {
        place.indices.iter().all(|index| self.repeatable[index.value])
    }
}

fn is_repeatable(expression: &Expression, mentions: &Mentions<'_>, scopes: &Scopes) -> bool {
    match expression {
        Expression::Assign { .. }
        | Expression::CopyContent(..)
        | Expression::AssignClock(..)
        | Expression::CopyClock(..)
        | Expression::AddCost(_) => false,
        Expression::Call(function, _) => {
            mentions.functions()[*function].writes.is_empty()
                && scopes.functions[*function].written.is_empty()
        }
        _ => true,
    }
}

/// Whether it is `x++` or `x--`, where the right side is 1.
pub(crate) fn is_step(operator: BinaryOperator, result: ValueOf) -> bool {
    result == ValueOf::Before && matches!(operator, BinaryOperator::Add | BinaryOperator::Subtract)
}

/// The symbol of a compound assignment.
pub(crate) fn compound(operator: BinaryOperator) -> Option<&'static str> {
    use BinaryOperator as B;
    Some(match operator {
        B::Add => "+=",
        B::Subtract => "-=",
        B::Multiply => "*=",
        B::Divide => "/=",
        B::Remainder => "%=",
        B::ShiftLeft => "<<=",
        B::ShiftRight => ">>=",
        B::BitAnd => "&=",
        B::BitOr => "|=",
        B::BitXor => "^=",
        _ => return None,
    })
}
