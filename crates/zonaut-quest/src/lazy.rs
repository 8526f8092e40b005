//! Lazy searches.

use crate::guiding::{DeadEnds, Guiding};
use crate::quest::{BoxedFrontier, NoSearch, Quest, Watcher};
use crate::resumable::{BoxedSearch, Lazily};
use zonaut_dbm::Width;
use zonaut_search::{AStar, Blind, Ties};
use zonaut_strategy::{LazyStrategy, Strategy};

impl<'g, W: Width> Quest<'g, W> {
    /// A lazy search that has not begun. Estimates are those of exact states, while a node stands
    /// for more, so no state is dropped as a dead end, and only a search without a guide finds a
    /// shortest run.
    pub(crate) fn begin_lazily(
        self,
        lazy: &LazyStrategy,
        guiding: &Guiding<'g>,
        observer: Watcher<'_, W>,
    ) -> Result<BoxedSearch<'g, W>, NoSearch> {
        let frontier: BoxedFrontier<'g, W> = match (self.shortest, &*lazy.order) {
            (true, _) => Box::new(AStar::new(Blind, Ties::default())),
            (false, Strategy::AStar { heuristic: guide, ties }) => {
                let (guide, ties, weight) = (guide.clone(), *ties, 1);
                let order = Strategy::Weighted { heuristic: guide, weight, ties };
                self.frontier(&order, guiding, DeadEnds::Last, observer)?
            }
            (false, order) => self.frontier(order, guiding, DeadEnds::Last, observer)?,
        };
        let (model, formula) = guiding.subject();
        let quest = zonaut_lazy::Quest { model, graph: self.graph, formula, goal: self.goal };
        let search = quest.begin(lazy.choice(self.shortest), frontier);
        let search = search.map_err(|why| NoSearch::Unsuited(why.to_string()))?;
        let mut strategy = lazy.clone();
        if self.shortest {
            strategy.order = LazyStrategy::default().order;
        }
        Ok(Box::new(Lazily { quest: self, search, strategy }))
    }
}
