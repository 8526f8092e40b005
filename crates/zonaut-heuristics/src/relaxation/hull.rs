//! Values by intervals, where there are too many tuples to go through.
//!
//! The interval of an expression holds its value for every tuple of the sets, so a test that fails
//! on intervals fails for all of them. Larger sets have larger intervals.

use super::sets::View;
use crate::formula::{Binding, Test, TestKind};
use zonaut_base::Id;
use zonaut_model::interpret::offset;
use zonaut_model::interval::{ALL, Interval, TRUTH, combine, hull, of_range, only};
use zonaut_model::{
    Expression, ExpressionId, LocalId, Model, Place, QuantifierKind, Storage, UnaryOperator,
};

/// The most instances of a quantifier that are looked at.
const INSTANCES: i64 = 4096;

/// Whether a test may hold for some tuple.
pub(super) fn may_hold(model: &Model, view: &View<'_>, test: &Test) -> bool {
    let TestKind::Holds { expression, negated } = &test.kind else { return true };
    let locals = test.bindings.iter().map(|&(local, binding)| match binding {
        Binding::Value(value) => (local, only(value)),
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
            Expression::Constant(value) => only(*value),
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
                combine(*operator, left, right).values
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
            self.locals.push((binder, only(value)));
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
            Storage::Constant(constant) => only(self.model.constants[constant]),
            Storage::Local(local) => {
                let bound = self.locals.iter().rev().find(|(bound, _)| *bound == local);
                bound.map_or(of_range(self.model.locals[local].range), |(_, value)| *value)
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
