//! Configurations of the engine: abstraction, covering and search order.

use crate::random::Random;
use std::sync::LazyLock;
use zonaut_compile::BoundsTable;
use zonaut_engine::{Resources, Strategy, TraceWish, VerifyOptions};
use zonaut_lazy::{Clocks, CoveringOrder, Data, Refinement};
use zonaut_zonegraph::{Abstraction, Comparison};

/// More states than any generated network has under an abstraction.
const ENDLESS: usize = 50_000;

/// The number of lazy searches for one query.
const LAZY_SEARCHES: usize = 8;

/// The search order of a configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Breadth first.
    BreadthFirst,
    /// Depth first.
    DepthFirst,
    /// Depth first, the successors of a state shuffled.
    Random,
    /// Breadth first, where covering preserves depth.
    Shortest,
    /// By a strategy with a heuristic.
    Guided(&'static str),
    /// By a strategy that is asked for a shortest run.
    Nearest(&'static str),
}

impl Order {
    /// The corresponding strategy expression.
    pub(super) fn strategy(self) -> Strategy {
        match self {
            Self::BreadthFirst | Self::Shortest => zonaut_engine::Order::BreadthFirst.into(),
            Self::DepthFirst => zonaut_engine::Order::DepthFirst.into(),
            Self::Random => zonaut_engine::Order::RandomDepthFirst.into(),
            Self::Guided(text) | Self::Nearest(text) => {
                text.parse().expect("invariant: the strategies here are right")
            }
        }
    }
}

/// Strategies that find a shortest path.
pub(super) const SHORTEST: &[&str] = &[
    "astar(hl)",
    "astar(dl)",
    "astar(hl(cache=0), ties=fifo)",
    "astar(rd)",
    "astar(rd(inputs=kept))",
    "astar(rd(states=5))",
    "astar(cone(d=0))",
    "astar(sum(rd, cone(d=1), hl, partition=shared))",
    "astar(max(hl, cone(d=2, states=20)))",
];

/// Strategies that find any path.
pub(super) const GUIDED: &[&str] = &[
    "greedy(hl)",
    "greedy(hu)",
    "greedy(hu, ties=fifo, prefer=depth)",
    "greedy(dl)",
    "greedy(du)",
    "greedy(hamming)",
    "wastar(hu, weight=2)",
    "alternate(hu, du)",
    "greedy(sum(hl, weighted(du, weight=2)))",
    "restarts(hu, patience=3, perturb=4)",
    "greedy(rd)",
    "alternate(rd, hu)",
    "useful(hl)",
    "useful(hu, ties=fifo)",
    "auto",
    "auto(first=1)",
    "auto(first=20)",
];

/// More strategies with pattern databases, alone and in combination.
pub(super) const COMBINED: &[&str] = &[
    "greedy(cone)",
    "greedy(cone(d=0))",
    "greedy(rd(inputs=kept))",
    "astar(cone)",
    "astar(max(rd, hl))",
    "astar(max(rd, cone(d=0), dl))",
    "wastar(rd, weight=3)",
    "greedy(sum(rd, hu))",
    "alternate(rd, cone(d=1), hu)",
    "restarts(rd, patience=3, perturb=4)",
];

/// Strategies with predicate abstractions, merged automata and other heuristics not covered above.
pub(super) const ABSTRACT: &[&str] = &[
    "greedy(pa)",
    "greedy(pa(split=1))",
    "greedy(pa(refine=auto))",
    "greedy(pa(refine=3, learn=guards, ways=all))",
    "astar(pa(split=all))",
    "astar(pa(sum=shared))",
    "astar(pa(sum=shared, refine=auto, perimeter=0))",
    "greedy(merge)",
    "astar(merge(n=5, variables=2))",
    "astar(merge(n=20, variables=0))",
    "astar(hl(clocks=location))",
    "astar(hl(values=location))",
    "greedy(hl(clocks=location, values=location))",
    "astar(rd(inputs=direct))",
    "astar(blind)",
    "context(hu)",
    "coverage",
];

/// The number of strategies of [`ABSTRACT`], and of others, for a query that is examined with every
/// heuristic.
const ABSTRACT_SEARCHES: usize = 3;

/// Orders of lazy searches, with and without a heuristic.
const LAZY_ORDERS: &[&str] =
    &["bfs", "dfs", "rdfs", "greedy(hu)", "astar(hl)", "greedy(du)", "alternate(hu, du)"];

/// Lazy searches: all domains, in all orders, with covering candidates tried in all orders, and all
/// kinds of refinement.
static LAZY: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for (data, clocks) in Data::ALL.iter().flat_map(|data| Clocks::ALL.map(|own| (data, own))) {
        for (order, covering) in
            LAZY_ORDERS.iter().flat_map(|order| CoveringOrder::ALL.map(|own| (order, own)))
        {
            let [data, clocks, covering] = [data.name(), clocks.name(), covering.name()];
            all.extend(Refinement::ALL.iter().map(|refinement| {
                let refine = refinement.name();
                format!(
                    "lazy(data={data}, clocks={clocks}, order={order}, covering={covering}, \
                     refine={refine})"
                )
            }));
        }
    }
    all
});

