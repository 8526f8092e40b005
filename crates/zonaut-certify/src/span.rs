//! Ranges of numbers: what is known of a value that rests on cells with unknown contents.
//!
//! The claim: if the operands of an operation are in their ranges, its result is in the range that
//! is given here, and the operation succeeds. Where it would succeed for some operands and fail for
//! others, or where a single number is needed, there is no range: the value is *open*, and the
//! evaluation has to be repeated for parts of the contents of the cell that is to blame
//! ([`crate::partial`]). Every range that is not a single number names a cell whose contents are not
//! a single number either: the one that its wider operand names.

use crate::machine::Operator;
use crate::refusal::Trouble;

/// The numbers from `low` to `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    low: i64,
    high: i64,
    /// The cell to blame, if these are several.
    cell: usize,
}

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
        Self { low: value, high: value, cell: 0 }
    }

    /// The contents of a cell.
    pub(crate) fn of_cell((low, high): (i64, i64), cell: usize) -> Self {
        Self { low, high, cell }
    }

    /// The least and the greatest number.
    pub(crate) fn ends(self) -> (i64, i64) {
        (self.low, self.high)
    }

    fn is_single(self) -> bool {
        self.low == self.high
    }

    /// The number, if it is a single one.
    pub(crate) fn single(self) -> Result<i64, Trouble> {
        if self.is_single() { Ok(self.low) } else { Err(Trouble::Open(self.cell)) }
    }

    /// Whether none of the numbers is 0, if that is not open.
    pub(crate) fn truth(self) -> Result<bool, Trouble> {
        match (self.low, self.high) {
            (0, 0) => Ok(false),
            (low, high) if low > 0 || high < 0 => Ok(true),
            _ => Err(Trouble::Open(self.cell)),
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
            Err(Trouble::Open(self.cell))
        }
    }

    /// Whether both are the same number.
    pub(crate) fn equals(self, other: Self) -> Result<bool, Trouble> {
        if self.is_single() && other.is_single() {
            return Ok(self.low == other.low);
        }
        let are_apart = self.high < other.low || other.high < self.low;
        if are_apart { Ok(false) } else { Err(Trouble::Open(blamed(self, other))) }
    }
}

/// The cell that the wider one of two ranges names.
fn blamed(left: Span, right: Span) -> usize {
    if left.high - left.low >= right.high - right.low { left.cell } else { right.cell }
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
    let cell = blamed(left, right);
    let open = Trouble::Open(cell);
    let ends = |rights: &[i64]| {
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        for &left in &[left.low, left.high] {
            for &right in rights {
                let result = (operator.function)(left, right)?;
                (low, high) = (low.min(result), high.max(result));
            }
        }
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
            Err(_) => Ok(Span { low: 0, high: 1, cell }),
        },
        _ => Err(open),
    }
}

#[cfg(test)]
mod tests;
