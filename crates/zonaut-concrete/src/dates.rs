//! The dates of the events of a run, and the constraints between them.
//!
//! Dates are sums of as many bounds as there are events, in units of one over their number: for a
//! long run with large bounds they exceed 64 bits.

use crate::path::{Visited, stays_of};
use zonaut_compile::row_of;
use zonaut_dbm::Wide;
use zonaut_model::interpret::ClockEffect;
use zonaut_space::Meter;
use zonaut_zonegraph::ZoneConstraint;
use zonaut_zonegraph::{Transition, ZoneGraph};

/// A constraint that `t_left - t_right` is at most, or below, a value.
#[derive(Clone, Copy)]
struct DateConstraint {
    left: usize,
    right: usize,
    value: i128,
    is_strict: bool,
}

/// The denominators that are tried before the one that suffices for every run, so that users see 4
/// instead of 10/3 if both are solutions.
const SIMPLE_UNITS: std::ops::RangeInclusive<i128> = 1..=4;
/// The number of relaxation passes with a simple denominator.
const SIMPLE_PASSES: usize = 64;

/// The dates of events: date 0 is the start, date `k` the k-th transition, the last one the end.
pub(super) struct Dates {
    count: usize,
    /// By row over all clocks, the event of the last reset and the value it assigned.
    last_set: Vec<(usize, i128)>,
    constraints: Vec<DateConstraint>,
    possible: bool,
}

impl Dates {
    pub(super) fn new(graph: &ZoneGraph<'_, Wide>, states: usize) -> Self {
        let clocks = graph.network().initial_clocks.iter();
        let last_set = [(0, 0)].into_iter().chain(clocks.map(|&v| (0, i128::from(v)))).collect();
        Self { count: states + 1, last_set, constraints: Vec::new(), possible: true }
    }

    /// Adds the constraints of the transition at date `event` and of the stay after it.
    pub(super) fn enter(&mut self, event: usize, transition: &Transition<Wide>, fails: bool) {
        self.require(&transition.before, event);
        self.add(event, event + 1, 0, false);
        for effect in &transition.effects {
            match *effect {
                ClockEffect::Set(clock, value) => {
                    self.last_set[row_of(clock) as usize] = (event, i128::from(value));
                }
                ClockEffect::Copy(target, source) => {
                    self.last_set[row_of(target) as usize] = self.last_set[row_of(source) as usize];
                }
            }
        }
        self.require(&transition.arrival, event);
        if fails {
            // The transition fails on arrival at the latest; the stay is unknown, so the earliest
            // dates have none.
            return;
        }
        if !transition.delayed {
            self.add(event + 1, event, 0, false);
        }
        self.require(transition.departure(), event + 1);
    }

    /// Adds constraints on clocks at a date.
    pub(super) fn require(&mut self, constraints: &[ZoneConstraint<Wide>], date: usize) {
        for c in constraints {
            if c.bound.is_infinite() {
                continue;
            }
            let (x_event, x_value) = self.last_set[c.x as usize];
            let (y_event, y_value) = self.last_set[c.y as usize];
            let left = if c.y == 0 { date } else { y_event };
            let right = if c.x == 0 { date } else { x_event };
            let value = i128::from(c.bound.value());
            let value = if c.x == 0 { value } else { value - x_value };
            let value = if c.y == 0 { value } else { value + y_value };
            self.add(left, right, value, c.bound.is_strict());
        }
    }

    /// Adds the requested durations of stays in the states of `path`.
    pub(super) fn stay(&mut self, path: &[Visited], stays: &[Option<i64>]) {
        for (events, stay) in stays_of(path).into_iter().zip(stays) {
            if let Some(stay) = *stay {
                self.add(events.end, events.start, stay.into(), false);
                self.add(events.start, events.end, -i128::from(stay), false);
            }
        }
    }

    /// Requires `t_left - t_right` to be at most, or below, `value`.
    fn add(&mut self, left: usize, right: usize, value: i128, strict: bool) {
        if left == right {
            self.possible &= value > i128::from(strict) - 1;
        } else {
            self.constraints.push(DateConstraint { left, right, value, is_strict: strict });
        }
    }

    /// Dates over a denominator, preferably a small one.
    pub(super) fn solve(&self, meter: &Meter) -> Option<(Vec<i128>, i128)> {
        if !self.possible {
            return None;
        }
        let enough = self.count as i128;
        let simple = SIMPLE_UNITS.filter(|&unit| unit < enough).map(|unit| (unit, SIMPLE_PASSES));
        // Each pass settles at least one more date of the longest chain of constraints.
        let mut tried = simple.chain([(enough, self.count)]);
        tried.find_map(|(unit, passes)| Some((self.solve_over(unit, passes, meter)?, unit)))
    }

    /// The earliest dates in units of one over `unit` that keep this distance from strict bounds;
    /// `None` if the passes do not suffice.
    fn solve_over(&self, unit: i128, passes: usize, meter: &Meter) -> Option<Vec<i128>> {
        let mut dates = vec![0i128; self.count];
        for pass in 0..=passes {
            meter.spend(u32::try_from(self.constraints.len()).unwrap_or(u32::MAX)).ok()?;
            let mut changed = false;
            let mut relax = |c: &DateConstraint| {
                let least = dates[c.left] - (c.value * unit - i128::from(c.is_strict));
                if dates[c.right] < least {
                    dates[c.right] = least;
                    changed = true;
                }
            };
            if pass % 2 == 0 {
                self.constraints.iter().for_each(&mut relax);
            } else {
                self.constraints.iter().rev().for_each(&mut relax);
            }
            if !changed {
                return (dates[0] == 0).then_some(dates);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    type Bound = zonaut_dbm::Bound<Wide>;

    /// The dates of two events, the first of which assigns this value to the only clock, for bounds
    /// on the clock at the given dates.
    fn solved(value: i128, bounds: &[(usize, Bound)]) -> Option<(Vec<i128>, i128)> {
        let (last_set, constraints) = (vec![(0, 0), (0, value)], Vec::new());
        let mut dates = Dates { count: 2, last_set, constraints, possible: true };
        for &(date, bound) in bounds {
            dates.require(&[ZoneConstraint { x: 1, y: 0, bound }], date);
        }
        dates.solve(&Meter::default())
    }

    #[test]
    fn a_value_that_violates_its_bound_at_once_is_impossible() {
        assert_eq!(solved(1, &[(0, Bound::le(1)), (1, Bound::lt(2))]), Some((vec![0, 0], 1)));
        assert_eq!(solved(1, &[(0, Bound::lt(1))]), None);
        assert_eq!(solved(1, &[(0, Bound::le(0)), (0, Bound::le(2))]), None);
    }

    #[test]
    fn dates_are_whole_numbers_where_that_is_possible() {
        let after = |bound| ZoneConstraint { x: 0, y: 1, bound };
        let before = |bound| ZoneConstraint { x: 1, y: 0, bound };
        let check = |constraints: &[ZoneConstraint<Wide>], expected: Option<(i128, i128)>| {
            let (last_set, none) = (vec![(0, 0), (0, 0)], Vec::new());
            let mut dates = Dates { count: 9, last_set, constraints: none, possible: true };
            dates.require(constraints, 1);
            let solved = dates.solve(&Meter::default());
            assert_eq!(solved.map(|(dates, unit)| (dates[1], unit)), expected);
        };
        check(&[after(Bound::lt(-3))], Some((4, 1)));
        check(&[after(Bound::lt(-3)), before(Bound::lt(4))], Some((7, 2)));
        check(&[after(Bound::lt(-3)), before(Bound::lt(3))], None);
    }
}
