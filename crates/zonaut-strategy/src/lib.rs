//! The language of search strategies: expressions such as `bfs`, `astar(hl)` and `greedy(max(hu,
//! du), ties=lifo)`.
//!
//! The crate parses and prints strategies, and defines their settings, which the crates that
//! implement them take; it does not execute them. [`catalogue`] describes every
//! part once; the parser, the help texts, `zonaut strategies`, `docs/STRATEGIES.md` and the test
//! that runs all examples read that table.

pub mod catalogue;
mod cost;
mod cost_order;
mod descents;
mod expression;
mod heuristic;
pub mod lazy;
mod meaning;
mod order;
mod ties;

pub use cost::{CostStrategy, Over};
pub use cost_order::{Beams, CostOrder, Estimates};
pub use descents::Descents;
pub use expression::StrategyError;
pub use heuristic::{
    HeuristicSpec, Inputs, Lesson, MergeSpec, PartSum, PatternSpec, Precision, PredicateSpec,
    Refinement, RefutedPaths, Selector,
};
pub use lazy::LazyStrategy;
pub use order::Order;
pub use ties::{Age, Second, Ties};

use std::fmt;
use std::str::FromStr;

/// A search strategy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// An uninformed search.
    Blind(Order),
    /// A*: the least sum of depth and estimate first; finds a shortest path.
    AStar {
        /// An admissible heuristic.
        heuristic: HeuristicSpec,
        /// The tie-breaking.
        ties: Ties,
    },
    /// Greedy best-first search: the least estimate first.
    Greedy {
        /// The heuristic.
        heuristic: HeuristicSpec,
        /// The tie-breaking.
        ties: Ties,
    },
    /// Greedy best-first search that penalises useless transitions: the depth is added to the
    /// estimate of a state that a useless transition leads to.
    Useful {
        /// `hl` or `hu`, which also determines useless transitions.
        heuristic: HeuristicSpec,
        /// The tie-breaking.
        ties: Ties,
    },
    /// Context-enhanced search: states whose transition interferes most with the preceding one
    /// first, and of these the least estimate.
    Contextual {
        /// The heuristic.
        heuristic: HeuristicSpec,
        /// The tie-breaking.
        ties: Ties,
    },
    /// Coverage-based search: the states behind the transitions that were taken least often first.
    Novel {
        /// The tie-breaking by age.
        age: Age,
    },
    /// Weighted A*: the least sum of depth and weighted estimate first.
    Weighted {
        /// The heuristic.
        heuristic: HeuristicSpec,
        /// The weight of the estimate.
        weight: u32,
        /// The tie-breaking.
        ties: Ties,
    },
    /// Alternation of greedy searches with different heuristics over one state space.
    Alternating {
        /// The heuristics.
        heuristics: Vec<HeuristicSpec>,
        /// The tie-breaking.
        ties: Ties,
    },
    /// Randomised greedy descents with restarts.
    Restarts {
        /// The heuristic.
        heuristic: HeuristicSpec,
        /// The number of expansions without a lower estimate after which a descent ends.
        patience: u32,
        /// One choice in this number is random; 0 for none.
        perturbation: u32,
    },
    /// Lazy abstraction: labels of nodes are strengthened on demand.
    Lazy(LazyStrategy),
    /// A portfolio of the others, chosen by the model and the query.
    Auto {
        /// The head start of breadth-first search, in work units.
        first: u32,
    },
}

impl Default for Strategy {
    fn default() -> Self {
        Self::Auto { first: Self::DEFAULT_FIRST }
    }
}

impl From<Order> for Strategy {
    fn from(order: Order) -> Self {
        Self::Blind(order)
    }
}

impl Strategy {
    /// The default tie-breaking of all strategies and for all models, chosen by measurements on the
    /// suites in `bench/`.
    pub const DEFAULT_TIES: Ties = Ties { second: Second::LowEstimate, age: Age::Lifo };

    /// The default head start: a few thousand states, which take some hundredths of a second.
    pub const DEFAULT_FIRST: u32 = 32_768;

