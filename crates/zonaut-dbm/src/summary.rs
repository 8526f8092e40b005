//! Summaries of zones: small numbers that grow with a zone, by which most zones are seen not to
//! include or to simulate another without a look at their matrices.
//!
//! Inclusion compares matrices entry by entry, so the sum over any set of entries grows with a zone.
//! The [aLU simulation](crate::alu_includes_slices) does, too, once matrices are written in a normal
//! form. For zones Z and W, constants L and U and distinct rows `y` and `x` let
//!
//! * `n(Z)[y][x]` be the least bound that W must have there: `Z[y][x]`, or, if that is less, the least
//!   one that with `(<, -L(y))` added is not below `Z[0][x]`;
//! * nothing, below all bounds, if `x` is above `U(x)` everywhere in Z.
//!
//! Z is included in aLU(W) iff `W >= n(Z)` entry by entry: that is the test, read entry by entry.
//! Then `n(W) >= n(Z)` as well, entry by entry. Where `x` is above `U(x)` in W, it is so in Z, because
//! `W[0][x] >= n(Z)[0][x]` and otherwise that is `Z[0][x]`. Elsewhere both `W[y][x] >= n(Z)[y][x]`
//! and `W[0][x] >= Z[0][x]`, so the lesser of the two terms for W is not below that for Z.

use crate::simulation::doubled;
use crate::width::sealed::Encoded;
use crate::{Bound, Width, Zone};

/// The numbers that sums of rows give; the others are sums of columns.
const ROWS: usize = 8;
/// The greatest number.
const GREATEST: u64 = 127;

/// Which comparison a summary is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SummaryOf {
    /// Inclusion of zones.
    Inclusion,
    /// Inclusion in the aLU abstraction.
    Simulation,
}

impl SummaryOf {
    /// The most numbers in a summary.
    pub const MOST_NUMBERS: usize = 32;

    /// The number of numbers, a multiple of eight, in a summary of a zone with `dim` rows.
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
    /// `lower` and `upper` have an entry for every row, read as in the extrapolations. For inclusion
    /// they are but scales, and what is beyond them is not told apart.
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

/// The least bound at a place of a zone that simulates one with this `bound` there and `least` above
/// it in the first row; none if any will do.
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

/// Twice a constant, as far as it is told apart.
#[inline]
fn scale<W: Width>(constant: i32) -> W::Encoded {
    W::Encoded::from(2 * constant.clamp(0, W::MAX_CONSTANT))
}

/// How far some entries are above the least that they could be, together.
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

    /// The share of the range, in steps.
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
