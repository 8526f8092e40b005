//! Extrapolations: widenings of zones that later guards cannot distinguish.
//!
//! Claim, for automata without constraints on clock differences: exploration with extrapolated
//! zones instead of the exact ones reaches the same locations, and the number of different zones is
//! finite. The definitions are those of G. Behrmann, P. Bouyer, K. G. Larsen, R. Pelánek, "Lower
//! and upper bounds in zone-based abstractions of timed automata" (DOI 10.1007/s10009-005-0190-0),
//! with two additions: a clock may have no bound, and clocks stay non-negative.
//!
//! A bound is the greatest constant that a clock is compared with from below (`x > c`, the lower
//! bounds L), from above (`x < c`, the upper bounds U) or at all (M).

use crate::closure::{Rows, close_rows};
use crate::width::sealed::Encoded;
use crate::{Bound, Width, Zone};

/// The extrapolation bound of a clock that is never compared; every negative bound is read as this
/// one.
pub const NO_BOUND: i32 = i32::MIN;

/// The extrapolation bound of a clock whose values are never abstracted; every bound above
/// [`Bound::MAX_CONSTANT`] is read as this one.
pub const ALWAYS_EXACT: i32 = i32::MAX;

impl<W: Width> Zone<W> {
    /// Extrapolates by the maximal constants; `maximum` has an entry for every row.
    ///
    /// Returns false if the zone did not change.
    pub fn extrapolate_m(&mut self, maximum: &[i32]) -> bool {
        self.extrapolate_lu(maximum, maximum)
    }

    /// Extrapolates by lower and upper constants; both have an entry for every row.
    ///
    /// Returns false if the zone did not change.
    pub fn extrapolate_lu(&mut self, lower: &[i32], upper: &[i32]) -> bool {
        debug_assert!(lower.len() == self.dim && upper.len() == self.dim);
        let mut raised = Rows::NONE;
        for (i, row) in self.bounds.chunks_exact_mut(self.dim).enumerate().skip(1) {
            let floors = upper[1..].iter().map(|&u| floor::<W>(u));
            if widen_row(row, i, ceiling::<W>(lower[i]), floors) {
                raised.insert(i);
            }
        }
        self.finish_extrapolation(raised, upper)
    }

    /// Extrapolates by lower and upper constants, and drops every bound of a clock that exceeds its
    /// constant everywhere in the zone; both slices have an entry for every row.
    ///
    /// Returns false if the zone did not change.
    pub fn extrapolate_lu_plus(&mut self, lower: &[i32], upper: &[i32]) -> bool {
        debug_assert!(lower.len() == self.dim && upper.len() == self.dim);
        let mut raised = Rows::NONE;
        let mut is_changed = false;
        let (least, rows) = self.bounds.split_at_mut(self.dim);
        let mut floors = FloorBuffer::<W>::default();
        let floors = floors.fill(upper.iter().zip(&*least).map(|(&u, least)| {
            if least.0 < floor::<W>(u) { W::INFINITY } else { W::Encoded::LEAST }
        }));
        for (i, row) in (1..).zip(rows.chunks_exact_mut(self.dim)) {
            #[cfg(feature = "faults")]
            let least_of_row = crate::faults::least_of_row(least[i]);
            #[cfg(not(feature = "faults"))]
            let least_of_row = least[i];
            if least_of_row.0 < floor::<W>(lower[i]) {
                // A row without any bound stays without: no path leaves it. It need not be closed.
                is_changed = true;
                row.fill(Bound::INFINITY);
                row[i] = Bound::ZERO;
            } else if widen_row(row, i, ceiling::<W>(lower[i]), floors[1..].iter().copied()) {
                raised.insert(i);
            }
        }
        self.finish_extrapolation(raised, upper) || is_changed
    }

    /// Raises the row of the reference clock, in which all extrapolations agree, and closes.
    fn finish_extrapolation(&mut self, mut raised: Rows, upper: &[i32]) -> bool {
        let mut is_raised = false;
        for (entry, &u) in self.bounds[1..self.dim].iter_mut().zip(&upper[1..]) {
            let widened = Bound(entry.0.max(floor::<W>(u))).min(Bound::ZERO);
            is_raised |= widened != *entry;
            *entry = widened;
        }
        if is_raised {
            raised.insert(0);
        }
        #[cfg(feature = "faults")]
        if crate::faults::Fault::NoClosure.is_selected() {
            return raised != Rows::NONE;
        }
        #[cfg(feature = "faults")]
        if crate::faults::Fault::ReferenceRowNotClosed.is_selected() {
            raised.remove(0);
        }
        #[cfg(feature = "faults")]
        if crate::faults::Fault::FirstRowNotClosed.is_selected() {
            raised.remove(raised.first());
        }
        if raised != Rows::NONE {
            close_rows(&mut self.bounds, self.dim, raised);
        }
        self.check();
        raised != Rows::NONE
    }
}

/// One encoded bound per column; on the stack unless the zone is large.
struct FloorBuffer<W: Width> {
    few: [W::Encoded; 64],
    many: Vec<W::Encoded>,
}

impl<W: Width> Default for FloorBuffer<W> {
    fn default() -> Self {
        Self { few: [W::Encoded::default(); 64], many: Vec::new() }
    }
}

impl<W: Width> FloorBuffer<W> {
    fn fill(&mut self, floors: impl ExactSizeIterator<Item = W::Encoded>) -> &[W::Encoded] {
        let count = floors.len();
        if count > self.few.len() {
            self.many.extend(floors);
            return &self.many;
        }
        self.few.iter_mut().zip(floors).for_each(|(slot, floor)| *slot = floor);
        &self.few[..count]
    }
}

/// The greatest encoded bound that does not exceed an extrapolation bound.
#[inline(always)]
fn ceiling<W: Width>(bound: i32) -> W::Encoded {
    if bound < 0 {
        W::Encoded::LEAST
    } else if bound > W::MAX_CONSTANT {
        W::Encoded::GREATEST
    } else {
        W::Encoded::from(2 * bound + 1)
    }
}

/// The encoding of `< -bound`; encoded bounds below it lie beyond an extrapolation bound.
#[inline(always)]
fn floor<W: Width>(bound: i32) -> W::Encoded {
    if bound < 0 {
        W::INFINITY
    } else if bound > W::MAX_CONSTANT {
        W::Encoded::LEAST
    } else {
        #[cfg(feature = "faults")]
        if crate::faults::Fault::NonStrictFloor.is_selected() {
            return W::Encoded::from(1 - 2 * bound);
        }
        W::Encoded::from(-2 * bound)
    }
}

/// Drops the bounds of the clock `own` above the ceiling and raises the others to the floors of
/// their columns, from column 1 on. Returns whether a bound changed.
#[inline(always)]
fn widen_row<W: Width>(
    row: &mut [Bound<W>],
    own: usize,
    ceiling: W::Encoded,
    floors: impl Iterator<Item = W::Encoded>,
) -> bool {
    // Infinity is kept, so that the diagonal does not count as a change.
    row[own] = Bound::INFINITY;
    let widened = |entry: Bound<W>, floor: W::Encoded| {
        if entry.0 > ceiling { Bound::INFINITY } else { Bound(entry.0.max(floor)) }
    };
    let upper = widened(row[0], W::Encoded::LEAST);
    let mut is_changed = upper != row[0];
    row[0] = upper;
    for (entry, floor) in row[1..].iter_mut().zip(floors) {
        let raised = widened(*entry, floor);
        is_changed |= raised != *entry;
        *entry = raised;
    }
    row[own] = Bound::ZERO;
    is_changed
}
