//! From a strategy to a search: the one place where stores, frontiers and heuristics are combined.

use crate::heuristics::{DeadEndFilter, DeadEndPolicy, HeuristicFactory};
use crate::resumable::{BoxedSearch, Eager};
use zonaut_dbm::Width;
use zonaut_heuristics::CartesianInvariant;
use zonaut_lazy::{Labelling, Proof};
use zonaut_search::{
    AStar, Age, Alternating, ArenaStore, Blind, Budget, CheapestFirst, Contextual, Descents, Fifo,
    Frontier, Guided, Lifo, Novel, Outcome, RandomDepthFirst, ReportOf, Restarting, Search, Ties,
    Uninformed, Useful,
};
use zonaut_space::{Observer, StopReason};
use zonaut_strategy::{HeuristicSpec, Order, Strategy};
use zonaut_zonegraph::{
    Comparison, CompiledGoal, StateEncoding, Step, SymbolicState, ZoneCovering, ZoneGoal, ZoneGraph,
};

/// The reason for which a search cannot start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoSearch {
    /// A limit was reached before, or the observer stopped it.
    Stopped(StopReason),
    /// The strategy does not suit the model, with a description.
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

/// A zone graph with a goal.
#[derive(Clone, Copy, Debug)]
pub struct ReachabilityTask<'g, W: Width> {
    /// The graph.
    pub graph: &'g ZoneGraph<'g, W>,
    /// The goal.
    pub goal: &'g CompiledGoal,
    /// The covering relation.
    pub comparison: Comparison,
    /// Whether the run has to be a shortest one.
    pub shortest: bool,
    /// The seed of random choices.
    pub seed: u64,
}

/// The result of a search.
pub struct Searched<'g, W: Width> {
    /// The report.
    pub report: ReportOf<ZoneGraph<'g, W>>,
    /// The passed store.
    pub store: ZoneStore<'g, W>,
    /// The strategy that was used; breadth first if the requested one does not guarantee a shortest
    /// run.
    pub strategy: Strategy,
    /// If evidence omits nodes that heuristics pruned, each live node that was not expanded
    /// satisfies one of these invariants.
    pub reasons: Vec<CartesianInvariant>,
    /// The label statistics of a lazy search, whose store is empty.
    pub labelling: Option<Labelling>,
    /// The proof of an exhausted lazy search.
    pub proof: Option<Box<dyn Proof<W> + 'g>>,
}

impl<'g, W: Width> Searched<'g, W> {
    /// The result of an eager search.
    #[must_use]
    pub fn new(
        report: ReportOf<ZoneGraph<'g, W>>,
        store: ZoneStore<'g, W>,
        strategy: Strategy,
    ) -> Self {
        Self { report, store, strategy, reasons: Vec::new(), labelling: None, proof: None }
    }

    /// Whether the verdict depends on nodes that heuristics pruned.
    #[must_use]
    pub fn has_pruned(&self) -> bool {
        let is_exhausted = matches!(self.report.outcome, Outcome::Exhausted);
        is_exhausted && self.proof.is_none() && self.report.statistics.pruned > 0
    }
}

/// An observer of a search, which may stop it.
pub type SearchObserver<'o, W> = &'o mut dyn Observer<SymbolicState<W>, Step>;
/// A frontier in whose order the first goal is a nearest one.
pub type BoxedShortest<'h, W> = Box<dyn CheapestFirst<SymbolicState<W>, Step> + 'h>;
/// A frontier of any order.
pub type BoxedFrontier<'h, W> = Box<dyn Frontier<SymbolicState<W>, Step> + 'h>;

