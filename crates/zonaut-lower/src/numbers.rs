//! Lowering of expressions whose value is required to be a number, computed or constant.

use crate::codes;
use crate::lowering::Lowering;
use crate::operand::{Code, Linear, Operand, RealCode};
use crate::value_type::Type;
use zonaut_base::Span;
use zonaut_model::statistical::RealUse;
use zonaut_syntax::tree;

impl<'a> Lowering<'a> {
    /// Lowers an expression to its value: a number or an element of a scalar set.
    pub(crate) fn scalar(&mut self, id: tree::ExpressionId) -> Option<(Code, Type)> {
        let operand = self.operand(id);
        self.scalar_operand(operand, self.span_of(id))
    }

    /// The value of an operand that must be a number or an element of a scalar set.
    pub(crate) fn scalar_operand(&mut self, operand: Operand, span: Span) -> Option<(Code, Type)> {
        let (code, message, help) = match operand {
            Operand::Value(code, ty) => return Some((code, ty)),
            Operand::Data(data) if !data.ty.is_aggregate() => return Some(self.read(data, span)),
            Operand::Damaged => return None,
            Operand::RealData(data) if !data.ty.is_aggregate() && !data.is_number() => {
                let ty = data.ty.clone();
                let RealCode::Run(real) = self.read_real(data) else { return None };
                return Some((Code::Run(self.stand_in(RealUse::Integer(real), span)), ty));
            }
            operand if operand.is_real() => (
                codes::FLOATING_POINT,
                "a floating-point number where an integer is needed".to_owned(),
                "convert it with `fint`",
            ),
            Operand::Truth(_) => (
                codes::CLOCK_CONSTRAINT_HERE,
                "a condition on clocks is not allowed here".to_owned(),
                "clocks are compared in guards, invariants and queries only",
            ),
            Operand::Clock(_, Type::Clock) | Operand::Linear(_) => (
                codes::WRONG_TYPE,
                format!("{} has no integer value", operand.describe()),
                "compare clocks with integers in guards, invariants and queries",
            ),
            Operand::Process(_) => (
                codes::PROCESS_AS_VALUE,
                "a process is not a value".to_owned(),
                "name one of its locations or variables after a dot",
            ),
            Operand::ClockRate(_) | Operand::CostRate | Operand::HybridRate(_) => (
                codes::RATE_HERE,
                "a rate is not a value".to_owned(),
                "write `x' == e` as part of an invariant",
            ),
            Operand::Cost => (
                codes::COST_USE,
                "the cost cannot be read".to_owned(),
                "add to it with `cost += e` or set its rate with `cost' == e`",
            ),
            other => (
                codes::WRONG_TYPE,
                format!("{} is not a number", other.describe()),
                "an integer or a truth value is needed here",
            ),
        };
        self.error(code, span, message, help);
        None
    }

    /// Lowers an expression to an integer or a truth value.
    pub(crate) fn number(&mut self, id: tree::ExpressionId) -> Option<Code> {
        let operand = self.operand(id);
        self.number_operand(operand, self.span_of(id))
    }

    pub(crate) fn number_operand(&mut self, operand: Operand, span: Span) -> Option<Code> {
        let (code, ty) = self.scalar_operand(operand, span)?;
        if ty.is_number() {
            return Some(code);
        }
        let message = format!("a value of type {ty} is not a number");
        let help = "scalars can only be assigned, compared with == and !=, and used as indices";
        self.error(codes::WRONG_TYPE, span, message, help);
        None
    }

    /// The value of an expression that must be constant.
    pub(crate) fn constant_scalar(&mut self, id: tree::ExpressionId) -> Option<(i32, Type)> {
        let span = self.span_of(id);
        let outer_effects = std::mem::take(&mut self.effects);
        let floor = std::mem::replace(&mut self.local_floor, self.model.locals.len());
        let lowered = self.as_constant(|this| this.scalar(id));
        let inner_floor = std::mem::replace(&mut self.local_floor, floor);
        let effects =
            std::mem::replace(&mut self.effects, outer_effects).visible_below(inner_floor);
        let (code, ty) = lowered?;
        if effects.reads || effects.changes_anything() {
            let help = "use constants, parameters that nothing assigns, and functions of them";
            let message = "this must be known before the model runs, but depends on its state";
            self.error(codes::NOT_CONSTANT, span, message, help);
            return None;
        }
        if effects.reals || effects.real_stores.is_some() {
            let help = "use integers, or functions of constants such as `fint(2.5)`";
            let message = "this must be known before the model runs, but needs floating point";
            self.error(codes::NOT_CONSTANT, span, message, help);
            return None;
        }
        match code {
            Code::Constant(value) => Some((value, ty)),
            Code::Run(id) => self.evaluate(id, span).map(|value| (value, ty)),
        }
    }

    /// The integer value of an expression that must be constant.
    pub(crate) fn constant_number(&mut self, id: tree::ExpressionId) -> Option<i32> {
        let (value, ty) = self.constant_scalar(id)?;
        if ty.is_number() {
            return Some(value);
        }
        let message = format!("a value of type {ty} is not a number");
        let help = "use an integer constant";
        self.error(codes::WRONG_TYPE, self.span_of(id), message, help);
        None
    }

    /// A clock or a sum of clocks and numbers, if the operand is one.
    pub(crate) fn linear(operand: &Operand) -> Option<Linear> {
        match operand {
            Operand::Clock(place, Type::Clock) => {
                Some(Linear { plus: Some(place.clone()), ..Linear::default() })
            }
            Operand::Linear(linear) => Some(linear.clone()),
            _ => None,
        }
    }
}
