//! Lowering of logical operators over data and over clock constraints.

use crate::codes;
use crate::lowering::Lowering;
use crate::operand::{Code, DataPlace, Operand, Side, Tested, Truth};
use crate::value_type::Type;
use zonaut_base::Span;
use zonaut_model::{BinaryOperator as Operator, Expression, Relation, UnaryOperator};

impl<'a> Lowering<'a> {
    /// `!code`.
    pub(crate) fn fold_not(&mut self, code: Code, span: Span) -> Code {
        self.fold_unary(UnaryOperator::Not, code, span)
    }

    /// A truth value: 1 for all numbers but 0.
    pub(crate) fn normalised(&mut self, tested: Tested, span: Span) -> Code {
        if tested.is_boolean {
            return tested.code;
        }
        self.fold_binary(Operator::NotEqual, tested.code, Code::Constant(0), span)
    }

    /// `a && b`; the right side is evaluated only if the left one holds.
    pub(crate) fn fold_and(&mut self, a: Tested, b: Tested, span: Span) -> Code {
        match a.code {
            Code::Constant(0) => Code::Constant(0),
            Code::Constant(_) => self.normalised(b, span),
            Code::Run(left) => {
                let right = self.expression_of(b.code, span);
                Code::Run(self.push(Expression::And(left, right), span))
            }
        }
    }

    /// `a || b`; the right side is evaluated only if the left one fails.
    pub(crate) fn fold_or(&mut self, a: Tested, b: Tested, span: Span) -> Code {
        match a.code {
            Code::Constant(0) => self.normalised(b, span),
            Code::Constant(_) => Code::Constant(1),
            Code::Run(left) => {
                let right = self.expression_of(b.code, span);
                Code::Run(self.push(Expression::Or(left, right), span))
            }
        }
    }

    pub(crate) fn conjunction(&mut self, left: Side, right: Side, span: Span) -> Operand {
        self.junction(left, right, span, Self::fold_and, Truth::and)
    }

    pub(crate) fn disjunction(&mut self, left: Side, right: Side, span: Span) -> Operand {
        self.junction(left, right, span, Self::fold_or, Truth::or)
    }

    fn junction(
        &mut self,
        left: Side,
        right: Side,
        span: Span,
        fold: impl Fn(&mut Self, Tested, Tested, Span) -> Code,
        join: impl Fn(Truth, Truth) -> Truth,
    ) -> Operand {
        if matches!(left.operand, Operand::Truth(_)) || matches!(right.operand, Operand::Truth(_)) {
            let left = self.truth(left.operand, left.span);
            let right = self.truth(right.operand, right.span);
            return match (left, right) {
                (Some(left), Some(right)) => Operand::Truth(join(left, right)),
                _ => Operand::Damaged,
            };
        }
        let left = self.condition_value(left);
        let right = self.condition_value(right);
        match (left, right) {
            (Some(left), Some(right)) => {
                Operand::Value(fold(self, left, right, span), Type::Boolean)
            }
            _ => Operand::Damaged,
        }
    }

    fn condition_value(&mut self, side: Side) -> Option<Tested> {
        let is_boolean = matches!(
            &side.operand,
            Operand::Value(_, Type::Boolean) | Operand::Data(DataPlace { ty: Type::Boolean, .. })
        );
        let code = self.number_operand(side.operand, side.span)?;
        Some(Tested { code, is_boolean })
    }

    /// The operand as a condition.
    pub(crate) fn truth(&mut self, operand: Operand, span: Span) -> Option<Truth> {
        match operand {
            Operand::Truth(truth) => Some(truth),
            other => self.number_operand(other, span).map(|code| Truth::Data(code, span)),
        }
    }

    pub(crate) fn exclusive(&mut self, left: Side, right: Side, span: Span) -> Operand {
        if matches!(left.operand, Operand::Truth(_)) || matches!(right.operand, Operand::Truth(_)) {
            let left = self.truth(left.operand, left.span);
            let right = self.truth(right.operand, right.span);
            let (Some(left), Some(right)) = (left, right) else { return Operand::Damaged };
            // Both sides are duplicated, so a chain grows exponentially.
            self.expansions += left.size() + right.size();
            if self.expansions > self.limits.expansions {
                let message = "an exclusive disjunction over clocks is too large";
                let help = "write out the cases that matter";
                self.error(codes::EXPANSION_LIMIT, span, message, help);
                return Operand::Damaged;
            }
            let not_left = self.negated(left.clone());
            let not_right = self.negated(right.clone());
            return Operand::Truth(left.and(not_right).or(not_left.and(right)));
        }
        let left = self.condition_value(left);
        let right = self.condition_value(right);
        let (Some(a), Some(b)) = (left, right) else { return Operand::Damaged };
        let a = self.normalised(a, span);
        let b = self.normalised(b, span);
        Operand::Value(self.fold_binary(Operator::NotEqual, a, b, span), Type::Boolean)
    }

    pub(crate) fn negation(&mut self, side: Side) -> Operand {
        match side.operand {
            Operand::Truth(truth) => Operand::Truth(self.negated(truth)),
            operand => match self.number_operand(operand, side.span) {
                Some(code) => Operand::Value(self.fold_not(code, side.span), Type::Boolean),
                None => Operand::Damaged,
            },
        }
    }

    /// The negation in negation normal form.
    pub(crate) fn negated(&mut self, truth: Truth) -> Truth {
        match truth {
            Truth::Data(code, span) => Truth::Data(self.fold_not(code, span), span),
            Truth::Clock(mut constraint, span) => {
                constraint.relation = match constraint.relation {
                    Relation::Less => Relation::GreaterEqual,
                    Relation::LessEqual => Relation::Greater,
                    Relation::GreaterEqual => Relation::Less,
                    Relation::Greater => Relation::LessEqual,
                    Relation::Equal => return Truth::ClockDiffers(constraint, span),
                };
                Truth::Clock(constraint, span)
            }
            Truth::ClockDiffers(constraint, span) => Truth::Clock(constraint, span),
            Truth::Not(inner) => *inner,
            Truth::And(parts) => {
                Truth::Or(parts.into_iter().map(|part| self.negated(part)).collect())
            }
            Truth::Or(parts) => {
                Truth::And(parts.into_iter().map(|part| self.negated(part)).collect())
            }
            other => Truth::Not(Box::new(other)),
        }
    }
}
