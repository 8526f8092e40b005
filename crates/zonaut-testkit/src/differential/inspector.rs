//! What is looked at while a search runs, and after it.

use super::way::Way;
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_search::{Outcome, ReportOf};
use zonaut_space::{NodeId, Observer, PassedStore, Progress, StopReason};
use zonaut_zonegraph::{Step, SymbolicState, ZoneGraph};

/// The canonical form is cubic in the clocks to check; a sample of the states will do.
const SAMPLE: usize = 64;
/// States that are kept to compare the store with.
const KEPT: usize = 2_000;

/// Checks stored zones, keeps the states that were stored, and stops runs that have no end.
pub(super) struct Inspector {
    /// The first states that became nodes.
    states: Vec<SymbolicState>,
    /// The node expanded last.
    expanded: Option<NodeId>,
    is_store_right: bool,
    is_store_reduced: bool,
    limit: usize,
}

impl Inspector {
    /// Stops a run after `limit` states.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            states: Vec::new(),
            expanded: None,
            is_store_right: true,
            is_store_reduced: true,
            limit,
        }
    }

    /// Whether the stored zones are canonical.
    pub(super) fn is_canonical(&self) -> bool {
        self.states.iter().take(SAMPLE).all(|state| state.zone.is_canonical())
    }

    /// Whether the store gave back the states that were put in.
    pub(super) fn is_store_right(&self) -> bool {
        self.is_store_right
    }

    /// Compares the states of a store with those that were put in.
    pub(super) fn compare(&mut self, store: &impl PassedStore<SymbolicState>) {
        let mut stored = SymbolicState::buffer();
        for (number, state) in self.states.iter().enumerate() {
            let node = NodeId::from_index(number);
            if store.is_live(node) {
                store.load(node, &mut stored);
                self.is_store_right &= stored.values == state.values && stored.zone == state.zone;
            }
        }
    }

    /// Whether no state of the store was seen to include another one.
    pub(super) fn is_store_reduced(&self) -> bool {
        self.is_store_reduced
    }

    /// Looks for states of a store that include others of the same discrete part, as is right only
    /// where covering is equality or respects depth.
    pub(super) fn look_for_redundant(&mut self, store: &impl PassedStore<SymbolicState>) {
        let live = self.states.iter().enumerate();
        let live = live.filter(|(number, _)| store.is_live(NodeId::from_index(*number)));
        let mut live: Vec<&SymbolicState> = live.map(|(_, state)| state).collect();
        live.sort_by(|one, two| one.values.cmp(&two.values));
        for group in live.chunk_by(|one, two| one.values == two.values) {
            let group = &group[..group.len().min(SAMPLE)];
            for (place, one) in group.iter().enumerate() {
                let others = group[place + 1..].iter();
                let mut pairs = others.flat_map(|two| [(one, two), (two, one)]);
                self.is_store_reduced &= !pairs.any(|(one, two)| one.zone.includes(&two.zone));
            }
        }
    }

    /// The states on the way to the goal, or to where something went wrong.
    pub(super) fn way(&self, report: &ReportOf<ZoneGraph<'_>>) -> Option<Way> {
        let (last, is_to_goal) = match report.outcome {
            Outcome::Reached { node, .. } => (node, true),
            Outcome::Failed { .. } => (self.expanded?, false),
            Outcome::Exhausted | Outcome::Stopped { .. } => return None,
        };
        let nodes = report.nodes.path(last);
        let states = nodes.iter().map(|node| self.states.get(node.index()).cloned());
        Some(Way { states: states.collect::<Option<_>>()?, is_to_goal })
    }
}

impl Observer<SymbolicState, Step> for Inspector {
    fn node_inserted(&mut self, node: NodeId, state: &SymbolicState) {
        if node.index() == self.states.len() && node.index() < KEPT {
            self.states.push(state.clone());
        }
    }

    fn node_expanded(&mut self, node: NodeId) {
        self.expanded = Some(node);
    }

    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        if now.explored > self.limit {
            return ControlFlow::Break(StopReason::NodeLimit);
        }
        ControlFlow::Continue(())
    }
}
