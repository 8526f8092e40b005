//! Interval arithmetic over the integers of the language.
//!
//! Ends have 64 bits. Arithmetic on them does not overflow, provided that results are clamped to
//! the 32 bits of the language after each operation, as [`combine`] does.

use crate::{BinaryOperator, Range};

/// The integers from the first to the second component, both included.
pub type Interval = (i64, i64);

/// All integers of the language.
pub const ALL: Interval = (Range::ALL.low as i64, Range::ALL.high as i64);

/// Both truth values.
pub const TRUTH: Interval = (0, 1);

/// The result of an operation on intervals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Combined {
    /// Contains every result; may contain other values.
    pub values: Interval,
    /// Whether the operation may fail. `false` only if it cannot fail.
    pub may_fail: bool,
}

impl Combined {
    const fn safe(values: Interval) -> Self {
        Self { values, may_fail: false }
    }

    /// The result of an operation whose values beyond 32 bits are run-time errors.
    #[must_use]
    pub fn fitting((low, high): Interval) -> Self {
        let values = (low.clamp(ALL.0, ALL.1), high.clamp(ALL.0, ALL.1));
        Self { values, may_fail: values != (low, high) }
    }
}

/// The smallest interval that contains two others.
#[must_use]
pub fn hull(a: Interval, b: Interval) -> Interval {
    (a.0.min(b.0), a.1.max(b.1))
}

/// The interval that contains one integer.
#[must_use]
pub fn only(value: i32) -> Interval {
    (i64::from(value), i64::from(value))
}

/// The interval of a range.
#[must_use]
pub fn of_range(range: Range) -> Interval {
    (i64::from(range.low), i64::from(range.high))
}

/// The result of an operator on two intervals.
///
/// Law (monotonicity): larger operands give larger results, and an operation that may fail still
/// may.
#[must_use]
pub fn combine(operator: BinaryOperator, a: Interval, b: Interval) -> Combined {
    use BinaryOperator as B;
    match operator {
        B::Add => Combined::fitting((a.0 + b.0, a.1 + b.1)),
        B::Subtract => Combined::fitting((a.0 - b.1, a.1 - b.0)),
        B::Multiply => Combined::fitting(product(a, b)),
        B::Minimum => Combined::safe((a.0.min(b.0), a.1.min(b.1))),
        B::Maximum => Combined::safe((a.0.max(b.0), a.1.max(b.1))),
        B::Divide | B::Remainder => divided(operator, a, b),
        B::ShiftRight => {
            Combined { values: (a.0.min(0), a.1.max(0)), may_fail: b.0 < 0 || b.1 > 31 }
        }
        // The bitwise conjunction of non-negative values is between zero and either operand.
        B::BitAnd if a.0 >= 0 && b.0 >= 0 => Combined::safe((0, a.1.min(b.1))),
        B::BitAnd | B::BitOr | B::BitXor => Combined::safe(ALL),
        B::ShiftLeft | B::Power => Combined { values: ALL, may_fail: true },
        B::Less => truth(a.1 < b.0, a.0 >= b.1),
        B::LessEqual => truth(a.1 <= b.0, a.0 > b.1),
        B::Greater => truth(a.0 > b.1, a.1 <= b.0),
        B::GreaterEqual => truth(a.0 >= b.1, a.1 < b.0),
        B::Equal => truth(a.0 == a.1 && a == b, a.1 < b.0 || a.0 > b.1),
        B::NotEqual => truth(a.1 < b.0 || a.0 > b.1, a.0 == a.1 && a == b),
    }
}

fn product(a: Interval, b: Interval) -> Interval {
    let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
    let rest = &corners[1..];
    rest.iter().fold((corners[0], corners[0]), |all, &corner| hull(all, (corner, corner)))
}

