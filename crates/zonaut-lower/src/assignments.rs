//! Lowering of assignments, and of expressions that are evaluated for their effects.

use crate::codes;
use crate::lowering::Lowering;
use crate::operand::{Code, DataPlace, Operand, RealPlace, Side};
use crate::value_type::Type;
use zonaut_base::Span;
use zonaut_model::{BinaryOperator, ClockId, Expression, ExpressionId, Place, ValueOf};
use zonaut_syntax::tree::{self, AssignmentOperator, StepOperator};

impl<'a> Lowering<'a> {
    /// Lowers an expression that is evaluated for its effect; `None` if it is omitted.
    pub(crate) fn effect(&mut self, id: tree::ExpressionId) -> Option<ExpressionId> {
        let span = self.span_of(id);
        let (operand, effects) = self.observing(|this| this.operand(id));
        match operand {
            Operand::Effect(id) => Some(id),
            Operand::Damaged => {
                self.record_loss(span);
                None
            }
            Operand::Real(code) => self.real_effect(code, effects, span),
            Operand::RealData(data) if !data.prelude.is_empty() => {
                Some(self.push(Expression::Sequence(data.prelude), span))
            }
            Operand::Data(data) if data.ty.is_aggregate() && !data.prelude.is_empty() => {
                let DataPlace { prelude, .. } = self.copied(data, span)?;
                Some(self.push(Expression::Sequence(prelude), span))
            }
            operand => {
                let (code, _) = self.scalar_operand(operand, span)?;
                let is_idle = !effects.changes_anything() && !effects.asserts;
                if is_idle && !self.is_call_or_list(id) {
                    let help = "write `=` to assign, or remove it";
                    self.warning(codes::NO_EFFECT, span, "this has no effect", help);
                }
                match code {
                    Code::Run(id) => Some(id),
                    Code::Constant(_) => None,
                }
            }
        }
    }

    /// Whether an expression is a call, which never counts as idle, or a list, whose parts are
    /// checked separately.
    fn is_call_or_list(&self, id: tree::ExpressionId) -> bool {
        let kind = &self.source[id].kind;
        matches!(kind, tree::ExpressionKind::Call(..) | tree::ExpressionKind::Sequence(..))
    }

    pub(crate) fn assignment(
        &mut self,
        operator: AssignmentOperator,
        left: tree::ExpressionId,
        right: tree::ExpressionId,
        span: Span,
    ) -> Operand {
        let left_span = self.span_of(left);
        let target = self.operand(left);
        let value = self.operand(right);
        match target {
            Operand::Damaged => Operand::Damaged,
            _ if matches!(value, Operand::Damaged) => Operand::Damaged,
            Operand::RealData(data) => {
                let value = Side { operand: value, span: self.span_of(right) };
                self.assign_real_by(operator, data, value, span)
            }
            Operand::Cost => self.add_cost(operator, value, span),
            Operand::Clock(place, Type::Clock) => {
                let value = Side { operand: value, span: self.span_of(right) };
                self.assign_clock(operator, place, value, span)
            }
            Operand::Data(data) => {
                if !self.check_writable(&data, left_span) {
                    return Operand::Damaged;
                }
                if data.ty.is_aggregate() {
                    self.copy_content(operator, data, value, span)
                } else {
                    let value = Side { operand: value, span: self.span_of(right) };
                    self.assign_scalar(operator, data, value, span)
                }
            }
            Operand::Value(..) => {
                let help = "only variables and clocks can be assigned";
                let message = "a value cannot be assigned, only a variable can";
                self.error(codes::NOT_ASSIGNABLE, left_span, message, help);
                Operand::Damaged
            }
            other => {
                let message = format!("{} cannot be assigned", other.describe());
                let help = "only variables and clocks can be assigned";
                self.error(codes::NOT_ASSIGNABLE, left_span, message, help);
                Operand::Damaged
            }
        }
    }

