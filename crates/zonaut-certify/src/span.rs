//! Ranges of numbers: what is known of a value that rests on cells with unknown contents.
//!
//! The claim: if the operands of an operation are in their ranges, its result is in the range that
//! is given here, and the operation succeeds. Where it would succeed for some operands and fail for
//! others, or where a single number is needed, there is no range: the value is *open*, and the
//! evaluation has to be repeated for parts of the contents of the cell that is to blame
//! ([`crate::partial`]). Every range that is not a single number names a cell whose contents are not
//! a single number either: the one that its wider operand names. Only whether a comparison of two wide
//! ranges holds names none: parts of their contents that tell would be as many as the contents.

use crate::machine::Operator;
use crate::refusal::Trouble;

/// The numbers from `low` to `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    low: i64,
    high: i64,
    /// The cell to blame, if these are several.
    cell: Option<usize>,
}

/// The difference of the ends from which on a range is wide.
const WIDE: i64 = 1 << 8;

/// What stays open after halves of halves.
pub(crate) const MANY_PARTS: &str = "unknown contents fall into too many parts";

/// How the results of an operator follow from those at the ends of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// It only grows, or only falls, in each operand, or is linear in each: the least and the
    /// greatest result are at ends.
    Ends,
    /// The same in its left operand, where the right one is a single number.
    LeftEnds,
    /// The remainder by a single number: where the quotient at both ends is the same, it grows.
    Remainder,
    /// Whether operands are equal, or whether they are not.
    Equality,
    /// Nothing is known.
    Any,
}

impl Span {
    pub(crate) fn only(value: i64) -> Self {
        Self { low: value, high: value, cell: None }
    }

    /// The contents of a cell.
    pub(crate) fn of_cell((low, high): (i64, i64), cell: usize) -> Self {
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

    /// The trouble with several numbers where one way for all of them is wanted.
    fn open(self) -> Trouble {
        self.cell.map_or_else(|| Trouble::undecided(MANY_PARTS), Trouble::Open)
    }

    /// The number, if it is a single one.
    pub(crate) fn single(self) -> Result<i64, Trouble> {
        if self.is_single() { Ok(self.low) } else { Err(self.open()) }
    }

    /// Whether none of the numbers is 0, if that is not open.
    pub(crate) fn truth(self) -> Result<bool, Trouble> {
        match (self.low, self.high) {
            (0, 0) => Ok(false),
            (low, high) if low > 0 || high < 0 => Ok(true),
            _ => Err(self.open()),
        }
    }

    /// The same; nothing if it is open, and parts of contents would not tell.
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

    /// The truth value of the opposite.
    pub(crate) fn opposite(self) -> Self {
        let Self { low, high, cell } = self.truth_value();
        Self { low: 1 - high, high: 1 - low, cell }
    }

    /// The negative numbers.
    pub(crate) fn negative(self) -> Result<Self, Trouble> {
        fits(Self { low: -self.high, high: -self.low, cell: self.cell })
    }

    /// Fails where a number is out of a range.
    pub(crate) fn require(
        self,
        (low, high): (i64, i64),
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

    /// The numbers without those at both ends of which all are excluded.
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

/// The wider one of two ranges.
fn blamed(left: Span, right: Span) -> Span {
    if left.high - left.low >= right.high - right.low { left } else { right }
}

/// What does not fit 32 bits fails.
fn fits(span: Span) -> Result<Span, Trouble> {
    let range = (i64::from(i32::MIN), i64::from(i32::MAX));
    span.require(range, "a value does not fit 32 bits")
}

/// What an operator makes of its operands.
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
