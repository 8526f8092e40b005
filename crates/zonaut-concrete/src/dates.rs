//! The dates of the events of a run, and the constraints between them.
//!
//! Dates are sums of as many bounds as there are events, in units of one over their number: for a
//! long run with large bounds they exceed 64 bits.

use crate::Stay;
use crate::fraction::gcd;
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
    /// The value, in units of one over [`Dates::scale`].
    value: i128,
    is_strict: bool,
    /// Whether a guard, an invariant or a goal requires it, and not the order of events.
    is_bound: bool,
}

/// The denominators that are tried before the one that suffices for every run, so that users see 4
/// instead of 10/3 if both are solutions.
const SIMPLE_UNITS: std::ops::RangeInclusive<i128> = 1..=4;
/// The number of relaxation passes with a simple denominator.
const SIMPLE_PASSES: usize = 64;
/// A tolerance that counts as unlimited.
const UNLIMITED: i128 = 1 << 40;

/// The dates of events: date 0 is the start, date `k` the k-th transition, the last one the end.
pub(super) struct Dates {
    count: usize,
    /// By row over all clocks, the event of the last reset and the value it assigned.
    last_set: Vec<(usize, i128)>,
    constraints: Vec<DateConstraint>,
    /// The common denominator of the requested durations.
    scale: i128,
    possible: bool,
}

/// Dates over a denominator.
pub(super) type Solved = (Vec<i128>, i128);

/// A tolerance `numerator / denominator`.
#[derive(Clone, Copy)]
struct Tolerance {
    numerator: i128,
    denominator: i128,
}

impl Dates {
    pub(super) fn new(graph: &ZoneGraph<'_, Wide>, states: usize) -> Self {
        let clocks = graph.network().initial_clocks.iter();
        let last_set = [(0, 0)].into_iter().chain(clocks.map(|&v| (0, i128::from(v)))).collect();
        let constraints = Vec::new();
        Self { count: states + 1, last_set, constraints, scale: 1, possible: true }
    }

