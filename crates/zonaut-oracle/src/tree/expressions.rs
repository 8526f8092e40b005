//! Evaluation of expressions, operand by operand.

use super::calls::converted;
use super::machine::{Binding, Lvalue, Machine, Outcome, Stop};
use super::operators::{apply, apply_real, number, of_assignment};
use super::value::{Type, Value};
use zonaut_model::interpret::ErrorKind;
use zonaut_model::statistical::Real;
use zonaut_syntax::tree::{
    AssignmentOperator, BinaryOperator, Binder, ExpressionId, ExpressionKind, QuantifierKind,
    StepOperator, UnaryOperator,
};

/// The largest number that a clock is set to or compared with.
const CLOCK_LIMIT: i64 = (1 << 30) - 1;

/// A variable or a part of one (an lvalue), or a temporary value.
pub(super) enum Operand {
    Lvalue(Lvalue),
    Value(Value),
}

impl Machine<'_> {
    /// The current value of an expression.
    pub(super) fn value(&mut self, id: ExpressionId) -> Outcome<Value> {
        Ok(match self.operand(id)? {
            Operand::Lvalue(place) => self.read(&place),
            Operand::Value(value) => value,
        })
    }

    pub(super) fn number(&mut self, id: ExpressionId) -> Outcome<i64> {
        match self.value(id)? {
            Value::Number(number) => Ok(number),
            _ => Err(Stop::Beyond("an array or struct as a number")),
        }
    }

    /// The value of an integer or floating-point expression.
    pub(super) fn real(&mut self, id: ExpressionId) -> Outcome<f64> {
        let value = self.value(id)?;
        real_of(&value).ok_or(Stop::Beyond("an array or struct as a number"))
    }

    pub(super) fn holds(&mut self, id: ExpressionId) -> Outcome<bool> {
        Ok(self.real(id)? != 0.0)
    }

    /// The lvalue that an expression denotes.
    pub(super) fn place(&mut self, id: ExpressionId) -> Outcome<Lvalue> {
        match self.operand(id)? {
            Operand::Lvalue(place) => Ok(place),
            Operand::Value(_) => Err(Stop::Beyond("a value as a place")),
        }
    }

    pub(super) fn operand(&mut self, id: ExpressionId) -> Outcome<Operand> {
        self.step()?;
        let source = self.source;
        let value = match &source[id].kind {
            ExpressionKind::Integer(value) => Value::Number(*value),
            ExpressionKind::Boolean(value) => Value::Number(i64::from(*value)),
            ExpressionKind::Name(name) => match self.find(name)? {
                Binding::Lvalue(place) => return Ok(Operand::Lvalue(place)),
                Binding::Type(_) | Binding::Function(..) => {
                    return Err(Stop::Beyond("a name that is no value"));
                }
            },
            ExpressionKind::Index(array, index) => return self.element(*array, *index),
            ExpressionKind::Field(of, field) => return self.member(*of, &field.text),
            ExpressionKind::Float(text) if self.random.is_some() => {
                let value = text.parse().map_err(|_| Stop::Beyond("such a number"))?;
                Value::Real(Real::new(value))
            }
            ExpressionKind::Unary(operator, inner) => self.unary(*operator, *inner)?,
            ExpressionKind::Binary(operator, left, right) => {
                self.binary(*operator, *left, *right)?
            }
            ExpressionKind::Conditional(condition, yes, no) => {
                let chosen = if self.holds(*condition)? { *yes } else { *no };
                self.value(chosen)?
            }
            ExpressionKind::Assignment(operator, target, value) => {
                self.assign(*operator, *target, *value)?
            }
            ExpressionKind::Step(operator, target) => self.count(*operator, *target)?,
            ExpressionKind::Call(callee, arguments) => self.call(*callee, arguments)?,
            ExpressionKind::Quantifier(kind, binder, body) => {
                Value::Number(self.quantify(*kind, binder, *body)?)
            }
            ExpressionKind::Sequence(parts) => {
                let mut last = Value::Number(0);
                for part in parts {
                    last = self.value(*part)?;
                }
                last
            }
            ExpressionKind::Float(_)
            | ExpressionKind::Text(_)
            | ExpressionKind::Deadlock
            | ExpressionKind::Rate(_)
            | ExpressionKind::Spawn(..)
            | ExpressionKind::Damaged => return Err(Stop::Beyond("such an expression")),
        };
        Ok(Operand::Value(value))
    }

    /// `array[index]`: the array first, then the index.
    fn element(&mut self, array: ExpressionId, index: ExpressionId) -> Outcome<Operand> {
        let whole = self.operand(array)?;
        let index = self.number(index)?;
        match whole {
            Operand::Lvalue(mut place) => {
                let Type::Array { low, size, .. } = *self.type_at(&place) else {
                    return Err(Stop::Beyond("an index into no array"));
                };
                place.path.push(position(index, low, size)?);
                Ok(Operand::Lvalue(place))
            }
            Operand::Value(Value::Array(mut parts)) => {
                let Type::Array { low, .. } = self.type_of_result(array)? else {
                    return Err(Stop::Beyond("an index into no array"));
                };
                let position = position(index, low, parts.len())?;
                Ok(Operand::Value(parts.swap_remove(position)))
            }
            Operand::Value(_) => Err(Stop::Beyond("an index into no array")),
        }
    }

    fn unary(&mut self, operator: UnaryOperator, inner: ExpressionId) -> Outcome<Value> {
        let inner = match self.value(inner)? {
            Value::Number(number) => number,
            Value::Real(real) if operator == UnaryOperator::Minus => {
                return Ok(Value::Real(Real::new(-real.value())));
            }
            _ => return Err(Stop::Beyond("an array or struct as a number")),
        };
        Ok(Value::Number(match operator {
            UnaryOperator::Plus => inner,
            UnaryOperator::Minus => number(-i128::from(inner))?,
            UnaryOperator::Not => i64::from(inner == 0),
        }))
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
    ) -> Outcome<Value> {
        let (is_clock, is_bound) = (self.is_clock(right), self.is_clock(left));
        let is_timed = self.mentions_clock(left) || self.mentions_clock(right);
        let left = self.value(left)?;
        let decides = |value: &Value| match operator {
            BinaryOperator::And => (*value == Value::Number(0)).then_some(0),
            BinaryOperator::Or => (*value != Value::Number(0)).then_some(1),
            BinaryOperator::Imply => (*value == Value::Number(0)).then_some(1),
            _ => None,
        };
        if let Some(decided) = decides(&left) {
            return Ok(Value::Number(decided));
        }
        let right = self.value(right)?;
        match (left, right) {
            (Value::Number(left), Value::Number(right)) => {
                if is_clock && !is_bound {
                    self.note_bound(left)?;
                } else if is_bound && !is_clock {
                    self.note_bound(right)?;
                }
                Ok(Value::Number(apply(operator, left, right)?))
            }
            (left, right) => match (operator, real_of(&left), real_of(&right)) {
                (operator, Some(left), Some(right)) => {
                    if is_timed {
                        self.differences.borrow_mut().push(left - right);
                    }
                    apply_real(operator, left, right, is_timed)
                }
                (BinaryOperator::Equal, ..) => Ok(Value::Number(i64::from(left == right))),
                (BinaryOperator::NotEqual, ..) => Ok(Value::Number(i64::from(left != right))),
                _ => Err(Stop::Beyond("arithmetic on arrays or structs")),
            },
        }
    }

    /// Whether an expression names a clock.
    pub(super) fn is_clock(&self, id: ExpressionId) -> bool {
        match &self.source[id].kind {
            ExpressionKind::Name(name) => match self.find(name) {
                Ok(Binding::Lvalue(place)) => is_clocks(self.type_at(&place)),
                _ => false,
            },
            ExpressionKind::Index(array, _) => self.is_clock(*array),
            ExpressionKind::Field(process, name) => self.process_place(*process, &name.text),
            _ => false,
        }
    }

    fn process_place(&self, process: ExpressionId, name: &str) -> bool {
        let Some(process) = self.process_named(process) else { return false };
        let mut names = self.processes[process].names.iter();
        names.any(|(candidate, binding)| match binding {
            Binding::Lvalue(place) => **candidate == *name && is_clocks(self.type_at(place)),
            _ => false,
        })
    }

    /// Records that a clock is compared with a number.
    fn note_bound(&mut self, bound: i64) -> Outcome<()> {
        if bound.abs() > CLOCK_LIMIT {
            return Err(Stop::Failed(ErrorKind::ClockLimit(bound as i32)));
        }
        self.compared.borrow_mut().insert(bound);
        Ok(())
    }

    /// Evaluates the lvalue, then the value, then stores.
    fn assign(
        &mut self,
        operator: AssignmentOperator,
        target: ExpressionId,
        value: ExpressionId,
    ) -> Outcome<Value> {
        let place = self.place(target)?;
        if *self.type_at(&place) == Type::Clock && self.random.is_some() {
            let value = self.real(value)?;
            if value < 0.0 {
                return Err(Stop::Failed(ErrorKind::NegativeClock(value as i32)));
            }
            let value = Value::Real(Real::new(value));
            self.write(&place, value.clone())?;
            return Ok(value);
        }
        if *self.type_at(&place) == Type::Clock && !self.is_clock(value) {
            let value = self.number(value)?;
            if value < 0 {
                return Err(Stop::Failed(ErrorKind::NegativeClock(value as i32)));
            }
            if value > CLOCK_LIMIT {
                return Err(Stop::Failed(ErrorKind::ClockLimit(value as i32)));
            }
            self.write(&place, Value::Number(value))?;
            return Ok(Value::Number(value));
        }
        let value = self.value(value)?;
        let value = match of_assignment(operator) {
            None => self.as_stored(&place, value),
            Some(operator) => match (self.read(&place), value) {
                (Value::Number(before), Value::Number(value)) => {
                    Value::Number(apply(operator, before, value)?)
                }
                (before, value) => match (real_of(&before), real_of(&value)) {
                    (Some(before), Some(value)) => apply_real(operator, before, value, false)?,
                    _ => return Err(Stop::Beyond("arithmetic on arrays or structs")),
                },
            },
        };
        self.write(&place, value.clone())?;
        Ok(value)
    }

    /// Any number but 0 is stored in a truth value as 1.
    fn as_stored(&self, place: &Lvalue, value: Value) -> Value {
        converted(self.type_at(place), value)
    }

    fn count(&mut self, operator: StepOperator, target: ExpressionId) -> Outcome<Value> {
        let place = self.place(target)?;
        let Value::Number(before) = self.read(&place) else {
            return Err(Stop::Beyond("arithmetic on arrays or structs"));
        };
        let (by, is_before) = match operator {
            StepOperator::IncrementBefore => (1, false),
            StepOperator::DecrementBefore => (-1, false),
            StepOperator::IncrementAfter => (1, true),
            StepOperator::DecrementAfter => (-1, true),
        };
        let after = number(i128::from(before) + by)?;
        self.write(&place, Value::Number(after))?;
        Ok(Value::Number(if is_before { before } else { after }))
    }

    fn quantify(
        &mut self,
        kind: QuantifierKind,
        binder: &Binder,
        body: ExpressionId,
    ) -> Outcome<i64> {
        let (low, high) = self.values_of(&binder.ty)?;
        let mut sum = 0;
        for value in low..=high {
            let body = self.with_bound(binder, value, |machine| machine.number(body))?;
            match kind {
                QuantifierKind::ForAll if body == 0 => return Ok(0),
                QuantifierKind::Exists if body != 0 => return Ok(1),
                QuantifierKind::ForAll | QuantifierKind::Exists => {}
                QuantifierKind::Sum => sum = number(i128::from(sum) + i128::from(body))?,
            }
        }
        Ok(if kind == QuantifierKind::ForAll { 1 } else { sum })
    }

    /// Runs `work` with the name of a binder bound to a value.
    pub(super) fn with_bound<T>(
        &mut self,
        binder: &Binder,
        value: i64,
        work: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<T> {
        self.in_block(|machine| {
            let place = machine.add(super::value::WIDE, Value::Number(value));
            machine.bind(&binder.name.text, Binding::Lvalue(place));
            work(machine)
        })
    }
}

/// The value of a number.
pub(super) fn real_of(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => Some(*number as f64),
        Value::Real(real) => Some(real.value()),
        Value::Array(_) | Value::Struct(_) => None,
    }
}

fn is_clocks(ty: &Type) -> bool {
    match ty {
        Type::Array { element, .. } => is_clocks(element),
        ty => *ty == Type::Clock,
    }
}

fn position(index: i64, low: i64, size: usize) -> Outcome<usize> {
    if (low..low + size as i64).contains(&index) {
        return Ok((index - low) as usize);
    }
    let range = zonaut_model::Range { low: low as i32, high: (low + size as i64 - 1) as i32 };
    Err(Stop::Failed(ErrorKind::Index(index as i32, range)))
}
