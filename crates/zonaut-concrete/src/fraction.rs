//! Exact fractions with overflow detection.

use std::cmp::Ordering;

/// A fraction in lowest terms; the denominator is positive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fraction {
    pub(super) numerator: i128,
    pub(super) denominator: i128,
}

impl Fraction {
    pub(super) const ZERO: Self = Self { numerator: 0, denominator: 1 };
    pub(super) const ONE: Self = Self { numerator: 1, denominator: 1 };

    pub(super) fn whole(numerator: i128) -> Self {
        Self { numerator, denominator: 1 }
    }

    fn new(numerator: i128, denominator: i128) -> Option<Self> {
        let divisor = gcd(numerator, denominator) * denominator.signum();
        if divisor == 0 {
            return None;
        }
        Some(Self { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    pub(super) fn is_zero(self) -> bool {
        self.numerator == 0
    }

    pub(super) fn is_positive(self) -> bool {
        self.numerator > 0
    }

    /// The sum; `None` on overflow, as for all operations below.
    pub(super) fn plus(self, other: Self) -> Option<Self> {
        if self.denominator == 1 && other.denominator == 1 {
            return Some(Self::whole(self.numerator.checked_add(other.numerator)?));
        }
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Self::new(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    pub(super) fn minus(self, other: Self) -> Option<Self> {
        self.plus(Self { numerator: other.numerator.checked_neg()?, ..other })
    }

    pub(super) fn times(self, other: Self) -> Option<Self> {
        // Common factors are removed first, so that products stay small.
        let left = Self::new(self.numerator, other.denominator)?;
        let right = Self::new(other.numerator, self.denominator)?;
        Some(Self {
            numerator: left.numerator.checked_mul(right.numerator)?,
            denominator: left.denominator.checked_mul(right.denominator)?,
        })
    }

    /// The quotient; `None` also if the divisor is zero.
    pub(super) fn over(self, other: Self) -> Option<Self> {
        self.times(Self::new(other.denominator, other.numerator)?)
    }

    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        let left = self.numerator.checked_mul(other.denominator)?;
        Some(left.cmp(&other.numerator.checked_mul(self.denominator)?))
    }
}

pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

/// A number plus a multiple of an infinitesimal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Near {
    pub(super) number: Fraction,
    pub(super) beyond: Fraction,
}

impl Near {
    pub(super) const ZERO: Self = Self { number: Fraction::ZERO, beyond: Fraction::ZERO };

    /// The greatest value that is at most, or below, `bound`.
    pub(super) fn limit(bound: i128, strict: bool) -> Self {
        let beyond = if strict { Fraction::whole(-1) } else { Fraction::ZERO };
        Self { number: Fraction::whole(bound), beyond }
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let number = self.number.plus(other.number)?;
        Some(Self { number, beyond: self.beyond.plus(other.beyond)? })
    }

    pub(super) fn minus(self, other: Self) -> Option<Self> {
        let number = self.number.minus(other.number)?;
        Some(Self { number, beyond: self.beyond.minus(other.beyond)? })
    }

    pub(super) fn times(self, factor: Fraction) -> Option<Self> {
        Some(Self { number: self.number.times(factor)?, beyond: self.beyond.times(factor)? })
    }

    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        let numbers = self.number.compare(other.number)?;
        Some(numbers.then(self.beyond.compare(other.beyond)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(numerator: i128, denominator: i128) -> Fraction {
        Fraction::new(numerator, denominator).expect("a small fraction")
    }

    #[test]
    fn fractions_are_in_lowest_terms_and_exact() {
        let (third, sixth) = (fraction(2, 6), fraction(-1, -6));
        assert_eq!(third.plus(sixth), Some(fraction(1, 2)));
        assert_eq!(third.minus(sixth), Some(sixth));
        assert_eq!(third.times(sixth), Some(fraction(1, 18)));
        assert_eq!(third.over(sixth), Some(Fraction::whole(2)));
        assert_eq!(third.over(Fraction::ZERO), None);
        assert_eq!(fraction(-1, 3).compare(sixth), Some(Ordering::Less));
        assert_eq!(Fraction::whole(i128::MAX).plus(Fraction::ONE), None);
    }

    #[test]
    fn a_strict_limit_is_below_its_number_and_above_all_smaller_ones() {
        let (below, at) = (Near::limit(2, true), Near::limit(2, false));
        assert_eq!(below.compare(at), Some(Ordering::Less));
        let smaller = Near { number: fraction(199, 100), beyond: Fraction::whole(50) };
        assert_eq!(smaller.compare(below), Some(Ordering::Less));
    }
}