/// One of the lazy searches.
fn lazy(random: &mut Random) -> &'static str {
    &LAZY[random.below(LAZY.len())]
}

/// A configuration of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Configuration {
    /// The abstraction of zones.
    pub abstraction: Abstraction,
    /// The covering relation.
    pub comparison: Comparison,
    /// The search order.
    pub order: Order,
}

impl Configuration {
    /// All configurations that are sound where there are no clock differences.
    pub fn all() -> impl Iterator<Item = Self> {
        let orders = [Order::BreadthFirst, Order::DepthFirst, Order::Random, Order::Shortest];
        let configurations = Abstraction::ALL.into_iter().flat_map(|abstraction| {
            let coarsest = Comparison::of(abstraction);
            let mut comparisons = vec![Comparison::Equality, Comparison::Inclusion];
            if coarsest == Comparison::Simulation {
                comparisons = vec![Comparison::Inclusion, Comparison::Simulation];
            }
            comparisons.into_iter().map(move |comparison| (abstraction, comparison))
        });
        configurations.flat_map(move |(abstraction, comparison)| {
            orders.map(|order| Self { abstraction, comparison, order })
        })
    }

    /// All configurations with a heuristic, with the coarsest abstraction.
    pub fn guided() -> impl Iterator<Item = Self> {
        let (abstraction, comparison) = (Abstraction::Simulation, Comparison::Simulation);
        let strategies = SHORTEST.iter().chain(GUIDED).chain(ABSTRACT);
        let orders = strategies.map(|&strategy| Order::Guided(strategy));
        orders.map(move |order| Self { abstraction, comparison, order })
    }

    /// All lazy searches.
    pub fn every_lazy() -> impl Iterator<Item = Self> {
        let (abstraction, comparison) = (Abstraction::Simulation, Comparison::Simulation);
        LAZY.iter().map(move |strategy| Self {
            abstraction,
            comparison,
            order: Order::Guided(strategy),
        })
    }

    /// The configurations for the network of `seed`: four that together use every part of the
    /// engine, three of all, two with a heuristic, and a lazy one.
    #[must_use]
    pub fn selection(seed: u64) -> Vec<Self> {
        use Abstraction::{LowerUpperPlus, Maximum, Simulation};
        let fixed = [
            (Simulation, Comparison::Simulation, Order::BreadthFirst),
            (LowerUpperPlus, Comparison::Inclusion, Order::DepthFirst),
            (LowerUpperPlus, Comparison::Inclusion, Order::Shortest),
            (Maximum, Comparison::Inclusion, Order::BreadthFirst),
        ];
        let fixed =
            fixed.map(|(abstraction, comparison, order)| Self { abstraction, comparison, order });
        let all: Vec<Self> = Self::all().collect();
        let mut random = Random::new(seed ^ 0xc0f1);
        let others: Vec<Self> = (0..3).map(|_| all[random.below(all.len())]).collect();
        let shortest = SHORTEST[random.below(SHORTEST.len())];
        let guided = GUIDED[random.below(GUIDED.len())];
        let guided = [shortest, guided, lazy(&mut random)].map(|strategy| {
            let sound = [(Simulation, Comparison::Simulation), (Maximum, Comparison::Inclusion)];
            let (abstraction, comparison) = sound[random.below(2)];
            Self { abstraction, comparison, order: Order::Guided(strategy) }
        });
        fixed.into_iter().chain(guided).chain(others).collect()
    }

