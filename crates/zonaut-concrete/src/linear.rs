//! Linear inequalities over non-negative numbers, solved exactly by the simplex method.
//!
//! B. Dutertre, L. de Moura: *A fast linear-arithmetic solver for DPLL(T)*, CAV 2006,
//! doi:10.1007/11817963_11. Every inequality has a slack variable, which is the sum on its left
//! side and is bounded by its right side. Non-basic variables have values within their bounds;
//! basic ones are linear combinations of them. A basic variable that violates its bound is
//! exchanged for a non-basic one that can compensate; of several the first is chosen (Bland's
//! rule), so that this terminates. Strict bounds are reduced by an infinitesimal ([`Near`]).
//!
//! Most inequalities of a run hold by themselves, so they are added to the tableau only when
//! violated.

use super::fraction::{Fraction, Near};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use zonaut_space::Meter;

/// An inequality: a linear combination of unknowns is at most, or below, a bound.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Inequality {
    /// Unknowns, ascending, and their coefficients.
    pub(super) terms: Vec<(usize, i32)>,
    pub(super) bound: i128,
    pub(super) is_strict: bool,
}

/// The greatest number of inequalities that are added at once.
const AT_ONCE: usize = 16;

/// The greatest number of pivots; beyond it there is no answer.
const EXCHANGES: usize = 20_000;

/// A solution for `count` unknowns; `None` if the system is infeasible, on overflow, or if the
/// meter stops.
pub(super) fn solve(
    count: usize,
    inequalities: &[Inequality],
    meter: &Meter,
) -> Option<Vec<Fraction>> {
    let mut tableau = Tableau::new(count);
    let mut is_taken = vec![false; inequalities.len()];
    loop {
        let mut violated = Vec::new();
        for (number, inequality) in inequalities.iter().enumerate().filter(|(n, _)| !is_taken[*n]) {
            spend(meter, inequality.terms.len())?;
            if tableau.sum(&inequality.terms)?.compare(inequality.limit())? == Ordering::Greater {
                violated.push(number);
                if violated.len() == AT_ONCE {
                    break;
                }
            }
        }
        if violated.is_empty() {
            return tableau.numbers(inequalities);
        }
        for number in violated {
            is_taken[number] = true;
            tableau.take_in(&inequalities[number], meter)?;
        }
        tableau.repair(meter)?;
    }
}

/// Counts `steps` of work; `None` if the meter stops.
fn spend(meter: &Meter, steps: usize) -> Option<()> {
    meter.spend(u32::try_from(steps).unwrap_or(u32::MAX)).ok()
}

impl Inequality {
    fn limit(&self) -> Near {
        Near::limit(self.bound, self.is_strict)
    }
}

/// A basic variable as a linear combination of others.
struct Row {
    basic: usize,
    terms: BTreeMap<usize, Fraction>,
}

/// The simplex tableau: unknowns, then slack variables.
struct Tableau {
    unknowns: usize,
    values: Vec<Near>,
    /// The upper bounds of slacks.
    limits: Vec<Near>,
    rows: Vec<Row>,
    /// By variable, the row in which it is basic.
    row_of: Vec<Option<usize>>,
    exchanges: usize,
}

impl Tableau {
    fn new(unknowns: usize) -> Self {
        Self {
            unknowns,
            values: vec![Near::ZERO; unknowns],
            limits: Vec::new(),
            rows: Vec::new(),
            row_of: vec![None; unknowns],
            exchanges: 0,
        }
    }

    fn sum(&self, terms: &[(usize, i32)]) -> Option<Near> {
        terms.iter().try_fold(Near::ZERO, |sum, &(unknown, factor)| {
            sum.plus(self.values[unknown].times(Fraction::whole(factor.into()))?)
        })
    }

    /// Adds the slack variable of an inequality, as a basic variable.
    fn take_in(&mut self, inequality: &Inequality, meter: &Meter) -> Option<()> {
        let mut terms = BTreeMap::new();
        for &(unknown, factor) in &inequality.terms {
            let factor = Fraction::whole(factor.into());
            match self.row_of[unknown] {
                None => add(&mut terms, unknown, factor)?,
                Some(row) => {
                    spend(meter, self.rows[row].terms.len())?;
                    for (&variable, &inner) in &self.rows[row].terms {
                        add(&mut terms, variable, inner.times(factor)?)?;
                    }
                }
            }
        }
        self.values.push(self.sum(&inequality.terms)?);
        self.limits.push(inequality.limit());
        self.row_of.push(Some(self.rows.len()));
        self.rows.push(Row { basic: self.values.len() - 1, terms });
        Some(())
    }

