//! The exact search for a maximal run: depth first, with the abstraction of greatest constants.

use crate::lasso::Finding;
use crate::lasso_search::{LassoReport, LassoTask};
use crate::maximal_runs::{Halt, MaximalRuns};
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use zonaut_compile::Step;
use zonaut_dbm::Width;
use zonaut_search::{ArenaStore, Fifo, Outcome, Search, Uninformed};
use zonaut_space::{Goal, Meter, Observer, PassedStore, Progress, StopReason};
use zonaut_zonegraph::{
    Abstraction, AvoidingGraph, Comparison, CompiledGoal, StateEncoding, StepError, SymbolicState,
    Unsound, ZoneCovering, ZoneGraph,
};

/// The states of an exact search that has found no maximal run, compared by inclusion.
#[derive(Clone, Debug, Default)]
pub struct ExactProof<W: Width> {
    /// All reachable states, if runs may begin at any moment.
    pub reached: Vec<SymbolicState<W>>,
    /// The states of runs while they avoid the formula. Each transition leads from a state into
    /// states before it in this list, and no run ends in any of them.
    pub stays: Vec<SymbolicState<W>>,
}

/// Searches for a maximal run depth first, with zones that are widened with greatest constants; a
/// proof is recorded if the task requires one.
///
/// # Errors
/// If a constant is too large for bounds of this width.
pub fn search_exactly<W, Ob>(
    task: &LassoTask<'_>,
    observer: &mut Ob,
) -> Result<(LassoReport, Option<ExactProof<W>>), Unsound>
where
    W: Width,
    Ob: Observer<SymbolicState<W>, Step>,
{
    let LassoTask { network, bounds, compiled, .. } = *task;
    let meter = &observer.meter();
    let avoided = &compiled.avoided;
    let avoiding = AvoidingGraph::new(network, bounds, avoided, Abstraction::Maximum, meter)?;
    let mut runs = MaximalRuns::<W>::new(avoiding);
    let mut proof = task.records_proof.then(|| {
        runs.record_left();
        ExactProof::default()
    });
    let report = match &compiled.begin {
        None => from_the_start(runs, proof.as_mut(), observer),
        Some(begin) => {
            let graph = ZoneGraph::new(network, bounds, Abstraction::Maximum, meter)?;
            from_any_moment(&graph, runs, begin, proof.as_mut(), observer)
        }
    };
    Ok((report, proof))
}

/// Searches for a run that avoids the formula from the start.
fn from_the_start<W, Ob>(
    mut runs: MaximalRuns<'_, '_, W>,
    proof: Option<&mut ExactProof<W>>,
    observer: &mut Ob,
) -> LassoReport
where
    W: Width,
    Ob: Observer<SymbolicState<W>, Step>,
{
    let mut beginnings = Vec::new();
    let mut failure = None;
    let _ = runs.avoiding.visit_initial(&mut |_, _, state| match state {
        Ok(state) => {
            beginnings.push(state.clone());
            ControlFlow::Continue(())
        }
        Err(error) => {
            failure = Some(Halt::Failed(error, Vec::new()));
            ControlFlow::Break(())
        }
    });
    let found = failure.map_or(Ok(()), Err);
    let search = |()| beginnings.into_iter().try_for_each(|state| runs.search(state, observer));
    let finding =
        found.and_then(search).map_or_else(|halt| halt.after(Vec::new()), |()| Finding::None);
    let _ = observer.progress(&runs.progress());
    let statistics = runs.statistics();
    if let Some(proof) = proof {
        proof.stays = runs.recorded();
    }
    LassoReport { finding, statistics }
}