    /// The configurations for a program: two without a heuristic, one that guarantees a shortest
    /// run, three more with a heuristic, and two lazy ones.
    #[must_use]
    pub fn for_program(random: &mut Random) -> Vec<Self> {
        use Abstraction::{LowerUpperPlus, Simulation};
        let fixed = [
            (Simulation, Comparison::Simulation, Order::BreadthFirst),
            (LowerUpperPlus, Comparison::Inclusion, Order::Shortest),
        ];
        let fixed =
            fixed.map(|(abstraction, comparison, order)| Self { abstraction, comparison, order });
        let (abstraction, comparison) = (Simulation, Comparison::Simulation);
        let mut guided = Vec::new();
        for (strategies, count) in [(SHORTEST, 1), (GUIDED, 1), (COMBINED, 2)] {
            guided.extend((0..count).map(|_| strategies[random.below(strategies.len())]));
        }
        guided.extend([lazy(random), lazy(random)]);
        let of = |strategy| Self { abstraction, comparison, order: Order::Guided(strategy) };
        fixed.into_iter().chain(guided.into_iter().map(of)).collect()
    }

    /// The configurations for a network that is examined with every heuristic: a shortest run,
    /// along which estimates are checked, and strategies drawn from those of all heuristics, a lazy
    /// one among them.
    pub(super) fn every_heuristic(seed: u64) -> Vec<Self> {
        let mut random = Random::new(seed ^ 0xe6de);
        let (abstraction, comparison) = (Abstraction::Simulation, Comparison::Simulation);
        let mut orders = vec![Order::Shortest];
        for (strategies, count) in
            [(ABSTRACT, ABSTRACT_SEARCHES), (SHORTEST, 1), (GUIDED, 1), (COMBINED, 1)]
        {
            let drawn = (0..count).map(|_| Order::Guided(random.choose(strategies)));
            orders.extend(drawn);
        }
        orders.push(Order::Guided(lazy(&mut random)));
        orders.into_iter().map(|order| Self { abstraction, comparison, order }).collect()
    }

    /// The default strategy with short time slices, for some run and for a shortest one.
    pub(super) fn auto(seed: u64) -> Vec<Self> {
        let (abstraction, comparison) = (Abstraction::Simulation, Comparison::Simulation);
        let turns = ["auto(first=1)", "auto(first=8)", "auto(first=64)"][(seed / 3 % 3) as usize];
        let orders = [Order::Guided(turns), Order::Nearest(turns)];
        orders.map(|order| Self { abstraction, comparison, order }).to_vec()
    }

    /// Lazy searches, some of them for a shortest run.
    pub(super) fn lazy(seed: u64) -> Vec<Self> {
        let (abstraction, comparison) = (Abstraction::Simulation, Comparison::Simulation);
        let mut random = Random::new(seed ^ 0x1a27);
        let drawn = (0..LAZY_SEARCHES).map(|number| match (number, lazy(&mut random)) {
            (0, strategy) => Order::Nearest(strategy),
            (_, strategy) => Order::Guided(strategy),
        });
        drawn.map(|order| Self { abstraction, comparison, order }).collect()
    }

    /// The options of the engine for this configuration, with a state limit. Lazy searches have
    /// abstractions of their own, and the default strategy chooses them.
    pub(super) fn options(self, states: usize) -> VerifyOptions {
        let strategy = self.order.strategy();
        let chooses = matches!(strategy, Strategy::Lazy(_) | Strategy::Auto { .. });
        VerifyOptions {
            strategy,
            abstraction: (!chooses).then_some(self.abstraction),
            comparison: (!chooses).then_some(self.comparison),
            trace: match self.order {
                Order::Nearest(_) => TraceWish::Shortest,
                _ => TraceWish::Some,
            },
            resources: Resources { states: Some(states), ..Resources::default() },
            ..VerifyOptions::default()
        }
    }

    /// The default configuration, with shortest runs.
    pub(super) fn best(bounds: &BoundsTable) -> Self {
        let abstraction = Abstraction::best(bounds);
        Self { abstraction, comparison: Comparison::of(abstraction), order: Order::Shortest }
    }

    /// The state limit of a search, and whether reaching it is a mistake. Exact zones may be
    /// infinitely many, and covering by equality may store very many.
    pub(super) fn limit(self) -> (usize, bool) {
        let exact = self.abstraction.properties().holds_reachable_only;
        match self.comparison {
            Comparison::Equality => (500, false),
            Comparison::Inclusion if exact => (500, false),
            Comparison::Inclusion | Comparison::Simulation => (ENDLESS, true),
        }
    }
}
