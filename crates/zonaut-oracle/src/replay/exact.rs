//! Clock values as exact fractions.

use crate::network::{Clocks, compare};
use std::cell::RefCell;
use std::collections::BTreeSet;
use zonaut_base::Id;
use zonaut_model::interpret::ClockEffect;
use zonaut_model::{ClockId, Relation};

/// Values are multiples of one half, so that there is an instant between any two others.
pub(super) const UNIT: i128 = 2;

/// Values as numerators over `UNIT * denominator`.
#[derive(Debug)]
pub(super) struct ExactClocks {
    one: i128,
    /// The bounds that single clocks were compared with.
    bounds: RefCell<Vec<(ClockId, i32)>>,
    /// The bounds that differences of clocks were compared with.
    differences: RefCell<BTreeSet<i32>>,
    /// The numbers that clocks were set to.
    settings: RefCell<BTreeSet<i32>>,
}

impl ExactClocks {
    pub(super) fn new(denominator: i128) -> Self {
        Self {
            one: denominator * UNIT,
            bounds: RefCell::default(),
            differences: RefCell::default(),
            settings: RefCell::default(),
        }
    }

    /// Clears the recorded bounds.
    pub(super) fn forget_bounds(&self) {
        self.bounds.borrow_mut().clear();
        self.differences.borrow_mut().clear();
        self.settings.borrow_mut().clear();
    }

    /// The delays below `end`, ascending, after which some clock equals a bound it was compared
    /// with; the clocks `stopped` do not change. Differences do not change either, unless one of
    /// the clocks is stopped, which this test does not support.
    pub(super) fn changes(&self, values: &[i128], stopped: &[ClockId], end: i128) -> Vec<i128> {
        let bounds = self.bounds.borrow();
        let runs = |(clock, _): &&(ClockId, i32)| !stopped.contains(clock);
        let delay =
            |&(clock, bound): &(ClockId, i32)| i128::from(bound) * self.one - values[clock.index()];
        let mut changes: Vec<i128> = bounds
            .iter()
            .filter(runs)
            .map(delay)
            .filter(|&delay| delay > 0 && delay < end)
            .collect();
        changes.sort_unstable();
        changes.dedup();
        changes
    }
}

impl ExactClocks {
    /// The delays, ascending, after which some clock equals a bound that any clock was compared
    /// with: clocks may be copied before they are compared. The difference to a clock that a
    /// transition has just set compares the other clock with a bound.
    pub(super) fn all_changes(&self, values: &[i128]) -> Vec<i128> {
        let mut bounds: Vec<i64> =
            self.bounds.borrow().iter().map(|&(_, bound)| i64::from(bound)).collect();
        for &bound in self.differences.borrow().iter() {
            for &set in self.settings.borrow().iter() {
                let (bound, set) = (i64::from(bound), i64::from(set));
                bounds.extend([set + bound, set - bound]);
            }
        }
        bounds.sort_unstable();
        bounds.dedup();
        let delays = bounds.iter().flat_map(|&bound| {
            values.iter().map(move |&value| i128::from(bound) * self.one - value)
        });
        let mut changes: Vec<i128> = delays.filter(|&delay| delay > 0).collect();
        changes.sort_unstable();
        changes.dedup();
        changes
    }
}

impl Clocks for ExactClocks {
    type Value = i128;

    fn start(&self, initial: &[i32], values: &mut Vec<i128>) {
        values.clear();
        values.extend(initial.iter().map(|&value| i128::from(value) * self.one));
    }

    fn holds(
        &self,
        values: &[i128],
        left: ClockId,
        right: Option<ClockId>,
        relation: Relation,
        bound: i32,
    ) -> bool {
        match right {
            None => self.bounds.borrow_mut().push((left, bound)),
            Some(_) => {
                self.differences.borrow_mut().insert(bound);
            }
        }
        let subtracted = right.map_or(0, |right| values[right.index()]);
        let difference = values[left.index()] - subtracted;
        compare(difference.cmp(&(i128::from(bound) * self.one)), relation)
    }

    fn apply(&self, values: &mut [i128], effect: ClockEffect) {
        match effect {
            ClockEffect::Set(clock, to) => {
                self.settings.borrow_mut().insert(to);
                values[clock.index()] = i128::from(to) * self.one;
            }
            ClockEffect::Copy(to, from) => values[to.index()] = values[from.index()],
        }
    }
}
