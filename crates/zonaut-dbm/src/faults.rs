//! Operations that can be made wrong on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. One fault at a time is
//! selected for the whole process; at first there is none.

use crate::{Bound, Clock, Zone};
use std::sync::atomic::{AtomicU8, Ordering};

/// What can be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// A sum of bounds is strict only if both parts are, instead of one.
    StrictSum = 1,
    /// A clock that is set keeps its old column: the others' distances to it.
    ResetColumn,
    /// Extrapolation widens `x > c` to `x >= c`.
    NonStrictFloor,
    /// Extrapolated zones are not closed.
    NoClosure,
}

static SELECTED: AtomicU8 = AtomicU8::new(0);

/// Makes one operation wrong, or all of them right.
pub fn select(fault: Option<Fault>) {
    SELECTED.store(fault.map_or(0, |fault| fault as u8), Ordering::SeqCst);
}

impl Fault {
    #[inline(always)]
    pub(crate) fn is_selected(self) -> bool {
        SELECTED.load(Ordering::Relaxed) == self as u8
    }
}

/// The last bit of what is taken away from the sum of two encodings; `right` is the right one.
#[inline(always)]
pub(crate) fn strictness_of_sum(a: Bound, b: Bound, right: i32) -> i32 {
    if Fault::StrictSum.is_selected() { a.0 & b.0 } else { right }
}

/// Writes the columns that clocks had in `before` over those of clocks that are set, where both
/// zones have the same number of clocks.
pub(crate) fn keep_columns_of_resets(before: &Zone, sources: &[(Clock, i32)], after: &mut Zone) {
    let dim = before.dim;
    if !Fault::ResetColumn.is_selected() || after.dim != dim {
        return;
    }
    for (column, &(source, _)) in sources.iter().enumerate().skip(1) {
        for row in (0..dim).filter(|&row| row != column && source == Clock::ZERO) {
            after.bounds[row * dim + column] = before.bounds[row * dim + column];
        }
    }
}
