//! The delays of a run with stopped clocks, and the linear inequalities between them.
//!
//! The value of a clock is its last assigned value plus the delays since then during which it ran.
//! Constraints on clocks are sums of delays and negated delays, which are not differences of dates
//! as soon as one clock of a difference is stopped while the other runs.

use super::fraction::Fraction;
use super::linear::{Inequality, solve};
use super::path::{Visited, stays_of};
use super::{CostLimit, Stay};
use std::collections::BTreeSet;
use zonaut_compile::row_of;
use zonaut_dbm::Wide;
use zonaut_model::interpret::ClockEffect;
use zonaut_space::Meter;
use zonaut_zonegraph::ZoneConstraint;
use zonaut_zonegraph::{Transition, ZoneGraph};

/// The symbolic value of a clock.
#[derive(Clone, Default)]
struct Clock {
    /// The value that was assigned last.
    value: i128,
    /// The delays since then during which it ran, ascending.
    runs: Vec<usize>,
}

/// The delays of a run: delay `k` follows event `k`, of which the first is the start.
pub(super) struct Delays {
    /// By row over all clocks.
    clocks: Vec<Clock>,
    inequalities: BTreeSet<Inequality>,
    is_possible: bool,
}

impl Delays {
    /// The delays of a run along `path` at whose end `end` holds, with the requested durations of
    /// stays; `None` if no solution was found.
    pub(super) fn along(
        graph: &ZoneGraph<'_, Wide>,
        path: &[Visited],
        end: &[ZoneConstraint<Wide>],
        stays: &[Option<Stay>],
    ) -> Option<Vec<Fraction>> {
        let mut delays = Self::of_path(graph, path, end)?;
        for (events, stay) in stays_of(path).into_iter().zip(stays) {
            if let Some(Stay { numerator, denominator }) = *stay {
                let factor = i32::try_from(denominator).ok()?;
                let sum = |factor: i32| events.clone().map(|event| (event, factor)).collect();
                delays.add(sum(factor), numerator.into(), false);
                delays.add(sum(-factor), -i128::from(numerator), false);
            }
        }
        delays.solve(path.len(), graph.meter())
    }

    /// The delays of a run along `path` at whose end `end` holds, and which costs no more than
    /// `limit`; `None` if no solution was found.
    pub(super) fn within(
        graph: &ZoneGraph<'_, Wide>,
        path: &[Visited],
        end: &[ZoneConstraint<Wide>],
        limit: CostLimit<'_>,
    ) -> Option<Vec<Fraction>> {
        let mut delays = Self::of_path(graph, path, end)?;
        delays.limit(limit);
        delays.solve(path.len(), graph.meter())
    }

    /// The same in the closure: strict constraints may be met exactly.
    pub(super) fn in_closure_within(
        graph: &ZoneGraph<'_, Wide>,
        path: &[Visited],
        end: &[ZoneConstraint<Wide>],
        limit: CostLimit<'_>,
    ) -> Option<Vec<Fraction>> {
        let mut delays = Self::of_path(graph, path, end)?;
        delays.limit(limit);
        let closed = |one: Inequality| Inequality { is_strict: false, ..one };
        delays.inequalities = delays.inequalities.into_iter().map(closed).collect();
        delays.solve(path.len(), graph.meter())
    }

    fn limit(&mut self, limit: CostLimit<'_>) {
        let rates = limit.rates.iter().enumerate().filter(|(_, rate)| **rate != 0);
        let terms = rates.map(|(event, &rate)| (event, rate)).collect();
        self.add(terms, limit.cost.into(), limit.is_strict);
    }

