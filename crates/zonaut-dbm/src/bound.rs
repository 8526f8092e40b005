//! Bounds on clock differences: a value and its strictness in one integer.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Add;

/// An upper bound `<= value`, `< value` or `< infinity` on a difference of two clocks.
///
/// The encoding is `2 * value + 1` for `<= value` and `2 * value` for `< value`, so that the
/// integer order is the order of tightness: a smaller bound allows less.
///
/// # Range
///
/// Finite bounds have values of magnitude at most [`Bound::LIMIT`].
/// Sums never wrap: a sum above the range becomes [`Bound::INFINITY`] and one below it the least
/// finite bound, so that a saturated zone is larger than the exact one, never smaller.
/// Two conditions rule saturation out, for steps of a timed automaton that compare single clocks
/// with constants (any guards, resets, one delay, invariants):
///
/// * The constants and the finite bounds of the zone before the step are at most
///   [`Bound::MAX_CONSTANT`] in magnitude ([`crate::Zone::is_within_range`]): a shortest path
///   through the step adds up at most eight of them.
/// * Zones are extrapolated before every step and the constants are at most
///   [`Bound::max_extrapolated_constant`]: the bounds that extrapolation leaves are constants,
///   and a shortest path visits every clock once.
///
/// Constraints on differences of clocks make paths longer, by two bounds each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bound(pub(crate) i32);

impl Hash for Bound {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_i32(self.0);
    }

    /// Whole matrices are hashed all the time, so two bounds at once are mixed by one
    /// multiplication, and the hasher gets the outcome.
    #[inline]
    fn hash_slice<H: Hasher>(bounds: &[Bound], state: &mut H) {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(FACTOR);
        let (pairs, rest) = bounds.as_chunks::<2>();
        let pair = |&[a, b]: &[Bound; 2]| u64::from(a.0 as u32) << 32 | u64::from(b.0 as u32);
        let hash = pairs.iter().map(pair).fold(bounds.len() as u64, mix);
        state.write_u64(rest.iter().map(|b| u64::from(b.0 as u32)).fold(hash, mix));
    }
}

impl Bound {
    /// No bound at all; looser than every finite bound.
    ///
    /// The encoding is even (strict), and its sum with a finite bound does not overflow.
    pub const INFINITY: Bound = Bound(1 << 30);
    /// The bound `<= 0`, which is neutral for addition.
    pub const ZERO: Bound = Bound(1);
    /// The least finite bound, where sums saturate.
    pub(crate) const FLOOR: Bound = Bound::lt(-Bound::LIMIT);
    /// The greatest magnitude of the value of a finite bound.
    pub const LIMIT: i32 = (1 << 29) - 2;
    /// The greatest constant in guards, invariants and resets; see the range of the type.
    pub const MAX_CONSTANT: i32 = (1 << 26) - 1;

    /// The greatest constant for which extrapolated zones of the given dimension stay exact.
    pub const fn max_extrapolated_constant(dim: usize) -> i32 {
        (Bound::LIMIT as usize / (dim + 8)) as i32
    }

    /// The bound `<= value`.
    ///
    /// Values outside the range of finite bounds saturate to the looser side.
    #[inline]
    pub const fn le(value: i32) -> Bound {
        if value > Bound::LIMIT {
            Bound::INFINITY
        } else if value < -Bound::LIMIT {
            Bound::FLOOR
        } else {
            Bound(2 * value + 1)
        }
    }

    /// The bound `< value`.
    ///
    /// Values outside the range of finite bounds saturate to the looser side.
    #[inline]
    pub const fn lt(value: i32) -> Bound {
        if value > Bound::LIMIT {
            Bound::INFINITY
        } else if value < -Bound::LIMIT {
            Bound(-2 * Bound::LIMIT)
        } else {
            Bound(2 * value)
        }
    }

    /// The value compared with; without meaning for [`Bound::INFINITY`].
    #[inline]
    pub const fn value(self) -> i32 {
        self.0 >> 1
    }

    /// Whether equality with the value is excluded. True for [`Bound::INFINITY`].
    #[inline]
    pub const fn is_strict(self) -> bool {
        self.0 & 1 == 0
    }

    /// Whether this is [`Bound::INFINITY`].
    #[inline]
    pub const fn is_infinite(self) -> bool {
        self.0 == Bound::INFINITY.0
    }

    /// The bound of the complement: not `x - y <= c` is `y - x < -c`.
    ///
    /// The complement of no bound is empty; it is given as the least finite bound.
    #[inline]
    pub const fn negated(self) -> Bound {
        let negated = 1 - self.0;
        if negated < Bound::FLOOR.0 { Bound::FLOOR } else { Bound(negated) }
    }

    /// The encoded integer, for hashing, packing and kernels.
    #[inline]
    pub const fn encoded(self) -> i32 {
        self.0
    }

    /// The bound with the given encoding, if it is one.
    #[inline]
    pub const fn try_from_encoded(encoded: i32) -> Option<Bound> {
        if encoded >= Bound::FLOOR.0 && encoded <= Bound::INFINITY.0 {
            Some(Bound(encoded))
        } else {
            None
        }
    }

    /// The sum with a finite `self`, right only if `other` is finite and not above the range.
    ///
    /// What a kernel computes in every lane before it selects: neither sum can wrap.
    #[inline(always)]
    pub(crate) fn plus(self, other: Bound) -> Bound {
        let either = self.0 | other.0;
        #[cfg(feature = "faults")]
        let either = crate::faults::strictness_of_sum(self, other, either);
        let sum = self.0 + other.0 - (either & 1);
        if sum < Bound::FLOOR.0 { Bound::FLOOR } else { Bound(sum) }
    }
}

