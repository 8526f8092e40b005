//! Which evaluations can never fail, by the intervals of their parts.
//!
//! Only declared ranges are known here. Where the answer is no, values decide.

use crate::formula::{Binding, Bindings};
use zonaut_model::interpret::offset;
use zonaut_model::interval::{Combined, Interval, TRUTH, combine, hull, of_range, only};
use zonaut_model::{
    BinaryOperator, CLOCK_LIMIT, Expression, ExpressionId, Model, Place, PlaceIndex,
    QuantifierKind, Range, Storage, UnaryOperator,
};

/// The most evaluations that a quantifier is made of and surely comes to its end: far fewer than
/// are allowed.
const SIZE: u64 = 1 << 20;

/// The greatest value that clocks can be set to and compared with.
pub(crate) fn clock_limit() -> i64 {
    i64::from(if faulty!(ClockLimitForgotten) { i32::MAX } else { CLOCK_LIMIT })
}

/// What is known of the storage that expressions read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Intervals<'m> {
    pub(crate) model: &'m Model,
    pub(crate) bindings: &'m Bindings,
}

impl Intervals<'_> {
    /// Whether evaluating `id` never fails.
    pub(crate) fn never_fails(&self, id: ExpressionId) -> bool {
        self.of(id, 0).is_some()
    }

    /// The values of an expression; absent where its evaluation may fail or nothing is known.
    pub(crate) fn of(&self, id: ExpressionId, depth: u32) -> Option<Interval> {
        // Deep chains are rare, and saying "may fail" of them is no mistake.
        if depth > 64 {
            return None;
        }
        let part = |id| self.of(id, depth + 1);
        let interval = match &self.model.expressions[id] {
            Expression::Constant(value) => only(*value),
            Expression::Read(place) => {
                self.indices(&place.indices, depth)?;
                self.content(place)
            }
            Expression::At(..) => TRUTH,
            Expression::Unary(UnaryOperator::Not, inner) => part(*inner).map(|_| TRUTH)?,
            Expression::Unary(UnaryOperator::Negate, inner) => {
                let (low, high) = part(*inner)?;
                (-high, -low)
            }
            Expression::Binary(operator, left, right) => {
                safe(combine(*operator, part(*left)?, part(*right)?))?
            }
            Expression::And(left, right) | Expression::Or(left, right) => {
                part(*left)?;
                part(*right)?;
                TRUTH
            }
            Expression::Conditional(condition, yes, no) => {
                part(*condition)?;
                hull(part(*yes)?, part(*no)?)
            }
            Expression::Quantifier { kind, low, high, body, .. }
                if *kind != QuantifierKind::Sum =>
            {
                part(*body)?;
                let turns = (i64::from(*high) - i64::from(*low) + 1).max(0).unsigned_abs();
                // An evaluation that takes too many steps fails, too.
                (turns.saturating_mul(self.size(*body)) <= SIZE).then_some(TRUTH)?
            }
            Expression::Assign { place, operator, value, .. } => {
                self.assignment(place, *operator, part(*value)?, depth)?
            }
            Expression::AssignClock(place, value) => {
                self.indices(&place.indices, depth)?;
                let (low, high) = part(*value)?;
                (low >= 0 && high <= clock_limit()).then_some((0, 0))?
            }
            Expression::CopyClock(target, source) => {
                self.indices(&target.indices, depth)?;
                self.indices(&source.indices, depth)?;
                (0, 0)
            }
            Expression::Sequence(parts) => {
                let mut last = (0, 0);
                for id in parts {
                    last = part(*id)?;
                }
                last
            }
            _ => return None,
        };
        let (low, high) = interval;
        (Range::ALL.contains(low) && Range::ALL.contains(high)).then_some(interval)
    }

    /// How many evaluations one evaluation of `id` is made of, at most.
    fn size(&self, id: ExpressionId) -> u64 {
        let expression = &self.model.expressions[id];
        let mut inside = 1u64;
        expression.for_each_child(|child| inside = inside.saturating_add(self.size(child)));
        match expression {
            Expression::Quantifier { low, high, .. } => {
                let turns = (i64::from(*high) - i64::from(*low) + 1).max(0).unsigned_abs();
                turns.saturating_mul(inside).saturating_add(1)
            }
            _ => inside,
        }
    }

    /// Whether every index is within its bounds, whatever happens.
    pub(crate) fn indices(&self, indices: &[PlaceIndex], depth: u32) -> Option<()> {
        for index in indices {
            let (low, high) = self.of(index.value, depth + 1)?;
            let first = i64::from(index.low);
            if low < first || high >= first + i64::from(index.size) {
                return None;
            }
        }
        Some(())
    }

    fn assignment(
        &self,
        place: &Place<Storage>,
        operator: Option<BinaryOperator>,
        value: Interval,
        depth: u32,
    ) -> Option<Interval> {
        self.indices(&place.indices, depth)?;
        let before = self.content(place);
        let (low, high) = match operator {
            Some(operator) => safe(combine(operator, before, value))?,
            None => value,
        };
        // Every element that may be meant must be able to hold it.
        let fits = (0..=place.extent()).all(|k| {
            let range = self.range(offset(place.root, k));
            range.0 <= low && high <= range.1
        });
        fits.then_some(hull(before, (low, high)))
    }

    fn content(&self, place: &Place<Storage>) -> Interval {
        let elements = (0..=place.extent()).map(|k| self.range(offset(place.root, k)));
        elements.reduce(hull).unwrap_or((0, 0))
    }

    fn range(&self, address: Storage) -> Interval {
        match address {
            Storage::Cell(cell) => of_range(self.model.cells[cell].range),
            Storage::Constant(constant) => only(self.model.constants[constant]),
            Storage::Local(local) => match self.bindings.iter().find(|(l, _)| *l == local) {
                Some((_, Binding::Value(value))) => only(*value),
                Some((_, Binding::Any(low, high))) => (i64::from(*low), i64::from(*high)),
                None => of_range(self.model.locals[local].range),
            },
        }
    }
}

/// The values of an operation that cannot fail.
fn safe(combined: Combined) -> Option<Interval> {
    (!combined.may_fail).then_some(combined.values)
}