    /// The delays of a run along `path` at whose end `end` holds; `None` if the meter stops. The
    /// number of terms is quadratic in the length of a path along which a clock is not set.
    fn of_path(
        graph: &ZoneGraph<'_, Wide>,
        path: &[Visited],
        end: &[ZoneConstraint<Wide>],
    ) -> Option<Self> {
        let initial = graph.network().initial_clocks.iter();
        let clock = |&value: &i32| Clock { value: value.into(), runs: Vec::new() };
        let clocks = std::iter::once(Clock::default()).chain(initial.map(clock)).collect();
        let mut delays = Self { clocks, inequalities: BTreeSet::new(), is_possible: true };
        for (event, visited) in path.iter().enumerate() {
            let terms: usize = delays.clocks.iter().map(|clock| clock.runs.len()).sum();
            graph.meter().spend(u32::try_from(terms).unwrap_or(u32::MAX)).ok()?;
            delays.enter(event, &visited.transition, visited.state.is_none());
        }
        delays.require(end);
        Some(delays)
    }

    /// A solution; `None` if none was found.
    fn solve(self, count: usize, meter: &Meter) -> Option<Vec<Fraction>> {
        if !self.is_possible {
            return None;
        }
        let inequalities: Vec<Inequality> = self.inequalities.into_iter().collect();
        solve(count, &inequalities, meter)
    }

    /// Adds the constraints of the transition of an event and of the stay after it.
    fn enter(&mut self, event: usize, transition: &Transition<Wide>, fails: bool) {
        self.require(&transition.before);
        for effect in &transition.effects {
            match *effect {
                ClockEffect::Set(clock, value) => {
                    let value = value.into();
                    self.clocks[row_of(clock) as usize] = Clock { value, runs: Vec::new() };
                }
                ClockEffect::Copy(target, source) => {
                    self.clocks[row_of(target) as usize] =
                        self.clocks[row_of(source) as usize].clone();
                }
            }
        }
        self.require(&transition.arrival);
        if fails || !transition.delayed {
            self.add(vec![(event, 1)], 0, false);
            return;
        }
        for (row, clock) in self.clocks.iter_mut().enumerate().skip(1) {
            if transition.stopped.binary_search(&(row as u32)).is_err() {
                clock.runs.push(event);
            }
        }
        self.require(transition.departure());
    }

    fn require(&mut self, constraints: &[ZoneConstraint<Wide>]) {
        for c in constraints.iter().filter(|c| !c.bound.is_infinite()) {
            let (x, y) = (&self.clocks[c.x as usize], &self.clocks[c.y as usize]);
            let terms = difference(&x.runs, &y.runs);
            let bound = i128::from(c.bound.value()) - x.value + y.value;
            self.add(terms, bound, c.bound.is_strict());
        }
    }

    fn add(&mut self, terms: Vec<(usize, i32)>, bound: i128, is_strict: bool) {
        if terms.is_empty() {
            self.is_possible &= bound > 0 || bound == 0 && !is_strict;
            return;
        }
        // Delays are not negative.
        let holds_anyway = terms.iter().all(|&(_, factor)| factor < 0) && bound > 0;
        if !holds_anyway {
            self.inequalities.insert(Inequality { terms, bound, is_strict });
        }
    }
}

/// The sum of the delays of `left` minus those of `right`; both are ascending.
fn difference(left: &[usize], right: &[usize]) -> Vec<(usize, i32)> {
    let mut terms = Vec::new();
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    loop {
        match (left.peek(), right.peek()) {
            (Some(l), Some(r)) if l == r => {
                left.next();
                right.next();
            }
            (Some(&&l), r) if r.is_none_or(|&&r| l < r) => {
                terms.push((l, 1));
                left.next();
            }
            (_, Some(&&r)) => {
                terms.push((r, -1));
                right.next();
            }
            (_, None) => return terms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_delays_cancel_each_other() {
        assert_eq!(difference(&[0, 1, 3], &[1, 2]), [(0, 1), (2, -1), (3, 1)]);
        assert_eq!(difference(&[], &[4]), [(4, -1)]);
        assert_eq!(difference(&[2, 5], &[2, 5]), []);
    }
}
