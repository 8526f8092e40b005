//! Drawing that can be made wrong on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables.

use zonaut_base::define_faults;

define_faults! {
    /// What can be wrong.
    pub enum Fault {
        /// Strict sides of zones are drawn as if they belonged to them.
        StrictSidesSolid,
        /// The room of labels is not kept free in a row.
        RoomForgotten,
        /// Labels with written places are not moved apart.
        LabelsNotSettled,
        /// Markup in names is not escaped.
        MarkupKept,
        /// In a graph of states, no room is kept free for what was met from a state.
        BandsForgotten,
        /// In a graph of states, lines to what covers another are not dashed.
        CoveredSolid,
        /// In a graph of states, lines of the tree lead backwards.
        TreeTurned,
    }
}
