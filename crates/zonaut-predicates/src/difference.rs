//! Clock differences: the bounds that clock constraints imply for every value of the data.

use zonaut_analysis::interval::{Contents, Declared, Intervals};
use zonaut_analysis::normal_form::Bindings;
use zonaut_analysis::{Overlay, Reachable, Truth, Walk};
use zonaut_base::Id;
use zonaut_compile::{ClockRow, row_of};
use zonaut_dbm::{Bound, ConstantBound, Wide, Width};
use zonaut_model::interval::Interval;
use zonaut_model::{
    CLOCK_LIMIT, ClockConstraint, ClockId, Expression, ExpressionId, Model, Place, Relation,
    Storage,
};
use zonaut_zonegraph::ZoneConstraint;

/// The constraint that `x - y` is within a bound; rows are those of the zone over all clocks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Difference {
    pub(crate) x: ClockRow,
    pub(crate) y: ClockRow,
    pub(crate) bound: ConstantBound,
}

impl Difference {
    /// The same for zones of the greatest width.
    pub(crate) fn constraint(self) -> ZoneConstraint<Wide> {
        ZoneConstraint { x: self.x, y: self.y, bound: Bound::from(self.bound) }
    }

    /// The complement of this difference.
    pub(crate) fn negated(self) -> Self {
        Self { x: self.y, y: self.x, bound: self.bound.negated() }
    }

    /// Its bound in zones of a width. Returns `None` if the constant does not fit.
    pub(crate) fn width<W: Width>(self) -> Option<Bound<W>> {
        let fits = self.bound.value().unsigned_abs() <= Bound::<W>::MAX_CONSTANT.unsigned_abs();
        fits.then(|| Bound::from(self.bound))
    }

    /// The representative of this difference and its negation, the one with the greater row first,
    /// and whether it is the negation.
    pub(crate) fn canonical(self) -> (Self, bool) {
        if self.x > self.y { (self, false) } else { (self.negated(), true) }
    }
}

/// The differences that a clock constraint implies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ImpliedDifferences {
    /// Differences that hold whenever the constraint holds.
    pub(crate) differences: Vec<Difference>,
    /// Whether the constraint holds whenever all differences hold.
    pub(crate) is_exact: bool,
}

impl ImpliedDifferences {
    const NOTHING: Self = Self { differences: Vec::new(), is_exact: false };
}

/// The ranges of cells between transitions, for the evaluation of bounds.
struct CellRanges<'m> {
    declared: Declared<'m>,
    reachable: &'m Reachable<'m>,
}

impl Contents for CellRanges<'_> {
    fn of(&mut self, address: Storage) -> Interval {
        match address {
            Storage::Cell(cell) => self.reachable.cell(cell),
            other => self.declared.of(other),
        }
    }
}

/// Reads clock constraints and clock assignments.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'m> {
    pub(crate) model: &'m Model,
    pub(crate) reachable: &'m Reachable<'m>,
}

type Reading<'m> = Walk<'m, Intervals<'m, CellRanges<'m>>>;

impl<'m> Reader<'m> {
    fn walk(&self, bindings: &Bindings) -> Option<Reading<'m>> {
        let contents = CellRanges { declared: Declared(self.model), reachable: self.reachable };
        let domain = Intervals::new(self.model, contents);
        let mut walk = Walk::new(self.model, domain, Overlay::default());
        walk.bind_all(bindings)?;
        Some(walk)
    }

    /// The differences that a constraint implies between transitions for every value of the data.
    pub(crate) fn read(
        &self,
        constraint: &ClockConstraint,
        bindings: &Bindings,
    ) -> ImpliedDifferences {
        let Some(mut walk) = self.walk(bindings) else { return ImpliedDifferences::NOTHING };
        let is_certain = match constraint.condition {
            None => true,
            Some(condition) => walk.holds(condition) == Some(Truth::Holds),
        };
        let x = clock(&mut walk, &constraint.left).map(row_of);
        let y = match &constraint.right {
            None => Some(0),
            Some(place) => clock(&mut walk, place).map(row_of),
        };
        let values = walk.evaluate(constraint.bound);
        let (true, Some(x), Some(y), Some((low, high))) = (is_certain, x, y, values) else {
            return ImpliedDifferences::NOTHING;
        };
        let limit = i64::from(CLOCK_LIMIT);
        let is_sane = x != y && -limit <= low && high <= limit;
        if !is_sane {
            return ImpliedDifferences::NOTHING;
        }
        let above = |bound| Difference { x, y, bound };
        let below = |bound| Difference { x: y, y: x, bound };
        let (most, least) = (high as i32, -(low as i32));
        let differences = match constraint.relation {
            Relation::Less => vec![above(ConstantBound::lt(most))],
            Relation::LessEqual => vec![above(ConstantBound::le(most))],
            Relation::Equal => {
                vec![above(ConstantBound::le(most)), below(ConstantBound::le(least))]
            }
            Relation::GreaterEqual => vec![below(ConstantBound::le(least))],
            Relation::Greater => vec![below(ConstantBound::lt(least))],
        };
        ImpliedDifferences { differences, is_exact: low == high }
    }

    /// The clock and the constant that an assignment sets it to, if both are known.
    pub(crate) fn setting(
        &self,
        place: &Place<ClockId>,
        value: ExpressionId,
        bindings: &Bindings,
    ) -> Option<(ClockId, i32)> {
        // An earlier update of the same transition may have written cells: only expressions without
        // cells have a known value.
        if !self.is_steady(value) || place.indices.iter().any(|i| !self.is_steady(i.value)) {
            return None;
        }
        let mut walk = self.walk(bindings)?;
        let clock = clock(&mut walk, place)?;
        let (low, high) = walk.evaluate(value)?;
        (low == high && (0..=i64::from(CLOCK_LIMIT)).contains(&low)).then_some((clock, low as i32))
    }

    /// The source and the target of a clock copy, if both are known.
    pub(crate) fn copying(
        &self,
        target: &Place<ClockId>,
        source: &Place<ClockId>,
        bindings: &Bindings,
    ) -> Option<(ClockId, ClockId)> {
        let mut indices = target.indices.iter().chain(&source.indices);
        if indices.any(|index| !self.is_steady(index.value)) {
            return None;
        }
        let mut walk = self.walk(bindings)?;
        Some((clock(&mut walk, target)?, clock(&mut walk, source)?))
    }

    /// Whether an expression is made of constants and bound variables alone.
    fn is_steady(&self, id: ExpressionId) -> bool {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let expression = &self.model.expressions[id];
            let is_steady = match expression {
                Expression::Constant(_) | Expression::Unary(..) | Expression::Binary(..) => true,
                Expression::Read(place) => !matches!(place.root, Storage::Cell(_)),
                _ => false,
            };
            if !is_steady {
                return false;
            }
            expression.for_each_child(|child| open.push(child));
        }
        true
    }
}

/// The clock at an address, if the address has constant indices.
fn clock(walk: &mut Reading<'_>, place: &Place<ClockId>) -> Option<ClockId> {
    match walk.displacements(&place.indices)?.as_slice() {
        [displacement] => Some(ClockId::from_index(place.root.index() + displacement)),
        _ => None,
    }
}
