//! Results of a search.

use std::ops::Add;
use zonaut_space::{NodeId, Pricing, Steps, StopReason, TransitionSystem};

use crate::node_table::NodeTable;

/// The outcome of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub enum Outcome<Step, Error, C = u32> {
    /// The goal was reached; by a cheapest path if the search optimises.
    Reached {
        /// The node in which the goal holds.
        node: NodeId,
        /// The steps from an initial state to it.
        steps: Vec<Step>,
    },
    /// The goal is unreachable: the live nodes cover every reachable state.
    Exhausted,
    /// A run-time error occurred before any goal was met.
    Failed {
        /// The error.
        error: Error,
        /// The steps from an initial state; the last one is the step that failed, unless the
        /// evaluation of the goal failed.
        steps: Vec<Step>,
    },
    /// The search was stopped.
    Stopped {
        /// The reason.
        why: StopReason,
        /// A lower bound on the cost of every goal, or of every goal better than the incumbent;
        /// zero if the search does not optimise.
        lower_bound: C,
    },
}

/// The statistics of a search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Statistics {
    /// Nodes taken from the open list and expanded, re-expansions included.
    pub explored: usize,
    /// Successors generated, initial states included.
    pub generated: usize,
    /// Generated states discarded for a node that covers them.
    pub covered: usize,
    /// Nodes evicted by a new one that covers them.
    pub evicted: usize,
    /// Evicted nodes that had been expanded: work that a later node may repeat.
    pub evicted_after_expansion: usize,
    /// Nodes dropped because the heuristic proved them dead ends.
    pub pruned: usize,
    /// States dropped, and nodes not expanded, because their cost reaches that of the incumbent.
    pub bounded: usize,
    /// Live nodes at the end.
    pub stored: usize,
    /// Memory of store, open list and table of nodes at the end.
    pub bytes: usize,
}

impl Add for Statistics {
    type Output = Self;

    /// The statistics of two searches together.
    fn add(self, other: Self) -> Self {
        Self {
            explored: self.explored + other.explored,
            generated: self.generated + other.generated,
            covered: self.covered + other.covered,
            evicted: self.evicted + other.evicted,
            evicted_after_expansion: self.evicted_after_expansion + other.evicted_after_expansion,
            pruned: self.pruned + other.pruned,
            bounded: self.bounded + other.bounded,
            stored: self.stored + other.stored,
            bytes: self.bytes + other.bytes,
        }
    }
}

/// The outcome of a search, its nodes and its statistics. The store stays with the caller.
#[derive(Clone, Debug)]
#[must_use]
pub struct Report<Step, Error, C = u32> {
    /// The outcome.
    pub outcome: Outcome<Step, Error, C>,
    /// The best goal found, whatever the outcome.
    pub best: Option<NodeId>,
    /// The parents of all nodes.
    pub nodes: NodeTable<Step, C>,
    /// The statistics.
    pub statistics: Statistics,
}

/// The report of a search over `Ts`.
pub type ReportOf<Ts, P = Steps> = Report<
    <Ts as TransitionSystem>::Step,
    <Ts as TransitionSystem>::Error,
    <P as Pricing<Ts>>::Cost,
>;

/// The outcome of a search over `Ts`.
pub type OutcomeOf<Ts, P = Steps> = Outcome<
    <Ts as TransitionSystem>::Step,
    <Ts as TransitionSystem>::Error,
    <P as Pricing<Ts>>::Cost,
>;
