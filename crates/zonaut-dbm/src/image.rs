//! The image of a zone under an assignment of all clocks at once.

use crate::{Bound, Row, Width, Zone};

impl<W: Width> Zone<W> {
    /// Makes `out` the set of valuations in which clock `i` has the value that clock
    /// `sources[i].0` has in this zone plus `sources[i].1`, for all valuations of this zone.
    ///
    /// `sources` has an entry for the reference clock, `(Row::ZERO, 0)`. A reset to `v` is
    /// `(Row::ZERO, v)`, a copy of `y` is `(y, 0)`, and a clock that no entry names is projected
    /// away: resets, copies and changes of the clock set are one pass over the matrix.
    ///
    /// Bounds between two clocks that are their own sources with nothing added are not touched. The
    /// result is canonical: every entry is an entry of this matrix plus the difference of two
    /// constants, and on a cycle the constants cancel.
    pub fn image_into(&self, sources: &[(Row, i32)], out: &mut Zone<W>) {
        debug_assert_eq!(sources.first(), Some(&(Row::ZERO, 0)));
        let dim = sources.len();
        out.dim = dim;
        out.bounds.clear();
        for &(x, _) in sources {
            let row = &self.bounds[x.index() * self.dim..][..self.dim];
            out.bounds.extend(sources.iter().map(|&(y, _)| row[y.index()]));
        }
        // Constants other than zero are rare, so they are added afterwards.
        for (i, &(_, value)) in sources.iter().enumerate() {
            if value != 0 {
                out.shift(i, value);
            }
        }
        #[cfg(feature = "faults")]
        crate::faults::keep_columns_of_resets(self, sources, out);
        out.check();
    }

    /// Adds `value` to the clock of row `i`; the clock stays non-negative.
    fn shift(&mut self, i: usize, value: i32) {
        let (ahead, behind) = (Bound::le(value), Bound::le(-value));
        for j in (0..self.dim).filter(|&j| j != i) {
            let (own, other) = (i * self.dim + j, j * self.dim + i);
            self.bounds[own] = self.bounds[own] + ahead;
            self.bounds[other] = self.bounds[other] + behind;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resets_copies_and_projections_happen_at_once() {
        let (x, y) = (Row(1), Row(2));
        let mut zone: Zone = Zone::origin(3);
        zone.delay();
        zone.reset(y, 0);
        zone.delay();
        zone.constrain(x, Row::ZERO, Bound::le(5)).unwrap();
        let mut expected = zone.clone();
        expected.copy(x, y);
        expected.reset(y, 3);
        let mut image = Zone::origin(1);
        zone.image_into(&[(Row::ZERO, 0), (y, 0), (Row::ZERO, 3)], &mut image);
        assert_eq!(image, expected);
        zone.image_into(&[(Row::ZERO, 0), (x, 0)], &mut image);
        let mut projected = zone.clone();
        projected.project(&[x]);
        assert_eq!(image, projected);
    }
}
