//! The zone: a canonical, non-empty difference bound matrix.

use std::error::Error;
use std::fmt;

use crate::{Bound, Narrow, Row, Width};

/// A non-empty convex set of clock valuations, given by bounds on clock differences.
///
/// Entry `(x, y)` bounds `x - y`; row and column 0 belong to the reference clock.
/// The matrix is canonical (every entry is the tightest implied bound) and not empty, and all
/// clocks are at least 0. Hence equal sets have equal matrices.
///
/// Operations work in place and allocate only where their documentation mentions it. An operation
/// that returns [`Emptied`] leaves the zone in an unspecified state: discard it, or overwrite it
/// with [`Zone::assign_from`] or [`Zone::assign_slice`] before the next use.
#[derive(PartialEq, Eq, Hash)]
pub struct Zone<W: Width = Narrow> {
    pub(crate) dim: usize,
    pub(crate) bounds: Vec<Bound<W>>,
}

/// The zone became empty; the content of its matrix is unspecified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emptied;

impl fmt::Display for Emptied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the zone is empty")
    }
}

impl Error for Emptied {}

impl<W: Width> Zone<W> {
    /// The zone in which all clocks are 0; `dim` counts the reference clock, so it is positive.
    pub fn origin(dim: usize) -> Zone<W> {
        debug_assert!(dim > 0);
        Zone { dim, bounds: vec![Bound::ZERO; dim * dim] }
    }

    /// The zone of all valuations; `dim` counts the reference clock, so it is positive.
    pub fn universe(dim: usize) -> Zone<W> {
        let mut zone = Zone::origin(dim);
        zone.assign_universe(dim);
        zone
    }

    /// The zone with the given bounds, row by row.
    ///
    /// The bounds must be those of a canonical non-empty zone.
    pub fn from_slice(dim: usize, bounds: &[Bound<W>]) -> Zone<W> {
        let zone = Zone { dim, bounds: bounds.to_vec() };
        zone.check();
        zone
    }

    /// Becomes a copy of `other`, of any dimension, in the same buffer.
    pub fn assign_from(&mut self, other: &Zone<W>) {
        self.dim = other.dim;
        self.bounds.clone_from(&other.bounds);
    }

    /// Becomes the zone with the given bounds, as [`Zone::from_slice`], in the same buffer.
    pub fn assign_slice(&mut self, dim: usize, bounds: &[Bound<W>]) {
        self.dim = dim;
        self.bounds.clear();
        self.bounds.extend_from_slice(bounds);
        self.check();
    }

    /// Becomes [`Zone::origin`] in the same buffer.
    pub fn assign_origin(&mut self, dim: usize) {
        self.fill(dim, Bound::ZERO);
    }

    /// Becomes [`Zone::universe`] in the same buffer.
    pub fn assign_universe(&mut self, dim: usize) {
        self.fill(dim, Bound::INFINITY);
        self.bounds[..dim].fill(Bound::ZERO);
        self.bounds.iter_mut().step_by(dim + 1).for_each(|b| *b = Bound::ZERO);
    }

    fn fill(&mut self, dim: usize, b: Bound<W>) {
        debug_assert!(dim > 0);
        self.dim = dim;
        self.bounds.clear();
        self.bounds.resize(dim * dim, b);
    }

    /// The number of rows: the zone's clocks and the reference clock.
    #[inline]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The zone's clocks without the reference clock.
    pub fn clocks(&self) -> impl Iterator<Item = Row> + use<W> {
        (1..self.dim).map(Row::from_index)
    }

    /// The tightest bound on `x - y`.
    #[inline]
    pub fn bound(&self, x: Row, y: Row) -> Bound<W> {
        self.bounds[x.index() * self.dim + y.index()]
    }

    /// All bounds, row by row.
    #[inline]
    pub fn as_slice(&self) -> &[Bound<W>] {
        &self.bounds
    }

    /// Whether the matrix is canonical, non-empty and without negative clock values.
    ///
    /// Always true of a zone; public for tests.
    pub fn is_canonical(&self) -> bool {
        let dim = self.dim;
        let entry = |i: usize, j: usize| self.bounds[i * dim + j];
        dim > 0
            && self.bounds.len() == dim * dim
            && (0..dim).all(|i| entry(i, i) == Bound::ZERO && entry(0, i) <= Bound::ZERO)
            && (0..dim).all(|i| {
                (0..dim).all(|k| (0..dim).all(|j| entry(i, j) <= entry(i, k) + entry(k, j)))
            })
    }