    fn add_cost(&mut self, operator: AssignmentOperator, value: Operand, span: Span) -> Operand {
        if operator != AssignmentOperator::Add {
            let help = "write `cost += e`";
            self.error(codes::COST_USE, span, "the cost can only be added to", help);
            return Operand::Damaged;
        }
        let Some(code) = self.number_operand(value, span) else { return Operand::Damaged };
        let value = self.expression_of(code, span);
        Operand::Effect(self.push(Expression::AddCost(value), span))
    }

    fn assign_clock(
        &mut self,
        operator: AssignmentOperator,
        place: Place<ClockId>,
        value: Side,
        span: Span,
    ) -> Operand {
        let Side { operand: value, span: value_span } = value;
        if operator != AssignmentOperator::Set {
            let help = "clocks can only be set, with `=`";
            self.error(codes::NOT_ASSIGNABLE, span, "a clock cannot be changed this way", help);
            return Operand::Damaged;
        }
        if let Operand::Clock(source, Type::Clock) = value {
            return Operand::Effect(self.push(Expression::CopyClock(place, source), span));
        }
        let code = if value.is_real_or_clock() {
            let code = self.real_operand(value, value_span);
            code.map(|code| self.number_for_clocks(code, value_span))
        } else {
            self.number_operand(value, value_span)
        };
        let Some(code) = code else { return Operand::Damaged };
        self.check_clock_constant(&code, value_span);
        let value = self.expression_of(code, value_span);
        Operand::Effect(self.push(Expression::AssignClock(place, value), span))
    }

    /// Stores a value in floating-point storage by an assignment operator.
    fn assign_real_by(
        &mut self,
        operator: AssignmentOperator,
        target: RealPlace,
        value: Side,
        span: Span,
    ) -> Operand {
        if !self.check_access(target.access, target.prelude.is_empty(), span) {
            return Operand::Damaged;
        }
        let Some(operator) = model_operator(operator) else {
            return self.assign_real(target, value, span);
        };
        if target.ty.is_aggregate() || target.is_number() {
            let message = format!("a {} is only assigned with `=`", target.ty);
            let help = "write `d = d + e`";
            self.error(codes::NOT_ASSIGNABLE, span, message, help);
            return Operand::Damaged;
        }
        let old = self.number_operand(Operand::RealData(target.clone()), span);
        let new = self.number_operand(value.operand, value.span);
        let (Some(old), Some(new)) = (old, new) else { return Operand::Damaged };
        let sum = self.fold_binary(operator, old, new, span);
        let operand = Operand::Value(sum, Type::NUMBER);
        self.assign_real(target, Side { operand, span: value.span }, span)
    }

    fn copy_content(
        &mut self,
        operator: AssignmentOperator,
        target: DataPlace,
        value: Operand,
        span: Span,
    ) -> Operand {
        match value {
            Operand::Data(source)
                if operator == AssignmentOperator::Set && target.ty.matches(&source.ty) =>
            {
                let length = target.ty.size() as u32;
                // The prelude of the value runs after the indices of the place, if it has any.
                let (mut before, mut between) = (Vec::new(), source.prelude);
                if target.place.is_fixed() {
                    std::mem::swap(&mut before, &mut between);
                }
                let source = self.place_after(between, source.place, span);
                let copy = self.push(Expression::CopyContent(target.place, source, length), span);
                Operand::Effect(self.after(before, copy, span))
            }
            other => {
                let message = format!("{} cannot be assigned to a {}", other.describe(), target.ty);
                let help =
                    "arrays and structs are assigned as a whole, with `=`, if their types agree";
                self.error(codes::TYPE_MISMATCH, span, message, help);
                Operand::Damaged
            }
        }
    }

