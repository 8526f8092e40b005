//! What a search found out.

use zonaut_space::{NodeId, Pricing, Steps, StopReason, TransitionSystem};

use crate::node_table::NodeTable;

/// How a search ended.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub enum Outcome<Step, Error, C = u32> {
    /// The goal was reached; by a cheapest way if that was asked for.
    Reached {
        /// The node in which the goal holds.
        node: NodeId,
        /// The steps from an initial state to it.
        steps: Vec<Step>,
    },
    /// The goal cannot be reached: the live nodes cover everything that can.
    Exhausted,
    /// Something went wrong before any goal was met.
    Failed {
        /// What went wrong.
        error: Error,
        /// The steps from an initial state; the last one is the step that went wrong, unless it
        /// was the goal that could not be evaluated.
        steps: Vec<Step>,
    },
    /// The search was stopped.
    Stopped {
        /// Why.
        why: StopReason,
        /// Every goal, or every one that is better than the best known, costs at least so much; zero
        /// if only some way was asked for.
        lower_bound: C,
    },
}

/// What a search did, in numbers.
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
    /// Nodes dropped because the guide showed them to be dead ends.
    pub pruned: usize,
    /// States dropped, and nodes not expanded, because they cost as much as the best goal.
    pub bounded: usize,
    /// Live nodes at the end.
    pub stored: usize,
    /// Memory of store, open list and table of nodes at the end.
    pub bytes: usize,
}

/// The end of a search, its nodes and its numbers. The store stays with the caller.
#[derive(Clone, Debug)]
#[must_use]
pub struct Report<Step, Error, C = u32> {
    /// How the search ended.
    pub outcome: Outcome<Step, Error, C>,
    /// The best goal that is known, however the search ended.
    pub best: Option<NodeId>,
    /// How every node was reached.
    pub nodes: NodeTable<Step, C>,
    /// What the search did.
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
