//! Lowering of `condition ? yes : no` over numbers, aggregates, clock constraints and effects.

use crate::codes;
use crate::lowering::Lowering;
use crate::operand::{Code, Operand, Side, Truth};
use crate::value_type::Type;
use zonaut_base::Span;
use zonaut_model::Expression;
use zonaut_syntax::tree;

impl<'a> Lowering<'a> {
    fn side(&mut self, id: tree::ExpressionId, is_dead: bool) -> Side {
        let operand = self.perhaps_dead(is_dead, |this| this.operand(id));
        Side { operand, span: self.span_of(id) }
    }

    pub(crate) fn conditional(&mut self, parts: [tree::ExpressionId; 3], span: Span) -> Operand {
        let [condition, yes, no] = parts;
        let condition = self.side(condition, false);
        let known = match condition.operand {
            Operand::Value(Code::Constant(value), _) => Some(value != 0),
            _ => None,
        };
        let yes = self.side(yes, known == Some(false));
        let no = self.side(no, known == Some(true));
        // An invalid constant on the side that is never evaluated is not an error.
        match (known, &yes.operand, &no.operand) {
            (Some(true), _, Operand::Damaged) => return yes.operand,
            (Some(false), Operand::Damaged, _) => return no.operand,
            _ => {}
        }
        if [&condition, &yes, &no].iter().any(|side| matches!(side.operand, Operand::Damaged)) {
            return Operand::Damaged;
        }
        let Some(condition) = self.number_operand(condition.operand, condition.span) else {
            return Operand::Damaged;
        };
        let is_clock = |side: &Side| matches!(side.operand, Operand::Clock(_, Type::Clock));
        if yes.operand.is_real() || no.operand.is_real() || is_clock(&yes) || is_clock(&no) {
            return self.real_conditional(condition, yes, no);
        }
        match (&yes.operand, &no.operand) {
            (Operand::Truth(_), _) | (_, Operand::Truth(_)) => {
                self.conditional_truth(condition, yes, no, span)
            }
            (Operand::Data(a), Operand::Data(b)) if a.ty.is_aggregate() => {
                let (a, b) = (a.clone(), b.clone());
                self.chosen_content(condition, a, b, span)
            }
            (Operand::Effect(_), _) | (_, Operand::Effect(_)) => {
                self.conditional_effect(condition, yes, no, span)
            }
            _ => self.conditional_value(condition, yes, no, span),
        }
    }

    fn conditional_value(&mut self, condition: Code, yes: Side, no: Side, span: Span) -> Operand {
        let yes = self.scalar_operand(yes.operand, yes.span);
        let no = self.scalar_operand(no.operand, no.span);
        let (Some((yes, yes_type)), Some((no, no_type))) = (yes, no) else {
            return Operand::Damaged;
        };
        if !yes_type.matches(&no_type) {
            let message = format!("the two sides have the types {yes_type} and {no_type}");
            let help = "both sides of `?:` need the same type";
            self.error(codes::TYPE_MISMATCH, span, message, help);
            return Operand::Damaged;
        }
        let ty = if yes_type == no_type { yes_type } else { Type::NUMBER };
        let code = match condition {
            Code::Constant(0) => no,
            Code::Constant(_) => yes,
            Code::Run(condition) => {
                let yes = self.expression_of(yes, span);
                let no = self.expression_of(no, span);
                Code::Run(self.push(Expression::Conditional(condition, yes, no), span))
            }
        };
        Operand::Value(code, ty)
    }

    fn conditional_effect(&mut self, condition: Code, yes: Side, no: Side, span: Span) -> Operand {
        let mut sides = [yes, no].into_iter().map(|side| match side.operand {
            Operand::Effect(id) => Some(id),
            operand => {
                let (code, _) = self.scalar_operand(operand, side.span)?;
                Some(self.expression_of(code, side.span))
            }
        });
        let (Some(Some(yes)), Some(Some(no))) = (sides.next(), sides.next()) else {
            return Operand::Damaged;
        };
        drop(sides);
        let condition = self.expression_of(condition, span);
        Operand::Effect(self.push(Expression::Conditional(condition, yes, no), span))
    }

    fn conditional_truth(&mut self, condition: Code, yes: Side, no: Side, span: Span) -> Operand {
        let yes = self.truth(yes.operand, yes.span);
        let no = self.truth(no.operand, no.span);
        let (Some(yes), Some(no)) = (yes, no) else { return Operand::Damaged };
        let negative = self.fold_not(condition, span);
        let when_true = Truth::Data(negative, span).or(yes);
        let when_false = Truth::Data(condition, span).or(no);
        Operand::Truth(when_true.and(when_false))
    }
}
