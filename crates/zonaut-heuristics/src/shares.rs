//! Cost partitioning: the weight of each transition is divided among several heuristics, so that
//! the sum of their estimates is admissible.
//!
//! *Claim.* Let a transition have weight `w_i` for heuristic i, with `w_1 + ... + w_n <= UNIT`. Let
//! every goal state satisfy goal i, and let `h_i(s)` be at most the weight for heuristic i of any
//! path from s to goal i. Then `h_1(s) + ... + h_n(s)`, divided by `UNIT` and rounded up, is at
//! most the number of transitions of any path from s to the goal.
//!
//! *Proof.* A path of k transitions to the goal leads to every goal i, so `h_i(s)` is at most the
//! sum of its `w_i`. Added up over all i, transition by transition, that is at most k times `UNIT`;
//! and k is an integer.
//!
//! *The weight is independent of further participants*, as [`Weights`] requires: edges that can be
//! taken together, directly or transitively, form a group, and a transition has the weight of its
//! group. Two edges can be taken together only if their labels can denote the same channel.

use crate::weights::{Participant, Weights};
use std::sync::Arc;
use zonaut_analysis::normal_form::{Connective, operands};
use zonaut_base::Id;
use zonaut_model::{Formula, Model};

/// The maximum sum of the shares of a transition. It is divisible by all small numbers of
/// heuristics.
pub const UNIT: u32 = 5040;

/// The partition of the edges of a model into groups of edges that can be taken together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EdgeGroups {
    /// By process and edge.
    group: Vec<Vec<usize>>,
    count: usize,
}

impl EdgeGroups {
    /// The groups of a model.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        // Groups 0 to n are those of channels, before they are united.
        let mut of_channel: Vec<usize> = (0..model.channels.len()).collect();
        let edges = || model.processes.iter().flat_map(|process| &process.edges);
        for label in edges().filter_map(|edge| edge.synchronisation.as_ref()) {
            let first = label.channel.root.index();
            let meant = first..=first + label.channel.extent();
            let groups: Vec<usize> = of_channel[meant].to_vec();
            for group in &mut of_channel {
                if groups.contains(group) {
                    *group = groups[0];
                }
            }
        }
        let mut count = model.channels.len();
        let mut group = Vec::new();
        for process in &model.processes {
            let own = process.edges.iter().map(|edge| match &edge.synchronisation {
                Some(label) => of_channel[label.channel.root.index()],
                None => {
                    count += 1;
                    count - 1
                }
            });
            group.push(own.collect());
        }
        Self { group, count }
    }

    fn of(&self, participant: Participant) -> usize {
        self.group[participant.process.index()][participant.edge.index()]
    }

    /// For each group, whether it contains one of these edges.
    fn marked(&self, edges: &[Participant]) -> Vec<bool> {
        let mut marked = vec![false; self.count];
        edges.iter().for_each(|&edge| marked[self.of(edge)] = true);
        marked
    }
}

/// The partitioning of weights among the heuristics that depend on a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// The first heuristic has the whole weight.
    FirstTakesAll,
    /// All heuristics have equal shares.
    Equal,
}

impl Sharing {
    /// All partitionings.
    pub const ALL: [Self; 2] = [Self::FirstTakesAll, Self::Equal];

    /// The weights of transitions for each of several heuristics, which depend on the transitions
    /// of these edges.
    #[must_use]
    pub fn among(self, edge_groups: &Arc<EdgeGroups>, seen: &[Vec<Participant>]) -> Vec<Share> {
        let seen: Vec<Vec<bool>> = seen.iter().map(|edges| edge_groups.marked(edges)).collect();
        let mut counts = vec![vec![0; edge_groups.count]; seen.len()];
        for group in 0..edge_groups.count {
            let mut those: Vec<usize> = (0..seen.len()).filter(|&i| seen[i][group]).collect();
            if self == Self::FirstTakesAll && !faulty!(SharedTwice) {
                those.truncate(1);
            }
            let divisor = if faulty!(SharedTwice) { 1 } else { those.len().max(1) as u32 };
            those.into_iter().for_each(|i| counts[i][group] = UNIT / divisor);
        }
        let share = |counts| Share { edge_groups: Arc::clone(edge_groups), counts };
        counts.into_iter().map(share).collect()
    }
}

/// The weights of transitions for one of several heuristics.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Share {
    edge_groups: Arc<EdgeGroups>,
    /// By group of edges.
    counts: Vec<u32>,
}

impl Weights for Share {
    fn of(&self, participants: &[Participant]) -> u32 {
        participants.first().map_or(0, |&first| self.counts[self.edge_groups.of(first)])
    }
}

/// Formulas that hold whenever `goal` does: its syntactic conjuncts. Constraints on clocks belong
/// to each of them, because they are no goal for a heuristic on their own.
#[must_use]
pub fn conjuncts(model: &Model, goal: &Formula) -> Vec<Formula> {
    let mut all = Vec::new();
    split(model, goal, false, &mut all);
    let (clocks, others): (Vec<Formula>, Vec<Formula>) = all.into_iter().partition(is_of_clocks);
    if others.is_empty() {
        return vec![goal.clone()];
    }
    let together = |part| Formula::And(std::iter::once(part).chain(clocks.clone()).collect());
    others.into_iter().map(together).collect()
}

fn is_of_clocks(formula: &Formula) -> bool {
    match formula {
        Formula::Clock(_) => true,
        Formula::Not(inner) => is_of_clocks(inner),
        Formula::Data(_) | Formula::Deadlock | Formula::And(_) | Formula::Or(_) => false,
    }
}

fn split(model: &Model, formula: &Formula, negated: bool, all: &mut Vec<Formula>) {
    match formula {
        Formula::Not(inner) => split(model, inner, !negated, all),
        Formula::And(parts) if !negated => {
            parts.iter().for_each(|part| split(model, part, negated, all));
        }
        Formula::Or(parts) if negated => {
            parts.iter().for_each(|part| split(model, part, negated, all));
        }
        Formula::Data(data) => {
            let connective = if negated { Connective::Or } else { Connective::And };
            let parts = operands(&model.expressions, *data, connective).into_iter();
            all.extend(parts.map(|part| signed(Formula::Data(part), negated)));
        }
        Formula::Clock(_) | Formula::Deadlock | Formula::And(_) | Formula::Or(_) => {
            all.push(signed(formula.clone(), negated));
        }
    }
}

fn signed(formula: Formula, negated: bool) -> Formula {
    if negated { Formula::Not(Box::new(formula)) } else { formula }
}
