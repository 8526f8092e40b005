//! Injected faults in zone operations, which measure whether tests detect them.
//!
//! Only with the feature `faults`, which no released build enables. At most one fault is selected
//! for the whole process; initially none is.

use crate::{Bound, Row, Width, Zone};
use zonaut_base::define_faults;

define_faults! {
    /// A fault.
    pub enum Fault {
        /// A sum of bounds is strict only if both parts are, instead of one.
        StrictSum,
        /// A clock that is set keeps its old column: the distances of other clocks to it.
        ResetColumn,
        /// Extrapolation widens `x > c` to `x >= c`.
        NonStrictFloor,
        /// Extrapolated zones are not closed.
        NoClosure,
        /// The row of the reference clock is not closed after an extrapolation.
        ReferenceRowNotClosed,
        /// The first row that an extrapolation raised is not closed.
        FirstRowNotClosed,
        /// Extrapolation drops all bounds of a clock one unit too early.
        RowDroppedEarly,
        /// A delay within bounds ignores the bounds that a bounded clock implies for the others.
        DelayOfOneClock,
        /// A delay within bounds goes up to strict bounds.
        DelayToStrictBound,
        /// A delay within bounds reads differences the wrong way round.
        DelayByOppositeDifference,
    }
}

impl Fault {
    /// Whether zones may become non-canonical, which tests check besides verdicts.
    #[must_use]
    pub fn is_about_closure(self) -> bool {
        use Fault::{FirstRowNotClosed, NoClosure, ReferenceRowNotClosed};
        matches!(self, NoClosure | FirstRowNotClosed | ReferenceRowNotClosed)
    }
}

/// The low bit that is subtracted from the sum of two encodings; `right` is the correct one.
#[inline(always)]
pub(crate) fn strictness_of_sum<W: Width>(
    a: Bound<W>,
    b: Bound<W>,
    right: W::Encoded,
) -> W::Encoded {
    if Fault::StrictSum.is_selected() { a.0 & b.0 } else { right }
}

/// The bound that decides whether all bounds of a clock are dropped; `right` is its lower bound.
#[inline(always)]
pub(crate) fn least_of_row<W: Width>(right: Bound<W>) -> Bound<W> {
    if Fault::RowDroppedEarly.is_selected() { Bound(right.0 - W::Encoded::from(2)) } else { right }
}

/// Bounds the upper bounds of a zone after a delay by one limit incorrectly; returns whether it
/// did.
pub(crate) fn limit_delay<W: Width>(zone: &mut Zone<W>, x: Row, b: Bound<W>) -> bool {
    let (dim, x) = (zone.dim, x.index());
    if Fault::DelayOfOneClock.is_selected() {
        zone.bounds[x * dim] = zone.bounds[x * dim].min(b);
    } else if Fault::DelayToStrictBound.is_selected() {
        for row in zone.bounds.chunks_exact_mut(dim).skip(1) {
            row[0] = row[0].min(row[x] + Bound::le(b.value()));
        }
    } else if Fault::DelayByOppositeDifference.is_selected() {
        for i in 1..dim {
            zone.bounds[i * dim] = zone.bounds[i * dim].min(zone.bounds[x * dim + i] + b);
        }
    } else {
        return false;
    }
    true
}

/// Overwrites the columns of clocks that are set with those they had in `before`, if both zones
/// have the same number of clocks.
pub(crate) fn keep_columns_of_resets<W: Width>(
    before: &Zone<W>,
    sources: &[(Row, i32)],
    after: &mut Zone<W>,
) {
    let dim = before.dim;
    if !Fault::ResetColumn.is_selected() || after.dim != dim {
        return;
    }
    for (column, &(source, _)) in sources.iter().enumerate().skip(1) {
        for row in (0..dim).filter(|&row| row != column && source == Row::ZERO) {
            after.bounds[row * dim + column] = before.bounds[row * dim + column];
        }
    }
}
