//! Bounds by constants, independent of a width.

use crate::{Bound, Wide, Width};
use std::fmt;

/// An upper bound `<= value` or `< value` by a constant, as tables of constraints hold it before
/// the width of zone bounds is chosen.
///
/// The value is at most [`ConstantBound::MAX`] in magnitude. It converts into a [`Bound`] of any
/// width whose range contains the value; for narrow bounds the conversion is free.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConstantBound(i32);

impl ConstantBound {
    /// The greatest magnitude of a value: the greatest constant of the widest bounds.
    pub const MAX: i32 = Bound::<Wide>::MAX_CONSTANT;

    /// The bound `<= value`.
    #[inline]
    pub const fn le(value: i32) -> ConstantBound {
        debug_assert!(value.unsigned_abs() <= ConstantBound::MAX.unsigned_abs());
        ConstantBound(2 * value + 1)
    }

    /// The bound `< value`.
    #[inline]
    pub const fn lt(value: i32) -> ConstantBound {
        debug_assert!(value.unsigned_abs() <= ConstantBound::MAX.unsigned_abs());
        ConstantBound(2 * value)
    }

    /// The value compared with.
    #[inline]
    pub const fn value(self) -> i32 {
        self.0 >> 1
    }

    /// Whether equality with the value is excluded.
    #[inline]
    pub const fn is_strict(self) -> bool {
        self.0 & 1 == 0
    }

    /// The bound of the complement: not `x - y <= c` is `y - x < -c`.
    #[inline]
    pub const fn negated(self) -> ConstantBound {
        ConstantBound(1 - self.0)
    }

    /// Twice the value, and one more if the bound is not strict.
    #[inline]
    pub const fn encoded(self) -> i32 {
        self.0
    }
}

impl<W: Width> From<ConstantBound> for Bound<W> {
    #[inline(always)]
    fn from(b: ConstantBound) -> Bound<W> {
        debug_assert!(b.value().unsigned_abs() <= Bound::<W>::MAX_CONSTANT.unsigned_abs());
        Bound(W::Encoded::from(b.0))
    }
}

impl fmt::Display for ConstantBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Bound::<Wide>::from(*self).fmt(f)
    }
}

impl fmt::Debug for ConstantBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Narrow;

    fn check<W: Width>(value: i32) {
        let (weak, strict) = (ConstantBound::le(value), ConstantBound::lt(value));
        assert_eq!([weak.value(), strict.value()], [value; 2]);
        assert_eq!([weak.is_strict(), strict.is_strict()], [false, true]);
        assert_eq!(Bound::<W>::from(weak), Bound::le(value));
        assert_eq!(Bound::<W>::from(strict), Bound::lt(value));
        assert_eq!(Bound::<W>::from(weak.negated()), Bound::<W>::le(value).negated());
        assert_eq!(weak.negated().negated(), weak);
        assert_eq!(
            [weak.to_string(), strict.to_string()],
            [format!("<={value}"), format!("<{value}")]
        );
    }

    #[test]
    fn constants_are_bounds_of_every_width_that_has_them() {
        let most = Bound::<Narrow>::MAX_CONSTANT;
        [0, 1, -1, 7, most, -most].into_iter().for_each(check::<Narrow>);
        let most = ConstantBound::MAX;
        [0, 1, -1, 7, most, -most].into_iter().for_each(check::<Wide>);
    }
}
