//! Searches that can be paused and resumed.

use crate::task::{ReachabilityTask, SearchObserver, Searched, ZoneStore};
use zonaut_dbm::Width;
use zonaut_lazy::LazySearch;
use zonaut_search::{Budget, Frontier, NodeTable, Report, Search, Statistics, Status};
use zonaut_strategy::{LazyStrategy, Strategy};
use zonaut_zonegraph::{Step, SymbolicState, ZoneGoal, ZoneGraph};

/// A search that works for a budget, pauses, and resumes.
///
/// Law: pauses do not change it: it does the same in the same order.
pub trait Resumable<'g, W: Width> {
    /// Works until the budget is used or the outcome is known.
    fn run(&mut self, budget: Budget, observer: SearchObserver<'_, W>) -> Status;
    /// The work so far, as budgets count it.
    fn work(&self) -> u64;
    /// The statistics so far.
    fn statistics(&self) -> Statistics;
    /// The result; a search that has not ended counts as cancelled.
    fn finish(self: Box<Self>) -> Searched<'g, W>;
}

/// A search, started or not.
pub type BoxedSearch<'g, W> = Box<dyn Resumable<'g, W> + 'g>;

/// An eager search over a zone graph.
type EagerSearch<'g, W, F> = Search<'g, ZoneGraph<'g, W>, ZoneGoal<'g, 'g, W>, ZoneStore<'g, W>, F>;

/// A search that expands every state that is not covered.
pub(crate) struct Eager<'g, W: Width, F> {
    pub(crate) search: EagerSearch<'g, W, F>,
    pub(crate) strategy: Strategy,
}

impl<'g, W: Width, F> Resumable<'g, W> for Eager<'g, W, F>
where
    F: Frontier<SymbolicState<W>, Step>,
{
    fn run(&mut self, budget: Budget, observer: SearchObserver<'_, W>) -> Status {
        self.search.run(budget, observer)
    }

    fn work(&self) -> u64 {
        let Statistics { explored, generated, .. } = self.search.statistics();
        (explored + generated) as u64
    }

    fn statistics(&self) -> Statistics {
        self.search.statistics()
    }

    fn finish(self: Box<Self>) -> Searched<'g, W> {
        let (report, store) = self.search.into_report();
        Searched::new(report, store, self.strategy)
    }
}

/// A lazy search, whose labels keep needed facts only.
pub(crate) struct Lazily<'g, W: Width> {
    pub(crate) task: ReachabilityTask<'g, W>,
    pub(crate) search: Box<dyn LazySearch<'g, W> + 'g>,
    pub(crate) strategy: LazyStrategy,
}

impl<'g, W: Width> Resumable<'g, W> for Lazily<'g, W> {
    fn run(&mut self, budget: Budget, observer: SearchObserver<'_, W>) -> Status {
        self.search.run(budget, observer)
    }

    fn work(&self) -> u64 {
        self.search.work()
    }

    fn statistics(&self) -> Statistics {
        self.search.statistics()
    }

    fn finish(self: Box<Self>) -> Searched<'g, W> {
        let Self { task, search, strategy } = *self;
        let zonaut_lazy::Report { outcome, statistics, labelling, proof } = search.into_report();
        let report = Report { outcome, best: None, nodes: NodeTable::new(), statistics };
        let found = Searched::new(report, task.store(), Strategy::Lazy(strategy));
        Searched { labelling: Some(labelling), proof, ..found }
    }
}
