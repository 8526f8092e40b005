//! What the updates of an edge do to clocks: which are set for certain, which may be copied.

use zonaut_analysis::footprint::Footprints;
use zonaut_base::{Id, IndexVec};
use zonaut_model::{ClockId, ExpressionId, Model, Place, ProcessId};

/// A copy that may happen: target, then source.
pub(super) type ClockCopy = (ClockId, ClockId);

/// What one edge does to clocks.
#[derive(Default)]
pub(super) struct ClockWrites {
    /// Clocks that are set on every way through the updates, whatever they held before.
    pub(super) killed: Vec<ClockId>,
    /// Copies that may happen.
    pub(super) copies: Vec<ClockCopy>,
}

/// What all edges of a model do to clocks.
pub(super) struct AllClockWrites {
    /// By process, one entry for each edge.
    pub(super) edges: IndexVec<ProcessId, Vec<ClockWrites>>,
    /// Copies in the updates that frame every transition.
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

/// The clocks that a place can stand for.
pub(super) fn targets(place: &Place<ClockId>) -> impl Iterator<Item = ClockId> + Clone + use<> {
    let first = place.root.index();
    (first..=first + place.extent()).map(ClockId::from_index)
}

/// What updates do to clocks.
fn writes(model: &Model, updates: &[ExpressionId]) -> ClockWrites {
    let mut walk = Footprints::walk(model);
    if walk.update(updates).is_none() {
        // Nothing comes after updates that always fail.
        return ClockWrites::default();
    }
    let killed = model.clocks.ids().filter(|&clock| walk.memory.is_overwritten(clock)).collect();
    let copies = walk.domain.found.copies.into_iter().filter(|(x, y)| x != y).collect();
    ClockWrites { killed, copies }
}