/// A quotient has at most the magnitude of the dividend. A remainder has the sign of the dividend,
/// and is also smaller in magnitude than the divisor.
fn divided(operator: BinaryOperator, a: Interval, b: Interval) -> Combined {
    let greatest = |interval: Interval| interval.0.abs().max(interval.1.abs());
    let values = match operator {
        BinaryOperator::Divide if a.0 >= 0 && b.0 >= 0 => (0, a.1),
        BinaryOperator::Divide => (-greatest(a), greatest(a)),
        _ => {
            let most = (greatest(b) - 1).max(0).min(greatest(a));
            (if a.0 < 0 { -most } else { 0 }, if a.1 > 0 { most } else { 0 })
        }
    };
    let holds = |interval: Interval, number| interval.0 <= number && number <= interval.1;
    // The least integer divided by -1 does not fit 32 bits.
    let may_fail = holds(b, 0) || (holds(a, ALL.0) && holds(b, -1));
    Combined { values: Combined::fitting(values).values, may_fail }
}

/// The truth value of a comparison; unknown if it neither holds for all values nor fails for all.
fn truth(holds: bool, fails: bool) -> Combined {
    Combined::safe((i64::from(holds), i64::from(!fails)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::apply;

    /// All intervals whose ends are among `ends`, which ascend.
    fn intervals(ends: &[i32]) -> Vec<Interval> {
        let pairs = ends.iter().flat_map(|&a| ends.iter().map(move |&b| (a, b)));
        pairs.filter(|(a, b)| a <= b).map(|(a, b)| (a.into(), b.into())).collect()
    }

    fn within(small: Interval, large: Interval) -> bool {
        large.0 <= small.0 && small.1 <= large.1
    }

    /// Compares with the results for all operands among `numbers`.
    fn check(numbers: &[i32]) {
        for operator in BinaryOperator::ALL {
            for a in intervals(numbers) {
                for b in intervals(numbers) {
                    let Combined { values, may_fail } = combine(operator, a, b);
                    assert!(within(values, ALL), "{operator:?} {a:?} {b:?}");
                    let inside = |&&n: &&i32| within(only(n), a);
                    for &x in numbers.iter().filter(inside) {
                        for &y in numbers.iter().filter(|&&n| within(only(n), b)) {
                            let is_right = match apply(operator, x, y) {
                                Ok(result) => within(only(result), values),
                                Err(_) => may_fail,
                            };
                            assert!(is_right, "{operator:?} {a:?} {b:?}: {x} {y}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn intervals_contain_the_results_of_small_operands_and_predict_failures() {
        check(&[-4, -3, -2, -1, 0, 1, 2, 3, 4]);
    }

    #[test]
    fn intervals_contain_the_results_of_extreme_operands_and_predict_failures() {
        check(&[i32::MIN, i32::MIN + 1, -1, 0, 1, 31, 32, i32::MAX - 1, i32::MAX]);
    }

    #[test]
    fn interval_operations_are_monotone() {
        let all = intervals(&[i32::MIN, -3, -1, 0, 1, 2, 5, i32::MAX]);
        for operator in BinaryOperator::ALL {
            for &a in &all {
                for &b in &all {
                    let small = combine(operator, a, b);
                    let wider = |of| all.iter().copied().filter(move |&wide| within(of, wide));
                    let left = wider(a).map(|wide| combine(operator, wide, b));
                    let right = wider(b).map(|wide| combine(operator, a, wide));
                    for large in left.chain(right) {
                        let grows = within(small.values, large.values);
                        let still_fails = small.may_fail <= large.may_fail;
                        assert!(grows && still_fails, "{operator:?} {a:?} {b:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn comparisons_of_disjoint_intervals_are_decided() {
        assert_eq!(combine(BinaryOperator::Less, (0, 2), (3, 5)).values, (1, 1));
        assert_eq!(combine(BinaryOperator::Less, (3, 4), (1, 3)).values, (0, 0));
        assert_eq!(combine(BinaryOperator::Equal, (2, 2), (2, 2)).values, (1, 1));
        assert_eq!(combine(BinaryOperator::NotEqual, (0, 1), (1, 2)).values, TRUTH);
    }
}
