//! Bounds of clocks for goals with `deadlock`: two-sided only where a deadlock is possible.
//!
//! A search begins with the bounds of plain reachability, raised by a short probe of the first states,
//! which finds most locations that need more before anything is explored in vain. When it has ended, the discrete states that
//! it met are surveyed: those in which some valuation is deadlocked need bounds from both sides. If
//! the search had them, its answer stands; otherwise the bounds are raised and the search is repeated.
//! Each round but the last adds a location, so there are finitely many; in most models no state can be
//! deadlocked, and the first round is the last one.
//!
//! *Claim.* A round that ends with sufficient bounds has met a deadlock if there is one, and a nearest
//! one if it looks for shortest runs
//! (`docs/decisions/0034-deadlock-bounds-where-deadlocks-are-possible.md`).

use crate::answer::Reason;
use crate::resources::Watch;
use crate::verify::VerifyOptions;
use zonaut_compile::TwoSidedLocations;
use zonaut_dbm::Width;
use zonaut_evidence::ZoneStore;
use zonaut_model::Formula;
use zonaut_model::interpret::{ErrorKind, RunTimeError};
use zonaut_search::{ArenaStore, Budget, Fifo, Search, Uninformed};
use zonaut_space::{EmptyGoal, PassedStore};
use zonaut_strategy::Strategy;
use zonaut_zonegraph::{
    Abstraction, Comparison, DeadlockSurvey, StateEncoding, SymbolicState, ZoneCovering, ZoneGraph,
};

/// The locations to begin with, if rounds with few two-sided bounds are possible: for goals with
/// `deadlock`, zones that are exact, and an eager search.
pub(super) fn first_locations(
    goal: &Formula,
    options: &VerifyOptions,
) -> Option<TwoSidedLocations> {
    let is_eager = !matches!(options.strategy, Strategy::Lazy(_));
    let has_exact_zones = options.abstraction.is_none_or(|one| one == Abstraction::Simulation)
        && options.comparison.is_none_or(|one| one == Comparison::Simulation);
    // All processes, and a search before and after a checkpoint, have the same bounds.
    let is_alone = options.distribution.is_none();
    let is_possible = goal.mentions_deadlock() && is_eager && has_exact_zones && is_alone;
    is_possible.then(TwoSidedLocations::none)
}

/// The work of one probe: states that are expanded or generated.
const PROBE: Budget = Budget::of(1_000);
/// The most probes before the first round.
pub(super) const PROBES: usize = 4;

/// Explores the first states breadth first, and adds the locations of those in which a deadlock is
/// possible; whether there is a new one. The states of a probe are preparation and not counted as
/// explored.
pub(super) fn probe<W: Width>(
    graph: &ZoneGraph<'_, W>,
    locations: &mut TwoSidedLocations,
    watch: &mut Watch<'_>,
) -> Result<bool, Reason> {
    let covering = ZoneCovering::new(graph, Comparison::Simulation);
    let store = ArenaStore::new(StateEncoding::new(graph), covering);
    let mut search = Search::reach(graph, EmptyGoal, store, Uninformed(Fifo::default()));
    let _ = search.run(PROBE, watch);
    let (_, store) = search.into_report();
    survey(graph, &store, locations)
}

/// Adds the locations of the discrete states in `store` in which a deadlock is possible; whether the
/// bounds of the search lacked one of them.
pub(super) fn survey<W: Width>(
    graph: &ZoneGraph<'_, W>,
    store: &ZoneStore<'_, W>,
    locations: &mut TwoSidedLocations,
) -> Result<bool, Reason> {
    let mut survey = DeadlockSurvey::new(graph);
    let mut state = SymbolicState::buffer();
    let mut is_raised = false;
    for node in store.live_nodes() {
        store.load(node, &mut state);
        if survey.examine(&state).map_err(stopped)? == Some(true) {
            is_raised |= locations.add_state(graph.network().process_count(), &state.values);
        }
    }
    Ok(is_raised)
}

/// The reason why a survey has to end: a limit, or too many steps of one evaluation.
fn stopped(error: RunTimeError) -> Reason {
    match error.kind {
        ErrorKind::Stopped(why) => Reason::Stopped(why),
        _ => Reason::EvaluationBudget(error),
    }
}