impl<'g, W: Width> ReachabilityTask<'g, W> {
    /// Runs the search of `strategy`; breadth first if a shortest run is required and the strategy
    /// does not guarantee one.
    ///
    /// # Errors
    /// If the search cannot start.
    pub fn search(
        self,
        strategy: &Strategy,
        factory: &HeuristicFactory<'g>,
        observer: SearchObserver<'_, W>,
    ) -> Result<Searched<'g, W>, NoSearch> {
        let mut search = self.begin(strategy, factory, observer)?;
        let _ = search.run(Budget::UNLIMITED, observer);
        Ok(search.finish())
    }

    /// The same search, not started; its heuristics are constructed.
    ///
    /// # Errors
    /// If the search cannot start.
    pub fn begin(
        self,
        strategy: &Strategy,
        factory: &HeuristicFactory<'g>,
        observer: SearchObserver<'_, W>,
    ) -> Result<BoxedSearch<'g, W>, NoSearch> {
        if let Strategy::Lazy(lazy) = strategy {
            return self.begin_lazily(lazy, factory, observer);
        }
        if let Some((frontier, strategy)) = self.shortest_frontier(strategy, factory, observer)? {
            let search = Search::shortest(self.graph, self.goal_in_zones(), self.store(), frontier);
            return Ok(Box::new(Eager { search, strategy }));
        }
        let frontier = self.frontier(strategy, factory, DeadEndPolicy::Drop, observer)?;
        let search = Search::reach(self.graph, self.goal_in_zones(), self.store(), frontier);
        Ok(Box::new(Eager { search, strategy: strategy.clone() }))
    }

    /// The frontier of an eager search for a shortest run, and its strategy; `None` if neither such
    /// a run is required nor the strategy guarantees one.
    ///
    /// # Errors
    /// If a heuristic cannot be constructed.
    pub fn shortest_frontier(
        self,
        strategy: &Strategy,
        factory: &HeuristicFactory<'g>,
        observer: SearchObserver<'_, W>,
    ) -> Result<Option<(BoxedShortest<'g, W>, Strategy)>, NoSearch> {
        match strategy {
            Strategy::AStar { heuristic: spec, ties } => {
                let heuristic = factory.timed(|| factory.admissible(spec, observer))?;
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

    /// The same goal in another graph of the same network, with the coarsest sound covering;
    /// unchanged if the graph is its own.
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

    /// The goal, as a search evaluates it.
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
    /// If a heuristic cannot be constructed.
    pub fn frontier(
        self,
        strategy: &Strategy,
        factory: &HeuristicFactory<'g>,
        dead_ends: DeadEndPolicy,
        observer: SearchObserver<'_, W>,
    ) -> Result<BoxedFrontier<'g, W>, NoSearch> {
        let mut heuristic = |spec: &HeuristicSpec| {
            let heuristic = factory.timed(|| factory.heuristic(spec, observer))?;
            Ok::<_, NoSearch>(DeadEndFilter { heuristic, dead_ends })
        };
        Ok(match strategy {
            Strategy::Blind(order) => frontier_of(*order, self.seed),
            // Its members are started one by one.
            Strategy::Auto { .. } => frontier_of(Order::BreadthFirst, self.seed),
            Strategy::Lazy(lazy) => {
                return self.frontier(&lazy.order, factory, dead_ends, observer);
            }
            Strategy::AStar { heuristic: spec, ties }
            | Strategy::Greedy { heuristic: spec, ties } => {
                Box::new(Guided::greedy(heuristic(spec)?, self.seeded(*ties)))
            }
            Strategy::Useful { heuristic: spec, ties } => {
                let heuristic = heuristic(spec)?;
                let test =
                    factory.usefulness_test(spec, self.graph.network(), &observer.meter())?;
                Box::new(Useful::new(heuristic, test, self.seeded(*ties)))
            }
            Strategy::Contextual { heuristic: spec, ties } => {
                let interference_context = factory.interference_context(self.graph.network());
                Box::new(Contextual::new(
                    heuristic(spec)?,
                    interference_context,
                    self.seeded(*ties),
                ))
            }
            Strategy::Novel { age } => {
                let age = self.seeded(Ties { age: *age, ..Ties::default() }).age;
                Box::new(Novel::new(factory.model_branches(self.graph.network()), age))
            }
            Strategy::Weighted { heuristic: spec, weight, ties } => {
                Box::new(Guided::weighted(heuristic(spec)?, *weight, self.seeded(*ties)))
            }
            Strategy::Alternating { heuristics: specs, ties } => {
                let ties = self.seeded(*ties);
                let parts = specs.iter().map(|spec| Ok(Guided::greedy(heuristic(spec)?, ties)));
                Box::new(Alternating::new(parts.collect::<Result<Vec<_>, NoSearch>>()?))
            }
            Strategy::Restarts { heuristic: spec, patience, perturbation } => {
                let (patience, perturbation) = (*patience, *perturbation);
                let descents = Descents { seed: self.seed, patience, perturbation };
                Box::new(Restarting::new(heuristic(spec)?, descents))
            }
        })
    }
}

/// The frontier of an uninformed order.
#[must_use]
pub fn frontier_of<'h, S: 'h, T: Copy + 'h>(
    order: Order,
    seed: u64,
) -> Box<dyn Frontier<S, T> + 'h> {
    match order {
        Order::BreadthFirst => Box::new(Uninformed(Fifo::default())),
        Order::DepthFirst => Box::new(Uninformed(Lifo::default())),
        Order::RandomDepthFirst => Box::new(Uninformed(RandomDepthFirst::new(seed))),
    }
}
