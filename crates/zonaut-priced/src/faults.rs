//! Parts that can be made wrong on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. One fault at a time is
//! selected for the whole process; at first no fault is.

use zonaut_base::define_faults;

define_faults! {
    /// A fault to inject.
    pub enum Fault {
        /// A delay does not continue from the last facet of the zone.
        FacetForgotten,
        /// The slope of the facet's clock has the wrong sign.
        SlopeNegated,
        /// The constant does not change when a clock is replaced by its facet.
        OffsetNotMoved,
        /// Covering compares costs at the origin only.
        SlopesNotCompared,
        /// A strict facet counts as attained.
        StrictFacetAttained,
        /// A clock above its bound is freed without regard to its slope.
        SlopeDropped,
        /// The estimate is one more than its bound.
        EstimateTooLarge,
        /// The slopes of clocks are not permuted with their rows.
        SlopesStay,
        /// The gap after another process is ignored where its own amount is greater.
        GapForgotten,
    }
}

/// The facets, without the last one if the fault is selected.
pub(crate) fn remembered<T>(mut facets: Vec<T>) -> Vec<T> {
    if Fault::FacetForgotten.is_selected() && facets.len() > 1 {
        facets.pop();
    }
    facets
}

/// The change of a facet's slope.
pub(crate) fn signed(change: i128) -> i128 {
    if Fault::SlopeNegated.is_selected() { -change } else { change }
}

/// The change of the constant.
pub(crate) fn moved(change: i128) -> i128 {
    if Fault::OffsetNotMoved.is_selected() { 0 } else { change }
}

/// The slopes that covering compares.
pub(crate) fn compared(slopes: Vec<i64>) -> Vec<i64> {
    if Fault::SlopesNotCompared.is_selected() { vec![0; slopes.len()] } else { slopes }
}
