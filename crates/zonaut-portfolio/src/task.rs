//! From a strategy to a search: the one place where stores, frontiers and heuristics are combined.

use crate::finished::Finished;
use crate::goal_board::{GoalBoard, NotedGoals};
use crate::heuristics::{DeadEndFilter, DeadEndPolicy, HeuristicFactory};
use crate::quotient::Quotient;
use crate::resumable::{BoxedSearch, Eager, Parallel, Together};
use zonaut_dbm::{Bound, Width};
use zonaut_search::{
    AStar, Age, Alternating, ArenaStore, AsyncParts, Asynchronous, Blind, Budget, CheapestFirst,
    Contextual, Crew, Descents, Distribution, Fifo, Frontier, Guided, Layered, Lifo, Novel,
    RandomDepthFirst, Restarting, Search, Spilling, Ties, Uninformed, Useful, WorkerParts,
};
use zonaut_space::{Goal, Observer, Steps, StopReason, TransitionSystem};
use zonaut_strategy::{HeuristicSpec, Order, Strategy};
use zonaut_symmetry::SymmetricGoal;
use zonaut_zonegraph::{
    Comparison, CompiledGoal, StateEncoding, Step, StepError, SymbolicState, ZoneCovering,
    ZoneGoal, ZoneGraph,
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
#[derive(Clone, Copy)]
pub struct ReachabilityTask<'g, W: Width> {
    /// The graph.
    pub graph: &'g ZoneGraph<'g, W>,
    /// The quotient of the graph under the symmetry of the model, for eager searches.
    pub quotient: Option<&'g Quotient<'g, W>>,
    /// The goal.
    pub goal: &'g CompiledGoal,
    /// The covering relation.
    pub comparison: Comparison,
    /// Whether the run has to be a shortest one.
    pub shortest: bool,
    /// The seed of random choices.
    pub seed: u64,
    /// The workers of an eager breadth-first search without symmetry reduction, if it has several.
    pub workers: Option<Workers<'g, W>>,
    /// The second thread of a portfolio, if it has one.
    pub aside: Option<Aside<'g, W>>,
    /// The spilling of an eager search in one order, or by several workers in layers.
    pub spilling: Option<&'g Spilling<Step, Bound<W>>>,
}

/// The second thread of a portfolio, for all members but the exhaustive one.
#[derive(Clone, Copy)]
pub struct Aside<'g, W: Width> {
    /// The graph that is searched there: equal to that of the task, with a meter of its own, which a
    /// lazy graph shares.
    pub graph: &'g ZoneGraph<'g, W>,
    /// The limit of explored states.
    pub states: Option<usize>,
    /// Starts the thread.
    pub crew: &'g dyn Crew,
}

/// The workers of a search: the graph of each, with a meter of its own, and their threads. The
/// graphs are equal to that of the task.
#[derive(Clone, Copy)]
pub struct Workers<'g, W: Width> {
    /// The graphs.
    pub graphs: &'g [ZoneGraph<'g, W>],
    /// The threads.
    pub crew: &'g dyn Crew,
    /// The other processes and the checkpoints, if there are some.
    pub distribution: Option<Distribution<'g, Step, Bound<W>>>,
}

