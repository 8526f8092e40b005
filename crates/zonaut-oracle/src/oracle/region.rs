//! The region oracle: exact for every model, with strict bounds or not.
//!
//! A valuation is represented by the integer part of each clock and the rank of its fractional part
//! among all fractional parts (R. Alur, D. Dill, *A theory of timed automata*, TCS 126, 1994,
//! doi:10.1016/0304-3975(94)90010-8). Ranks are made dense again after every change. A fixed grid
//! of fractions would not be exact: the next reset may need a point between two neighbouring ones.

mod corners;
mod difference;

use super::ceilings::{Ceilings, ROOM};
use super::explore::{Delay, FiniteClocks, Learnt, Limits, Verdict, explore};
use super::extremes::{self, Extreme, Extremes, ReadableClocks, Reading};
use super::maximal::{MaximalRuns, look_for_maximal_run};
use super::scope::is_diagonal_free;
use super::witness::Amount;
use crate::network::{Clocks, Problem, compare};
pub(super) use corners::Corners;
use difference::DifferenceRegions;
use std::cmp::Ordering;
use zonaut_base::Id;
use zonaut_model::interpret::ClockEffect;
use zonaut_model::{CellId, ClockId, Formula, Model, QueryKind, Relation};

/// Decides `E<> p` or `A[] p` by exploring all regions.
#[must_use]
pub fn region(model: &Model, query: &QueryKind, limits: Limits) -> Verdict {
    if model.has_rates() {
        return Verdict::Refused(Problem::Unsupported("clock rates"));
    }
    if model.clocks.len() + 2 > RANKS as usize {
        return Verdict::TooLarge;
    }
    let ceilings = Ceilings::new(model, query);
    if is_diagonal_free(model, query) {
        explore(model, query, Regions { ceilings }, limits)
    } else {
        explore(model, query, DifferenceRegions::new(ceilings), limits)
    }
}

/// Decides `A<> p`, `E[] p` or `p --> q` by a search for a maximal run in the region graph.
#[must_use]
pub fn maximal_runs(model: &Model, query: &QueryKind, limits: Limits) -> MaximalRuns {
    if model.clocks.len() + 2 > RANKS as usize {
        return MaximalRuns::TooLarge;
    }
    let ceilings = Ceilings::new(model, query);
    if is_diagonal_free(model, query) {
        look_for_maximal_run(model, query, Regions { ceilings }, limits)
    } else {
        look_for_maximal_run(model, query, DifferenceRegions::new(ceilings), limits)
    }
}

/// The ceilings up to which a clock is followed, in the order of attempts.
const FOLLOWED: [i32; 2] = [12, 40];

/// The values of a clock in all regions where `formula` holds, in a model without clock differences.
#[must_use]
pub fn clock_extremes(
    model: &Model,
    formula: &Formula,
    clock: ClockId,
    limits: Limits,
) -> Extremes {
    let query = QueryKind::Possibly(formula.clone());
    if model.clocks.len() + 2 > RANKS as usize || !is_diagonal_free(model, &query) {
        return Extremes::Unknown;
    }
    let mut found = Extremes::Unknown;
    for ceiling in FOLLOWED {
        let ceilings = Ceilings::new(model, &query).raised(clock, ceiling);
        found = extremes::clock_extremes(model, formula, clock, Regions { ceilings }, limits);
        let above = Extreme::Approached(i32::MAX.into());
        let is_settled = match found {
            Extremes::Decided { range: Some((least, greatest)), .. } => {
                least != above && greatest != Extreme::Unbounded
            }
            Extremes::Decided { range: None, .. } | Extremes::Unknown => true,
        };
        if is_settled {
            break;
        }
    }
    found
}

/// The contents of a cell in all regions where `formula` holds.
#[must_use]
pub fn cell_extremes(model: &Model, formula: &Formula, cell: CellId, limits: Limits) -> Extremes {
    let query = QueryKind::Possibly(formula.clone());
    if model.clocks.len() + 2 > RANKS as usize || !is_diagonal_free(model, &query) {
        return Extremes::Unknown;
    }
    let ceilings = Ceilings::new(model, &query);
    extremes::cell_extremes(model, formula, cell, Regions { ceilings }, limits)
}

/// The number of ranks that the representation of a value has room for.
const RANKS: i32 = 32;

/// Regions, for models without clock differences. A value is represented as
/// `integer part * RANKS + rank`; rank 0 is the fractional part zero. The integer part above the ceiling, with rank 0,
/// represents all values above it.
struct Regions {
    ceilings: Ceilings,
}

