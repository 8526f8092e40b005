//! Operators on intervals, with their possible failures.

use crate::domain::{Applied, Limited, Truth};
use crate::failure::{FailureKind, FailureKinds};
use zonaut_model::interpret::{ErrorKind, apply, apply_unary};
use zonaut_model::interval::{ALL, Combined, Interval, combine, hull, of_range, only};
use zonaut_model::{BinaryOperator, Range, UnaryOperator};

/// Maximum number of pairs of operands that are enumerated.
const PAIRS: i64 = 64;

/// The accumulated results of single applications.
struct Results {
    values: Option<Interval>,
    failures: FailureKinds,
}

impl Results {
    const NONE: Self = Self { values: None, failures: FailureKinds::NONE };

    fn add(&mut self, result: Result<i32, ErrorKind>) {
        match result {
            Ok(value) => {
                let value = only(value);
                self.values = Some(self.values.map_or(value, |all| hull(all, value)));
            }
            Err(kind) => self.failures = self.failures.and(FailureKinds::only(kind.into())),
        }
    }

    fn applied(self) -> Applied<Interval> {
        Applied { value: self.values, failures: self.failures }
    }
}

/// The numbers of an interval within 32 bits.
pub(crate) fn numbers((low, high): Interval) -> std::ops::RangeInclusive<i32> {
    low.max(ALL.0) as i32..=high.min(ALL.1) as i32
}

/// The result of a binary operator on two intervals: exact if they are small.
pub(crate) fn binary(operator: BinaryOperator, a: Interval, b: Interval) -> Applied<Interval> {
    let size = |interval: Interval| interval.1 - interval.0 + 1;
    // A comparison is exact on intervals; other operators are if their operands are few.
    if !operator.is_comparison() && size(a) <= PAIRS && size(a) * size(b) <= PAIRS {
        let mut results = Results::NONE;
        for left in numbers(a) {
            numbers(b).for_each(|right| results.add(apply(operator, left, right)));
        }
        return results.applied();
    }
    let Combined { values, may_fail } = combine(operator, a, b);
    let failures = if may_fail { failures(operator, a, b) } else { FailureKinds::NONE };
    Applied { value: Some(values), failures }
}

/// The possible failures of an operator on these operands.
fn failures(operator: BinaryOperator, a: Interval, b: Interval) -> FailureKinds {
    use BinaryOperator as B;
    let holds = |interval: Interval, number| interval.0 <= number && number <= interval.1;
    let overflow = FailureKinds::only(FailureKind::Overflow);
    match operator {
        B::Divide => FailureKinds::when(holds(b, 0), FailureKind::Division)
            .and(FailureKinds::when(holds(a, ALL.0) && holds(b, -1), FailureKind::Overflow)),
        B::Remainder => FailureKinds::when(holds(b, 0), FailureKind::Division),
        B::Power => overflow.and(FailureKinds::when(b.0 < 0, FailureKind::Exponent)),
        B::ShiftLeft => overflow.and(FailureKinds::when(b.0 < 0 || b.1 > 31, FailureKind::Shift)),
        B::ShiftRight => FailureKinds::only(FailureKind::Shift),
        _ => overflow,
    }
}

/// The result of a prefix operator on an interval.
pub(crate) fn unary(operator: UnaryOperator, operand: Interval) -> Applied<Interval> {
    match operator {
        UnaryOperator::Negate if operand.0 == operand.1 => {
            let mut results = Results::NONE;
            numbers(operand).for_each(|number| results.add(apply_unary(operator, number)));
            results.applied()
        }
        UnaryOperator::Negate => fitting((-operand.1, -operand.0)),
        UnaryOperator::Not => {
            let negated = truth(operand).negated();
            Applied::safe((i64::from(negated == Truth::Holds), i64::from(negated != Truth::Fails)))
        }
    }
}

/// The sum of `count` numbers of an interval.
pub(crate) fn sum((low, high): Interval, count: u64) -> Applied<Interval> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    fitting((low.saturating_mul(count), high.saturating_mul(count)))
}

/// Values of which those beyond 32 bits are run-time errors.
fn fitting(values: Interval) -> Applied<Interval> {
    let limited = limit(values, Range::ALL);
    let failures = FailureKinds::when(limited.may_exceed, FailureKind::Overflow);
    Applied { value: limited.inside, failures }
}

/// Whether the numbers of an interval differ from zero.
pub(crate) fn truth((low, high): Interval) -> Truth {
    match (low, high) {
        (0, 0) => Truth::Fails,
        _ if low <= 0 && high >= 0 => Truth::Either,
        _ => Truth::Holds,
    }
}

/// The part of an interval that is in a range.
pub(crate) fn limit((low, high): Interval, range: Range) -> Limited<Interval> {
    let (least, most) = of_range(range);
    let inside = (low.max(least), high.min(most));
    Limited { inside: (inside.0 <= inside.1).then_some(inside), may_exceed: inside != (low, high) }
}

