//! Regions for models with clock differences.

use super::{RANKS, close_gaps};
use crate::network::{Clocks, compare};
use crate::oracle::ceilings::{Ceilings, ROOM};
use crate::oracle::explore::{Delay, FiniteClocks, Learnt};
use crate::oracle::witness::Amount;
use std::cell::Cell;
use zonaut_base::Id;
use zonaut_model::interpret::ClockEffect;
use zonaut_model::{ClockId, Relation};

/// Regions in which all fractional parts are represented and large gaps are cut.
///
/// Let `m` be the largest constant and `c` the largest number that a clock is set to, and sort zero
/// and all clocks by value. If a gap between neighbours is above `m + c + 2`, everything beyond it
/// moves down by whole units until it is not. That preserves the order of fractional parts, every
/// difference up to `m` between clocks, and every value up to `m + c`. A delay preserves
/// differences, and setting a clock to at most `c` leaves it more than `m` below any clock that was
/// above `m + c`. So valuations with the same cut are equivalent.
pub(super) struct DifferenceRegions {
    pub(super) ceilings: Ceilings,
    largest_set: Cell<i32>,
    allowed_set: i32,
}

impl DifferenceRegions {
    pub(super) fn new(ceilings: Ceilings) -> Self {
        Self { ceilings, largest_set: Cell::new(0), allowed_set: 0 }
    }

    fn cut(&self, values: &mut [i32]) {
        let gap = self.ceilings.largest().min(ROOM) + self.allowed_set + 1;
        let mut order: [usize; RANKS as usize] = std::array::from_fn(|clock| clock);
        let order = &mut order[..values.len()];
        order.sort_unstable_by_key(|&clock| values[clock]);
        let (mut before, mut shift) = (0, 0);
        for &mut clock in order {
            let value = values[clock];
            // The whole units between the two, without the fractional part of the difference.
            let units =
                (value / RANKS - before / RANKS) - i32::from(value % RANKS < before % RANKS);
            shift += (units - gap).max(0);
            values[clock] = value - shift * RANKS;
            before = value;
        }
    }
}

impl Clocks for DifferenceRegions {
    type Value = i32;

    fn start(&self, initial: &[i32], values: &mut Vec<i32>) {
        values.clear();
        values.extend(initial.iter().map(|&value| value.min(ROOM) * RANKS));
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
        self.ceilings.want(left, bound.saturating_abs());
        let subtracted = right.map_or(0, |right| values[right.index()]);
        let value = values[left.index()];
        let units = value / RANKS - subtracted / RANKS;
        let ordering = units.cmp(&bound).then((value % RANKS).cmp(&(subtracted % RANKS)));
        compare(ordering, relation)
    }

    fn apply(&self, values: &mut [i32], effect: ClockEffect) {
        match effect {
            ClockEffect::Set(clock, to) => {
                self.largest_set.set(self.largest_set.get().max(to));
                values[clock.index()] = to.min(ROOM) * RANKS;
            }
            ClockEffect::Copy(to, from) => values[to.index()] = values[from.index()],
        }
        close_gaps(values);
        self.cut(values);
    }
}

impl FiniteClocks for DifferenceRegions {
    fn delay(&self, values: &mut [i32]) -> Delay {
        let Some(largest) = values.iter().map(|value| value % RANKS).max() else {
            return Delay::Nothing;
        };
        let has_zero = values.iter().any(|value| value % RANKS == 0);
        for value in values.iter_mut() {
            if has_zero {
                *value += 1;
            } else if *value % RANKS == largest {
                *value += RANKS - largest;
            }
        }
        close_gaps(values);
        self.cut(values);
        if has_zero { Delay::IntoInterval } else { Delay::ToInstant }
    }

    fn amount(&self, values: &[i32]) -> Amount {
        let has_zero = values.iter().any(|value| value % RANKS == 0);
        if has_zero { Amount::Half } else { Amount::All }
    }

    fn matters(&self, _: &[i32], _: usize) -> bool {
        true
    }

    fn learn(&mut self) -> Learnt {
        let learnt = self.ceilings.learn();
        if self.largest_set.get() <= self.allowed_set {
            return learnt;
        }
        self.allowed_set = self.largest_set.get();
        if self.allowed_set > ROOM { Learnt::NoRoom } else { learnt.max(Learnt::More) }
    }
}
