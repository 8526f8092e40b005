//! The constants of clock constraints.

use super::ClockBounds;
use super::clock_writes::{ClockCopy, targets};
use std::collections::BTreeSet;
use zonaut_analysis::Reachable;
use zonaut_analysis::normal_form::{Literal, NormalForm};
use zonaut_base::{Id, IndexVec};
use zonaut_dbm::{ConstantBound, NO_BOUND};
use zonaut_model::{
    CLOCK_LIMIT, ClockConstraint, ClockId, Direction, Edge, Expression, Formula, Model, Place,
    Range, Relation,
};

/// A clock difference `x - y` that is compared with constants. If the bound is computed at run
/// time, they are all its possible values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct BoundedDifference {
    /// The clock.
    pub x: ClockId,
    /// The clock that is subtracted.
    pub y: ClockId,
    /// The least constant.
    pub low: i32,
    /// The greatest constant.
    pub high: i32,
    /// Whether a difference equal to a constant is distinguished from a smaller one; otherwise, it
    /// is distinguished from a greater one.
    pub is_strict: bool,
}

impl BoundedDifference {
    /// The bound on the difference with one of its constants.
    #[must_use]
    pub fn bound(&self, constant: i32) -> ConstantBound {
        match self.is_strict {
            true => ConstantBound::lt(constant),
            false => ConstantBound::le(constant),
        }
    }
}

/// The polarities in which a constraint is tested.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    Positive,
    Negative,
    Both,
}

impl Seen {
    /// A receiver of a broadcast does not take part only if its guard fails, and time stops when
    /// the guard of an urgent synchronisation becomes true: in these cases the negation is tested
    /// too.
    pub(super) fn of_guard(model: &Model, edge: &Edge) -> Self {
        let Some(sync) = &edge.synchronisation else { return Self::Positive };
        let first = sync.channel.root.index();
        let mut channels =
            (first..=first + sync.channel.extent()).map(|k| &model.channels[Id::from_index(k)]);
        let receives = sync.direction == Direction::Receive;
        let negated = channels.any(|channel| channel.urgent || (channel.broadcast && receives));
        if negated { Self::Both } else { Self::Positive }
    }

    /// The same, or both if that is required.
    pub(super) fn or_both(self, is_required: bool) -> Self {
        if is_required { Self::Both } else { self }
    }
}

/// The computation of the bounds that constraints give to clocks, and of differences.
pub(super) struct Constants<'m> {
    values: Reachable<'m>,
    /// By clock, the greatest value that it or a clock it is copied from is ever set to.
    settings: IndexVec<ClockId, i32>,
    /// The greatest magnitude of all constants that clocks are compared with or initialised to.
    greatest: i32,
    differences: BTreeSet<BoundedDifference>,
}

impl<'m> Constants<'m> {
    pub(super) fn new(model: &'m Model, copies: &[ClockCopy]) -> Self {
        let values = Reachable::new(model);
        let settings = settings(model, &values, copies);
        let greatest = model.clocks.iter().map(|clock| clock.initial).max().unwrap_or(0);
        let differences = BTreeSet::new();
        Self { values, settings, greatest, differences }
    }

    /// The greatest magnitude of all constants that clocks are set to or compared with in the
    /// constraints processed so far.
    pub(super) fn greatest(&self) -> i32 {
        self.settings.iter().copied().max().unwrap_or(0).max(self.greatest)
    }

    /// The values that a bound can have; one that is larger than the limit fails at run time.
    fn interval(&mut self, constraint: &ClockConstraint) -> (i32, i32) {
        let fitting = |value: i32| value.clamp(-CLOCK_LIMIT, CLOCK_LIMIT);
        let Range { low, high } = self.values.expression(constraint.bound);
        let (low, high) = (fitting(low), fitting(high));
        self.greatest = self.greatest.max(low.abs()).max(high.abs());
        (low, high)
    }

