//! Injected faults in lazy abstraction, which measure whether tests detect them.
//!
//! Only with the feature `faults`, which no released build enables. At most one fault is selected
//! for the whole process; initially none is.

use crate::data::Layout;
use zonaut_base::define_faults;

define_faults! {
    /// A fault.
    pub enum Fault {
        /// Nodes stay covered by nodes with stronger labels than theirs.
        CoveringKept,
        /// Nodes that cover others before they are expanded are never expanded.
        AwaitedLost,
        /// Nodes that simulate an expanded one are not expanded.
        LargerLost,
        /// One cell is left out of every deciding set.
        CellForgotten,
        /// Facts about cells that a step computes are not propagated backwards.
        ComputedForgotten,
        /// Receivers that do not take part in a broadcast are not decided.
        ReceiversUndecided,
        /// If clocks decide the participants of a broadcast, the data that its target depends on is
        /// not decided.
        ArrivalForgotten,
        /// The value of a cell after a step that may keep it is decided for all previous values at
        /// once.
        StayingForgotten,
        /// Edges of one step are evaluated with the select variables of the last one.
        SelectsMixed,
        /// Forward refinement leaves out one cell of the facts that nodes on a path need.
        AheadForgotten,
        /// Ranges end one number too late.
        RangeTooWide,
        /// Ranges of cells that a step computes are not propagated backwards.
        RangeNotPropagated,
        /// Nodes cover others whose values are out of range.
        RangeIgnored,
        /// Bounds are smaller than the constants they have to include.
        BoundTooSmall,
        /// Bounds are not propagated to the previous node.
        BoundNotPropagated,
        /// The constants of enabled steps are not added to the bounds.
        TestsForgotten,
        /// One bound is left out of every interpolant.
        AtomForgotten,
        /// Backward refinement ignores delays.
        DelayForgotten,
        /// Backward refinement ignores clock effects.
        EffectsForgotten,
        /// With late refinement, reasons for disabled steps are never learnt.
        LateNever,
        /// With late refinement, only one node learns them whenever no other work is left.
        LateOnce,
        /// A resumed search loses the node that was next.
        PauseLosesNode,
    }
}

/// Removes one cell from every set.
pub(crate) fn forget_a_cell(layout: &Layout, sets: &mut [Box<[u64]>]) {
    if !Fault::CellForgotten.is_selected() {
        return;
    }
    for set in sets {
        forget_first(layout, set);
    }
}

/// Removes the first cell from a set.
pub(crate) fn forget_first(layout: &Layout, set: &mut [u64]) {
    let first = layout.cells(set).next().and_then(|cell| layout.cell(cell));
    if let Some((word, bits)) = first {
        set[word] &= !bits;
    }
}

/// Binds the select variables of all edges of a step before one of them is evaluated.
pub(crate) fn mix_selects(bind_all: impl FnOnce()) {
    if Fault::SelectsMixed.is_selected() {
        bind_all();
    }
}
