//! How to search, as people write it: `bfs`, `astar(hl)`, `greedy(max(hu, du), ties=lifo)`.
//!
//! [`catalogue`] describes every part once; the parser, the help texts, `zonaut strategies`,
//! `docs/STRATEGIES.md` and the test that runs everything read that table.

pub mod catalogue;
mod cost;
mod expression;
mod guide;
mod lazy;
mod meaning;
mod order;

pub use cost::{CostStrategy, Over};
pub use expression::StrategyError;
pub use guide::{
    Guide, Lesson, MergeGuide, PartSum, PatternGuide, PredicateGuide, Refinement, RefutedWays,
    Selector,
};
pub use lazy::LazyStrategy;
pub use order::Order;

use std::fmt;
use std::str::FromStr;
use zonaut_search::{Age, Descents, Second, Ties};

/// A way to search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Without a guide.
    Blind(Order),
    /// The lowest sum of depth and estimate first; finds a shortest way.
    AStar {
        /// A guide that never overestimates.
        guide: Guide,
        /// How ties are broken.
        ties: Ties,
    },
    /// The lowest estimate first.
    Greedy {
        /// The guide.
        guide: Guide,
        /// How ties are broken.
        ties: Ties,
    },
    /// The lowest estimate first, with the depth added where a useless transition led to the state.
    Useful {
        /// `hl` or `hu`, by which transitions are judged, too.
        guide: Guide,
        /// How ties are broken.
        ties: Ties,
    },
    /// What has most to do with the step before first, and of that the lowest estimate.
    Contextual {
        /// The guide.
        guide: Guide,
        /// How ties are broken.
        ties: Ties,
    },
    /// What was taken least often first.
    Novel {
        /// Which of equal states leaves first.
        age: Age,
    },
    /// The lowest sum of depth and weighted estimate first.
    Weighted {
        /// The guide.
        guide: Guide,
        /// The weight of the estimate.
        weight: u32,
        /// How ties are broken.
        ties: Ties,
    },
    /// Greedy searches with a guide each, which take turns over one set of states.
    Alternating {
        /// The guides.
        guides: Vec<Guide>,
        /// How ties are broken.
        ties: Ties,
    },
    /// Randomised greedy descents with restarts.
    Restarts {
        /// The guide.
        guide: Guide,
        /// A descent ends after so many expansions without a lower estimate.
        patience: u32,
        /// One choice in so many is random; 0 is never.
        perturbation: u32,
    },
    /// Nodes remember only what was needed.
    Lazy(LazyStrategy),
    /// Several of the others take turns, as the model and the question suggest.
    Auto {
        /// How much is explored breadth first before anything else is tried, in units of work.
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
    /// How ties are broken where nothing else is said, by all strategies and for all models:
    /// measured on the suites in `bench/`.
    pub const DEFAULT_TIES: Ties = Ties { second: Second::LowEstimate, age: Age::Lifo };

    /// The first turn where nothing is said: a few thousand states, which take some hundredths of a
    /// second.
    pub const DEFAULT_FIRST: u32 = 32_768;

    /// Whether a run found with it is a shortest one.
    #[must_use]
    pub fn finds_shortest(&self) -> bool {
        matches!(self, Self::AStar { .. })
    }

    /// The order where there is no goal to be guided to, or there are several; none if a guide was
    /// asked for.
    #[must_use]
    pub fn order(&self) -> Option<Order> {
        match self {
            Self::Blind(order) => Some(*order),
            Self::Auto { .. } => Some(Order::BreadthFirst),
            _ => None,
        }
    }

    /// The guides it follows.
    #[must_use]
    pub fn guides(&self) -> &[Guide] {
        match self {
            Self::Blind(_) | Self::Novel { .. } | Self::Auto { .. } => &[],
            Self::Lazy(lazy) => lazy.order.guides(),
            Self::AStar { guide, .. }
            | Self::Greedy { guide, .. }
            | Self::Useful { guide, .. }
            | Self::Contextual { guide, .. }
            | Self::Weighted { guide, .. }
            | Self::Restarts { guide, .. } => std::slice::from_ref(guide),
            Self::Alternating { guides, .. } => guides,
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
            Self::AStar { guide, ties } => write!(f, "astar({guide}{})", Tail(*ties)),
            Self::Greedy { guide, ties } => write!(f, "greedy({guide}{})", Tail(*ties)),
            Self::Useful { guide, ties } => write!(f, "useful({guide}{})", Tail(*ties)),
            Self::Contextual { guide, ties } => write!(f, "context({guide}{})", Tail(*ties)),
            Self::Novel { age } if *age == Self::DEFAULT_TIES.age => f.write_str("coverage"),
            Self::Novel { age } => write!(f, "coverage(ties={})", age_name(*age)),
            Self::Weighted { guide, weight, ties } => {
                write!(f, "wastar({guide}, weight={weight}{})", Tail(*ties))
            }
            Self::Alternating { guides, ties } => {
                f.write_str("alternate(")?;
                guide::write_list(f, guides)?;
                write!(f, "{})", Tail(*ties))
            }
            Self::Restarts { guide, patience, perturbation } => {
                write!(f, "restarts({guide}")?;
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

/// What a strategy says of its ties: nothing, where they are the usual ones.
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

/// The seed of random ties is given beside the strategy.
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
