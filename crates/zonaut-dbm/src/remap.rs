//! Changes of the set of clocks of a zone.

use crate::{Bound, Row, Width, Zone};

impl<W: Width> Zone<W> {
    /// Forgets all clocks except those in `keep`, which become the clocks 1, 2, ... in order.
    ///
    /// `keep` is strictly ascending and does not list the reference clock.
    pub fn project(&mut self, keep: &[Row]) {
        debug_assert!(keep.first() != Some(&Row::ZERO) && keep.is_sorted_by(|x, y| x < y));
        let old = self.dim;
        let rows = || std::iter::once(Row::ZERO).chain(keep.iter().copied());
        let mut written = 0;
        for x in rows() {
            for y in rows() {
                self.bounds[written] = self.bounds[x.index() * old + y.index()];
                written += 1;
            }
        }
        self.bounds.truncate(written);
        self.dim = keep.len() + 1;
        self.check();
    }

    /// Makes `out` the zone whose clock `i` is the clock `sources[i]` of this zone, or an
    /// unconstrained clock if that is `None`.
    ///
    /// `sources` has an entry for the reference clock, which is taken as [`Row::ZERO`]. A clock may
    /// be named more than once; its copies are equal.
    pub fn remap_into(&self, sources: &[Option<Row>], out: &mut Zone<W>) {
        let dim = sources.len();
        debug_assert!(dim > 0);
        out.dim = dim;
        out.bounds.clear();
        out.bounds.resize(dim * dim, Bound::INFINITY);
        let source = |i: usize| if i == 0 { Some(Row::ZERO) } else { sources[i] };
        for (i, row) in out.bounds.chunks_exact_mut(dim).enumerate() {
            if let Some(x) = source(i) {
                let from = &self.bounds[x.index() * self.dim..][..self.dim];
                for (j, entry) in row.iter_mut().enumerate() {
                    // An unconstrained clock is at least 0, so that x minus it is at most x.
                    *entry = from[source(j).unwrap_or(Row::ZERO).index()];
                }
            }
            row[i] = Bound::ZERO;
        }
        out.check();
    }
}
