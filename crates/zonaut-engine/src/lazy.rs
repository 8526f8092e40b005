//! Lazy searches: what the engine has to do for them.

use crate::answer::Reason;
use crate::guiding::{DeadEnds, Guiding};
use crate::search::{BoxedFrontier, Closing, Quest, Searched, Watcher, frontier_of};
use zonaut_dbm::Width;
use zonaut_search::{AStar, Blind, NodeTable, Report, Ties};
use zonaut_strategy::Order;
use zonaut_strategy::{LazyStrategy, Strategy};

impl<'g, W: Width> Quest<'g, W> {
    /// Searches lazily. Estimates are those of exact states, while a node stands for more, so no
    /// state is dropped as a dead end, and only a search without a guide finds a shortest run.
    pub(crate) fn search_lazily(
        self,
        lazy: &LazyStrategy,
        guiding: &Guiding<'_>,
        observer: Watcher<'_, W>,
    ) -> Result<Searched<'g, W>, Reason> {
        let frontier: BoxedFrontier<'_, W> = match (self.shortest, &*lazy.order) {
            (true, _) => Box::new(AStar::new(Blind, Ties::default())),
            (false, Strategy::AStar { guide, ties }) => {
                let (guide, ties, weight) = (guide.clone(), *ties, 1);
                let order = Strategy::Weighted { guide, weight, ties };
                self.frontier(&order, guiding, DeadEnds::Last, observer)?
            }
            (false, order) => self.frontier(order, guiding, DeadEnds::Last, observer)?,
        };
        let (model, formula) = guiding.subject();
        let quest = zonaut_lazy::Quest { model, graph: self.graph, formula, goal: self.goal };
        let searched = quest.search(lazy.choice(self.shortest), frontier, observer);
        let searched = searched.map_err(|why| Reason::Unsuited(why.to_string()))?;
        let zonaut_lazy::Report { outcome, statistics, labelling } = searched;
        let report = Report { outcome, best: None, nodes: NodeTable::new(), statistics };
        let mut done = lazy.clone();
        if self.shortest {
            done.order = LazyStrategy::default().order;
        }
        let found = Searched::new(report, self.store(), Strategy::Lazy(done));
        Ok(Searched { labelling: Some(labelling), ..found })
    }

    /// Searches eagerly, and without symmetry, for what another search has shown to be out of reach,
    /// so that there is something to write down. What that one has answered stays the answer.
    pub(crate) fn search_again(
        self,
        searched: Searched<'g, W>,
        observer: Watcher<'_, W>,
    ) -> (Searched<'g, W>, Closing) {
        let frontier = frontier_of(Order::BreadthFirst, self.seed);
        let again =
            Self { reduction: None, ..self }.reach(frontier, searched.strategy.clone(), observer);
        match Closing::of(&again.report.outcome) {
            Closing::Done => (again, Closing::Done),
            closing => (searched, closing),
        }
    }
}
