//! Lowering of sums and comparisons of clocks, and of equations of rates.

use crate::codes;
use crate::lowering::Lowering;
use crate::operand::{Code, HybridEquation, Linear, Operand, Side, Truth};
use zonaut_base::Span;
use zonaut_model::{BinaryOperator as Operator, ClockConstraint, Rate, Relation};

impl<'a> Lowering<'a> {
    /// Sums and differences in which clocks occur.
    pub(crate) fn clock_arithmetic(
        &mut self,
        operator: Operator,
        left: &Side,
        right: &Side,
        span: Span,
    ) -> Option<Operand> {
        let (a, b) = (Self::linear(&left.operand), Self::linear(&right.operand));
        if a.is_none() && b.is_none() {
            return None;
        }
        if !matches!(operator, Operator::Add | Operator::Subtract)
            && let Some(number) = self.clocks_as_numbers(operator, left, right)
        {
            return Some(number);
        }
        let a = self.as_linear(a, left);
        let b = self.as_linear(b, right);
        let (Some(a), Some(b)) = (a, b) else { return Some(Operand::Damaged) };
        let sum = match operator {
            Operator::Add => self.add_linear(a, b, span),
            Operator::Subtract => {
                let zero = b.offset.map(|_| Code::Constant(0));
                let offset = match (zero, b.offset) {
                    (Some(zero), Some(offset)) => {
                        Some(self.fold_binary(Operator::Subtract, zero, offset, span))
                    }
                    _ => None,
                };
                let negative = Linear { plus: b.minus, minus: b.plus, offset };
                self.add_linear(a, negative, span)
            }
            _ => None,
        };
        if let Some(sum) = sum {
            return Some(Operand::Linear(sum));
        }
        Some(self.clocks_as_numbers(operator, left, right).unwrap_or_else(|| {
            let message = "this arithmetic on clocks is not a difference of two clocks";
            let help = "compare `x - y + c` with an integer, nothing more complex";
            self.error(codes::CLOCK_ARITHMETIC, span, message, help);
            Operand::Damaged
        }))
    }

    pub(crate) fn as_linear(&mut self, linear: Option<Linear>, side: &Side) -> Option<Linear> {
        match linear {
            Some(linear) => Some(linear),
            None => {
                let offset = self.number_operand(side.operand.clone(), side.span)?;
                Some(Linear { offset: Some(offset), ..Linear::default() })
            }
        }
    }

    fn add_linear(&mut self, a: Linear, b: Linear, span: Span) -> Option<Linear> {
        let offset = match (a.offset, b.offset) {
            (Some(a), Some(b)) => Some(self.fold_binary(Operator::Add, a, b, span)),
            (a, b) => a.or(b),
        };
        let (mut plus, mut minus) = (vec![], vec![]);
        plus.extend(a.plus.into_iter().chain(b.plus));
        minus.extend(a.minus.into_iter().chain(b.minus));
        (plus.len() <= 1 && minus.len() <= 1).then(|| Linear {
            plus: plus.pop(),
            minus: minus.pop(),
            offset,
        })
    }

    pub(crate) fn clock_comparison(
        &mut self,
        operator: Operator,
        left: Linear,
        right: Linear,
        span: Span,
    ) -> Operand {
        let relation = match operator {
            Operator::Less => Relation::Less,
            Operator::LessEqual => Relation::LessEqual,
            Operator::GreaterEqual => Relation::GreaterEqual,
            Operator::Greater => Relation::Greater,
            _ => Relation::Equal,
        };
        let clocks = Linear { plus: left.plus, minus: left.minus, offset: None };
        let others = Linear { plus: right.minus, minus: right.plus, offset: None };
        let Some(Linear { plus, minus, .. }) = self.add_linear(clocks, others, span) else {
            let message = "more than two clocks are compared";
            let help = "compare `x - y` with an integer, nothing more complex";
            self.error(codes::CLOCK_ARITHMETIC, span, message, help);
            return Operand::Damaged;
        };
        // The bound of `plus - minus`. If there is no `plus`, the sides are exchanged, so that the
        // bound is one on `minus`.
        let (to, from) = match plus {
            Some(_) => (right.offset, left.offset),
            None => (left.offset, right.offset),
        };
        let bound = match (to, from) {
            (to, None) => to.unwrap_or(Code::Constant(0)),
            (to, Some(from)) => {
                let to = to.unwrap_or(Code::Constant(0));
                self.fold_binary(Operator::Subtract, to, from, span)
            }
        };
        self.check_clock_constant(&bound, span);
        let bound = self.expression_of(bound, span);
        let (left, right, relation) = match (plus, minus) {
            (Some(plus), minus) => (plus, minus, relation),
            (None, Some(minus)) => (minus, None, relation.mirrored()),
            (None, None) => return Operand::Damaged,
        };
        let constraint = ClockConstraint { condition: None, left, right, relation, bound };
        Operand::Truth(if operator == Operator::NotEqual {
            Truth::ClockDiffers(constraint, span)
        } else {
            Truth::Clock(constraint, span)
        })
    }

    /// Reports constants beyond the range in which zones are exact.
    pub(crate) fn check_clock_constant(&mut self, code: &Code, span: Span) {
        let largest = self.limits.clock_constant;
        if let Code::Constant(value) = *code
            && value.unsigned_abs() > largest.unsigned_abs()
        {
            let message = format!("the clock constant {value} is larger than {largest}");
            let help = "measure time in larger units";
            self.error(codes::CLOCK_CONSTANT, span, message, help);
        }
    }

    /// `x' == e` and `cost' == e`.
    pub(crate) fn rate_equation(
        &mut self,
        operator: Operator,
        left: &Side,
        right: &Side,
        span: Span,
    ) -> Option<Operand> {
        let is_rate = |operand: &Operand| {
            matches!(operand, Operand::ClockRate(_) | Operand::CostRate | Operand::HybridRate(_))
        };
        let (rate, value) = match (is_rate(&left.operand), is_rate(&right.operand)) {
            (true, false) => (left, right),
            (false, true) => (right, left),
            (false, false) => return None,
            (true, true) => (left, right),
        };
        if operator != Operator::Equal || is_rate(&value.operand) {
            let message = "a rate can only be set to a value by ==";
            self.error(codes::RATE_HERE, span, message, "write `x' == e`");
            return Some(Operand::Damaged);
        }
        if let Operand::HybridRate(clock) = &rate.operand {
            let Some(code) = self.real_operand(value.operand.clone(), value.span) else {
                return Some(Operand::Damaged);
            };
            let rate = self.real_of(code);
            let equation = HybridEquation { condition: None, clock: clock.clone(), rate };
            return Some(Operand::Truth(Truth::HybridRate(equation, span)));
        }
        let code = if value.operand.is_real_or_clock() {
            let code = self.real_operand(value.operand.clone(), value.span);
            code.map(|code| self.number_for_clocks(code, value.span))
        } else {
            self.number_operand(value.operand.clone(), value.span)
        };
        let Some(code) = code else { return Some(Operand::Damaged) };
        let id = self.expression_of(code, value.span);
        Some(Operand::Truth(match &rate.operand {
            Operand::ClockRate(clock) => {
                Truth::Rate(Rate { condition: None, clock: clock.clone(), rate: id }, span)
            }
            Operand::CostRate => Truth::CostRate(id, span),
            _ => return Some(Operand::Damaged),
        }))
    }
}