    fn assign_scalar(
        &mut self,
        operator: AssignmentOperator,
        target: DataPlace,
        value: Side,
        span: Span,
    ) -> Operand {
        let Side { operand: value, span: value_span } = value;
        let operator = model_operator(operator);
        let code = if operator.is_some() && target.ty.is_number() {
            self.number_operand(value, value_span)
        } else if operator.is_some() {
            let message = format!("a {} cannot be changed this way", target.ty);
            let help = "scalars can only be assigned, with `=`";
            self.error(codes::TYPE_MISMATCH, span, message, help);
            None
        } else {
            self.converted(value, &target.ty, value_span)
        };
        let Some(code) = code else { return Operand::Damaged };
        let value = self.expression_of(code, value_span);
        let assign =
            Expression::Assign { place: target.place, operator, value, result: ValueOf::After };
        Operand::Value(Code::Run(self.push(assign, span)), target.ty)
    }

    /// The value of an operand as a value of `ty`: integers become truth values by comparison with
    /// 0.
    pub(crate) fn converted(&mut self, value: Operand, ty: &Type, span: Span) -> Option<Code> {
        let (code, value_type) = self.scalar_operand(value, span)?;
        if !value_type.matches(ty) {
            let message = format!("a {value_type} is not a {ty}");
            let help = "numbers and truth values go together; scalars only with their own set";
            self.error(codes::TYPE_MISMATCH, span, message, help);
            return None;
        }
        match ty {
            Type::Boolean => Some(self.normalised(code.of_type(&value_type), span)),
            _ => Some(code),
        }
    }

    pub(crate) fn step(
        &mut self,
        operator: StepOperator,
        inner: tree::ExpressionId,
        span: Span,
    ) -> Operand {
        let inner_span = self.span_of(inner);
        let data = match self.operand(inner) {
            Operand::Data(data) if data.ty.is_number() => data,
            Operand::Damaged => return Operand::Damaged,
            other => {
                if let Operand::RealData(data) = &other
                    && data.ty.is_number()
                {
                    let one = Operand::constant(1, Type::NUMBER);
                    let value = Side { operand: one, span };
                    let operator = match operator {
                        StepOperator::IncrementBefore | StepOperator::IncrementAfter => {
                            AssignmentOperator::Add
                        }
                        _ => AssignmentOperator::Subtract,
                    };
                    return self.assign_real_by(operator, data.clone(), value, span);
                }
                let message = format!("{} cannot be incremented or decremented", other.describe());
                let help = "only integer variables can";
                self.error(codes::NOT_ASSIGNABLE, inner_span, message, help);
                return Operand::Damaged;
            }
        };
        if !self.check_writable(&data, inner_span) {
            return Operand::Damaged;
        }
        let (operator, result) = match operator {
            StepOperator::IncrementBefore => (BinaryOperator::Add, ValueOf::After),
            StepOperator::DecrementBefore => (BinaryOperator::Subtract, ValueOf::After),
            StepOperator::IncrementAfter => (BinaryOperator::Add, ValueOf::Before),
            StepOperator::DecrementAfter => (BinaryOperator::Subtract, ValueOf::Before),
        };
        let value = self.push(Expression::Constant(1), span);
        let assign =
            Expression::Assign { place: data.place, operator: Some(operator), value, result };
        Operand::Value(Code::Run(self.push(assign, span)), data.ty)
    }
}

fn model_operator(operator: AssignmentOperator) -> Option<BinaryOperator> {
    Some(match operator {
        AssignmentOperator::Set => return None,
        AssignmentOperator::Add => BinaryOperator::Add,
        AssignmentOperator::Subtract => BinaryOperator::Subtract,
        AssignmentOperator::Multiply => BinaryOperator::Multiply,
        AssignmentOperator::Divide => BinaryOperator::Divide,
        AssignmentOperator::Remainder => BinaryOperator::Remainder,
        AssignmentOperator::BitAnd => BinaryOperator::BitAnd,
        AssignmentOperator::BitOr => BinaryOperator::BitOr,
        AssignmentOperator::BitXor => BinaryOperator::BitXor,
        AssignmentOperator::ShiftLeft => BinaryOperator::ShiftLeft,
        AssignmentOperator::ShiftRight => BinaryOperator::ShiftRight,
    })
}
