//! Translation of floating-point expressions and of stand-ins.

use super::Translator;
use crate::code::{CodeRef, Op};
use crate::real_code::RealOp;
use zonaut_base::Id;
use zonaut_model::statistical::{RealArgument, RealExpression, RealId, RealUse};
use zonaut_model::{BinaryOperator, ClockId, Expression, ExpressionId, Place, PlaceIndex};

impl<'m> Translator<'m> {
    /// The meaning of a stand-in, if stand-ins are translated by it.
    pub(crate) fn meaning(&self, id: ExpressionId) -> Option<&'m RealUse> {
        if !self.with_reals {
            return None;
        }
        self.model.statistical.uses.get(&id)
    }

    /// Whether floating point is translated.
    pub(crate) fn has_reals(&self) -> bool {
        self.with_reals
    }

    /// The number that a stand-in for a bound, a value or a rate of a clock replaces.
    pub(crate) fn number_of(&self, id: ExpressionId) -> Option<RealId> {
        match self.meaning(id)? {
            RealUse::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Translates a floating-point expression that is evaluated on its own; `blame` is its
    /// position.
    pub(crate) fn real_expression(&mut self, real: RealId, blame: ExpressionId) -> CodeRef {
        let start = self.start();
        self.bind_all(blame);
        self.real(real, blame);
        self.emit(Op::End, blame);
        CodeRef(start)
    }

    /// Translates an expression of a clock, integer or not, as a number.
    pub(crate) fn number_expression(&mut self, id: ExpressionId) -> CodeRef {
        let start = self.start();
        self.bind_all(id);
        self.number(id);
        self.emit(Op::End, id);
        CodeRef(start)
    }

    /// Translates a displacement, also one without indices.
    pub(crate) fn displacement_code(
        &mut self,
        indices: &[PlaceIndex],
        blame: ExpressionId,
    ) -> CodeRef {
        let start = self.start();
        self.push_displacement(indices, blame);
        self.emit(Op::End, blame);
        CodeRef(start)
    }

    /// Stores the values of select variables in temporary storage.
    fn bind_all(&mut self, blame: ExpressionId) {
        for (local, value) in self.bindings.clone() {
            self.emit(Op::Push(value), blame);
            self.emit(Op::Bind(local.index() as u32), blame);
        }
    }

    fn emit_real(&mut self, op: RealOp, blame: ExpressionId) {
        self.emit(Op::Real(op), blame);
    }

    fn real_constant(&mut self, value: f64, blame: ExpressionId) {
        let index = self.program.real_constants.len() as u32;
        self.program.real_constants.push(value);
        self.emit_real(RealOp::Constant(index), blame);
    }

    /// Code that leaves an integer or the number behind a stand-in on the stack of numbers.
    fn number(&mut self, id: ExpressionId) {
        match self.number_of(id) {
            Some(number) => self.real(number, id),
            None => {
                self.value(id);
                self.emit_real(RealOp::FromInteger, id);
            }
        }
    }

    /// Code that leaves the value of a floating-point expression on the stack of numbers.
    fn real(&mut self, real: RealId, blame: ExpressionId) {
        let model = self.model;
        match &model.statistical.expressions[real] {
            RealExpression::Constant(value) => self.real_constant(value.value(), blame),
            RealExpression::Integer(id) => {
                self.value(*id);
                self.emit_real(RealOp::FromInteger, *id);
            }
            RealExpression::Read(place) => {
                self.push_displacement(&place.indices, blame);
                self.emit_real(RealOp::Load(place.root.index() as u32), blame);
            }
            RealExpression::Clock(place) => {
                self.push_displacement(&place.indices, blame);
                self.emit_real(RealOp::Clock(place.root.index() as u32), blame);
            }
            RealExpression::Negate(operand) => {
                self.real(*operand, blame);
                self.emit_real(RealOp::Negate, blame);
            }
            RealExpression::Binary(operator, left, right) => {
                self.real(*left, blame);
                self.real(*right, blame);
                self.emit_real(RealOp::Binary(*operator), blame);
            }
            RealExpression::Conditional(condition, yes, no) => {
                self.value(*condition);
                let to_no = self.emit(Op::JumpIfZero(0), blame);
                self.real(*yes, blame);
                let to_end = self.emit(Op::Jump(0), blame);
                self.land(to_no);
                self.real(*no, blame);
                self.land(to_end);
            }
            RealExpression::Sum { binder, low, high, body } => {
                self.real_constant(0.0, blame);
                if low > high {
                    return;
                }
                let local = binder.index() as u32;
                self.emit(Op::Push(*low), blame);
                self.emit(Op::Bind(local), blame);
                let back = self.here();
                self.real(*body, blame);
                self.emit_real(RealOp::Binary(BinaryOperator::Add), blame);
                self.emit(Op::Advance { local, high: *high, back }, blame);
            }
            RealExpression::Apply(function, arguments) => {
                arguments.iter().for_each(|argument| self.real(*argument, blame));
                self.emit_real(RealOp::Apply(*function), blame);
            }
            // Models with external functions are refused before they are compiled for sampling.
            RealExpression::External(..) => self.real_constant(f64::NAN, blame),
            RealExpression::After(run, last) => {
                for &id in run {
                    self.value(id);
                    self.emit(Op::Pop, id);
                }
                self.real(*last, blame);
            }
        }
    }

    /// Code for the meaning of a stand-in; leaves its integer value on the stack.
    pub(super) fn stand_in(&mut self, id: ExpressionId, meaning: &RealUse) {
        match meaning {
            RealUse::Compare(operator, left, right) => {
                self.real(*left, id);
                self.real(*right, id);
                self.emit_real(RealOp::Compare(*operator), id);
                return;
            }
            RealUse::SameContent(left, right, length) => {
                self.push_displacement(&left.indices, id);
                self.push_displacement(&right.indices, id);
                let (left, right) = (left.root.index() as u32, right.root.index() as u32);
                self.emit_real(RealOp::Same { left, right, length: *length }, id);
                return;
            }
            RealUse::Integer(number) | RealUse::Number(number) => {
                self.real(*number, id);
                self.emit_real(RealOp::ToInteger, id);
                return;
            }
            RealUse::Assign(place, value) => {
                self.push_displacement(&place.indices, id);
                self.real(*value, id);
                self.emit_real(RealOp::Store(place.root.index() as u32), id);
            }
            RealUse::CopyContent(target, source, length) => {
                self.push_displacement(&target.indices, id);
                self.push_displacement(&source.indices, id);
                let (target, source) = (target.root.index() as u32, source.root.index() as u32);
                self.emit_real(RealOp::Copy { target, source, length: *length }, id);
            }
            RealUse::Clear(place, length) => {
                self.push_displacement(&place.indices, id);
                let target = place.root.index() as u32;
                self.emit_real(RealOp::Clear { target, length: *length }, id);
            }
            RealUse::Evaluate(number) => {
                self.real(*number, id);
                self.emit_real(RealOp::Pop, id);
            }
            RealUse::Run(call) => {
                self.call_of_stand_in(*call);
                self.emit(Op::Pop, id);
            }
            // Models with these are refused before they are compiled for sampling.
            RealUse::External(..) | RealUse::Spawn(_) | RealUse::Exit | RealUse::NumberOf(_) => {}
        }
        self.emit(Op::Push(0), id);
    }

    /// The call that a stand-in runs; the call is not a stand-in itself.
    fn call_of_stand_in(&mut self, call: ExpressionId) {
        let model = self.model;
        match &model.expressions[call] {
            Expression::Call(function, arguments) => self.call(call, *function, arguments),
            _ => self.value(call),
        }
    }

    /// Code that leaves the floating-point arguments of a call on the stack of numbers.
    pub(super) fn real_argument_values(&mut self, call: ExpressionId) {
        for argument in self.arguments_of(call) {
            if let RealArgument::Value(_, value) = argument {
                self.real(*value, call);
            }
        }
    }

    /// Code that stores the floating-point arguments of a call.
    pub(super) fn store_real_arguments(&mut self, call: ExpressionId) {
        for argument in self.arguments_of(call).iter().rev() {
            self.emit(Op::Push(0), call);
            match argument {
                RealArgument::Value(cell, _) => {
                    self.emit_real(RealOp::Store(cell.index() as u32), call);
                }
                RealArgument::Content(cell, source, length) => {
                    self.push_displacement(&source.indices, call);
                    let (target, source) = (cell.index() as u32, source.root.index() as u32);
                    self.emit_real(RealOp::Copy { target, source, length: *length }, call);
                }
            }
        }
    }

    fn arguments_of(&self, call: ExpressionId) -> &'m [RealArgument] {
        let arguments = self.model.statistical.arguments.get(&call);
        arguments.filter(|_| self.with_reals).map_or(&[], Vec::as_slice)
    }

    pub(super) fn set_real_clock(
        &mut self,
        id: ExpressionId,
        clock: &Place<ClockId>,
        value: ExpressionId,
    ) {
        self.push_displacement(&clock.indices, id);
        self.number(value);
        self.emit_real(RealOp::SetClock(clock.root.index() as u32), id);
        self.emit(Op::Push(0), id);
    }

    pub(super) fn copy_real_clock(
        &mut self,
        id: ExpressionId,
        target: &Place<ClockId>,
        source: &Place<ClockId>,
    ) {
        self.push_displacement(&target.indices, id);
        self.push_displacement(&source.indices, id);
        let (target, source) = (target.root.index() as u32, source.root.index() as u32);
        self.emit_real(RealOp::CopyClock { target, source }, id);
        self.emit(Op::Push(0), id);
    }
}
