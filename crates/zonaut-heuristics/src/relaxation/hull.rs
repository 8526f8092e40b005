//! Values by intervals, where there are too many tuples to go through.
//!
//! The interval of an expression holds its value for every tuple of the sets, so a test that fails
//! on intervals fails for all of them. Larger sets have larger intervals.

use super::sets::View;
use crate::formula::{Binding, Test, TestKind};
use crate::interval::{Interval, TRUTH, binary, hull};
use zonaut_base::Id;
use zonaut_model::interpret::offset;
use zonaut_model::{
    BinaryOperator, Expression, ExpressionId, LocalId, Model, Place, QuantifierKind, Range,
    Storage, UnaryOperator,
};

/// Everything that an expression can have as value.
const ALL: Interval = (Range::ALL.low as i64, Range::ALL.high as i64);

/// The most instances of a quantifier that are looked at.
const INSTANCES: i64 = 4096;

/// Whether a test may hold for some tuple.
pub(super) fn may_hold(model: &Model, view: &View<'_>, test: &Test) -> bool {
    let TestKind::Holds { expression, negated } = &test.kind else { return true };
    let locals = test.bindings.iter().map(|&(local, binding)| match binding {
        Binding::Value(value) => (local, (i64::from(value), i64::from(value))),
        Binding::Any(low, high) => (local, (i64::from(low), i64::from(high))),
    });
    let mut hulls = Hulls { model, view, locals: locals.collect() };
    let value = hulls.of(*expression, 0);
    if *negated { may_be_zero(value) } else { value != (0, 0) }
}

fn may_be_zero((low, high): Interval) -> bool {
    low <= 0 && high >= 0
}

struct Hulls<'h> {
    model: &'h Model,
    view: &'h View<'h>,
    /// What bound variables hold, the innermost last.
    locals: Vec<(LocalId, Interval)>,
}

impl Hulls<'_> {
    fn of(&mut self, id: ExpressionId, depth: u32) -> Interval {
        if depth > 64 {
            return ALL;
        }
        let depth = depth + 1;
        let model = self.model;
        let (low, high) = match &model.expressions[id] {
            Expression::Constant(value) => (i64::from(*value), i64::from(*value)),
            Expression::Read(place) => self.read(place),
            Expression::At(process, location) => {
                self.view.interval_of_test(*process, location.index() as i32)
            }
            Expression::Unary(UnaryOperator::Not, inner) => negated(self.of(*inner, depth)),
            Expression::Unary(UnaryOperator::Negate, inner) => {
                let (low, high) = self.of(*inner, depth);
                (-high, -low)
            }
            Expression::Binary(operator, left, right) => {
                let (left, right) = (self.of(*left, depth), self.of(*right, depth));
                compared(*operator, left, right)
                    .or_else(|| binary(*operator, left, right))
                    .unwrap_or(ALL)
            }
            Expression::And(left, right) => both(self.of(*left, depth), self.of(*right, depth)),
            Expression::Or(left, right) => {
                let (left, right) = (negated(self.of(*left, depth)), self.of(*right, depth));
                negated(both(left, negated(right)))
            }
            Expression::Conditional(condition, yes, no) => match self.of(*condition, depth) {
                (0, 0) => self.of(*no, depth),
                condition if may_be_zero(condition) => {
                    hull(self.of(*yes, depth), self.of(*no, depth))
                }
                _ => self.of(*yes, depth),
            },
            Expression::Quantifier { kind, binder, low, high, body } => {
                self.quantified(*kind, (*binder, *low, *high), *body, depth)
            }
            _ => ALL,
        };
        (low.max(ALL.0), high.min(ALL.1))
    }

    fn quantified(
        &mut self,
        kind: QuantifierKind,
        (binder, low, high): (LocalId, i32, i32),
        body: ExpressionId,
        depth: u32,
    ) -> Interval {
        if i64::from(high) - i64::from(low) >= INSTANCES {
            return ALL;
        }
        let mut all = match kind {
            QuantifierKind::ForAll => (1, 1),
            QuantifierKind::Exists | QuantifierKind::Sum => (0, 0),
        };
        for value in low..=high {
            self.locals.push((binder, (i64::from(value), i64::from(value))));
            let instance = self.of(body, depth);
            self.locals.pop();
            all = match kind {
                QuantifierKind::ForAll => both(all, instance),
                QuantifierKind::Exists => negated(both(negated(all), negated(instance))),
                QuantifierKind::Sum => (all.0 + instance.0, all.1 + instance.1),
            };
        }
        all
    }

    fn read(&self, place: &Place<Storage>) -> Interval {
        let elements = (0..=place.extent()).map(|k| self.content(offset(place.root, k)));
        elements.reduce(hull).unwrap_or(ALL)
    }

    fn content(&self, address: Storage) -> Interval {
        match address {
            Storage::Cell(cell) => self.view.interval_of(cell),
            Storage::Constant(constant) => {
                let value = i64::from(self.model.constants[constant]);
                (value, value)
            }
            Storage::Local(local) => {
                let bound = self.locals.iter().rev().find(|(bound, _)| *bound == local);
                let range = self.model.locals[local].range;
                bound.map_or((i64::from(range.low), i64::from(range.high)), |(_, value)| *value)
            }
        }
    }
}

fn negated(value: Interval) -> Interval {
    match value {
        (0, 0) => (1, 1),
        _ if may_be_zero(value) => TRUTH,
        _ => (0, 0),
    }
}

/// The conjunction of two truth values.
fn both(left: Interval, right: Interval) -> Interval {
    let holds = !may_be_zero(left) && !may_be_zero(right);
    let fails = left == (0, 0) || right == (0, 0);
    (i64::from(holds), i64::from(!fails))
}

/// The truth value of a comparison that the intervals decide.
fn compared(operator: BinaryOperator, a: Interval, b: Interval) -> Option<Interval> {
    use BinaryOperator as B;
    let truth = |holds: bool, fails: bool| {
        if holds {
            (1, 1)
        } else if fails {
            (0, 0)
        } else {
            TRUTH
        }
    };
    Some(match operator {
        B::Less => truth(a.1 < b.0, a.0 >= b.1),
        B::LessEqual => truth(a.1 <= b.0, a.0 > b.1),
        B::Greater => truth(a.0 > b.1, a.1 <= b.0),
        B::GreaterEqual => truth(a.0 >= b.1, a.1 < b.0),
        B::Equal => truth(a.0 == a.1 && a == b, a.1 < b.0 || a.0 > b.1),
        B::NotEqual => truth(a.1 < b.0 || a.0 > b.1, a.0 == a.1 && a == b),
        _ => return None,
    })
}
