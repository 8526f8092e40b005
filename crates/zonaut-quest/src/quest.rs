//! From a strategy to a search: the one place where stores, frontiers and guides meet.

use crate::guiding::{DeadEnds, Guiding, Outlook};
use crate::resumable::{BoxedSearch, Eager};
use zonaut_dbm::Width;
use zonaut_heuristics::CartesianInvariant;
use zonaut_lazy::{Labelling, Proof};
use zonaut_search::{
    AStar, Age, Alternating, ArenaStore, Blind, Budget, CheapestFirst, Contextual, Descents, Fifo,
    Frontier, Guided, Lifo, Novel, Outcome, RandomDepthFirst, ReportOf, Restarting, Search, Ties,
    Unguided, Useful,
};
use zonaut_space::{Observer, StopReason};
use zonaut_strategy::{HeuristicSpec, Order, Strategy};
use zonaut_zonegraph::{
    Comparison, CompiledGoal, StateEncoding, Step, SymbolicState, ZoneCovering, ZoneGoal, ZoneGraph,
};

/// Why a search cannot begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoSearch {
    /// A limit was reached before, or somebody asked to stop.
    Stopped(StopReason),
    /// The strategy does not fit the model: what, and where.
    Unsuited(String),
}

impl std::fmt::Display for NoSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stopped(why) => why.fmt(f),
            Self::Unsuited(what) => f.write_str(what),
        }
    }
}

/// The store of a search over a zone graph.
pub type ZoneStore<'g, W> = ArenaStore<StateEncoding<'g, W>, ZoneCovering<'g, W>>;

/// A zone graph with a goal to look for.
#[derive(Clone, Copy, Debug)]
pub struct Quest<'g, W: Width> {
    /// The graph.
    pub graph: &'g ZoneGraph<'g, W>,
    /// The goal.
    pub goal: &'g CompiledGoal,
    /// How states are compared.
    pub comparison: Comparison,
    /// Whether the run has to be a shortest one.
    pub shortest: bool,
    /// The seed of random choices.
    pub seed: u64,
}

/// What a search leaves behind.
pub struct Searched<'g, W: Width> {
    /// How it ended.
    pub report: ReportOf<ZoneGraph<'g, W>>,
    /// The states.
    pub store: ZoneStore<'g, W>,
    /// What was done; breadth first where the strategy asked for promises no shortest run.
    pub strategy: Strategy,
    /// Where evidence leaves out what guides have pruned, each live node that was not expanded is
    /// inside one of these.
    pub reasons: Vec<CartesianInvariant>,
    /// What a lazy search did to labels. Such a search leaves nothing in the store.
    pub labelling: Option<Labelling>,
    /// What shows that a lazy search has missed nothing, where it has found nothing.
    pub proof: Option<Box<dyn Proof<W> + 'g>>,
}

impl<'g, W: Width> Searched<'g, W> {
    /// What an eager search leaves behind.
    #[must_use]
    pub fn new(
        report: ReportOf<ZoneGraph<'g, W>>,
        store: ZoneStore<'g, W>,
        strategy: Strategy,
    ) -> Self {
        Self { report, store, strategy, reasons: Vec::new(), labelling: None, proof: None }
    }

    /// Whether the answer rests on what guides said of states that were not expanded.
    #[must_use]
    pub fn has_pruned(&self) -> bool {
        let is_exhausted = matches!(self.report.outcome, Outcome::Exhausted);
        is_exhausted && self.proof.is_none() && self.report.statistics.pruned > 0
    }
}

/// Who watches a search, and may end it.
pub type Watcher<'o, W> = &'o mut dyn Observer<SymbolicState<W>, Step>;
/// A frontier in whose order the first goal is a nearest one.
pub type BoxedShortest<'h, W> = Box<dyn CheapestFirst<SymbolicState<W>, Step> + 'h>;
/// A frontier of any order.
pub type BoxedFrontier<'h, W> = Box<dyn Frontier<SymbolicState<W>, Step> + 'h>;