    /// The bound that a variable violates.
    fn violated(&self, variable: usize) -> Option<Option<Near>> {
        let value = self.values[variable];
        Some(match variable.checked_sub(self.unknowns) {
            None => (value.compare(Near::ZERO)? == Ordering::Less).then_some(Near::ZERO),
            Some(slack) => {
                let limit = self.limits[slack];
                (value.compare(limit)? == Ordering::Greater).then_some(limit)
            }
        })
    }

    /// Whether a non-basic variable can increase, or decrease.
    fn can_move(&self, variable: usize, up: bool) -> Option<bool> {
        let value = self.values[variable];
        Some(match variable.checked_sub(self.unknowns) {
            None => up || value.compare(Near::ZERO)? == Ordering::Greater,
            Some(slack) => !up || value.compare(self.limits[slack])? == Ordering::Less,
        })
    }

    /// Restores all bounds by pivoting; `None` if that is impossible or takes too long.
    fn repair(&mut self, meter: &Meter) -> Option<()> {
        loop {
            let mut worst: Option<(usize, Near)> = None;
            for row in &self.rows {
                if worst.is_none_or(|(first, _)| row.basic < first)
                    && let Some(bound) = self.violated(row.basic)?
                {
                    worst = Some((row.basic, bound));
                }
            }
            let Some((basic, bound)) = worst else { return Some(()) };
            self.exchanges += 1;
            if self.exchanges > EXCHANGES {
                return None;
            }
            spend(meter, self.rows.len() * 8)?;
            let row = self.row_of[basic]?;
            let grows = bound.compare(self.values[basic])? == Ordering::Greater;
            let mut entering = None;
            for (&variable, factor) in &self.rows[row].terms {
                if self.can_move(variable, factor.is_positive() == grows)? {
                    entering = Some(variable);
                    break;
                }
            }
            self.exchange(row, entering?, bound, meter)?;
        }
    }

    /// Assigns the basic variable of a row a value by changing that of `entering`, which becomes
    /// basic in its place.
    fn exchange(&mut self, row: usize, entering: usize, value: Near, meter: &Meter) -> Option<()> {
        let leaving = self.rows[row].basic;
        let factor = *self.rows[row].terms.get(&entering)?;
        let inverse = Fraction::ONE.over(factor)?;
        let change = value.minus(self.values[leaving])?.times(inverse)?;
        self.values[leaving] = value;
        self.values[entering] = self.values[entering].plus(change)?;
        let mut terms = std::mem::take(&mut self.rows[row].terms);
        terms.remove(&entering);
        let minus = Fraction::ZERO.minus(inverse)?;
        let mut solved = BTreeMap::from([(leaving, inverse)]);
        for (variable, inner) in terms {
            solved.insert(variable, inner.times(minus)?);
        }
        for (number, other) in self.rows.iter_mut().enumerate().filter(|(n, _)| *n != row) {
            let Some(outer) = other.terms.remove(&entering) else { continue };
            debug_assert_ne!(number, row);
            spend(meter, solved.len())?;
            self.values[other.basic] = self.values[other.basic].plus(change.times(outer)?)?;
            for (&variable, &inner) in &solved {
                add(&mut other.terms, variable, inner.times(outer)?)?;
            }
        }
        self.rows[row] = Row { basic: entering, terms: solved };
        self.row_of[entering] = Some(row);
        self.row_of[leaving] = None;
        Some(())
    }