    /// Whether a path found with it is a shortest one.
    #[must_use]
    pub fn finds_shortest(&self) -> bool {
        matches!(self, Self::AStar { .. })
    }

    /// The order of exploration if there is no goal, or more than one; `None` for strategies with a
    /// heuristic.
    #[must_use]
    pub fn order(&self) -> Option<Order> {
        match self {
            Self::Blind(order) => Some(*order),
            Self::Auto { .. } => Some(Order::BreadthFirst),
            _ => None,
        }
    }

    /// The heuristics that it uses.
    #[must_use]
    pub fn heuristics(&self) -> &[HeuristicSpec] {
        match self {
            Self::Blind(_) | Self::Novel { .. } | Self::Auto { .. } => &[],
            Self::Lazy(lazy) => lazy.order.heuristics(),
            Self::AStar { heuristic, .. }
            | Self::Greedy { heuristic, .. }
            | Self::Useful { heuristic, .. }
            | Self::Contextual { heuristic, .. }
            | Self::Weighted { heuristic, .. }
            | Self::Restarts { heuristic, .. } => std::slice::from_ref(heuristic),
            Self::Alternating { heuristics, .. } => heuristics,
        }
    }
}

impl FromStr for Strategy {
    type Err = StrategyError;

    fn from_str(text: &str) -> Result<Self, StrategyError> {
        meaning::strategy(text)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blind(order) => order.fmt(f),
            Self::AStar { heuristic, ties } => write!(f, "astar({heuristic}{})", Tail(*ties)),
            Self::Greedy { heuristic, ties } => write!(f, "greedy({heuristic}{})", Tail(*ties)),
            Self::Useful { heuristic, ties } => write!(f, "useful({heuristic}{})", Tail(*ties)),
            Self::Contextual { heuristic, ties } => {
                write!(f, "context({heuristic}{})", Tail(*ties))
            }
            Self::Novel { age } if *age == Self::DEFAULT_TIES.age => f.write_str("coverage"),
            Self::Novel { age } => write!(f, "coverage(ties={})", age_name(*age)),
            Self::Weighted { heuristic, weight, ties } => {
                write!(f, "wastar({heuristic}, weight={weight}{})", Tail(*ties))
            }
            Self::Alternating { heuristics, ties } => {
                f.write_str("alternate(")?;
                heuristic::write_list(f, heuristics)?;
                write!(f, "{})", Tail(*ties))
            }
            Self::Restarts { heuristic, patience, perturbation } => {
                write!(f, "restarts({heuristic}")?;
                let usual = Descents::default();
                if *patience != usual.patience {
                    write!(f, ", patience={patience}")?;
                }
                if *perturbation != usual.perturbation {
                    write!(f, ", perturb={perturbation}")?;
                }
                f.write_str(")")
            }
            Self::Lazy(lazy) => lazy.fmt(f),
            Self::Auto { first: Self::DEFAULT_FIRST } => f.write_str("auto"),
            Self::Auto { first } => write!(f, "auto(first={first})"),
        }
    }
}

/// The printed tie-breaking: empty for the default.
struct Tail(Ties);

impl fmt::Display for Tail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(ties) = self;
        if ties.age != Strategy::DEFAULT_TIES.age {
            write!(f, ", ties={}", age_name(ties.age))?;
        }
        if ties.second != Strategy::DEFAULT_TIES.second {
            write!(f, ", prefer={}", second_name(ties.second))?;
        }
        Ok(())
    }
}

/// The seed of random tie-breaking is a separate option.
const AGES: [Age; 3] = [Age::Fifo, Age::Lifo, Age::Random { seed: 0 }];
const SECONDS: [Second; 3] = [Second::LowEstimate, Second::LowDepth, Second::Nothing];

fn age_name(age: Age) -> &'static str {
    match age {
        Age::Fifo => "fifo",
        Age::Lifo => "lifo",
        Age::Random { .. } => "random",
    }
}

fn second_name(second: Second) -> &'static str {
    match second {
        Second::LowEstimate => "estimate",
        Second::LowDepth => "depth",
        Second::Nothing => "nothing",
    }
}

#[cfg(test)]
mod tests;
