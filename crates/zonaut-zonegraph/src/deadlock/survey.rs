//! The discrete states in which some valuation is deadlocked, whatever the zones that were explored.

use super::ZoneGraph;
use crate::active_clocks::ActiveClocksTable;
use crate::constraints::constrain;
use crate::state::SymbolicState;
use crate::successors::Scratch;
use std::collections::HashSet;
use zonaut_dbm::{Width, Zone};
use zonaut_model::interpret::{ErrorKind, RunTimeError};

/// Examines discrete states: whether a valuation that satisfies the invariants is deadlocked.
///
/// The answer does not depend on the valuations that were reached, so it holds for every symbolic
/// state with the same discrete part. Where it is no, no abstraction of zones can hide or invent a
/// deadlock (`docs/decisions/0034-deadlock-bounds-where-deadlocks-are-possible.md`).
pub struct DeadlockSurvey<'g, 'n, W: Width> {
    graph: &'g ZoneGraph<'n, W>,
    active_clocks: ActiveClocksTable,
    scratch: Scratch<W>,
    /// The discrete state under examination, with all valuations of its invariants.
    state: SymbolicState<W>,
    examined: HashSet<Box<[u64]>>,
}

impl<'g, 'n, W: Width> DeadlockSurvey<'g, 'n, W> {
    /// A survey of the discrete states of `graph`, none of which is examined yet.
    #[must_use]
    pub fn new(graph: &'g ZoneGraph<'n, W>) -> Self {
        Self {
            graph,
            active_clocks: ActiveClocksTable::new(graph.network().process_count()),
            scratch: Scratch::new(graph),
            state: SymbolicState::buffer(),
            examined: HashSet::new(),
        }
    }

    /// Whether some valuation that satisfies the invariants of the discrete part of `state` is
    /// deadlocked; `None` if this discrete part was examined before.
    ///
    /// # Errors
    /// When the work has to end.
    pub fn examine(&mut self, state: &SymbolicState<W>) -> Result<Option<bool>, RunTimeError> {
        if self.examined.contains(state.key()) {
            return Ok(None);
        }
        self.examined.insert(state.key().into());
        let Self { graph, active_clocks, scratch, state: all, .. } = self;
        let conditions = match graph.time_conditions(state, scratch) {
            // A model that fails has not come to its end.
            Err(error) if !matches!(error.kind, ErrorKind::Stopped(_)) => return Ok(Some(false)),
            conditions => conditions?,
        };
        all.values.clone_from(&state.values);
        all.key.clone_from(&state.key);
        all.zone = Zone::universe(state.zone.dim());
        let active = active_clocks.of(graph.bounds(), &state.values);
        if constrain(&mut all.zone, &active, &conditions.invariant).is_err() {
            return Ok(Some(false));
        }
        Ok(Some(!graph.deadlocked(all, scratch)?.is_empty()))
    }
}
