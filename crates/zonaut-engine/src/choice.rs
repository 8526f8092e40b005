//! A portfolio of an exhaustive search with symmetry reduction and heuristic searches without it.
//!
//! Symmetry reduction pays off in exhaustive searches. Heuristic searches explore the zone graph
//! itself and are sound without it. Each member decides alone, as in a portfolio without symmetry
//! reduction.

use crate::reduction::Reduction;
use zonaut_dbm::Width;
use zonaut_portfolio::portfolio::{Ended, RoundLimit};
use zonaut_portfolio::{
    Attempt, AttemptEnd, Choosing, Decision, Portfolio, ReachabilityTask, SearchObserver, Searched,
};
use zonaut_portfolio::{ZoneStore, frontier_of};
use zonaut_search::{AStar, Blind, Budget, Frontier, Outcome, Search, Status, Ties};
use zonaut_space::StopReason;
use zonaut_strategy::{Order, Strategy};
use zonaut_symmetry::{SymmetricGoal, SymmetricGraph};
use zonaut_zonegraph::{Step, SymbolicState, ZoneGoal};

/// An exhaustive search with symmetry reduction.
type Reduced<'s, 'g, W, F> =
    Search<'s, SymmetricGraph<'g, 'g, W>, SymmetricGoal<ZoneGoal<'g, 'g, W>>, ZoneStore<'g, W>, F>;

/// The result, and whether it relies on symmetry reduction.
pub(crate) struct Chosen<'g, W: Width> {
    pub(crate) decision: Decision<'g, W>,
    pub(crate) is_reduced: bool,
}

/// Runs a search with symmetry reduction and heuristic searches in time slices; the first one has a
/// head start.
pub(crate) fn choose_reduced<'g, W: Width>(
    choosing: Choosing<'g, W>,
    reduction: Reduction<'g>,
    first: u32,
    observer: SearchObserver<'_, W>,
) -> Chosen<'g, W> {
    let task = choosing.task;
    let heuristic_searches = Portfolio::heuristic_searches(choosing, first);
    let graph = reduction.graph(task.graph);
    let goal = SymmetricGoal(task.goal_in_zones());
    let turns = Turns {
        task,
        reduction,
        heuristic_searches,
        limit: RoundLimit::first(first.into()),
        taken: 0,
    };
    if task.shortest {
        let frontier = AStar::new(Blind, Ties::default());
        let search = Search::shortest(&graph, goal, task.store(), frontier);
        return turns.take(search, observer);
    }
    let frontier = frontier_of(Order::BreadthFirst, task.seed);
    turns.take(Search::reach(&graph, goal, task.store(), frontier), observer)
}

struct Turns<'g, W: Width> {
    task: ReachabilityTask<'g, W>,
    reduction: Reduction<'g>,
    heuristic_searches: Portfolio<'g, W>,
    /// The work limit of the exhaustive search after its next time slice.
    limit: RoundLimit,
    taken: usize,
}

impl<'g, W: Width> Turns<'g, W> {
    fn take<F: Frontier<SymbolicState<W>, Step>>(
        mut self,
        mut search: Reduced<'_, 'g, W, F>,
        observer: SearchObserver<'_, W>,
    ) -> Chosen<'g, W> {
        loop {
            self.taken += 1;
            if search.run(Budget::of(self.limit.added()), observer) == Status::Ended {
                return self.explored(search);
            }
            let statistics = search.statistics();
            let mut held = observer.meter().hold();
            held.set(statistics.bytes);
            let ended = match self.heuristic_searches.is_open() {
                true => self.heuristic_searches.take_round(observer),
                false => None,
            };
            match ended {
                None => {}
                // The exhaustive search continues if heuristic searches exceed the memory limit.
                Some(Ended::Stopped(StopReason::MemoryLimit))
                    if observer.meter().stopped().is_none() => {}
                Some(ended) => {
                    let exploration =
                        Attempt::exploration(self.taken, statistics, AttemptEnd::Paused);
                    let mut decision = self.heuristic_searches.conclude(ended);
                    decision.attempts.insert(0, exploration);
                    return Chosen { decision, is_reduced: false };
                }
            }
            self.limit = self.limit.next();
        }
    }

    fn explored<F: Frontier<SymbolicState<W>, Step>>(
        self,
        search: Reduced<'_, 'g, W, F>,
    ) -> Chosen<'g, W> {
        let Self { task, reduction, heuristic_searches, taken, .. } = self;
        let (report, store) = search.into_report();
        let end = match report.outcome {
            Outcome::Stopped { why, .. } => AttemptEnd::Stopped(why),
            _ => AttemptEnd::Decided,
        };
        let mut attempts = vec![Attempt::exploration(taken, report.statistics, end)];
        attempts.extend(heuristic_searches.attempts());
        let strategy = Strategy::Blind(Order::BreadthFirst);
        let searched = Searched::new(reduction.unfolded(task.graph, report), store, strategy);
        let (heuristic, warnings) = (None, Vec::new());
        let decision = Decision { task, searched, heuristic, warnings, attempts };
        Chosen { decision, is_reduced: true }
    }
}
