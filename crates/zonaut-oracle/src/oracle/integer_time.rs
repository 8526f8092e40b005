//! The integer-time oracle: exact for reachability in closed models, clock differences included.
//!
//! In a closed model every path that is possible with some delays is possible with integer delays
//! (T. Henzinger, Z. Manna, A. Pnueli, *What good are digital clocks?*, ICALP 1992,
//! doi:10.1007/3-540-55719-9_103). Negated guards are open, so receivers of broadcasts and urgent
//! channels must not have clock guards here.

use super::ceilings::{Ceilings, ROOM};
use super::explore::{Delay, FiniteClocks, Learnt, Limits, Verdict, explore};
use super::scope::{is_closed, is_diagonal_free};
use super::witness::Amount;
use crate::network::{Clocks, Problem, compare};
use std::cell::Cell;
use zonaut_base::Id;
use zonaut_model::interpret::ClockEffect;
use zonaut_model::{ClockId, Model, QueryKind, Relation};

/// Decides `E<> p` or `A[] p` by exploring all integer valuations.
#[must_use]
pub fn integer_time(model: &Model, query: &QueryKind, limits: Limits) -> Verdict {
    if model.has_rates() {
        return Verdict::Refused(Problem::Unsupported("clock rates"));
    }
    if !is_closed(model, query) {
        return Verdict::Refused(Problem::Unsupported("strict bounds"));
    }
    explore(model, query, Integers::new(model, query, 1), limits)
}

/// Searches a goal of `E<> p` or `A[] p` at times that are multiples of 1 / `parts`, also with
/// stopped clocks. A goal that is found is reachable; one that is not found may be reachable at
/// other times. No witness is constructed.
#[must_use]
pub fn grid_time(model: &Model, query: &QueryKind, parts: i32, limits: Limits) -> Verdict {
    let limits = Limits { witness: false, ..limits };
    let mut clocks = Integers::new(model, query, parts);
    if clocks.keeps_differences {
        // No cut-off preserves differences with stopped clocks, so time ends instead.
        clocks.farthest = Some(parts.saturating_mul(FARTHEST));
    }
    explore(model, query, clocks, limits)
}

/// The clock value at which time ends, if clock differences are compared on a grid.
const FARTHEST: i32 = 8;

impl Integers {
    pub(super) fn new(model: &Model, query: &QueryKind, parts: i32) -> Self {
        Self {
            ceilings: Ceilings::new(model, query),
            largest_set: Cell::new(0),
            allowed_set: 0,
            keeps_differences: !is_diagonal_free(model, query),
            parts,
            farthest: None,
        }
    }
}

/// Integer valuations.
///
/// Without clock differences a clock is cut off one above its ceiling. With them, let `m` be the
/// largest constant and `c` the largest number that a clock is set to, and sort zero and all clocks
/// by value: a gap between neighbours is cut off at `m + c + 1`. That preserves every difference up
/// to `m` between clocks, and every value up to `m + c`; a delay preserves differences, and setting
/// a clock to at most `c` leaves a distance above `m` to any clock that was above `m + c`. So
/// valuations with the same cut-off are equivalent.
pub(super) struct Integers {
    ceilings: Ceilings,
    largest_set: Cell<i32>,
    allowed_set: i32,
    keeps_differences: bool,
    /// The number of parts of a unit of time.
    parts: i32,
    /// If set, values are not cut off, but time ends when a clock has this value.
    farthest: Option<i32>,
}

impl Integers {
    fn cut(&self, values: &mut [i32]) {
        if self.farthest.is_some() {
            return;
        }
        if !self.keeps_differences {
            for (clock, value) in values.iter_mut().enumerate() {
                let ceiling = self.ceilings.of(ClockId::from_index(clock));
                let above = ceiling.saturating_mul(self.parts).saturating_add(1);
                *value = above.min(*value);
            }
            return;
        }
        let gap = self.ceilings.largest().saturating_add(self.allowed_set).saturating_add(1);
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by_key(|&clock| values[clock]);
        let (mut before, mut before_cut) = (0, 0_i32);
        for clock in order {
            let distance = (values[clock] - before).min(gap);
            before = values[clock];
            before_cut = before_cut.saturating_add(distance);
            values[clock] = before_cut;
        }
    }
}

impl Clocks for Integers {
    type Value = i32;

    fn start(&self, initial: &[i32], values: &mut Vec<i32>) {
        values.clear();
        values.extend(initial.iter().map(|value| value.saturating_mul(self.parts)));
        self.cut(values);
    }

    fn holds(
        &self,
        values: &[i32],
        left: ClockId,
        right: Option<ClockId>,
        relation: Relation,
        bound: i32,
    ) -> bool {
        for clock in std::iter::once(left).chain(right) {
            self.ceilings.want(clock, bound.saturating_abs());
        }
        let subtracted = right.map_or(0, |right| i64::from(values[right.index()]));
        let difference = i64::from(values[left.index()]) - subtracted;
        compare(difference.cmp(&(i64::from(bound) * i64::from(self.parts))), relation)
    }

    fn apply(&self, values: &mut [i32], effect: ClockEffect) {
        match effect {
            ClockEffect::Set(clock, to) => {
                self.largest_set.set(self.largest_set.get().max(to));
                values[clock.index()] = to.saturating_mul(self.parts);
            }
            ClockEffect::Copy(to, from) => {
                self.ceilings.want(from, self.ceilings.of(to));
                values[to.index()] = values[from.index()];
            }
        }
        self.cut(values);
    }
}

impl FiniteClocks for Integers {
    fn delay(&self, values: &mut [i32]) -> Delay {
        if self.farthest.is_some_and(|farthest| values.iter().any(|&value| value >= farthest)) {
            return Delay::Nothing;
        }
        let before: Vec<i32> = values.to_vec();
        for value in values.iter_mut() {
            *value = value.saturating_add(1);
        }
        self.cut(values);
        if before == values { Delay::Nothing } else { Delay::ToInstant }
    }

    fn amount(&self, _: &[i32]) -> Amount {
        Amount::Unit
    }

    fn matters(&self, _: &[i32], _: usize) -> bool {
        true
    }

    fn learn(&mut self) -> Learnt {
        if self.farthest.is_some() {
            return Learnt::Enough;
        }
        let learnt = self.ceilings.learn();
        if !self.keeps_differences || self.largest_set.get() <= self.allowed_set {
            return learnt;
        }
        self.allowed_set = self.largest_set.get();
        if self.allowed_set > ROOM { Learnt::NoRoom } else { learnt.max(Learnt::More) }
    }
}
