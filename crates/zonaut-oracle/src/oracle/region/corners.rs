//! Regions with one of their corner points, for the infima of costs.
//!
//! The corners of a region are the integer points of its closure: the clocks whose fractional parts
//! are above some threshold are rounded up, the others down. The infimum of the costs of a path is
//! attained at an integral vertex of its closure, which passes through corners (P. Bouyer, E.
//! Brinksma, K. Larsen: *Optimal infinite scheduling for multi-priced timed automata*,
//! doi:10.1007/s10703-007-0043-4). A corner costs nothing as long as it belongs to the closure of the
//! next region, too. Where no clock is an integer and all are rounded down, a unit of time leads to
//! the corner where all are rounded up.

use super::super::ceilings::Ceilings;
use super::super::explore::{Delay, FiniteClocks, Learnt};
use super::super::rates::CostClocks;
use super::super::witness::Amount;
use super::{RANKS, Regions};
use crate::network::Clocks;
use zonaut_base::Id;
use zonaut_model::interpret::ClockEffect;
use zonaut_model::{ClockId, Model, QueryKind, Relation};

/// Regions with corners. A value is that of a region, doubled, plus one if it is rounded up.
pub(in super::super) struct Corners(Regions);

impl Corners {
    /// The corners of a model without clock differences; `None` if it has too many clocks.
    pub(in super::super) fn new(model: &Model, query: &QueryKind) -> Option<Self> {
        let is_small = model.clocks.len() + 2 <= RANKS as usize;
        is_small.then(|| Self(Regions { ceilings: Ceilings::new(model, query) }))
    }

    /// The values without corners.
    fn regions(values: &[i32]) -> Vec<i32> {
        values.iter().map(|value| value / 2).collect()
    }

    /// Combines values with the corner of `rounded`: an integer, or a value above the ceiling, is not
    /// rounded.
    fn combine(regions: &[i32], rounded: impl Iterator<Item = i32>, values: &mut [i32]) {
        for ((value, region), up) in values.iter_mut().zip(regions).zip(rounded) {
            *value = region * 2 + if region % RANKS > 0 { up } else { 0 };
        }
    }
}

impl Clocks for Corners {
    type Value = i32;

    fn start(&self, initial: &[i32], values: &mut Vec<i32>) {
        self.0.start(initial, values);
        values.iter_mut().for_each(|value| *value *= 2);
    }

    fn holds(
        &self,
        values: &[i32],
        left: ClockId,
        right: Option<ClockId>,
        relation: Relation,
        bound: i32,
    ) -> bool {
        debug_assert!(right.is_none(), "corners have no clock differences");
        self.0.value_holds(values[left.index()] / 2, left, relation, bound)
    }

    fn apply(&self, values: &mut [i32], effect: ClockEffect) {
        let mut rounded: Vec<i32> = values.iter().map(|value| value % 2).collect();
        match effect {
            ClockEffect::Set(clock, _) => rounded[clock.index()] = 0,
            ClockEffect::Copy(to, from) => rounded[to.index()] = rounded[from.index()],
        }
        let mut regions = Self::regions(values);
        self.0.apply(&mut regions, effect);
        Self::combine(&regions, rounded.into_iter(), values);
    }
}

impl FiniteClocks for Corners {
    fn delay(&self, values: &mut [i32]) -> Delay {
        let rounded: Vec<i32> = values.iter().map(|value| value % 2).collect();
        let mut regions = Self::regions(values);
        let delay = self.0.delay(&mut regions);
        Self::combine(&regions, rounded.into_iter(), values);
        delay
    }

    fn amount(&self, values: &[i32]) -> Amount {
        self.0.amount(&Self::regions(values))
    }

    fn matters(&self, values: &[i32], clock: usize) -> bool {
        self.0.matters(&Self::regions(values), clock)
    }

    fn learn(&mut self) -> Learnt {
        self.0.learn()
    }
}

impl CostClocks for Corners {
    const DELAY: i64 = 0;

    fn go_on(&self, values: &mut [i32]) -> bool {
        let is_fraction = |value: i32| value / 2 % RANKS > 0;
        let is_integer = |(clock, &value): (usize, &i32)| {
            value / 2 != self.0.above(clock) && !is_fraction(value)
        };
        let has_integer = values.iter().enumerate().any(is_integer);
        let is_up = values.iter().any(|value| value % 2 == 1);
        if has_integer || is_up || !values.iter().any(|&value| is_fraction(value)) {
            return false;
        }
        values.iter_mut().filter(|value| is_fraction(**value)).for_each(|value| *value += 1);
        true
    }
}
