//! Searches that can be paused and resumed.

use crate::finished::{Finished, States};
use crate::task::{BoxedFrontier, ReachabilityTask, SearchObserver, ZoneStore};
use zonaut_dbm::Width;
use zonaut_lazy::LazySearch;
use zonaut_search::{
    Asynchronous, Budget, Crew, Frontier, Layered, Search, Standing, Statistics, Status, ask,
};
use zonaut_space::{Goal, Steps, TransitionSystem};
use zonaut_strategy::{LazyStrategy, Order, Strategy};
use zonaut_zonegraph::{
    StateEncoding, Step, StepError, SymbolicState, ZoneCovering, ZoneGoal, ZoneGraph,
};

/// A search that works for a budget, pauses, and resumes.
///
/// Law: pauses do not change it: it does the same in the same order.
pub trait Resumable<'g, W: Width>: Send {
    /// Works until the budget is used or the outcome is known.
    fn run(&mut self, budget: Budget, observer: SearchObserver<'_, W>) -> Status;
    /// The work so far, as budgets count it.
    fn work(&self) -> u64;
    /// The statistics so far.
    fn statistics(&self) -> Statistics;
    /// The result; a search that has not ended counts as cancelled.
    fn finish(self: Box<Self>) -> Finished<'g, W>;
}

/// A search, started or not.
pub type BoxedSearch<'g, W> = Box<dyn Resumable<'g, W> + 'g>;

/// A search that expands every state that is not covered, of a zone graph or of its quotient.
pub(crate) struct Eager<'g, W: Width, Ts: TransitionSystem, G, F> {
    pub(crate) task: ReachabilityTask<'g, W>,
    pub(crate) search: Search<'g, Ts, G, ZoneStore<'g, W>, F>,
    pub(crate) strategy: Strategy,
}

impl<'g, W: Width, Ts, G, F> Resumable<'g, W> for Eager<'g, W, Ts, G, F>
where
    Ts: TransitionSystem<State = SymbolicState<W>, Step = Step, Error = StepError, Scratch: Send>
        + Sync,
    G: Goal<Ts> + Send,
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

    fn finish(self: Box<Self>) -> Finished<'g, W> {
        let Self { task, search, strategy } = *self;
        let (mut report, store) = search.into_report();
        if let Some(quotient) = task.quotient {
            quotient.unfold(&mut report.outcome);
        }
        Finished::eager(task, strategy, report, store)
    }
}

/// A breadth-first search of a zone graph by several workers.
type LayeredZones<'g, W> =
    Layered<'g, ZoneGraph<'g, W>, ZoneGoal<'g, 'g, W>, StateEncoding<'g, W>, ZoneCovering<'g, W>>;

/// A breadth-first search by several workers. If it meets a run-time error, a sequential search
/// decides instead, so that the verdict does not depend on the number of workers: an error and a
/// goal may be equally near.
pub(crate) struct Parallel<'g, W: Width> {
    pub(crate) task: ReachabilityTask<'g, W>,
    pub(crate) search: LayeredZones<'g, W>,
    pub(crate) crew: &'g dyn Crew,
    pub(crate) sequential: BoxedSearch<'g, W>,
    /// Whether the sequential search has taken over.
    pub(crate) is_sequential: bool,
}

impl<'g, W: Width> Resumable<'g, W> for Parallel<'g, W> {
    fn run(&mut self, budget: Budget, observer: SearchObserver<'_, W>) -> Status {
        if !self.is_sequential {
            let status = self.search.run(budget, self.crew, observer);
            self.is_sequential = status == Status::Ended && self.search.has_failed();
            if !self.is_sequential {
                return status;
            }
        }
        self.sequential.run(budget, observer)
    }

    fn work(&self) -> u64 {
        self.search.work() + self.sequential.work()
    }

    fn statistics(&self) -> Statistics {
        match self.is_sequential {
            true => self.sequential.statistics(),
            false => self.search.statistics(),
        }
    }

    fn finish(self: Box<Self>) -> Finished<'g, W> {
        let Self { task, search, sequential, is_sequential, .. } = *self;
        if is_sequential {
            return sequential.finish();
        }
        let workers = search.efforts();
        let (outcome, statistics, unjoined) = search.into_unjoined();
        let (strategy, states) =
            (Strategy::Blind(Order::BreadthFirst), States::Unjoined(Box::new(unjoined)));
        Finished { workers, ..Finished::new(task, strategy, outcome, statistics, states) }
    }
}

/// A search of a zone graph by several workers, each in its own order.
type AsynchronousZones<'g, W> = Asynchronous<
    'g,
    ZoneGraph<'g, W>,
    ZoneGoal<'g, 'g, W>,
    StateEncoding<'g, W>,
    ZoneStore<'g, W>,
    BoxedFrontier<'g, W>,
    Steps,
>;

/// A search by several workers, each in its own order.
pub(crate) struct Together<'g, W: Width> {
    pub(crate) task: ReachabilityTask<'g, W>,
    pub(crate) search: AsynchronousZones<'g, W>,
    pub(crate) crew: &'g dyn Crew,
    pub(crate) strategy: Strategy,
}

impl<'g, W: Width> Resumable<'g, W> for Together<'g, W> {
    fn run(&mut self, budget: Budget, observer: SearchObserver<'_, W>) -> Status {
        let mut look = |standing: &Standing<u32>| ask(observer, &standing.progress);
        self.search.run(budget, self.crew, &mut look)
    }

    fn work(&self) -> u64 {
        self.search.work()
    }

    fn statistics(&self) -> Statistics {
        self.search.statistics()
    }

    fn finish(self: Box<Self>) -> Finished<'g, W> {
        let Self { task, search, strategy, .. } = *self;
        let (report, store) = search.into_report();
        Finished::eager(task, strategy, report, store)
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

    fn finish(self: Box<Self>) -> Finished<'g, W> {
        let Self { task, search, strategy } = *self;
        let zonaut_lazy::Report { outcome, statistics, labelling, proof } = search.into_report();
        let (strategy, states) = (Strategy::Lazy(strategy), States::Lazy { labelling, proof });
        Finished::new(task, strategy, outcome, statistics, states)
    }
}