    /// Adds the constraints of the transition at date `event` and of the stay after it.
    pub(super) fn enter(&mut self, event: usize, transition: &Transition<Wide>, fails: bool) {
        self.require(&transition.before, event);
        self.add_order(event, event + 1, 0);
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
            self.add_order(event + 1, event, 0);
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
    pub(super) fn stay(&mut self, path: &[Visited], stays: &[Option<Stay>]) {
        let given = || stays.iter().flatten();
        let scale = given().fold(1, |all: i128, stay| {
            let denominator = i128::from(stay.denominator.max(1));
            all / gcd(all, denominator) * denominator
        });
        self.scale = scale;
        self.constraints.iter_mut().for_each(|constraint| constraint.value *= scale);
        for (events, stay) in stays_of(path).into_iter().zip(stays) {
            if let Some(Stay { numerator, denominator }) = *stay {
                let value = i128::from(numerator) * (scale / i128::from(denominator.max(1)));
                self.add_order(events.end, events.start, value);
                self.add_order(events.start, events.end, -value);
            }
        }
    }

    /// Requires `t_left - t_right` to be at most, or below, `value`.
    fn add(&mut self, left: usize, right: usize, value: i128, is_strict: bool) {
        if left == right {
            self.possible &= value > i128::from(is_strict) - 1;
        } else {
            let is_bound = true;
            self.constraints.push(DateConstraint { left, right, value, is_strict, is_bound });
        }
    }

    /// Requires `t_left - t_right` to be at most `value`, for another reason than a bound.
    fn add_order(&mut self, left: usize, right: usize, value: i128) {
        let (is_strict, is_bound) = (false, false);
        self.constraints.push(DateConstraint { left, right, value, is_strict, is_bound });
    }

    /// The earliest dates with the largest tolerance: the least distance of a date from a bound,
    /// apart from bounds that leave no choice. If nothing limits it, it is one time unit.
    ///
    /// The tolerance is a least ratio of cycles, found by Newton's method: a cycle of constraints
    /// of weight `w` through `k` bounds limits it to `w / k`. A cycle of weight 0 makes its bounds
    /// equations, which have no tolerance.
    pub(super) fn solve_leniently(&self, meter: &Meter) -> Option<Solved> {
        self.solve(meter)?;
        let mut is_loose: Vec<bool> = self.constraints.iter().map(|it| it.is_bound).collect();
        let mut tolerance = Tolerance { numerator: UNLIMITED, denominator: 1 };
        loop {
            let cycle = match self.dates_with(tolerance, &is_loose, meter)? {
                Ok(_) if tolerance.numerator == UNLIMITED => {
                    tolerance = Tolerance { numerator: self.scale, denominator: 1 };
                    continue;
                }
                Ok(dates) => return Some((dates, self.scale * tolerance.denominator)),
                Err(cycle) => cycle,
            };
            let weight: i128 = cycle.iter().map(|&at| self.constraints[at].value).sum();
            let bounds = cycle.iter().filter(|&&at| is_loose[at]).count() as i128;
            if bounds == 0 {
                return None;
            }
            tolerance = Tolerance { numerator: weight, denominator: bounds };
            if weight == 0 {
                cycle.iter().for_each(|&at| is_loose[at] = false);
                tolerance = Tolerance { numerator: UNLIMITED, denominator: 1 };
            }
        }
    }

    /// The earliest dates that keep a tolerance from the loose bounds, in units of one over its
    /// denominator; or a cycle of constraints that excludes them. `None` if the meter stops.
    fn dates_with(
        &self,
        tolerance: Tolerance,
        is_loose: &[bool],
        meter: &Meter,
    ) -> Option<Result<Vec<i128>, Vec<usize>>> {
        let Tolerance { numerator, denominator } = tolerance;
        let mut dates = vec![0_i128; self.count];
        let mut reasons: Vec<Option<usize>> = vec![None; self.count];
        for _ in 0..=self.count {
            meter.spend(u32::try_from(self.constraints.len()).unwrap_or(u32::MAX)).ok()?;
            let mut changed = None;
            for (at, constraint) in self.constraints.iter().enumerate() {
                let margin = if is_loose[at] { numerator } else { 0 };
                let least = dates[constraint.left] - (constraint.value * denominator - margin);
                if dates[constraint.right] < least {
                    dates[constraint.right] = least;
                    reasons[constraint.right] = Some(at);
                    changed = Some(constraint.right);
                }
            }
            let Some(last) = changed else { return Some(Ok(dates)) };
            if let Some(cycle) = self.cycle_of(&reasons, last) {
                return Some(Err(cycle));
            }
        }
        None
    }

    /// The cycle that the reasons of a date lead into, if any.
    fn cycle_of(&self, reasons: &[Option<usize>], from: usize) -> Option<Vec<usize>> {
        let before = |date: usize| reasons[date].map(|at| self.constraints[at].left);
        let mut date = from;
        for _ in 0..self.count {
            date = before(date)?;
        }
        let (first, mut cycle) = (date, Vec::new());
        loop {
            cycle.push(reasons[date]?);
            date = before(date)?;
            if date == first {
                return Some(cycle);
            }
        }
    }

    /// Dates over a denominator, preferably a small one.
    pub(super) fn solve(&self, meter: &Meter) -> Option<Solved> {
        if !self.possible {
            return None;
        }
        let enough = self.count as i128;
        let simple = SIMPLE_UNITS.filter(|&unit| unit < enough).map(|unit| (unit, SIMPLE_PASSES));
        // Each pass settles at least one more date of the longest chain of constraints.
        let mut tried = simple.chain([(enough, self.count)]);
        tried.find_map(|(unit, passes)| {
            Some((self.solve_over(unit, passes, meter)?, unit * self.scale))
        })
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
        let mut dates = Dates { count: 2, last_set, constraints, scale: 1, possible: true };
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
            let mut dates =
                Dates { count: 9, last_set, constraints: none, scale: 1, possible: true };
            dates.require(constraints, 1);
            let solved = dates.solve(&Meter::default());
            assert_eq!(solved.map(|(dates, unit)| (dates[1], unit)), expected);
        };
        check(&[after(Bound::lt(-3))], Some((4, 1)));
        check(&[after(Bound::lt(-3)), before(Bound::lt(4))], Some((7, 2)));
        check(&[after(Bound::lt(-3)), before(Bound::lt(3))], None);
    }

    /// The dates of events with the given constraints: left, right, value, and whether it is a
    /// bound.
    fn lenient(count: usize, constraints: &[(usize, usize, i128, bool)]) -> Option<Solved> {
        let mut dates = Dates {
            count,
            last_set: Vec::new(),
            constraints: Vec::new(),
            scale: 1,
            possible: true,
        };
        for &(left, right, value, is_bound) in constraints {
            match is_bound {
                true => dates.add(left, right, value, false),
                false => dates.add_order(left, right, value),
            }
        }
        dates.solve_leniently(&Meter::default())
    }

