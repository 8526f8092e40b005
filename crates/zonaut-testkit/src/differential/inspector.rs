//! Invariants that are checked during a search and after it.

use super::goal_path::GoalPath;
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_search::{Outcome, ReportOf};
use zonaut_space::{NodeId, Observer, PassedStore, Progress, StopReason};
use zonaut_zonegraph::{Step, SymbolicState, ZoneGraph};

/// Checking canonicity is cubic in the number of clocks; only a sample of states is checked.
const SAMPLE: usize = 64;
/// The number of states that are kept to compare the store with.
const KEPT: usize = 2_000;

/// Checks stored zones, keeps the stored states, and stops searches that do not terminate.
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
    /// An inspector that stops a search after `limit` states.
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

    /// Whether the store returned the states that were inserted.
    pub(super) fn is_store_right(&self) -> bool {
        self.is_store_right
    }

    /// Compares the states of a store with those that were inserted.
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

    /// Searches states of a store that include others with the same discrete state, which is
    /// correct only if covering is equality or preserves depth.
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

    /// The states on the path to the goal or to an error.
    pub(super) fn path(&self, report: &ReportOf<ZoneGraph<'_>>) -> Option<GoalPath> {
        let (last, is_to_goal) = match report.outcome {
            Outcome::Reached { node, .. } => (node, true),
            Outcome::Failed { .. } => (self.expanded?, false),
            Outcome::Exhausted | Outcome::Stopped { .. } => return None,
        };
        let nodes = report.nodes.path(last);
        let states = nodes.iter().map(|node| self.states.get(node.index()).cloned());
        Some(GoalPath { states: states.collect::<Option<_>>()?, is_to_goal })
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
