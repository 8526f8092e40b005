//! Which values an expression can have, as an interval: the evaluator over ranges.

use zonaut_base::Id;
use zonaut_model::{
    BinaryOperator, Expression, ExpressionId, Model, Place, QuantifierKind, Range, Storage,
    UnaryOperator,
};

/// A closed interval wide enough for every intermediate value.
type Interval = (i64, i64);

const ALL: Interval = (i32::MIN as i64, i32::MAX as i64);

/// An interval that holds every value `id` can have without a run-time error.
pub(crate) fn interval_of(model: &Model, id: ExpressionId) -> (i32, i32) {
    let (low, high) = interval(model, id);
    (low.clamp(ALL.0, ALL.1) as i32, high.clamp(ALL.0, ALL.1) as i32)
}

fn interval(model: &Model, id: ExpressionId) -> Interval {
    match &model.expressions[id] {
        Expression::Constant(value) => (i64::from(*value), i64::from(*value)),
        Expression::Read(place) => content(model, place),
        Expression::At(..) | Expression::SameContent(..) => (0, 1),
        Expression::And(..) | Expression::Or(..) => (0, 1),
        Expression::Unary(UnaryOperator::Not, _) => (0, 1),
        Expression::Unary(UnaryOperator::Negate, operand) => {
            let (low, high) = interval(model, *operand);
            (-high, -low)
        }
        Expression::Binary(..) => chain(model, id),
        Expression::Conditional(_, yes, no) => hull(interval(model, *yes), interval(model, *no)),
        Expression::Quantifier { kind: QuantifierKind::Sum, low, high, body, .. } => {
            let count = (i64::from(*high) - i64::from(*low) + 1).max(0);
            let (least, most) = interval(model, *body);
            (least.min(0).saturating_mul(count), most.max(0).saturating_mul(count))
        }
        Expression::Quantifier { .. } => (0, 1),
        Expression::Call(function, _) => match model.functions[*function].result {
            Some(result) => of_range(model.locals[result.first].range),
            None => (0, 0),
        },
        Expression::Assign { place, .. } => content(model, place),
        Expression::CopyContent(..)
        | Expression::AssignClock(..)
        | Expression::CopyClock(..)
        | Expression::AddCost(_) => (0, 0),
        Expression::Sequence(parts) => parts.last().map_or((0, 0), |&last| interval(model, last)),
    }
}

/// A left-leaning chain, from its innermost operand outwards.
fn chain(model: &Model, id: ExpressionId) -> Interval {
    let mut spine = Vec::new();
    let mut left = id;
    while let Expression::Binary(operator, next, right) = model.expressions[left] {
        spine.push((operator, right));
        left = next;
    }
    let innermost = interval(model, left);
    spine.into_iter().rev().fold(innermost, |value, (operator, right)| {
        let (low, high) = combine(operator, value, interval(model, right));
        // Values that do not fit 32 bits are run-time errors.
        (low.clamp(ALL.0, ALL.1), high.clamp(ALL.0, ALL.1))
    })
}

fn combine(operator: BinaryOperator, a: Interval, b: Interval) -> Interval {
    let corners = |f: fn(i64, i64) -> i64| {
        let all = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
        (all.into_iter().fold(i64::MAX, i64::min), all.into_iter().fold(i64::MIN, i64::max))
    };
    match operator {
        BinaryOperator::Add => (a.0 + b.0, a.1 + b.1),
        BinaryOperator::Subtract => (a.0 - b.1, a.1 - b.0),
        BinaryOperator::Multiply => corners(i64::saturating_mul),
        BinaryOperator::Minimum => (a.0.min(b.0), a.1.min(b.1)),
        BinaryOperator::Maximum => (a.0.max(b.0), a.1.max(b.1)),
        // The quotient is no larger than the dividend, and has any sign.
        BinaryOperator::Divide => {
            let most = a.0.abs().max(a.1.abs());
            if a.0 >= 0 && b.0 >= 0 { (0, most) } else { (-most, most) }
        }
        BinaryOperator::Remainder => {
            let most = b.0.abs().max(b.1.abs()).saturating_sub(1).max(0);
            (if a.0 < 0 { -most } else { 0 }, if a.1 > 0 { most } else { 0 })
        }
        BinaryOperator::ShiftRight => (a.0.min(0), a.1.max(0)),
        // The masked value is between zero and either operand, where they are not negative.
        BinaryOperator::BitAnd if a.0 >= 0 && b.0 >= 0 => (0, a.1.min(b.1)),
        operator if operator.is_comparison() => (0, 1),
        _ => ALL,
    }
}

fn content(model: &Model, place: &Place<Storage>) -> Interval {
    let extent = place.extent();
    match place.root {
        Storage::Cell(cell) => of_range(model.cells[cell].range),
        Storage::Local(local) => of_range(model.locals[local].range),
        Storage::Constant(first) => {
            let stride = place.indices.last().map_or(1, |index| index.stride.max(1) as usize);
            let step = place.indices.iter().fold(0, |gcd, index| greatest(gcd, index.stride));
            let step = if step == 0 { stride } else { step as usize };
            let elements = (first.index()..=first.index() + extent).step_by(step);
            let values = elements.map(|k| i64::from(model.constants[Id::from_index(k)]));
            values.fold((i64::MAX, i64::MIN), |(low, high), v| (low.min(v), high.max(v)))
        }
    }
}

/// The greatest common divisor: every element of a place is a multiple of it away from the root.
fn greatest(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest(b, a % b) }
}

fn of_range(range: Range) -> Interval {
    (i64::from(range.low), i64::from(range.high))
}

fn hull(a: Interval, b: Interval) -> Interval {
    (a.0.min(b.0), a.1.max(b.1))
}