    #[test]
    fn lenient_dates_are_in_the_middle_of_their_bounds() {
        // 2 <= t1 <= 6: the middle.
        let within = [(0, 1, 0, false), (0, 1, -2, true), (1, 0, 6, true)];
        assert_eq!(lenient(2, &within), Some((vec![0, 8], 2)));
        // 2 <= t1: one time unit later than necessary.
        assert_eq!(lenient(2, &within[..2]), Some((vec![0, 3], 1)));
        // t1 == 2 leaves no choice; 5 <= t2 <= 8 does.
        let equal = [
            (0, 1, 0, false),
            (1, 2, 0, false),
            (0, 1, -2, true),
            (1, 0, 2, true),
            (0, 2, -5, true),
            (2, 0, 8, true),
        ];
        assert_eq!(lenient(3, &equal), Some((vec![0, 4, 13], 2)));
        // Two stays share a bound: 1 <= t1, 1 <= t2 - t1, t2 <= 5.
        let shared = [
            (0, 1, 0, false),
            (1, 2, 0, false),
            (0, 1, -1, true),
            (1, 2, -1, true),
            (2, 0, 5, true),
        ];
        assert_eq!(lenient(3, &shared), Some((vec![0, 6, 12], 3)));
        assert_eq!(lenient(2, &[(0, 1, -2, true), (1, 0, 1, true)]), None);
    }

    /// Against enumeration of dates in halves, thirds and quarters: none has a larger tolerance.
    #[test]
    fn no_dates_have_a_larger_tolerance() {
        let mut seed = 7_u64;
        let mut next = |below: i128| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            i128::from(seed >> 33) % below
        };
        let mut solved_some = 0;
        for _ in 0..300 {
            let mut constraints = vec![(0, 1, 0, false), (1, 2, 0, false)];
            for _ in 0..4 {
                let (left, right) = (next(3) as usize, next(3) as usize);
                let value = next(9) - if left < right { 6 } else { 0 };
                constraints.push((left, right, value, true));
            }
            // Dates are bounded, so that enumeration is possible.
            constraints.extend([(1, 0, 6, true), (2, 0, 6, true)]);
            constraints.retain(|&(left, right, ..)| left != right);
            let tolerance = |dates: [i128; 3], unit: i128| -> Option<Vec<(i128, usize)>> {
                constraints.iter().enumerate().try_fold(Vec::new(), |mut all, (at, &it)| {
                    let (left, right, value, is_bound) = it;
                    let slack = value * unit - (dates[left] - dates[right]);
                    if is_bound {
                        all.push((slack, at));
                    }
                    (slack >= 0).then_some(all)
                })
            };
            let all = |unit: i128| {
                let one = move || 0..=6 * unit;
                one().flat_map(move |a| one().map(move |b| [0, a, b]))
            };
            // Bounds without slack in any solution leave no choice.
            let mut is_open = vec![false; constraints.len()];
            for dates in all(4) {
                for (slack, at) in tolerance(dates, 4).unwrap_or_default() {
                    is_open[at] |= slack > 0;
                }
            }
            let least = |dates: [i128; 3], unit: i128| {
                let open = tolerance(dates, unit)?.into_iter().filter(|(_, at)| is_open[*at]);
                open.map(|(slack, _)| slack).min()
            };
            let Some((dates, unit)) = lenient(3, &constraints) else {
                assert!(all(4).all(|dates| tolerance(dates, 4).is_none()), "{constraints:?}");
                continue;
            };
            solved_some += 1;
            let dates = [dates[0], dates[1], dates[2]];
            assert!(tolerance(dates, unit).is_some(), "{constraints:?} {dates:?}");
            let Some(own) = least(dates, unit) else { continue };
            for other in [1, 2, 3, 4] {
                let best = all(other).filter_map(|dates| least(dates, other)).max();
                assert!(
                    best.is_none_or(|best| best * unit <= own * other),
                    "{constraints:?} {dates:?} over {unit}: {best:?} over {other}"
                );
            }
        }
        assert!(solved_some > 100, "{solved_some}");
    }
}
