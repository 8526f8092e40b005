//! Widths of zone bounds: narrow bounds are fast and small, wide bounds hold large constants.

use sealed::Representation;

/// The number of bits of a zone's bounds: [`Narrow`] or [`Wide`].
///
/// Zones of both widths have the same operations and laws; they differ in the range of values in
/// which no sum saturates ([`crate::Bound`]). The width is chosen once, before any zone is
/// computed, so that loops over bounds are compiled for one width.
pub trait Width: Representation {}

/// Bounds of 32 bits, for constants up to 2^26 - 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Narrow;

/// Bounds of 64 bits, for constants up to 2^30 - 1 and for long sums of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Wide;

impl Width for Narrow {}
impl Width for Wide {}

impl Representation for Narrow {
    type Encoded = i32;

    const INFINITY: i32 = 1 << 30;
    const LIMIT: i64 = (1 << 29) - 2;
    const FLOOR: i32 = -2 * Narrow::LIMIT as i32;
    const RANGE: i64 = (1 << 26) - 1;
    const MAX_CONSTANT: i32 = (1 << 26) - 1;
}

impl Representation for Wide {
    type Encoded = i64;

    const INFINITY: i64 = 1 << 62;
    const LIMIT: i64 = (1 << 61) - 2;
    const FLOOR: i64 = -2 * Wide::LIMIT;
    const RANGE: i64 = (1 << 58) - 1;
    const MAX_CONSTANT: i32 = (1 << 30) - 1;
}

/// The private part of a width; it seals `Width` against further implementations.
pub(crate) mod sealed {
    use std::fmt::Debug;
    use std::hash::Hash;
    use std::ops::{Add, BitAnd, BitOr, Neg, Sub};

    /// The constants of a width; [`crate::Bound`] defines their use.
    pub trait Representation: Copy + Ord + Hash + Debug + Default + Send + Sync + 'static {
        /// The integer that holds a bound.
        type Encoded: Encoded;
        /// The encoding of "unbounded". Even, and its sum with a finite bound does not overflow.
        const INFINITY: Self::Encoded;
        /// The greatest magnitude of the value of a finite bound.
        const LIMIT: i64;
        /// The least finite bound.
        const FLOOR: Self::Encoded;
        /// The greatest magnitude of values in a zone from which a step is exact: an eighth of the
        /// limit.
        const RANGE: i64;
        /// The greatest constant.
        const MAX_CONSTANT: i32;
    }

    /// The integers that hold bounds.
    pub trait Encoded:
        Copy
        + Ord
        + Hash
        + Debug
        + Default
        + Send
        + Sync
        + From<i32>
        + Into<i64>
        + Add<Output = Self>
        + Sub<Output = Self>
        + Neg<Output = Self>
        + BitAnd<Output = Self>
        + BitOr<Output = Self>
        + 'static
    {
        /// The least integer.
        const LEAST: Self;
        /// The greatest integer.
        const GREATEST: Self;
        /// The single bit that marks a weak bound.
        const WEAK: Self;
        /// All bits except the one of [`Self::WEAK`].
        const STRICT: Self;

        /// The integer itself; the caller guarantees that it fits.
        fn truncated(number: i64) -> Self;

        /// The successor, or the greatest integer.
        fn incremented(self) -> Self;

        /// A hash of a list of elements that contain such integers.
        fn mixed<T>(list: &[T], encoded: impl Fn(&T) -> Self) -> u64;
    }

    /// Mixes one more word into a hash.
    #[inline(always)]
    fn mix(hash: u64, word: u64) -> u64 {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        (hash.rotate_left(23) ^ word).wrapping_mul(FACTOR)
    }

    impl Encoded for i32 {
        const LEAST: i32 = i32::MIN;
        const GREATEST: i32 = i32::MAX;
        const WEAK: i32 = 1;
        const STRICT: i32 = !1;

        #[inline(always)]
        fn truncated(number: i64) -> i32 {
            number as i32
        }

        #[inline(always)]
        fn incremented(self) -> i32 {
            self.saturating_add(1)
        }

        /// Mixes two integers by one multiplication.
        #[inline]
        fn mixed<T>(list: &[T], encoded: impl Fn(&T) -> i32) -> u64 {
            let word = |item: &T| u64::from(encoded(item) as u32);
            let (pairs, rest) = list.as_chunks::<2>();
            let pair = |[a, b]: &[T; 2]| word(a) << 32 | word(b);
            let hash = pairs.iter().map(pair).fold(list.len() as u64, mix);
            rest.iter().map(word).fold(hash, mix)
        }
    }

    impl Encoded for i64 {
        const LEAST: i64 = i64::MIN;
        const GREATEST: i64 = i64::MAX;
        const WEAK: i64 = 1;
        const STRICT: i64 = !1;

        #[inline(always)]
        fn truncated(number: i64) -> i64 {
            number
        }

        #[inline(always)]
        fn incremented(self) -> i64 {
            self.saturating_add(1)
        }

        #[inline]
        fn mixed<T>(list: &[T], encoded: impl Fn(&T) -> i64) -> u64 {
            list.iter().map(|item| encoded(item) as u64).fold(list.len() as u64, mix)
        }
    }
}