    /// Adds the bounds of the constraints of a goal.
    pub(super) fn of_goal(&mut self, goal: &Formula, into: &mut Vec<ClockBounds>) {
        NormalForm::new(goal).for_each_literal(&mut |literal, negated| {
            if let Literal::Clock(constraint) = literal {
                let seen = if negated { Seen::Negative } else { Seen::Positive };
                self.of_constraint(constraint, seen, into);
            }
        });
    }

    /// Adds the bounds of one constraint.
    pub(super) fn of_constraint(
        &mut self,
        constraint: &ClockConstraint,
        seen: Seen,
        into: &mut Vec<ClockBounds>,
    ) {
        if let Some(right) = &constraint.right {
            self.of_difference(constraint, right, into);
            return;
        }
        let (_, high) = self.interval(constraint);
        let relation = constraint.relation;
        let from_below =
            matches!(relation, Relation::Equal | Relation::GreaterEqual | Relation::Greater);
        let from_above = matches!(relation, Relation::Equal | Relation::LessEqual | Relation::Less);
        let (tests_lower, tests_upper) = match seen {
            Seen::Positive => (from_below, from_above),
            Seen::Negative => (from_above, from_below),
            Seen::Both => (true, true),
        };
        // A clock is never negative, so a negative constant distinguishes nothing; the clock is
        // still read, and must be active.
        let value = high.max(0);
        let bound = |applies| if applies { value } else { NO_BOUND };
        let (lower, upper) = (bound(tests_lower), bound(tests_upper));
        into.extend(targets(&constraint.left).map(|clock| ClockBounds { clock, lower, upper }));
    }

    /// A clock difference is recorded so that zones are split on it. When one of its clocks is set
    /// to a value, it becomes a comparison of the other one with the constant and the value.
    fn of_difference(
        &mut self,
        constraint: &ClockConstraint,
        right: &Place<ClockId>,
        into: &mut Vec<ClockBounds>,
    ) {
        let (low, high) = self.interval(constraint);
        let most = low.abs().max(high.abs());
        let strictness: &[bool] = match constraint.relation {
            Relation::Equal => &[false, true],
            Relation::LessEqual | Relation::Greater => &[false],
            Relation::Less | Relation::GreaterEqual => &[true],
        };
        for x in targets(&constraint.left) {
            for y in targets(right) {
                for &is_strict in strictness {
                    self.differences.insert(BoundedDifference { x, y, low, high, is_strict });
                }
                for (clock, other) in [(x, y), (y, x)] {
                    let value = most + self.settings[other];
                    into.push(ClockBounds { clock, lower: value, upper: value });
                }
            }
        }
    }

    /// The relevant differences: those that are compared, and those that become one of them when a
    /// clock is copied.
    pub(super) fn into_differences(self, copies: &[ClockCopy]) -> Vec<BoundedDifference> {
        let mut all = self.differences;
        let mut open: Vec<_> = all.iter().copied().collect();
        while let Some(after) = open.pop() {
            for &(target, source) in copies {
                let before = [
                    (target == after.x).then_some(BoundedDifference { x: source, ..after }),
                    (target == after.y).then_some(BoundedDifference { y: source, ..after }),
                ];
                for difference in before.into_iter().flatten().filter(|d| d.x != d.y) {
                    if all.insert(difference) {
                        open.push(difference);
                    }
                }
            }
        }
        all.into_iter().collect()
    }
}

/// By clock, the greatest value that it or a clock it may be copied from is ever set to.
fn settings(model: &Model, values: &Reachable<'_>, copies: &[ClockCopy]) -> IndexVec<ClockId, i32> {
    let mut greatest: IndexVec<ClockId, i32> = model.clocks.iter().map(|_| 0).collect();
    for expression in &model.expressions {
        if let Expression::AssignClock(place, value) = expression {
            let Range { high, .. } = values.expression(*value);
            for clock in targets(place) {
                greatest[clock] = greatest[clock].max(high.min(CLOCK_LIMIT));
            }
        }
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &(target, source) in copies {
            if greatest[source] > greatest[target] {
                greatest[target] = greatest[source];
                changed = true;
            }
        }
    }
    greatest
}
