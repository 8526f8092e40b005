//! Bounds on clock differences: a value and its strictness in one integer.

#[cfg(test)]
mod tests;

use crate::width::sealed::Encoded;
use crate::{Narrow, Width};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Add;

/// An upper bound `<= value`, `< value` or `< infinity` on a difference of two clocks.
///
/// The encoding is `2 * value + 1` for `<= value` and `2 * value` for `< value`, so that the
/// integer order is the order of tightness: a smaller bound is stricter. The [`Width`] determines
/// the number of bits.
///
/// # Range
///
/// Finite bounds have values of magnitude at most [`Bound::LIMIT`].
/// Sums never wrap: a sum above the range becomes [`Bound::INFINITY`] and one below it the least
/// finite bound, so that a saturated zone is larger than the exact one, never smaller.
/// Two conditions exclude saturation, for steps of a timed automaton that compare single clocks
/// with constants (any guards, resets, one delay, invariants):
///
/// * The constants are at most [`Bound::MAX_CONSTANT`] and the finite bounds of the zone before the
///   step are at most [`Bound::RANGE`] in magnitude ([`crate::Zone::is_within_range`]): a shortest
///   path through the step adds up at most eight of them.
/// * Zones are extrapolated before every step and the constants are at most
///   [`Bound::max_extrapolated_constant`]: the bounds that remain after extrapolation are
///   constants, and a shortest path visits every clock once.
///
/// Constraints on differences of clocks make paths longer, by two bounds each.
///
/// | | [`Narrow`] | [`crate::Wide`] |
/// |---|---|---|
/// | greatest constant | 2^26 - 1 | 2^30 - 1 |
/// | range of a zone before an exact step | 2^26 - 1 | 2^58 - 1 |
/// | extrapolated zones are exact | up to a number of clocks | always |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bound<W: Width = Narrow>(pub(crate) W::Encoded);

impl<W: Width> Hash for Bound<W> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }

    /// Hashing of whole matrices is frequent, so each word is mixed by one multiplication and the
    /// hasher receives the result.
    #[inline]
    fn hash_slice<H: Hasher>(bounds: &[Bound<W>], state: &mut H) {
        state.write_u64(W::Encoded::mixed(bounds, |b| b.0));
    }
}

impl<W: Width> Bound<W> {
    /// The absence of a bound; looser than every finite bound.
    pub const INFINITY: Bound<W> = Bound(W::INFINITY);
    /// The bound `<= 0`, which is neutral for addition.
    pub const ZERO: Bound<W> = Bound(W::Encoded::WEAK);
    /// The least finite bound, where sums saturate.
    pub(crate) const FLOOR: Bound<W> = Bound(W::FLOOR);
    /// The greatest magnitude of the value of a finite bound.
    pub const LIMIT: i64 = W::LIMIT;
    /// The greatest magnitude of the bounds of a zone from which a step is exact.
    pub const RANGE: i64 = W::RANGE;
    /// The greatest constant in guards, invariants and resets; see the range of the type.
    pub const MAX_CONSTANT: i32 = W::MAX_CONSTANT;

    /// The greatest constant for which extrapolated zones of the given dimension stay exact.
    pub const fn max_extrapolated_constant(dim: usize) -> i32 {
        let greatest = W::LIMIT / (dim as i64 + 8);
        if greatest > W::MAX_CONSTANT as i64 { W::MAX_CONSTANT } else { greatest as i32 }
    }

    /// The bound `<= value`.
    ///
    /// Values outside the range of finite bounds saturate to the looser side.
    #[inline]
    pub fn le(value: impl Into<i64>) -> Bound<W> {
        Bound::saturated(value.into(), 1)
    }

    /// The bound `< value`.
    ///
    /// Values outside the range of finite bounds saturate to the looser side.
    #[inline]
    pub fn lt(value: impl Into<i64>) -> Bound<W> {
        Bound::saturated(value.into(), 0)
    }

    #[inline(always)]
    fn saturated(value: i64, weak: i64) -> Bound<W> {
        if value > W::LIMIT {
            Bound::INFINITY
        } else if value < -W::LIMIT {
            Bound::FLOOR
        } else {
            Bound(W::Encoded::truncated(2 * value + weak))
        }
    }

    /// The value compared with; without meaning for [`Bound::INFINITY`].
    #[inline]
    pub fn value(self) -> i64 {
        self.encoded() >> 1
    }

    /// Whether equality with the value is excluded. True for [`Bound::INFINITY`].
    #[inline]
    pub fn is_strict(self) -> bool {
        self.0 & W::Encoded::WEAK != W::Encoded::WEAK
    }

    /// Whether this is [`Bound::INFINITY`].
    #[inline]
    pub fn is_infinite(self) -> bool {
        self.0 == W::INFINITY
    }

    /// The bound of the complement: not `x - y <= c` is `y - x < -c`.
    ///
    /// The complement of no bound is empty; it is given as the least finite bound.
    #[inline]
    pub fn negated(self) -> Bound<W> {
        Bound(W::Encoded::WEAK - self.0).max(Bound::FLOOR)
    }

    /// The encoded integer, for hashing, packing and writing.
    #[inline]
    pub fn encoded(self) -> i64 {
        self.0.into()
    }

    /// The bound with the given encoding, if it is one.
    #[inline]
    pub fn try_from_encoded(encoded: i64) -> Option<Bound<W>> {
        let (least, most) = (Bound::<W>::FLOOR.encoded(), Bound::<W>::INFINITY.encoded());
        (least..=most).contains(&encoded).then(|| Bound(W::Encoded::truncated(encoded)))
    }

    /// The sum of a finite `self` and `other`, correct only if `other` is finite and not above the
    /// range.
    ///
    /// Kernels compute it in every lane before they select: neither sum can wrap.
    #[inline(always)]
    pub(crate) fn plus(self, other: Bound<W>) -> Bound<W> {
        let either = self.0 | other.0;
        #[cfg(feature = "faults")]
        let either = crate::faults::strictness_of_sum(self, other, either);
        let sum = self.0 + other.0 - (either & W::Encoded::WEAK);
        if sum < W::FLOOR { Bound::FLOOR } else { Bound(sum) }
    }
}

impl<W: Width> Add for Bound<W> {
    type Output = Bound<W>;

    #[inline]
    fn add(self, other: Bound<W>) -> Bound<W> {
        if self.is_infinite() || other.is_infinite() {
            Bound::INFINITY
        } else {
            self.plus(other).min(Bound::INFINITY)
        }
    }
}

impl<W: Width> fmt::Display for Bound<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_infinite() {
            return f.write_str("<inf");
        }
        write!(f, "{}{}", if self.is_strict() { "<" } else { "<=" }, self.value())
    }
}

impl<W: Width> fmt::Debug for Bound<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
