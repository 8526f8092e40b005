//! Effects of updates on clocks: which are certainly set, which may be copied.

use zonaut_analysis::footprint::Footprints;
use zonaut_base::{Id, IndexVec};
use zonaut_model::{ClockId, ExpressionId, Model, Place, ProcessId};

/// A possible copy: target, then source.
pub(super) type ClockCopy = (ClockId, ClockId);

/// The effects of one edge on clocks.
#[derive(Default)]
pub(super) struct ClockWrites {
    /// Clocks that are set on every path through the updates, independent of their old values.
    pub(super) killed: Vec<ClockId>,
    /// Possible copies.
    pub(super) copies: Vec<ClockCopy>,
}

/// The effects of all edges of a model on clocks.
pub(super) struct AllClockWrites {
    /// By process, one entry for each edge.
    pub(super) edges: IndexVec<ProcessId, Vec<ClockWrites>>,
    /// Copies in the updates around every transition.
    pub(super) hooks: Vec<ClockCopy>,
}

impl AllClockWrites {
    pub(super) fn new(model: &Model) -> Self {
        let mut edges = IndexVec::new();
        for process in &model.processes {
            edges.push(process.edges.iter().map(|edge| writes(model, &edge.updates)).collect());
        }
        let hooks = [&model.before_update, &model.after_update];
        let hooks = hooks.into_iter().flat_map(|updates| writes(model, updates).copies).collect();
        Self { edges, hooks }
    }

    /// Every copy of the model.
    pub(super) fn copies(&self) -> impl Iterator<Item = ClockCopy> + '_ {
        let edges = self.edges.iter().flatten().flat_map(|writes| &writes.copies);
        edges.chain(&self.hooks).copied()
    }
}

/// The clocks that a place can denote.
pub(super) fn targets(place: &Place<ClockId>) -> impl Iterator<Item = ClockId> + Clone + use<> {
    let first = place.root.index();
    (first..=first + place.extent()).map(ClockId::from_index)
}

/// The effects of updates on clocks.
fn writes(model: &Model, updates: &[ExpressionId]) -> ClockWrites {
    let mut walk = Footprints::walk(model);
    if walk.update(updates).is_none() {
        // No statement follows updates that always fail.
        return ClockWrites::default();
    }
    let killed = model.clocks.ids().filter(|&clock| walk.memory.is_overwritten(clock)).collect();
    let copies = walk.domain.found.copies.into_iter().filter(|(x, y)| x != y).collect();
    ClockWrites { killed, copies }
}
