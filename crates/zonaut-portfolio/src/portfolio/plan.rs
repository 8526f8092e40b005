//! The selection of portfolio members for a model and a goal.

use super::attempt::EXPLORATION;
use crate::heuristics::HeuristicFactory;
use crate::task::ReachabilityTask;
use zonaut_dbm::Width;
use zonaut_heuristics::Precision;
use zonaut_strategy::{HeuristicSpec, LazyStrategy, Order, PatternSpec, Selector, Strategy};
use zonaut_zonegraph::ZoneGraph;

/// A planned portfolio member.
pub(super) struct Plan {
    pub(super) strategy: Strategy,
    /// Its purpose.
    pub(super) purpose: &'static str,
    /// The round in which it begins.
    pub(super) from_round: u32,
    /// Its share of an early round, in eighths; half of it later.
    pub(super) share: u64,
    /// Whether it can only find goals, so that its share shrinks when its estimates do not improve.
    pub(super) is_heuristic: bool,
}

/// The round in which a pattern database is built. It is built without pauses, and costs more than
/// the first rounds of all other members: the work limit of this round is the cost of the largest
/// one, with the default limit of the first round.
const DATABASE_ROUND: u32 = 27;
/// The most states of a pattern database: it has to cost less than it may save.
const DATABASE_STATES: u32 = 20_000;

impl Plan {
    /// All members for a query, the exhaustive one first. Models without data, or with features
    /// that lazy searches do not support, have no lazy member. No part of a model leads to
    /// `deadlock`, so it has no pattern database, and no transition is useless for it. A goal that
    /// data excludes, such as a false one, is left to the relaxation, which detects that in the
    /// initial state.
    pub(super) fn all<W: Width>(
        task: &ReachabilityTask<'_, W>,
        lazy_graph: Option<&ZoneGraph<'_, W>>,
        factory: &HeuristicFactory<'_>,
    ) -> Vec<Self> {
        let (model, formula) = factory.subject();
        let shortest = task.shortest;
        let mut plans = vec![Self::breadth_first()];
        let names_states = !formula.mentions_deadlock();
        if names_states && !shortest {
            plans.push(Self::by_transitions());
        }
        plans.push(Self::relaxed(shortest));
        if names_states {
            plans.push(Self::by_database());
        }
        let is_suited = !model.cells.is_empty()
            && !model.has_priorities()
            && !model.has_rates()
            && names_states;
        if is_suited && lazy_graph.is_some() {
            plans.push(Self::lazy());
        }
        plans
    }

    /// The strategy of the lazy member.
    pub(super) fn lazy_strategy() -> LazyStrategy {
        let order = Box::new(Order::DepthFirst.into());
        LazyStrategy { order, ..LazyStrategy::default() }
    }

    /// Whether it explores all states eagerly.
    pub(super) fn is_exhaustive(&self) -> bool {
        !self.is_heuristic && !self.is_lazy()
    }

    /// Whether it explores the graph of lazy searches.
    pub(super) fn is_lazy(&self) -> bool {
        matches!(self.strategy, Strategy::Lazy(_))
    }

    fn breadth_first() -> Self {
        Self {
            strategy: Order::BreadthFirst.into(),
            purpose: EXPLORATION,
            from_round: 0,
            share: 8,
            is_heuristic: false,
        }
    }

    fn relaxed(shortest: bool) -> Self {
        let (cache, ties) = (HeuristicSpec::DEFAULT_CACHE, Strategy::DEFAULT_TIES);
        let (strategy, share) = match shortest {
            true => (
                Strategy::AStar {
                    heuristic: HeuristicSpec::Lower { cache, precision: Precision::default() },
                    ties,
                },
                4,
            ),
            false => (Strategy::Greedy { heuristic: HeuristicSpec::Upper { cache }, ties }, 8),
        };
        let purpose = "heuristic search with the monotonicity abstraction";
        Self { strategy, purpose, from_round: 0, share, is_heuristic: true }
    }

    fn by_transitions() -> Self {
        let spec = HeuristicSpec::Upper { cache: HeuristicSpec::DEFAULT_CACHE };
        Self {
            strategy: Strategy::Useful { heuristic: spec, ties: Strategy::DEFAULT_TIES },
            purpose: "heuristic search that defers useless transitions",
            from_round: 0,
            share: 8,
            is_heuristic: true,
        }
    }

    fn by_database() -> Self {
        let selector = Selector::ErrorPath { inputs: Default::default() };
        let spec =
            PatternSpec { selector, states: DATABASE_STATES, seconds: None, megabytes: None };
        let ties = Strategy::DEFAULT_TIES;
        Self {
            strategy: Strategy::AStar { heuristic: HeuristicSpec::Pattern(spec), ties },
            purpose: "heuristic search with a pattern database",
            from_round: DATABASE_ROUND,
            share: 2,
            is_heuristic: true,
        }
    }

    fn lazy() -> Self {
        Self {
            strategy: Strategy::Lazy(Self::lazy_strategy()),
            purpose: "lazy abstraction, to prove the goal unreachable",
            from_round: 0,
            share: 6,
            is_heuristic: false,
        }
    }
}