    /// Whether every finite bound is at most [`Bound::RANGE`] in magnitude.
    ///
    /// If so, the next step is computed exactly; see the range of [`Bound`]. A search without
    /// extrapolation can leave the range after many steps; from then on zones may be larger than
    /// the exact ones, so it has to check before it relies on a zone.
    pub fn is_within_range(&self) -> bool {
        let (least, most) = (Bound::<W>::lt(-W::RANGE), Bound::<W>::le(W::RANGE));
        self.bounds
            .iter()
            .fold(true, |inside, &b| inside & ((b >= least) & (b <= most) | b.is_infinite()))
    }

    /// Whether the valuation with the value `numerators[x] / denominator` for every clock `x` is
    /// in the zone.
    ///
    /// `numerators` has an entry for the reference clock, which is taken as 0.
    pub fn contains(&self, numerators: &[i64], denominator: i64) -> bool {
        debug_assert!(numerators.len() == self.dim && denominator > 0);
        let value = |i: usize| if i == 0 { 0 } else { i128::from(numerators[i]) };
        self.bounds.iter().enumerate().all(|(position, &b)| {
            let difference = value(position / self.dim) - value(position % self.dim);
            let limit = i128::from(b.value()) * i128::from(denominator);
            b.is_infinite() || difference < limit || (difference == limit && !b.is_strict())
        })
    }

    /// Asserts the invariant in debug builds. A zone outside the exact range may violate it.
    #[inline]
    pub(crate) fn check(&self) {
        debug_assert!(
            self.is_canonical() || !self.is_within_range(),
            "invariant: a zone is canonical and non-empty: {:?}",
            self.bounds
        );
    }
}

impl<W: Width> Clone for Zone<W> {
    fn clone(&self) -> Zone<W> {
        Zone { dim: self.dim, bounds: self.bounds.clone() }
    }

    fn clone_from(&mut self, source: &Zone<W>) {
        self.assign_from(source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Bound = crate::Bound<Narrow>;
    type Zone = crate::Zone<Narrow>;

    /// The zone that all bounds of a matrix describe; `None` if its diagonal makes it empty.
    fn described(matrix: &Zone) -> Option<Zone> {
        let mut zone = Zone::universe(matrix.dim);
        let rows = || (0..matrix.dim).map(Row::from_index);
        for (x, y) in rows().flat_map(|x| rows().map(move |y| (x, y))) {
            zone.constrain(x, y, matrix.bound(x, y)).ok()?;
        }
        Some(zone)
    }

    #[test]
    fn the_canonical_matrices_are_those_that_constraints_leave() {
        let choices = [Bound::INFINITY, Bound::le(-1), Bound::lt(0), Bound::ZERO, Bound::le(1)];
        let mut canonical = 0;
        for number in 0..choices.len().pow(6) * 4 {
            let mut bounds = vec![Bound::ZERO; 9];
            let mut rest = number;
            for place in [1, 2, 3, 5, 6, 7] {
                bounds[place] = choices[rest % choices.len()];
                rest /= choices.len();
            }
            // The diagonal is looser than necessary in at most one entry.
            if rest < 3 {
                bounds[4 * rest] = Bound::le(1);
            }
            let matrix = Zone { dim: 3, bounds };
            let is_canonical = described(&matrix).as_ref() == Some(&matrix);
            assert_eq!(matrix.is_canonical(), is_canonical, "{:?}", matrix.bounds);
            canonical += usize::from(is_canonical);
        }
        assert!(canonical > 100, "{canonical}");
    }

    #[test]
    fn a_canonical_matrix_has_a_reference_clock_and_as_many_rows_as_columns() {
        let check = |dim, count| Zone { dim, bounds: vec![Bound::ZERO; count] }.is_canonical();
        assert!(check(1, 1) && check(2, 4));
        assert!(!check(0, 0) && !check(1, 2) && !check(2, 5));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a zone is canonical")]
    fn a_matrix_that_is_not_canonical_is_noticed() {
        Zone::from_slice(1, &[Bound::le(1)]);
    }
}
