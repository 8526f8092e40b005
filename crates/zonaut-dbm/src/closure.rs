//! Tightening by shortest paths: the kernels of all zone operations.
//!
//! A matrix is canonical if `D[i][j] <= D[i][k] + D[k][j]` for all `i, j, k`.
//! One tightened entry is propagated in O(n²), a freely changed matrix is closed in O(n³).
//! The inner loops work on whole rows, without branches, so that they vectorise.

use crate::{Bound, Emptied, Width};

/// Lowers `row[j]` to `first + via[j]` if that is tighter. `first` must be finite.
#[inline(always)]
fn relax_row<W: Width>(row: &mut [Bound<W>], first: Bound<W>, via: &[Bound<W>]) {
    debug_assert!(!first.is_infinite());
    for (entry, &second) in row.iter_mut().zip(via) {
        let sum = first.plus(second);
        let is_tighter = (sum < *entry) & !second.is_infinite();
        *entry = if is_tighter { sum } else { *entry };
    }
}

/// Lowers entry `(x, y)` of a canonical matrix to `b` and propagates it.
///
/// Requires `b < D[x][y]` and `D[y][x] + b >= 0`, so that the result is not empty.
/// Row `i` can only change if `D[i][x] + b < D[i][y]`: otherwise every path through the new
/// bound is matched by the old bounds `D[i][y] + D[y][j]`. Row `y` itself never changes.
pub(crate) fn tighten<W: Width>(
    bounds: &mut [Bound<W>],
    dim: usize,
    x: usize,
    y: usize,
    b: Bound<W>,
) {
    let (before, rest) = bounds.split_at_mut(y * dim);
    let (via, after) = rest.split_at_mut(dim);
    for row in before.chunks_exact_mut(dim).chain(after.chunks_exact_mut(dim)) {
        let first = row[x] + b;
        if first < row[y] {
            relax_row(row, first, via);
        }
    }
}

/// Closes an arbitrary matrix (Floyd-Warshall), or finds that it is empty.
pub(crate) fn close<W: Width>(bounds: &mut [Bound<W>], dim: usize) -> Result<(), Emptied> {
    for pivot in 0..dim {
        relax_through(bounds, dim, pivot, Rows::ALL);
        if bounds.iter().step_by(dim + 1).any(|&diagonal| diagonal < Bound::ZERO) {
            return Err(Emptied);
        }
    }
    Ok(())
}

/// Closes a matrix that was canonical before entries in the given rows were raised.
///
/// The other rows are still tight, because raising entries makes no path shorter.
pub(crate) fn close_rows<W: Width>(bounds: &mut [Bound<W>], dim: usize, raised: Rows) {
    for pivot in 0..dim {
        relax_through(bounds, dim, pivot, raised);
    }
}

/// Lowers the entries of the chosen rows to the paths through one more clock.
#[inline]
fn relax_through<W: Width>(bounds: &mut [Bound<W>], dim: usize, pivot: usize, rows: Rows) {
    let (before, rest) = bounds.split_at_mut(pivot * dim);
    let (via, after) = rest.split_at_mut(dim);
    if via.iter().enumerate().all(|(j, b)| b.is_infinite() || j == pivot) {
        return;
    }
    let lower_rows = before.chunks_exact_mut(dim).enumerate();
    let upper_rows = after.chunks_exact_mut(dim).enumerate().map(|(i, row)| (i + pivot + 1, row));
    for (i, row) in lower_rows.chain(upper_rows) {
        let first = row[pivot];
        if !first.is_infinite() && rows.contains(i) {
            relax_row(row, first, via);
        }
    }
}

/// A set of rows in one word; the rows from 127 on share one bit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rows(u128);

impl Rows {
    pub(crate) const NONE: Rows = Rows(0);
    const ALL: Rows = Rows(u128::MAX);

    pub(crate) fn insert(&mut self, row: usize) {
        self.0 |= 1 << row.min(127);
    }

    #[cfg(feature = "faults")]
    pub(crate) fn remove(&mut self, row: usize) {
        self.0 &= !(1 << row.min(127));
    }

    /// The first row of the set, 127 if it is empty.
    #[cfg(feature = "faults")]
    pub(crate) fn first(self) -> usize {
        self.0.trailing_zeros().min(127) as usize
    }

    fn contains(self, row: usize) -> bool {
        self.0 >> row.min(127) & 1 == 1
    }
}