impl<'g, W: Width> Quest<'g, W> {
    /// Searches as `strategy` says; breadth first where a shortest run is wanted and the strategy
    /// promises none.
    ///
    /// # Errors
    /// Where the search cannot begin.
    pub fn search(
        self,
        strategy: &Strategy,
        guiding: &Guiding<'g>,
        observer: Watcher<'_, W>,
    ) -> Result<Searched<'g, W>, NoSearch> {
        let mut search = self.begin(strategy, guiding, observer)?;
        let _ = search.run(Budget::UNLIMITED, observer);
        Ok(search.finish())
    }

    /// The same search before it has begun; its guides are ready.
    ///
    /// # Errors
    /// Where it cannot begin.
    pub fn begin(
        self,
        strategy: &Strategy,
        guiding: &Guiding<'g>,
        observer: Watcher<'_, W>,
    ) -> Result<BoxedSearch<'g, W>, NoSearch> {
        if let Strategy::Lazy(lazy) = strategy {
            return self.begin_lazily(lazy, guiding, observer);
        }
        if let Some((frontier, strategy)) = self.shortest_frontier(strategy, guiding, observer)? {
            let search = Search::shortest(self.graph, self.goal_in_zones(), self.store(), frontier);
            return Ok(Box::new(Eager { search, strategy }));
        }
        let frontier = self.frontier(strategy, guiding, DeadEnds::Drop, observer)?;
        let search = Search::reach(self.graph, self.goal_in_zones(), self.store(), frontier);
        Ok(Box::new(Eager { search, strategy: strategy.clone() }))
    }

    /// The frontier of an eager search for a shortest run, and the strategy that it is of; none if
    /// neither is such a run wanted nor does the strategy promise one.
    ///
    /// # Errors
    /// Where a guide cannot be made.
    pub fn shortest_frontier(
        self,
        strategy: &Strategy,
        guiding: &Guiding<'g>,
        observer: Watcher<'_, W>,
    ) -> Result<Option<(BoxedShortest<'g, W>, Strategy)>, NoSearch> {
        match strategy {
            Strategy::AStar { heuristic: guide, ties } => {
                let heuristic = guiding.timed(|| guiding.admissible(guide, observer))?;
                let frontier = Box::new(AStar::new(heuristic, self.seeded(*ties)));
                Ok(Some((frontier, strategy.clone())))
            }
            _ if self.shortest => {
                let frontier = Box::new(AStar::new(Blind, Ties::default()));
                Ok(Some((frontier, Strategy::Blind(Order::BreadthFirst))))
            }
            _ => Ok(None),
        }
    }

    /// The same goal in another graph of the same network, whose states are compared in the coarsest
    /// way that is sound; the quest itself if the graph is its own.
    #[must_use]
    pub fn over(self, graph: &'g ZoneGraph<'g, W>) -> Self {
        match std::ptr::eq(graph, self.graph) {
            true => self,
            false => Self { graph, comparison: Comparison::of(graph.abstraction()), ..self },
        }
    }

    /// An empty store.
    #[must_use]
    pub fn store(self) -> ZoneStore<'g, W> {
        let covering = ZoneCovering::new(self.graph, self.comparison);
        ArenaStore::new(StateEncoding::new(self.graph), covering)
    }

    /// The goal as a search asks it.
    #[must_use]
    pub fn goal_in_zones(self) -> ZoneGoal<'g, 'g, W> {
        ZoneGoal::new(self.graph, self.goal)
    }

    /// The same ties with the seed of this search.
    fn seeded(self, ties: Ties) -> Ties {
        match ties.age {
            Age::Random { .. } => Ties { age: Age::Random { seed: self.seed }, ..ties },
            Age::Fifo | Age::Lifo => ties,
        }
    }

    /// The frontier of a strategy that looks for any run.
    ///
    /// # Errors
    /// Where a guide cannot be made.
    pub fn frontier(
        self,
        strategy: &Strategy,
        guiding: &Guiding<'g>,
        dead_ends: DeadEnds,
        observer: Watcher<'_, W>,
    ) -> Result<BoxedFrontier<'g, W>, NoSearch> {
        let mut heuristic = |guide: &HeuristicSpec| {
            let heuristic = guiding.timed(|| guiding.heuristic(guide, observer))?;
            Ok::<_, NoSearch>(Outlook { heuristic, dead_ends })
        };
        Ok(match strategy {
            Strategy::Blind(order) => frontier_of(*order, self.seed),
            // Its parts are begun one by one.
            Strategy::Auto { .. } => frontier_of(Order::BreadthFirst, self.seed),
            Strategy::Lazy(lazy) => {
                return self.frontier(&lazy.order, guiding, dead_ends, observer);
            }
            Strategy::AStar { heuristic: guide, ties }
            | Strategy::Greedy { heuristic: guide, ties } => {
                Box::new(Guided::greedy(heuristic(guide)?, self.seeded(*ties)))
            }
            Strategy::Useful { heuristic: guide, ties } => {
                let heuristic = heuristic(guide)?;
                let judge = guiding.judgement(guide, self.graph.network(), &observer.meter())?;
                Box::new(Useful::new(heuristic, judge, self.seeded(*ties)))
            }
            Strategy::Contextual { heuristic: guide, ties } => {
                let matter = guiding.matter(self.graph.network());
                Box::new(Contextual::new(heuristic(guide)?, matter, self.seeded(*ties)))
            }
            Strategy::Novel { age } => {
                let age = self.seeded(Ties { age: *age, ..Ties::default() }).age;
                Box::new(Novel::new(guiding.text(self.graph.network()), age))
            }
            Strategy::Weighted { heuristic: guide, weight, ties } => {
                Box::new(Guided::weighted(heuristic(guide)?, *weight, self.seeded(*ties)))
            }
            Strategy::Alternating { heuristics: guides, ties } => {
                let ties = self.seeded(*ties);
                let parts = guides.iter().map(|guide| Ok(Guided::greedy(heuristic(guide)?, ties)));
                Box::new(Alternating::new(parts.collect::<Result<Vec<_>, NoSearch>>()?))
            }
            Strategy::Restarts { heuristic: guide, patience, perturbation } => {
                let (patience, perturbation) = (*patience, *perturbation);
                let descents = Descents { seed: self.seed, patience, perturbation };
                Box::new(Restarting::new(heuristic(guide)?, descents))
            }
        })
    }
}

/// The frontier of a blind order.
#[must_use]
pub fn frontier_of<'h, S: 'h, T: Copy + 'h>(
    order: Order,
    seed: u64,
) -> Box<dyn Frontier<S, T> + 'h> {
    match order {
        Order::BreadthFirst => Box::new(Unguided(Fifo::default())),
        Order::DepthFirst => Box::new(Unguided(Lifo::default())),
        Order::RandomDepthFirst => Box::new(Unguided(RandomDepthFirst::new(seed))),
    }
}
