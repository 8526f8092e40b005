//! The LU clock domain: lower and upper bounds of clocks that were needed.
//!
//! A label is a pair of bounds for every clock; it represents the valuations that the zone of the
//! node simulates with these bounds (F. Herbreteau, B. Srivathsan, I. Walukiewicz, "Lazy
//! abstractions for timed automata", DOI 10.1007/978-3-642-39799-8_71).
//!
//! # Soundness
//! Let `w` be in the zone and simulate `v`. A constraint that `v` satisfies is satisfied by `w` if
//! the whole zone satisfies it, or if its constant is within the bounds. So a conjunction that no
//! valuation of the zone satisfies is satisfied by no such `v` if the constants of enough of its
//! constraints are within the bounds: of an unsatisfiable subset. And if a step is enabled, `w`
//! takes it as `v` does if the constants of all its constraints are within the bounds, except of
//! those that the whole zone satisfies; resets make values equal, and delays preserve the order as
//! long as invariants that stop them are among the bounds. If the node after the step has no
//! bounds, its label contains all valuations, and no bounds are needed.

use crate::domain::{
    ActiveClockBounds, ClockDomain, DraftLabel, Exact, Labelled, LazyDomain, Obstacle,
    TransitionRecord,
};
use crate::interner::{Interner, Number};
use crate::proof::Region;
use zonaut_dbm::{NO_BOUND, Row, Width, Zone, alu_includes_slices};
use zonaut_zonegraph::{Before, ZoneConstraint, constraint_before, origin};

/// Labels are lower and upper bounds of clocks.
#[derive(Clone, Debug, Default)]
pub struct LowerUpper {
    /// The lower bounds of all rows, then the upper bounds.
    labels: Interner<i32>,
}

/// Bounds under strengthening.
#[derive(Clone, Default, Debug)]
pub struct BoundsDraft {
    label: Number,
    base: Vec<i32>,
    bounds: Vec<i32>,
}

impl BoundsDraft {
    fn rows(&self) -> usize {
        self.bounds.len() / 2
    }

    fn raise(&mut self, index: usize, bound: i32) {
        self.bounds[index] = self.bounds[index].max(bound);
    }

    /// Raises the bounds so that they include the constant of a constraint.
    fn admit<W: Width>(&mut self, constraint: &ZoneConstraint<W>, active: &ActiveClockBounds) {
        let (index, constant) = self.bound_index(constraint, active);
        #[cfg(feature = "faults")]
        if crate::faults::Fault::BoundTooSmall.is_selected() {
            return self.raise(index, constant - 1);
        }
        self.raise(index, constant);
    }

    /// Whether the constant of a constraint is within the bounds.
    fn admits<W: Width>(&self, constraint: &ZoneConstraint<W>, active: &ActiveClockBounds) -> bool {
        let (index, constant) = self.bound_index(constraint, active);
        self.bounds[index] >= constant
    }

    /// The index of the bound for a constraint, and its constant.
    fn bound_index<W: Width>(
        &self,
        constraint: &ZoneConstraint<W>,
        active: &ActiveClockBounds,
    ) -> (usize, i32) {
        let value = constraint.bound.value();
        match constraint.x {
            0 => (active.position(constraint.y).index(), saturated(-value)),
            x => (self.rows() + active.position(x).index(), saturated(value)),
        }
    }
}

/// The value as 32 bits: constants of models fit, and constants of zones do not occur here.
fn saturated(value: i64) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// Whether the whole zone satisfies a constraint.
fn contains<W: Width>(exact: Exact<'_, W>, constraint: &ZoneConstraint<W>) -> bool {
    let (x, y) = (exact.active.position(constraint.x), exact.active.position(constraint.y));
    exact.zone[x.index() * exact.active.rows.len() + y.index()] <= constraint.bound
}

/// Whether no valuation of the zone satisfies these constraints together.
fn excludes<'c, W: Width>(
    exact: Exact<'_, W>,
    constraints: impl IntoIterator<Item = &'c ZoneConstraint<W>>,
) -> bool {
    let mut zone = Zone::from_slice(exact.active.rows.len(), exact.zone);
    let position = |row| exact.active.position(row);
    let all = constraints.into_iter().map(|c| (position(c.x), position(c.y), c.bound));
    zone.constrain_all(all).is_err()
}

impl LowerUpper {
    /// Strengthens the draft so that it excludes a conjunction that no valuation of the zone
    /// satisfies.
    fn exclude<W: Width>(
        exact: Exact<'_, W>,
        constraints: &[ZoneConstraint<W>],
        draft: &mut BoundsDraft,
    ) {
        let active = exact.active;
        let mut kept: Vec<_> = constraints.iter().filter(|c| !contains(exact, c)).collect();
        if excludes(exact, kept.iter().copied().filter(|c| draft.admits(c, active))) {
            return;
        }
        let mut index = 0;
        while index < kept.len() {
            let constraint = kept.remove(index);
            if !excludes(exact, kept.iter().copied()) {
                kept.insert(index, constraint);
                index += 1;
            }
        }
        kept.into_iter().for_each(|constraint| draft.admit(constraint, active));
    }