/// The part of an interval whose numbers satisfy a comparison with some number of another.
pub(crate) fn restrict(
    (low, high): Interval,
    operator: BinaryOperator,
    (least, most): Interval,
) -> Option<Interval> {
    use BinaryOperator as B;
    let restricted = match operator {
        B::Less => (low, high.min(most - 1)),
        B::LessEqual => (low, high.min(most)),
        B::GreaterEqual => (low.max(least), high),
        B::Greater => (low.max(least + 1), high),
        B::Equal => (low.max(least), high.min(most)),
        B::NotEqual if least == most && low == least => (low + 1, high),
        B::NotEqual if least == most && high == least => (low, high - 1),
        _ => (low, high),
    };
    (restricted.0 <= restricted.1).then_some(restricted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_model::interval::TRUTH;

    fn within(small: Interval, large: Interval) -> bool {
        large.0 <= small.0 && small.1 <= large.1
    }

    #[test]
    fn every_result_is_contained_and_every_kind_of_failure_is_reported() {
        let ends = [i32::MIN, i32::MIN + 1, -2, -1, 0, 1, 2, 31, 32, i32::MAX - 1, i32::MAX];
        let all: Vec<Interval> = ends
            .iter()
            .flat_map(|&a| ends.iter().map(move |&b| (i64::from(a), i64::from(b))))
            .filter(|(a, b)| a <= b)
            .collect();
        for operator in BinaryOperator::ALL {
            for &a in &all {
                for &b in &all {
                    let Applied { value, failures } = binary(operator, a, b);
                    for &x in ends.iter().filter(|&&x| within(only(x), a)) {
                        for &y in ends.iter().filter(|&&y| within(only(y), b)) {
                            let is_right = match apply(operator, x, y) {
                                Ok(result) => value.is_some_and(|v| within(only(result), v)),
                                Err(kind) => failures.iter().any(|known| known == kind.into()),
                            };
                            assert!(is_right, "{operator:?} {a:?} {b:?}: {x} {y}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn singletons_agree_with_the_interpreter() {
        for operator in BinaryOperator::ALL {
            for (x, y) in [(7, 2), (7, 0), (1, 31), (1, 32), (2, -1), (i32::MAX, 2)] {
                let found = binary(operator, only(x), only(y));
                match apply(operator, x, y) {
                    Ok(value) => assert_eq!(found, Applied::safe(only(value))),
                    Err(kind) => {
                        assert_eq!(found.value, None);
                        assert_eq!(found.failures, FailureKinds::only(kind.into()));
                    }
                }
            }
        }
    }

    #[test]
    fn larger_intervals_have_larger_results() {
        for operator in BinaryOperator::ALL {
            for (small, large) in [((0, 1), (0, 200)), ((2, 3), (-9, 90)), ((1, 1), (0, 64))] {
                let (few, many) = (binary(operator, small, small), binary(operator, large, large));
                let few = few.value.unwrap();
                assert!(within(few, many.value.unwrap()), "{operator:?} {small:?} {large:?}");
            }
        }
    }

    #[test]
    fn restriction_keeps_all_matching_numbers() {
        let ends = -2..=2_i64;
        let all: Vec<Interval> = ends
            .clone()
            .flat_map(|a| ends.clone().map(move |b| (a, b)))
            .filter(|(a, b)| a <= b)
            .collect();
        for operator in BinaryOperator::ALL.into_iter().filter(|operator| operator.is_comparison())
        {
            for &a in &all {
                for &b in &all {
                    let left = restrict(a, operator, b);
                    let holds = |x: i32| numbers(b).any(|y| apply(operator, x, y) == Ok(1));
                    for x in numbers(a).filter(|&x| holds(x)) {
                        let is_kept = left.is_some_and(|left| within(only(x), left));
                        assert!(is_kept, "{operator:?} {a:?} {b:?}: {x}");
                    }
                    assert!(left.is_none_or(|left| within(left, a)));
                }
            }
        }
        assert_eq!(restrict((0, 5), BinaryOperator::Less, (2, 3)), Some((0, 2)));
        assert_eq!(restrict((0, 5), BinaryOperator::Equal, (7, 8)), None);
        assert_eq!(restrict((0, 5), BinaryOperator::NotEqual, (5, 5)), Some((0, 4)));
    }

    #[test]
    fn sums_and_prefix_operators_fail_where_they_leave_32_bits() {
        assert_eq!(sum((-1, 2), 10), Applied::safe((-10, 20)));
        assert!(!sum((0, 1 << 30), 4).failures.is_empty());
        assert_eq!(sum((1 << 30, 1 << 30), 4).value, None);
        assert_eq!(unary(UnaryOperator::Negate, only(i32::MIN)).value, None);
        assert_eq!(unary(UnaryOperator::Negate, (ALL.0, 3)).value, Some((-3, ALL.1)));
        assert_eq!(unary(UnaryOperator::Not, (0, 3)), Applied::safe(TRUTH));
        assert_eq!(unary(UnaryOperator::Not, (1, 3)), Applied::safe((0, 0)));
    }
}
