//! Interval arithmetic for values that depend on unknown cells.
//!
//! Claim: if the operands of an operation are in their ranges, the operation succeeds and its
//! result is in the computed range. If it would succeed for some operands and fail for others, or
//! if a single number is required, there is no range: the value is *open*, and the evaluation must
//! be repeated for parts of the contents of the responsible cell ([`crate::partial`]). Every range
//! that is not a single number names a responsible cell, whose range is not a single number either:
//! that of the wider operand. The only exception is the truth of a comparison of two wide ranges,
//! which names no cell: deciding it would take as many parts as there are contents.

use crate::machine::Operator;
use crate::refusal::Trouble;

/// The numbers from `low` to `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    low: i64,
    high: i64,
    /// The responsible cell, if this is more than one number.
    cell: Option<usize>,
}

/// The minimal width of a wide range.
const WIDE: i64 = 1 << 8;

/// The refusal of evaluations that bisection does not decide.
pub(crate) const MANY_PARTS: &str = "unknown contents fall into too many parts";

/// The relation of an operator's results to those at the ends of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// Monotone or linear in each operand: the extreme results are at ends.
    Ends,
    /// The same in its left operand, where the right one is a single number.
    LeftEnds,
    /// The remainder by a single number: monotone if the quotient is the same at both ends.
    Remainder,
    /// Equality or inequality of the operands.
    Equality,
    /// No relation.
    Any,
}

impl Span {
    pub(crate) fn only(value: i64) -> Self {
        Self { low: value, high: value, cell: None }
    }

    /// The range of contents of a cell.
    pub(crate) fn of_cell(cell: usize, low: i64, high: i64) -> Self {
        Self { low, high, cell: Some(cell) }
    }

    /// The least and the greatest number.
    pub(crate) fn ends(self) -> (i64, i64) {
        (self.low, self.high)
    }

    fn is_single(self) -> bool {
        self.low == self.high
    }

    fn is_wide(self) -> bool {
        self.high - self.low >= WIDE
    }

    /// The open value: several numbers where a single result is required.
    fn open(self) -> Trouble {
        self.cell.map_or_else(|| Trouble::undecided(MANY_PARTS), Trouble::Open)
    }

    /// The number, if it is a single one.
    pub(crate) fn single(self) -> Result<i64, Trouble> {
        if self.is_single() { Ok(self.low) } else { Err(self.open()) }
    }

    /// Whether the number is not 0; open if the range has both 0 and other numbers.
    pub(crate) fn truth(self) -> Result<bool, Trouble> {
        match (self.low, self.high) {
            (0, 0) => Ok(false),
            (low, high) if low > 0 || high < 0 => Ok(true),
            _ => Err(self.open()),
        }
    }

    /// The same; `None` if it is open and bisection would not help.
    pub(crate) fn known_truth(self) -> Result<Option<bool>, Trouble> {
        match (self.truth(), self.cell) {
            (Err(_), None) => Ok(None),
            (truth, _) => truth.map(Some),
        }
    }

    /// The same as a number.
    pub(crate) fn truth_value(self) -> Self {
        match self.truth() {
            Ok(truth) => Self::only(i64::from(truth)),
            Err(_) => Self { low: 0, high: 1, ..self },
        }
    }

    /// The negated truth value.
    pub(crate) fn opposite(self) -> Self {
        let Self { low, high, cell } = self.truth_value();
        Self { low: 1 - high, high: 1 - low, cell }
    }

    /// The range of negated numbers.
    pub(crate) fn negative(self) -> Result<Self, Trouble> {
        fits(Self { low: -self.high, high: -self.low, cell: self.cell })
    }

    /// Fails if a number is outside a range.
    pub(crate) fn require(
        self,
        low: i64,
        high: i64,
        message: &'static str,
    ) -> Result<Self, Trouble> {
        if low <= self.low && self.high <= high {
            Ok(self)
        } else if self.high < low || high < self.low {
            Err(Trouble::RunTime(message))
        } else {
            Err(self.open())
        }
    }

    /// The range without subranges at both ends in which all numbers are excluded.
    pub(crate) fn without_ends(mut self, are_excluded: impl Fn(Self) -> bool) -> Self {
        for step in (0..33).rev().map(|shift| 1 << shift) {
            let first = Self { high: self.low + step - 1, ..self };
            if first.high < self.high && are_excluded(first) {
                self.low += step;
            }
            let last = Self { low: self.high - step + 1, ..self };
            if self.low < last.low && are_excluded(last) {
                self.high -= step;
            }
        }
        self
    }

    /// Whether both are the same number.
    pub(crate) fn equals(self, other: Self) -> Result<bool, Trouble> {
        if self.is_single() && other.is_single() {
            return Ok(self.low == other.low);
        }
        let are_apart = self.high < other.low || other.high < self.low;
        if are_apart { Ok(false) } else { Err(blamed(self, other).open()) }
    }
}

/// The wider of two ranges.
fn blamed(left: Span, right: Span) -> Span {
    if left.high - left.low >= right.high - right.low { left } else { right }
}

/// Fails for numbers beyond 32 bits.
fn fits(span: Span) -> Result<Span, Trouble> {
    span.require(i64::from(i32::MIN), i64::from(i32::MAX), "a value does not fit 32 bits")
}

/// The range of results of an operator.
pub(crate) fn apply(operator: Operator, left: Span, right: Span) -> Result<Span, Trouble> {
    let (left, right) = (fits(left)?, fits(right)?);
    if left.is_single() && right.is_single() {
        return fits(Span::only((operator.function)(left.low, right.low)?));
    }
    let Span { cell, .. } = blamed(left, right);
    let open = blamed(left, right).open();
    let compared = || if left.is_wide() && right.is_wide() { None } else { cell };
    let ends = |rights: &[i64]| {
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        for &left in &[left.low, left.high] {
            for &right in rights {
                let result = (operator.function)(left, right)?;
                (low, high) = (low.min(result), high.max(result));
            }
        }
        let cell = if (low, high) == (0, 1) { compared() } else { cell };
        fits(Span { low, high, cell })
    };
    match operator.shape {
        Shape::Ends => ends(&[right.low, right.high]),
        Shape::LeftEnds if right.is_single() => ends(&[right.low]),
        Shape::Remainder if right.is_single() => {
            let quotient = |left: i64| left.checked_div(right.low);
            let is_same_sign = left.low >= 0 || left.high <= 0;
            let is_same = is_same_sign && quotient(left.low) == quotient(left.high);
            if is_same { ends(&[right.low]) } else { Err(open) }
        }
        Shape::Equality => match left.equals(right) {
            Ok(_) => fits(Span::only((operator.function)(left.low, right.low)?)),
            Err(_) => Ok(Span { low: 0, high: 1, cell: compared() }),
        },
        _ => Err(open),
    }
}

#[cfg(test)]
mod tests;
