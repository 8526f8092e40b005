//! Parts of lazy abstraction that can be made wrong on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. One fault at a time is
//! selected for the whole process; at first there is none.

use crate::data::Layout;
use zonaut_base::define_faults;

define_faults! {
    /// What can be wrong.
    pub enum Fault {
        /// Nodes stay covered by nodes that remember more than they do.
        CoveringKept,
        /// Nodes that cover others before their turn are not expanded.
        AwaitedLost,
        /// Nodes that simulate an expanded one are not expanded.
        LargerLost,
        /// One cell is left out of every set that decides something.
        CellForgotten,
        /// What a step computes is not gone back.
        ComputedForgotten,
        /// Who does not take part in a broadcast is not decided.
        ReceiversUndecided,
        /// What data has to do with where a broadcast leads is not decided where clocks decide who
        /// takes part.
        ArrivalForgotten,
        /// What a cell holds after a step that may leave it alone is known for all contents at once.
        StayingForgotten,
        /// Edges of one step are walked with the select variables of the last one.
        SelectsMixed,
        /// One cell is left out of what the nodes on a way have to know, where that is found from the
        /// front.
        AheadForgotten,
        /// Ranges end one number too late.
        RangeTooWide,
        /// Ranges of what a step computes are not gone back.
        RangeNotPropagated,
        /// Nodes cover others whose content is out of range.
        RangeIgnored,
        /// Bounds are smaller than the constants that they are for.
        BoundTooSmall,
        /// Bounds are not passed on to the node before.
        BoundNotPropagated,
        /// The constants of steps that are possible are not among the bounds.
        TestsForgotten,
        /// One bound is left out of every interpolant.
        AtomForgotten,
        /// Steps are gone back as if no time had passed.
        DelayForgotten,
        /// Steps are gone back as if they did nothing to clocks.
        EffectsForgotten,
        /// Why steps are impossible is never learnt, where that has time.
        LateNever,
        /// Only one node learns that, whenever nothing else is left to do.
        LateOnce,
        /// A search that is resumed has lost the node that was next.
        PauseLosesNode,
    }
}

/// Leaves one cell out of every set.
pub(crate) fn forget_a_cell(layout: &Layout, sets: &mut [Box<[u64]>]) {
    if !Fault::CellForgotten.is_selected() {
        return;
    }
    for set in sets {
        forget_first(layout, set);
    }
}

/// Leaves the first cell out of a set.
pub(crate) fn forget_first(layout: &Layout, set: &mut [u64]) {
    let first = layout.cells(set).next().and_then(|cell| layout.cell(cell));
    if let Some((word, bits)) = first {
        set[word] &= !bits;
    }
}

/// Binds the select variables of all edges of a step before one of them is walked.
pub(crate) fn mix_selects(bind_all: impl FnOnce()) {
    if Fault::SelectsMixed.is_selected() {
        bind_all();
    }
}