/// Searches for a run that avoids the formula from some moment on at which `begin` holds: all
/// states are explored, and the goal of this search is a state in which such a run begins.
fn from_any_moment<W, Ob>(
    graph: &ZoneGraph<'_, W>,
    runs: MaximalRuns<'_, '_, W>,
    begin: &CompiledGoal,
    proof: Option<&mut ExactProof<W>>,
    observer: &mut Ob,
) -> LassoReport
where
    W: Width,
    Ob: Observer<SymbolicState<W>, Step>,
{
    let shared = RefCell::new(observer);
    let besides = Cell::new(0);
    let covering = ZoneCovering::new(graph, Comparison::Inclusion);
    let store = ArenaStore::new(StateEncoding::new(graph), covering);
    let frontier = Uninformed(Fifo::default());
    let mut sharing = Shared { observer: &shared, besides: &besides };
    let (observer, besides) = (&shared, &besides);
    let mut goal = Beginning { runs, begin, halt: None, observer, besides };
    let (report, store) = Search::reach(graph, &mut goal, store, frontier).finish(&mut sharing);
    let inner = goal.runs.statistics();
    let mut statistics = report.statistics;
    statistics.explored += inner.explored;
    statistics.generated += inner.generated;
    statistics.covered += inner.covered;
    statistics.stored += inner.stored;
    statistics.bytes += inner.bytes;
    if let Some(proof) = proof {
        proof.stays = goal.runs.recorded();
        proof.reached.extend(store.live_nodes().map(|node| {
            let mut state = SymbolicState::buffer();
            store.load(node, &mut state);
            state
        }));
    }
    let finding = match (report.outcome, goal.halt) {
        (Outcome::Reached { steps, .. } | Outcome::Failed { steps, .. }, Some(halt)) => {
            halt.after(steps)
        }
        (Outcome::Failed { error, steps }, None) => Finding::Failed { error, steps },
        (Outcome::Stopped { why, .. }, _) => Finding::Stopped(why),
        (Outcome::Exhausted | Outcome::Reached { .. }, _) => Finding::None,
    };
    LassoReport { finding, statistics }
}

/// The goal that a maximal run begins in a state.
struct Beginning<'b, 'n, W: Width, Ob> {
    runs: MaximalRuns<'b, 'n, W>,
    begin: &'b CompiledGoal,
    /// The reason for which the search for runs ended, once it has.
    halt: Option<Halt>,
    observer: &'b RefCell<Ob>,
    /// The memory of the search for runs, in bytes.
    besides: &'b Cell<usize>,
}

impl<'n, W, Ob> Goal<ZoneGraph<'n, W>> for Beginning<'_, '_, W, Ob>
where
    W: Width,
    Ob: Observer<SymbolicState<W>, Step>,
{
    fn holds_in(&mut self, state: &SymbolicState<W>) -> Result<bool, StepError> {
        let Self { runs, begin, halt, observer, besides } = self;
        let mut beginnings = Vec::new();
        let mut failure = None;
        let _ = runs.avoiding.visit_beginnings(state, begin, &mut |_, _, target| match target {
            Ok(target) => {
                beginnings.push(target.clone());
                ControlFlow::Continue(())
            }
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        let observer = &mut *observer.borrow_mut();
        let searched = beginnings.into_iter().try_for_each(|state| runs.search(state, observer));
        besides.set(runs.bytes());
        match searched {
            Ok(()) => Ok(false),
            Err(Halt::Stopped(why)) => Err(StepError::Stopped(why)),
            Err(Halt::Failed(error, steps)) => {
                *halt = Some(Halt::Failed(error, steps));
                Err(error)
            }
            Err(found @ Halt::Lasso(_)) => {
                *halt = Some(found);
                Ok(true)
            }
        }
    }
}

/// An observer shared by the two searches. It receives the memory of both.
struct Shared<'o, Ob> {
    observer: &'o RefCell<Ob>,
    besides: &'o Cell<usize>,
}

impl<W, Ob> Observer<SymbolicState<W>, Step> for Shared<'_, Ob>
where
    W: Width,
    Ob: Observer<SymbolicState<W>, Step>,
{
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        let now = Progress { bytes: now.bytes + self.besides.get(), ..*now };
        self.observer.borrow_mut().progress(&now)
    }

    fn meter(&self) -> Meter {
        self.observer.borrow().meter()
    }
}
