//! Least costs: numbers that are reached, or only approached from above.

use std::fmt;

use zonaut_space::Cost;

/// The infimum of a set of costs, and whether it is one of them.
///
/// Of two infima of equal value the one that is attained is the less: such a cost
/// can be paid. So of two paths to 14 the one that costs 14 wins against the one that costs a little more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Infimum(
    /// Twice the value, and one more where it is not attained.
    i64,
);

/// The greatest value.
const GREATEST: i64 = i64::MAX >> 2;

impl Infimum {
    /// More than any path costs.
    pub const GREATEST: Self = Self(2 * GREATEST + 1);

    /// A cost that is paid.
    #[must_use]
    pub fn attained(value: i64) -> Self {
        Self(2 * value.clamp(0, GREATEST))
    }

    /// A cost that is approached and not reached.
    #[must_use]
    pub fn approached(value: i64) -> Self {
        Self(2 * value.clamp(0, GREATEST) + 1)
    }

    /// The number.
    #[must_use]
    pub fn value(self) -> i64 {
        self.0 >> 1
    }

    /// Whether it is paid.
    #[must_use]
    pub fn is_attained(self) -> bool {
        self.0 & 1 == 0
    }
}

impl Cost for Infimum {
    const ZERO: Self = Self(0);

    #[inline]
    fn plus(self, other: Self) -> Self {
        let value = ((self.0 >> 1) + (other.0 >> 1)).min(GREATEST);
        Self(2 * value + ((self.0 | other.0) & 1))
    }

    fn about(self) -> u32 {
        u32::try_from(self.value()).unwrap_or(u32::MAX)
    }
}

impl fmt::Display for Infimum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_attained() {
            true => write!(f, "{}", self.value()),
            false => write!(f, "{} (infimum, not attained)", self.value()),
        }
    }
}

impl fmt::Debug for Infimum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_paid_is_less_than_what_is_approached() {
        let all = [
            Infimum::ZERO,
            Infimum::approached(0),
            Infimum::attained(14),
            Infimum::approached(14),
            Infimum::attained(15),
            Infimum::GREATEST,
        ];
        assert!(all.is_sorted_by(|a, b| a < b));
        assert_eq!(Infimum::approached(14).to_string(), "14 (infimum, not attained)");
    }

    #[test]
    fn a_sum_is_attained_if_its_parts_are() {
        let (four, above_ten) = (Infimum::attained(4), Infimum::approached(10));
        assert_eq!(four.plus(four), Infimum::attained(8));
        assert_eq!(four.plus(above_ten), Infimum::approached(14));
        assert_eq!(above_ten.plus(Infimum::ZERO), above_ten);
        assert_eq!(four.plus(Infimum::GREATEST), Infimum::GREATEST);
    }
}