/// The host of a search: an observer of its events.
pub(crate) type SearchHost<'o, W> = dyn Observer<SymbolicState<W>, Step> + 'o;
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
    ) -> Result<Finished<'g, W>, NoSearch> {
        let mut search = match self.workers {
            Some(workers) if is_asynchronous(strategy) && self.quotient.is_none() => {
                self.begin_together(workers, strategy, factory, observer)?
            }
            _ => self.begin(strategy, factory, observer)?,
        };
        let _ = search.run(Budget::UNLIMITED, observer);
        let mut finished = search.finish();
        let has_heuristic = !finished.strategy.heuristics().is_empty();
        finished.heuristic = has_heuristic.then(|| factory.work());
        finished.warnings = factory.warnings();
        Ok(finished)
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
        let (frontier, strategy) = match self.shortest_frontier(strategy, factory, observer)? {
            Some((frontier, strategy)) => (EagerFrontier::Shortest(frontier), strategy),
            None => {
                let frontier = self.frontier(strategy, factory, DeadEndPolicy::Drop, observer)?;
                (EagerFrontier::Any(frontier), strategy.clone())
            }
        };
        let goal = self.goal_in_zones();
        let is_shortest = matches!(frontier, EagerFrontier::Shortest(_));
        let is_breadth_first = strategy == Strategy::Blind(Order::BreadthFirst);
        let sequential: BoxedSearch<'g, W> = match (self.quotient, frontier) {
            (None, EagerFrontier::Any(frontier)) => {
                let search = Search::reach(self.graph, goal, self.store(), frontier);
                self.eager(search, strategy)
            }
            (None, EagerFrontier::Shortest(frontier)) => {
                let search = Search::shortest(self.graph, goal, self.store(), frontier);
                self.eager(search, strategy)
            }
            (Some(Quotient { graph, .. }), EagerFrontier::Any(frontier)) => {
                let search = Search::reach(graph, SymmetricGoal(goal), self.store(), frontier);
                self.eager(search, strategy)
            }
            (Some(Quotient { graph, .. }), EagerFrontier::Shortest(frontier)) => {
                let search = Search::shortest(graph, SymmetricGoal(goal), self.store(), frontier);
                self.eager(search, strategy)
            }
        };
        let workers = self.workers.filter(|_| is_breadth_first && self.quotient.is_none());
        Ok(match workers {
            Some(workers) => Box::new(self.in_layers(workers, is_shortest, sequential)),
            None => sequential,
        })
    }

    /// An eager search by one worker, not started.
    fn eager<Ts, G, F>(
        self,
        search: Search<'g, Ts, G, ZoneStore<'g, W>, F>,
        strategy: Strategy,
    ) -> BoxedSearch<'g, W>
    where
        Ts: TransitionSystem<State = SymbolicState<W>, Step = Step, Error = StepError> + Sync + 'g,
        Ts::Scratch: Send,
        G: Goal<Ts> + Send + 'g,
        F: Frontier<SymbolicState<W>, Step> + 'g,
    {
        let search = match self.spilling {
            Some(spilling) => search.spilling(spilling),
            None => search,
        };
        Box::new(Eager { task: self, search, strategy })
    }

    /// A search by several workers, each in its own order, not started.
    fn begin_together(
        self,
        Workers { graphs, crew, .. }: Workers<'g, W>,
        strategy: &Strategy,
        factory: &HeuristicFactory<'g>,
        observer: SearchObserver<'_, W>,
    ) -> Result<BoxedSearch<'g, W>, NoSearch> {
        let mut parts = Vec::new();
        let (mut is_shortest, mut followed) = (false, strategy.clone());
        for (number, graph) in graphs.iter().enumerate() {
            // Random choices of workers differ.
            let task = Self { seed: self.seed.wrapping_add(number as u64), ..self };
            let frontier: BoxedFrontier<'g, W> =
                match task.shortest_frontier(strategy, factory, observer)? {
                    Some((frontier, strategy)) => {
                        (is_shortest, followed) = (true, strategy);
                        frontier
                    }
                    None => task.frontier(strategy, factory, DeadEndPolicy::Drop, observer)?,
                };
            parts.push(AsyncParts {
                system: graph,
                goal: ZoneGoal::new(graph, self.goal),
                store: self.store_of(graph),
                frontier,
                pricing: Steps,
                encoding: StateEncoding::new(graph),
                luggage: (),
            });
        }
        let search = match is_shortest {
            true => Asynchronous::cheapest(parts),
            false => Asynchronous::reach(parts),
        };
        Ok(Box::new(Together { task: self, search, crew, strategy: followed }))
    }

    /// A breadth-first search by several workers, not started. If it meets a run-time error, the
    /// sequential one decides.
    fn in_layers(
        self,
        Workers { graphs, crew, distribution }: Workers<'g, W>,
        is_shortest: bool,
        sequential: BoxedSearch<'g, W>,
    ) -> Parallel<'g, W> {
        let part = |graph: &'g ZoneGraph<'g, W>| {
            let goal = ZoneGoal::new(graph, self.goal);
            WorkerParts { system: graph, goal, store: self.store_of(graph) }
        };
        let parts = graphs.iter().map(part).collect();
        let search = if is_shortest { Layered::shortest(parts) } else { Layered::reach(parts) };
        let search = match distribution {
            Some(distribution) => search.distributed(distribution),
            None => search,
        };
        let search = match self.spilling {
            Some(spilling) => search.spilling(spilling),
            None => search,
        };
        Parallel { task: self, search, crew, sequential, is_sequential: false }
    }

    /// An exploration that notes on a board which of several goals it has met, and ends when all
    /// are closed, not started.
    #[must_use]
    pub fn explore(self, order: Order, board: &'g GoalBoard<'g>) -> BoxedSearch<'g, W> {
        let goals = NotedGoals::new(self.graph, board);
        let (frontier, strategy) = (frontier_of(order, self.seed), Strategy::Blind(order));
        match self.quotient {
            None => {
                let search = Search::reach(self.graph, goals, self.store(), frontier);
                self.eager(search, strategy)
            }
            Some(Quotient { graph, .. }) => {
                let search = Search::reach(graph, SymmetricGoal(goals), self.store(), frontier);
                self.eager(search, strategy)
            }
        }
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
            false => {
                let comparison = Comparison::of(graph.abstraction());
                Self { graph, quotient: None, comparison, workers: None, ..self }
            }
        }
    }

    /// The same task in the graph of the second thread, if there is one.
    #[must_use]
    pub(crate) fn moved_aside(self) -> Self {
        let graph = self.aside.map_or(self.graph, |aside| aside.graph);
        Self { graph, workers: None, ..self }
    }

    /// The same task without symmetry reduction.
    #[must_use]
    pub fn unreduced(self) -> Self {
        Self { quotient: None, ..self }
    }

    /// An empty store.
    #[must_use]
    pub fn store(self) -> ZoneStore<'g, W> {
        self.store_of(self.graph)
    }

    fn store_of(self, graph: &'g ZoneGraph<'g, W>) -> ZoneStore<'g, W> {
        let covering = ZoneCovering::new(graph, self.comparison);
        let store = ArenaStore::new(StateEncoding::new(graph), covering);
        match self.spilling {
            Some(spilling) => store.spilling(spilling),
            None => store,
        }
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

/// Whether several workers can search with this strategy, each in its own order: it looks at single
/// states, and not at the parents by which they were reached or at the whole search.
#[must_use]
pub fn is_asynchronous(strategy: &Strategy) -> bool {
    match strategy {
        Strategy::Blind(order) => *order != Order::BreadthFirst,
        Strategy::AStar { .. }
        | Strategy::Greedy { .. }
        | Strategy::Weighted { .. }
        | Strategy::Alternating { .. } => true,
        Strategy::Auto { .. }
        | Strategy::Lazy(_)
        | Strategy::Useful { .. }
        | Strategy::Contextual { .. }
        | Strategy::Novel { .. }
        | Strategy::Restarts { .. } => false,
    }
}

/// The frontier of an eager search.
enum EagerFrontier<'g, W: Width> {
    Any(BoxedFrontier<'g, W>),
    /// The first goal in its order is a nearest one.
    Shortest(BoxedShortest<'g, W>),
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
