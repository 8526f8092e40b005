//! The aLU simulation test: zone inclusion up to the LU simulation of lower and upper bounds.
//!
//! aLU(Z) is the set of valuations that some valuation of Z simulates: with L and U the greatest
//! constants of lower and upper bounds, a valuation `w` simulates `v` if for every clock `x`,
//! `w(x) < v(x)` implies `L(x) < w(x)` and `w(x) > v(x)` implies `U(x) < v(x)`.
//! The set is not convex, but inclusion in it is decided in O(n²) by F. Herbreteau,
//! B. Srivathsan, I. Walukiewicz, "Better abstractions for timed automata"
//! (DOI 10.1016/j.ic.2016.07.004): Z is *not* included in aLU(W) iff there are distinct rows `x`
//! and `y` with
//!
//! * `Z[0][x] >= (<=, -U(x))`, the clock `x` can be at most `U(x)`,
//! * `W[y][x] < Z[y][x]`, and
//! * `W[y][x] + (<, -L(y)) < Z[0][x]`,
//!
//! where entry `(y, x)` bounds `y - x` and the reference clock has the constants 0.
//! Sound only without constraints on clock differences.

use crate::width::sealed::Encoded;
use crate::{Bound, Width, Zone};

/// Whether the zone with the bounds `smaller` is included in the aLU abstraction of the zone with
/// the bounds `larger`.
///
/// Both are canonical matrices over the same clocks, as [`Zone::as_slice`] gives them. `lower` and
/// `upper` have an entry for every row, read as in the extrapolations.
pub fn alu_includes_slices<W: Width>(
    larger: &[Bound<W>],
    smaller: &[Bound<W>],
    lower: &[i32],
    upper: &[i32],
) -> bool {
    row_outside_alu(larger, smaller, lower, upper, 0).is_none()
}

/// A row that witnesses that the zone with the bounds `smaller` is not
/// [included](alu_includes_slices) in the aLU abstraction of the other; `None` if it is included.
///
/// The row `suspect` is tested first: the row that refuted inclusion in one zone often refutes it
/// in the next.
pub fn row_outside_alu<W: Width>(
    larger: &[Bound<W>],
    smaller: &[Bound<W>],
    lower: &[i32],
    upper: &[i32],
    suspect: usize,
) -> Option<usize> {
    let dim = lower.len();
    debug_assert!(larger.len() == dim * dim && smaller.len() == dim * dim && upper.len() == dim);
    let least = &smaller[..dim];
    let is_outside = |y: usize, large: &[Bound<W>], small: &[Bound<W>]| {
        let lower = if y == 0 { 0 } else { lower[y] };
        lower >= 0 && !includes_row(large, small, least, doubled::<W>(lower), upper)
    };
    if suspect < dim {
        let row = suspect * dim..(suspect + 1) * dim;
        if is_outside(suspect, &larger[row.clone()], &smaller[row]) {
            return Some(suspect);
        }
    }
    let rows = larger.chunks_exact(dim).zip(smaller.chunks_exact(dim));
    rows.enumerate().position(|(y, (large, small))| is_outside(y, large, small))
}

/// Whether no column of one row yields a valuation outside the abstraction.
///
/// `W[y][x] + (<, -L) < Z[0][x]` is tested as `W[y][x] < Z[0][x] + 2 L` on even encodings.
#[inline(always)]
fn includes_row<W: Width>(
    large: &[Bound<W>],
    small: &[Bound<W>],
    least: &[Bound<W>],
    doubled_lower: W::Encoded,
    upper: &[i32],
) -> bool {
    let is_witness = |w: Bound<W>, z: Bound<W>, least: Bound<W>| {
        (w < z) & ((w.0 & W::Encoded::STRICT) < least.0 + doubled_lower)
    };
    let columns = large.iter().zip(small).zip(least).zip(upper).skip(1);
    let has_witness = columns.fold(false, |found, (((&w, &z), &least), &u)| {
        found | (is_witness(w, z, least) & (u >= 0) & (least.0 > -doubled::<W>(u)))
    });
    !has_witness && !is_witness(large[0], small[0], least[0])
}

/// Twice an extrapolation bound; 0 if the clock has no bound; for a clock that is always exact, the
/// greatest even number that can be added to a bound on a negated clock value.
#[inline(always)]
pub(crate) fn doubled<W: Width>(bound: i32) -> W::Encoded {
    if bound > W::MAX_CONSTANT {
        W::Encoded::GREATEST - W::Encoded::WEAK
    } else {
        W::Encoded::from(2 * bound.max(0))
    }
}

impl<W: Width> Zone<W> {
    /// Whether every valuation of this zone is simulated by one of `other`, given the greatest
    /// constants in lower and upper bounds of every row; see [`alu_includes_slices`].
    pub fn included_in_alu(&self, other: &Zone<W>, lower: &[i32], upper: &[i32]) -> bool {
        debug_assert!(self.dim == other.dim && self.dim == lower.len());
        alu_includes_slices(&other.bounds, &self.bounds, lower, upper)
    }
}
