//! Inclusion and disjointness of zones.

use crate::{Bound, Width, Zone};

/// The number of bounds compared before the result is tested.
const BLOCK: usize = 16;

/// Whether the zone with the bounds `larger` includes the zone with the bounds `smaller`.
///
/// Both are canonical matrices over the same clocks, as [`Zone::as_slice`] gives them.
#[inline]
pub fn includes_slices<W: Width>(larger: &[Bound<W>], smaller: &[Bound<W>]) -> bool {
    debug_assert_eq!(larger.len(), smaller.len());
    let (large_blocks, large_rest) = larger.as_chunks::<BLOCK>();
    let (small_blocks, small_rest) = smaller.as_chunks::<BLOCK>();
    let mut blocks = large_blocks.iter().zip(small_blocks);
    blocks.all(|(large, small)| is_above(large, small)) && is_above(large_rest, small_rest)
}

#[inline(always)]
fn is_above<W: Width>(larger: &[Bound<W>], smaller: &[Bound<W>]) -> bool {
    larger.iter().zip(smaller).fold(true, |all, (large, small)| all & (large >= small))
}

impl<W: Width> Zone<W> {
    /// Whether every valuation of `other` is in this zone; both zones have the same clocks.
    #[inline]
    pub fn includes(&self, other: &Zone<W>) -> bool {
        includes_slices(&self.bounds, &other.bounds)
    }

    /// Whether some valuation is in both zones; both zones have the same clocks.
    ///
    /// Most disjoint pairs are recognised by one pair of opposite bounds. The other pairs need a
    /// closure, for which a copy is allocated: with a buffer at hand, use [`Zone::assign_from`]
    /// and [`Zone::intersect`].
    pub fn intersects(&self, other: &Zone<W>) -> bool {
        debug_assert_eq!(self.dim, other.dim);
        !self.is_separated_from(other) && self.clone().intersect(other).is_ok()
    }

    /// Whether one bound of each zone exclude each other.
    pub(crate) fn is_separated_from(&self, other: &Zone<W>) -> bool {
        let columns = (0..self.dim).map(|j| other.bounds.iter().skip(j).step_by(self.dim));
        self.bounds
            .chunks_exact(self.dim)
            .zip(columns)
            .any(|(row, column)| row.iter().zip(column).any(|(&a, &b)| a + b < Bound::ZERO))
    }
}
