//! Summaries of zones: small numbers, monotone in the zone, that refute most inclusions and
//! simulations without comparing matrices.
//!
//! Inclusion compares matrices entry by entry, so the sum over any set of entries is monotone in
//! the zone. The [aLU simulation](crate::alu_includes_slices) is monotone, too, once matrices are
//! written in a normal form. For zones Z and W, constants L and U and distinct rows `y` and `x` let
//!
//! * `n(Z)[y][x]` be the least bound that W must have there: `Z[y][x]` or, if smaller, the least
//!   bound that with `(<, -L(y))` added is not below `Z[0][x]`;
//! * minus infinity if `x` is above `U(x)` everywhere in Z.
//!
//! Z is included in aLU(W) iff `W >= n(Z)` entry by entry; this restates the test. Then `n(W) >=
//! n(Z)` as well, entry by entry. Where `x` is above `U(x)` in W, it is so in Z, because `W[0][x]
//! >= n(Z)[0][x]`, which otherwise is `Z[0][x]`. Elsewhere both `W[y][x] >= n(Z)[y][x]` and
//! `W[0][x] >= Z[0][x]`, so the lesser of the two terms for W is not below that for Z.

use crate::simulation::doubled;
use crate::width::sealed::Encoded;
use crate::{Bound, Width, Zone};

/// The number of summary entries that are sums of rows; the others are sums of columns.
const ROWS: usize = 8;
/// The greatest number.
const GREATEST: u64 = 127;

/// The comparison that a summary is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SummaryOf {
    /// Inclusion of zones.
    Inclusion,
    /// Inclusion in the aLU abstraction.
    Simulation,
}

impl SummaryOf {
    /// The greatest length of a summary.
    pub const MOST_NUMBERS: usize = 32;

    /// The length of a summary, a multiple of eight, of a zone with `dim` rows.
    #[must_use]
    pub fn numbers(dim: usize) -> usize {
        match dim {
            0..=ROWS => ROWS,
            _ => (ROWS + dim.next_multiple_of(8)).min(Self::MOST_NUMBERS),
        }
    }

    /// Writes the summary of the zone with these `bounds`: numbers below 128, none of which is less
    /// than its counterpart for a zone that this one includes or simulates.
    ///
    /// `lower` and `upper` have an entry for every row, read as in the extrapolations. For
    /// inclusion they only scale the numbers, and values beyond them are not distinguished.
    pub fn write<W: Width>(
        self,
        bounds: &[Bound<W>],
        lower: &[i32],
        upper: &[i32],
        numbers: &mut [u8],
    ) {
        let dim = lower.len();
        debug_assert!(bounds.len() == dim * dim && upper.len() == dim);
        debug_assert_eq!(numbers.len(), Self::numbers(dim));
        let least = &bounds[..dim];
        let mut sums = [Sum::default(); Self::MOST_NUMBERS];
        let columns = (numbers.len() - ROWS).max(1);
        for (y, row) in bounds.chunks_exact(dim).enumerate() {
            let lower = if y == 0 { 0 } else { lower[y] };
            if lower < 0 && self == Self::Simulation {
                continue;
            }
            let one = W::Encoded::from(1);
            let most = scale::<W>(lower) + one + one;
            for (x, &bound) in row.iter().enumerate().filter(|&(x, _)| x != y) {
                let upper = if x == 0 { 0 } else { upper[x] };
                let needed = match self {
                    Self::Inclusion => Some(bound.0),
                    Self::Simulation => needed(bound, least[x], lower, upper),
                };
                let scale = scale::<W>(upper);
                let above = needed.map_or(W::Encoded::default(), |needed| {
                    needed.clamp(-scale, most) + scale + one
                });
                let (above, range) = (above.into(), (most + scale + one).into());
                sums[y % ROWS].add(above, range);
                if numbers.len() > ROWS {
                    sums[ROWS + x % columns].add(above, range);
                }
            }
        }
        for (number, sum) in numbers.iter_mut().zip(&sums) {
            *number = sum.quantised();
        }
    }
}

/// The least bound at an entry of a zone that simulates one with this `bound` there and `least`
/// above it in the first row; `None` if any bound suffices.
#[inline]
fn needed<W: Width>(
    bound: Bound<W>,
    least: Bound<W>,
    lower: i32,
    upper: i32,
) -> Option<W::Encoded> {
    if upper < 0 || least.0 <= -doubled::<W>(upper) {
        return None;
    }
    // The least even number that is not below the sum.
    let enough = (least.0 + doubled::<W>(lower)).incremented() & W::Encoded::STRICT;
    Some(bound.0.min(enough))
}

/// Twice a constant, clamped to the range that the summary distinguishes.
#[inline]
fn scale<W: Width>(constant: i32) -> W::Encoded {
    W::Encoded::from(2 * constant.clamp(0, W::MAX_CONSTANT))
}

/// The distance of some entries from their least possible values, summed.
#[derive(Clone, Copy, Default)]
struct Sum {
    above: u64,
    range: u64,
}

impl Sum {
    #[inline]
    fn add(&mut self, above: i64, range: i64) {
        self.above += above as u64;
        self.range += range as u64;
    }

    /// The sum as a share of its range, in quantised steps.
    fn quantised(self) -> u8 {
        (self.above * GREATEST / self.range.max(1)) as u8
    }
}

impl<W: Width> Zone<W> {
    /// The summary of this zone; see [`SummaryOf::write`].
    #[must_use]
    pub fn summary(&self, of: SummaryOf, lower: &[i32], upper: &[i32]) -> Vec<u8> {
        let mut numbers = vec![0; SummaryOf::numbers(self.dim)];
        of.write(&self.bounds, lower, upper, &mut numbers);
        numbers
    }
}
