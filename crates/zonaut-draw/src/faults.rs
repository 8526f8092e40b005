//! Injected faults of drawings, which measure whether the tests detect errors.
//!
//! Compiled only with the feature `faults`, which no released program enables.

use zonaut_base::define_faults;

define_faults! {
    /// A fault of drawings.
    pub enum Fault {
        /// Strict bounds of zones are drawn as solid lines.
        StrictSidesSolid,
        /// The width of labels is not reserved in a row.
        RoomForgotten,
        /// Labels with given positions are not moved apart.
        LabelsNotSettled,
        /// Markup in names is not escaped.
        MarkupKept,
        /// Arrowheads point from the last corner of a line, even if that is its end.
        TipsDegenerate,
        /// Lines are not bent around locations.
        LinesNotBent,
        /// In a graph of states, no height is reserved for the successors of a state.
        BandsForgotten,
        /// In a graph of states, arrows to covering states are not dashed.
        CoveredSolid,
        /// In a graph of states, arrows of the tree are reversed.
        TreeTurned,
    }
}