impl Add for Bound {
    type Output = Bound;

    #[inline]
    fn add(self, other: Bound) -> Bound {
        if self.is_infinite() || other.is_infinite() {
            Bound::INFINITY
        } else {
            self.plus(other).min(Bound::INFINITY)
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_infinite() {
            return f.write_str("<inf");
        }
        write!(f, "{}{}", if self.is_strict() { "<" } else { "<=" }, self.value())
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finite_bounds() -> impl Iterator<Item = Bound> + Clone {
        (-6..=6).flat_map(|value| [Bound::lt(value), Bound::le(value)])
    }

    #[test]
    fn smaller_means_tighter() {
        assert!(Bound::lt(3) < Bound::le(3));
        assert!(Bound::le(3) < Bound::lt(4));
        assert!(Bound::le(Bound::LIMIT) < Bound::INFINITY);
    }

    #[test]
    fn a_sum_is_strict_if_one_part_is() {
        for a in finite_bounds() {
            for b in finite_bounds() {
                let sum = a + b;
                assert_eq!(sum.value(), a.value() + b.value());
                assert_eq!(sum.is_strict(), a.is_strict() || b.is_strict());
            }
        }
    }

    #[test]
    fn zero_is_neutral_and_infinity_absorbs() {
        for a in finite_bounds().chain([Bound::INFINITY]) {
            assert_eq!(a + Bound::ZERO, a);
            assert_eq!(Bound::ZERO + a, a);
            assert_eq!(a + Bound::INFINITY, Bound::INFINITY);
            assert_eq!(Bound::INFINITY + a, Bound::INFINITY);
        }
        assert_eq!(Bound::INFINITY + Bound::FLOOR, Bound::INFINITY);
        assert!(Bound::INFINITY.is_strict());
    }

    #[test]
    fn the_complement_turns_round_and_changes_strictness() {
        assert_eq!(Bound::le(4).negated(), Bound::lt(-4));
        assert_eq!(Bound::lt(4).negated(), Bound::le(-4));
        for a in finite_bounds() {
            assert_eq!(a.negated().negated(), a);
            assert!(a + a.negated() < Bound::ZERO);
        }
    }

    #[test]
    fn sums_saturate_to_the_looser_side() {
        let (most, least) = (Bound::le(Bound::LIMIT), Bound::FLOOR);
        assert_eq!(most + most, Bound::INFINITY);
        assert_eq!(most + Bound::le(2), Bound::INFINITY);
        assert_eq!(least + least, least);
        assert_eq!(least + Bound::le(-1), least);
        assert_eq!(most + least, Bound::lt(0));
        assert_eq!(Bound::le(i32::MAX), Bound::INFINITY);
        assert_eq!(Bound::lt(i32::MAX), Bound::INFINITY);
        assert_eq!(Bound::le(i32::MIN), least);
        assert_eq!(Bound::lt(i32::MIN), least);
        assert_eq!(Bound::INFINITY.negated(), least);
    }

    #[test]
    fn the_range_of_finite_bounds_ends_with_the_limit() {
        for limit in [-Bound::LIMIT, Bound::LIMIT] {
            let (weak, strict) = (Bound::le(limit), Bound::lt(limit));
            assert_eq!([weak.value(), strict.value()], [limit; 2]);
            assert_eq!([weak, strict].map(Bound::is_strict), [false, true]);
            assert!(!weak.is_infinite() && !strict.is_infinite());
        }
        let above = Bound::LIMIT + 1;
        assert_eq!([Bound::le(above), Bound::lt(above)], [Bound::INFINITY; 2]);
        assert_eq!([Bound::le(-above), Bound::lt(-above)], [Bound::FLOOR; 2]);
    }

    #[test]
    fn the_greatest_extrapolated_constants_add_up_exactly() {
        for dim in [1, 2, 10, 1000] {
            let greatest = Bound::max_extrapolated_constant(dim);
            let parts = dim as i32 + 8;
            let sum = |part: Bound| (1..parts).fold(part, |sum, _| sum + part);
            assert_eq!(sum(Bound::le(greatest)), Bound::le(parts * greatest));
            assert_eq!(sum(Bound::le(greatest + 1)), Bound::INFINITY);
        }
    }

    #[test]
    fn eight_largest_constants_add_up_exactly() {
        for sign in [1, -1] {
            let constant = Bound::le(sign * Bound::MAX_CONSTANT);
            let sum = (1..8).fold(constant, |sum, _| sum + constant);
            assert_eq!(sum, Bound::le(sign * 8 * Bound::MAX_CONSTANT));
        }
    }

    #[test]
    fn encoding_round_trips_and_rejects_other_integers() {
        for a in finite_bounds().chain([Bound::INFINITY, Bound::FLOOR]) {
            assert_eq!(Bound::try_from_encoded(a.encoded()), Some(a));
        }
        assert_eq!(Bound::try_from_encoded(i32::MAX), None);
        assert_eq!(Bound::try_from_encoded(i32::MIN), None);
    }

    #[test]
    fn bounds_are_shown_with_their_relation() {
        let shown = [Bound::le(5), Bound::lt(-2), Bound::INFINITY].map(|b| b.to_string());
        assert_eq!(shown, ["<=5", "<-2", "<inf"]);
    }
}
