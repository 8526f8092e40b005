//! Arithmetic of operators on evaluated operands.

use super::machine::{Outcome, Stop};
use super::value::Value;
use zonaut_model::interpret::ErrorKind;
use zonaut_model::statistical::Real;
use zonaut_syntax::tree::{AssignmentOperator as A, BinaryOperator as B};

/// Returns the number if it fits 32 bits.
pub(super) fn number(value: i128) -> Outcome<i64> {
    i32::try_from(value).map(i64::from).map_err(|_| Stop::Failed(ErrorKind::Overflow))
}

/// The value of an infix operator that evaluates both operands.
pub(super) fn apply(operator: B, left: i64, right: i64) -> Outcome<i64> {
    let (a, b) = (i128::from(left), i128::from(right));
    let is = |holds: bool| Ok(i64::from(holds));
    let failed = |kind| Err(Stop::Failed(kind));
    match operator {
        B::Less => is(a < b),
        B::LessEqual => is(a <= b),
        B::GreaterEqual => is(a >= b),
        B::Greater => is(a > b),
        B::Equal => is(a == b),
        B::NotEqual => is(a != b),
        B::Xor => is((a != 0) != (b != 0)),
        B::And => is(a != 0 && b != 0),
        B::Or => is(a != 0 || b != 0),
        B::Imply => is(a == 0 || b != 0),
        B::Divide | B::Remainder if b == 0 => failed(ErrorKind::Division),
        B::ShiftLeft | B::ShiftRight if !(0..32).contains(&b) => {
            failed(ErrorKind::Shift(right as i32))
        }
        B::Power if b < 0 => failed(ErrorKind::Exponent(right as i32)),
        B::Power => power(a, b),
        B::Divide => number(a / b),
        B::Remainder => number(a % b),
        B::Multiply => number(a * b),
        B::Add => number(a + b),
        B::Subtract => number(a - b),
        B::ShiftLeft => number(a * (1 << b)),
        B::ShiftRight => number(a.div_euclid(1 << b)),
        B::Minimum => number(a.min(b)),
        B::Maximum => number(a.max(b)),
        B::BitAnd => number(a & b),
        B::BitXor => number(a ^ b),
        B::BitOr => number(a | b),
    }
}

/// Clocks that differ by less are equal in a random run.
const NEAR: f64 = 1e-9;

/// The value of an infix operator on floating-point numbers; comparisons of clocks ignore the error
/// of their sums.
pub(super) fn apply_real(operator: B, left: f64, right: f64, is_timed: bool) -> Outcome<Value> {
    let difference = left - right;
    let sign = if is_timed && difference.abs() <= NEAR { 0.0 } else { difference };
    let is = |holds: bool| Ok(Value::Number(i64::from(holds)));
    let number = match operator {
        B::Less => return is(sign < 0.0),
        B::LessEqual => return is(sign <= 0.0),
        B::GreaterEqual => return is(sign >= 0.0),
        B::Greater => return is(sign > 0.0),
        B::Equal => return is(sign == 0.0),
        B::NotEqual => return is(sign != 0.0),
        B::And => return is(left != 0.0 && right != 0.0),
        B::Or => return is(left != 0.0 || right != 0.0),
        B::Imply => return is(left == 0.0 || right != 0.0),
        B::Divide if right == 0.0 => return Err(Stop::Failed(ErrorKind::Division)),
        B::Divide => left / right,
        B::Multiply => left * right,
        B::Add => left + right,
        B::Subtract => difference,
        B::Minimum => left.min(right),
        B::Maximum => left.max(right),
        _ => return Err(Stop::Beyond("such an operator on floating-point numbers")),
    };
    Ok(Value::Real(Real::new(number)))
}

/// Computes a power by repeated multiplication, as long as the result can fit.
fn power(base: i128, exponent: i128) -> Outcome<i64> {
    if (-1..=1).contains(&base) {
        let is_even = exponent % 2 == 0;
        let value = if exponent == 0 || (base == -1 && is_even) { 1 } else { base };
        return number(value);
    }
    let mut value = 1;
    for _ in 0..exponent.min(40) {
        value = i128::from(number(value * base)?);
    }
    number(value)
}

/// The infix operator of a compound assignment.
pub(super) fn of_assignment(operator: A) -> Option<B> {
    Some(match operator {
        A::Set => return None,
        A::Add => B::Add,
        A::Subtract => B::Subtract,
        A::Multiply => B::Multiply,
        A::Divide => B::Divide,
        A::Remainder => B::Remainder,
        A::BitAnd => B::BitAnd,
        A::BitOr => B::BitOr,
        A::BitXor => B::BitXor,
        A::ShiftLeft => B::ShiftLeft,
        A::ShiftRight => B::ShiftRight,
    })
}