    /// The values of the unknowns with a number for the infinitesimal, chosen so small that all
    /// inequalities hold.
    fn numbers(&self, inequalities: &[Inequality]) -> Option<Vec<Fraction>> {
        let mut small = Fraction::ONE;
        let mut shrink = |room: Fraction, growth: Fraction| -> Option<()> {
            if growth.is_positive() {
                let most = room.over(growth)?;
                if most.compare(small)? == Ordering::Less {
                    small = most;
                }
            }
            Some(())
        };
        for inequality in inequalities {
            let room = inequality.limit().minus(self.sum(&inequality.terms)?)?;
            shrink(room.number, Fraction::ZERO.minus(room.beyond)?)?;
        }
        let unknowns = &self.values[..self.unknowns];
        for value in unknowns {
            shrink(value.number, Fraction::ZERO.minus(value.beyond)?)?;
        }
        unknowns.iter().map(|value| value.number.plus(value.beyond.times(small)?)).collect()
    }
}

/// Adds a multiple of a variable to a linear combination.
fn add(terms: &mut BTreeMap<usize, Fraction>, variable: usize, factor: Fraction) -> Option<()> {
    let sum = terms.get(&variable).copied().unwrap_or(Fraction::ZERO).plus(factor)?;
    if sum.is_zero() {
        terms.remove(&variable);
    } else {
        terms.insert(variable, sum);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_space::StopReason;
    use zonaut_testkit::random::Random;

    fn system(random: &mut Random, count: usize) -> Vec<Inequality> {
        let inequality = |random: &mut Random| {
            let mut terms = Vec::new();
            for unknown in 0..count {
                match random.below(4) {
                    0 => terms.push((unknown, 1)),
                    1 => terms.push((unknown, -1)),
                    _ => {}
                }
            }
            let bound = random.below(7) as i128 - 3;
            Inequality { terms, bound, is_strict: random.below(2) == 0 }
        };
        (0..1 + random.below(6)).map(|_| inequality(random)).collect()
    }

    fn holds(inequality: &Inequality, values: &[Fraction]) -> bool {
        let terms = inequality.terms.iter();
        let sum = terms.fold(Fraction::ZERO, |sum, &(unknown, factor)| {
            let term = values[unknown].times(Fraction::whole(factor.into())).expect("small");
            sum.plus(term).expect("small")
        });
        match sum.compare(Fraction::whole(inequality.bound)).expect("small") {
            Ordering::Less => true,
            Ordering::Equal => !inequality.is_strict,
            Ordering::Greater => false,
        }
    }

    /// Whether some point of a grid of thirds is a solution.
    fn is_solved_on_grid(count: usize, inequalities: &[Inequality]) -> bool {
        const END: i128 = 16;
        (0..END.pow(count as u32)).any(|mut number| {
            let mut values = Vec::new();
            for _ in 0..count {
                let third = Fraction::whole(number % END).over(Fraction::whole(3));
                values.push(third.expect("small"));
                number /= END;
            }
            inequalities.iter().all(|inequality| holds(inequality, &values))
        })
    }

    /// Only pivots were counted, so that a long path whose inequalities hold at once ignored limits.
    #[test]
    fn a_meter_that_stops_ends_a_comparison_of_many_terms() {
        let terms = (0..1000).map(|unknown| (unknown, 1)).collect();
        let inequalities = vec![Inequality { terms, bound: 0, is_strict: false }; 1000];
        let meter = Meter::new(|_| Some(StopReason::Cancelled));
        assert_eq!(solve(1000, &inequalities, &Meter::default()).map(|s| s.len()), Some(1000));
        assert!(solve(1000, &inequalities, &meter).is_none());
    }

    #[test]
    fn solutions_are_valid_and_grid_solutions_are_found() {
        let mut random = Random::new(11);
        let (mut solved, mut unsolved) = (0, 0);
        for round in 0..3000 {
            let count = 1 + random.below(3);
            let inequalities = system(&mut random, count);
            match solve(count, &inequalities, &Meter::default()) {
                Some(values) => {
                    solved += 1;
                    let is_right = inequalities.iter().all(|i| holds(i, &values));
                    let is_positive = values.iter().all(|value| value.numerator >= 0);
                    assert!(is_right && is_positive, "{round}: {values:?} {inequalities:?}");
                }
                None => {
                    unsolved += 1;
                    assert!(!is_solved_on_grid(count, &inequalities), "{round} {inequalities:?}");
                }
            }
        }
        assert!(solved > 500 && unsolved > 500, "{solved} {unsolved}");
    }
}
