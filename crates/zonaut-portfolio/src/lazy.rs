//! Lazy searches.

use crate::heuristics::{DeadEndPolicy, HeuristicFactory};
use crate::resumable::{BoxedSearch, Lazily};
use crate::task::{BoxedFrontier, NoSearch, ReachabilityTask, SearchObserver};
use zonaut_dbm::Width;
use zonaut_search::{AStar, Blind, Ties};
use zonaut_strategy::{LazyStrategy, Strategy};

impl<'g, W: Width> ReachabilityTask<'g, W> {
    /// A lazy search, not started. Estimates are for exact states, while a node represents more, so
    /// no state is dropped as a dead end, and only a search without a heuristic finds a shortest
    /// run.
    pub(crate) fn begin_lazily(
        self,
        lazy: &LazyStrategy,
        factory: &HeuristicFactory<'g>,
        observer: SearchObserver<'_, W>,
    ) -> Result<BoxedSearch<'g, W>, NoSearch> {
        let frontier: BoxedFrontier<'g, W> = match (self.shortest, &*lazy.order) {
            (true, _) => Box::new(AStar::new(Blind, Ties::default())),
            (false, Strategy::AStar { heuristic: spec, ties }) => {
                let (spec, ties, weight) = (spec.clone(), *ties, 1);
                let order = Strategy::Weighted { heuristic: spec, weight, ties };
                self.frontier(&order, factory, DeadEndPolicy::Last, observer)?
            }
            (false, order) => self.frontier(order, factory, DeadEndPolicy::Last, observer)?,
        };
        let (model, formula) = factory.subject();
        let task = zonaut_lazy::LazyTask { model, graph: self.graph, formula, goal: self.goal };
        let search = task.begin(zonaut_lazy::Choice::of(lazy, self.shortest), frontier);
        let search = search.map_err(|why| NoSearch::Unsuited(why.to_string()))?;
        let mut strategy = lazy.clone();
        if self.shortest {
            strategy.order = LazyStrategy::default().order;
        }
        Ok(Box::new(Lazily { task: self.unreduced(), search, strategy }))
    }
}