    /// Adds the constants that a transition tests to the draft `into`, except of constraints that
    /// the whole zone satisfies.
    fn admit_tests<W: Width>(
        transition: &TransitionRecord<W>,
        source: Exact<'_, W>,
        into: &mut BoundsDraft,
    ) {
        #[cfg(feature = "faults")]
        if crate::faults::Fault::TestsForgotten.is_selected() {
            return;
        }
        let mut admit = |constraint: &ZoneConstraint<W>, is_cut_later: bool| {
            if is_cut_later || !contains(source, constraint) {
                into.admit(constraint, source.active);
            }
        };
        transition.before.iter().for_each(|constraint| admit(constraint, false));
        let after = |constraint: &ZoneConstraint<W>| match constraint_before(
            *constraint,
            &transition.effects,
        ) {
            Before::Where(before) => Some(before),
            Before::Always | Before::Never => None,
        };
        transition.arrival.iter().filter_map(after).for_each(|before| admit(&before, false));
        if transition.delayed {
            let upper = transition.departure.iter().filter(|constraint| constraint.y == 0);
            upper.filter_map(after).for_each(|before| admit(&before, true));
        }
    }
}

impl<W: Width> LazyDomain<W> for LowerUpper {
    type Label = Number;
    type Draft = BoundsDraft;

    fn weakest(&mut self, exact: Exact<'_, W>) -> Number {
        self.labels.intern(&vec![NO_BOUND; 2 * exact.active.rows.len()])
    }

    fn draft(&self, node: Labelled<'_, W, Number>, draft: &mut BoundsDraft) {
        draft.label = node.label;
        draft.base.clear();
        draft.base.extend_from_slice(self.labels.get(node.label));
        draft.bounds.clone_from(&draft.base);
    }

    fn may_cover(&self, larger: Labelled<'_, W, Number>, smaller: Exact<'_, W>) -> bool {
        let bounds = self.labels.get(larger.label);
        let (lower, upper) = bounds.split_at(bounds.len() / 2);
        larger.exact.shares_zone(&smaller)
            || alu_includes_slices(larger.exact.zone, smaller.zone, lower, upper)
    }

    fn strengthen_to_cover(&mut self, larger: Labelled<'_, W, Number>, draft: &mut BoundsDraft) {
        let bounds = self.labels.get(larger.label).iter().enumerate();
        bounds.for_each(|(index, &bound)| draft.raise(index, bound));
    }

    fn strengthen_to_block(
        &mut self,
        exact: Exact<'_, W>,
        obstacle: Obstacle<'_, W>,
        draft: &mut BoundsDraft,
    ) {
        match obstacle {
            Obstacle::Clocks(constraints) => Self::exclude(exact, constraints, draft),
            Obstacle::AllClocks => {
                let rows = draft.rows();
                let bounds = exact.active.lower.iter().chain(&exact.active.upper).enumerate();
                let of_clocks = bounds.filter(|(index, _)| !index.is_multiple_of(rows));
                of_clocks.for_each(|(index, &bound)| draft.raise(index, bound));
            }
            _ => {}
        }
    }

    fn before(
        &mut self,
        transition: &TransitionRecord<W>,
        [source, target]: [Exact<'_, W>; 2],
        learnt: &BoundsDraft,
        into: &mut BoundsDraft,
    ) {
        if learnt.bounds == learnt.base {
            return;
        }
        Self::admit_tests(transition, source, into);
        let (rows, rows_before) = (learnt.rows(), into.rows());
        for (position, &row) in target.active.rows.iter().enumerate().skip(1) {
            let (from, _) = origin(row, &transition.effects);
            let Ok(before) = source.active.rows.binary_search(&from) else { continue };
            if before != Row::ZERO.index() {
                #[cfg(feature = "faults")]
                if crate::faults::Fault::BoundNotPropagated.is_selected() {
                    continue;
                }
                into.raise(before, learnt.bounds[position]);
                into.raise(rows_before + before, learnt.bounds[rows + position]);
            }
        }
    }

    fn label_of(&mut self, draft: &BoundsDraft) -> DraftLabel<Number> {
        let is_new = draft.bounds != draft.base;
        let label = if is_new { self.labels.intern(&draft.bounds) } else { draft.label };
        DraftLabel { label, is_new }
    }

    fn still_covered(
        &self,
        larger: Labelled<'_, W, Number>,
        smaller: Labelled<'_, W, Number>,
    ) -> bool {
        let bounds = self.labels.get(larger.label).iter().zip(self.labels.get(smaller.label));
        let mut bounds = bounds;
        bounds.all(|(large, small)| large <= small) && self.may_cover(larger, smaller.exact)
    }

    fn bytes(&self) -> usize {
        self.labels.bytes()
    }
}

impl<W: Width> ClockDomain<W> for LowerUpper {
    fn region<'e>(&'e self, node: Labelled<'e, W, Number>) -> Region<'e, W> {
        let bounds = self.labels.get(node.label);
        Region { zone: node.exact.zone, bounds: Some(bounds.split_at(bounds.len() / 2)) }
    }
}