impl Regions {
    /// The ceiling of a clock, limited by the representation; explorations with larger ones are
    /// discarded.
    fn ceiling(&self, clock: usize) -> i32 {
        self.ceilings.of(ClockId::from_index(clock)).min(ROOM)
    }

    fn above(&self, clock: usize) -> i32 {
        (self.ceiling(clock) + 1) * RANKS
    }

    /// Whether the represented value of a clock relates to `bound`.
    fn value_holds(&self, value: i32, clock: ClockId, relation: Relation, bound: i32) -> bool {
        self.ceilings.want(clock, bound);
        let ordering = if value == self.above(clock.index()) {
            Ordering::Greater
        } else {
            (value / RANKS).cmp(&bound).then((value % RANKS).cmp(&0))
        };
        compare(ordering, relation)
    }

    /// The representation of a value, whose rank need not be dense.
    fn written(&self, clock: usize, integer: i32, rank: i32) -> i32 {
        let value = integer.min(ROOM + 1) * RANKS + rank;
        if value > self.ceiling(clock) * RANKS { self.above(clock) } else { value }
    }
}

/// Makes ranks dense: the distinct positive fractional parts become 1, 2, ...
fn close_gaps(values: &mut [i32]) {
    let mut used = 0_u64;
    for &value in &*values {
        used |= 1 << (value % RANKS);
    }
    used &= !1;
    for value in values {
        let rank = *value % RANKS;
        if rank > 0 {
            let smaller = used & ((1 << rank) - 1);
            *value += smaller.count_ones() as i32 + 1 - rank;
        }
    }
}

impl Clocks for Regions {
    type Value = i32;

    fn start(&self, initial: &[i32], values: &mut Vec<i32>) {
        values.clear();
        let written = |(clock, &value): (usize, &i32)| self.written(clock, value, 0);
        values.extend(initial.iter().enumerate().map(written));
    }

    fn holds(
        &self,
        values: &[i32],
        left: ClockId,
        _: Option<ClockId>,
        relation: Relation,
        bound: i32,
    ) -> bool {
        self.value_holds(values[left.index()], left, relation, bound)
    }

    fn apply(&self, values: &mut [i32], effect: ClockEffect) {
        match effect {
            ClockEffect::Set(clock, to) => {
                values[clock.index()] = self.written(clock.index(), to, 0);
            }
            ClockEffect::Copy(to, from) => {
                self.ceilings.want(from, self.ceilings.of(to));
                let value = values[from.index()];
                values[to.index()] = if value == self.above(from.index()) {
                    self.above(to.index())
                } else {
                    self.written(to.index(), value / RANKS, value % RANKS)
                };
            }
        }
        close_gaps(values);
    }
}

impl ReadableClocks for Regions {
    fn read(&self, values: &[i32], clock: ClockId) -> Reading {
        let value = values[clock.index()];
        let is_known = value != self.above(clock.index());
        is_known.then_some((value / RANKS, value % RANKS > 0))
    }
}

impl FiniteClocks for Regions {
    fn delay(&self, values: &mut [i32]) -> Delay {
        let mut largest = None;
        let mut has_zero = false;
        for (clock, &value) in values.iter().enumerate() {
            if value != self.above(clock) {
                has_zero |= value % RANKS == 0;
                largest = largest.max(Some(value % RANKS));
            }
        }
        let Some(largest) = largest else { return Delay::Nothing };
        for (clock, value) in values.iter_mut().enumerate() {
            let (integer, rank) = (*value / RANKS, *value % RANKS);
            if *value == self.above(clock) {
                continue;
            }
            if has_zero {
                *value = self.written(clock, integer, rank + 1);
            } else if rank == largest {
                *value = self.written(clock, integer + 1, 0);
            }
        }
        close_gaps(values);
        if has_zero { Delay::IntoInterval } else { Delay::ToInstant }
    }

    fn amount(&self, values: &[i32]) -> Amount {
        let is_integer =
            |(clock, &value): (usize, &i32)| value != self.above(clock) && value % RANKS == 0;
        if values.iter().enumerate().any(is_integer) { Amount::Half } else { Amount::All }
    }

    fn matters(&self, values: &[i32], clock: usize) -> bool {
        values[clock] != self.above(clock)
    }

    fn learn(&mut self) -> Learnt {
        self.ceilings.learn()
    }
}
