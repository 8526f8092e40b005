//! Transitions that are shared out among guides, so that the sum of what these say is a lower bound.
//!
//! *Claim.* Let a transition count `w_i` for guide i, with `w_1 + ... + w_n <= UNIT`. Let every state
//! of the goal be one of goal i, and let `h_i(s)` be at most what the transitions of any way from s to
//! goal i count for guide i. Then `h_1(s) + ... + h_n(s)`, divided by `UNIT` and rounded up, is at
//! most the number of transitions of any way from s to the goal.
//!
//! *Proof.* A way of k transitions to the goal leads to every goal i, so `h_i(s)` is at most the sum of
//! its `w_i`. Added up over all i, transition by transition, that is at most k times `UNIT`; and k is
//! a whole number.
//!
//! *Whoever joins makes no difference*, as [`Weights`] want it: edges that can be taken together,
//! directly or by way of others, are companions, and what a transition counts is what its companions
//! do. Two edges can be taken together only if their labels can mean the same channel.

use crate::weights::{Participant, Weights};
use std::rc::Rc;
use zonaut_analysis::normal_form::{Connective, operands};
use zonaut_base::Id;
use zonaut_model::{Formula, Model};

/// What the shares of a transition add up to, at most. Most numbers of guides divide it.
pub const UNIT: u32 = 5040;

/// The edges of a model, those together that can be taken together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Companions {
    /// By process and edge.
    group: Vec<Vec<usize>>,
    count: usize,
}

impl Companions {
    /// The companions of a model.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        // Groups 0 to n are those of channels, as far as they are apart.
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

    /// For each group of companions, whether one of these edges is among them.
    fn marked(&self, edges: &[Participant]) -> Vec<bool> {
        let mut marked = vec![false; self.count];
        edges.iter().for_each(|&edge| marked[self.of(edge)] = true);
        marked
    }
}

/// How transitions are shared out among those guides that see them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// The first one has all.
    FirstTakesAll,
    /// All have the same.
    Equal,
}

impl Sharing {
    /// All ways.
    pub const ALL: [Self; 2] = [Self::FirstTakesAll, Self::Equal];

    /// What transitions count for each of several guides, which see those of these edges.
    #[must_use]
    pub fn among(self, companions: &Rc<Companions>, seen: &[Vec<Participant>]) -> Vec<Share> {
        let seen: Vec<Vec<bool>> = seen.iter().map(|edges| companions.marked(edges)).collect();
        let mut counts = vec![vec![0; companions.count]; seen.len()];
        for group in 0..companions.count {
            let mut those: Vec<usize> = (0..seen.len()).filter(|&i| seen[i][group]).collect();
            if self == Self::FirstTakesAll && !faulty!(SharedTwice) {
                those.truncate(1);
            }
            let divisor = if faulty!(SharedTwice) { 1 } else { those.len().max(1) as u32 };
            those.into_iter().for_each(|i| counts[i][group] = UNIT / divisor);
        }
        let share = |counts| Share { companions: Rc::clone(companions), counts };
        counts.into_iter().map(share).collect()
    }
}

/// What transitions count for one guide among several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Share {
    companions: Rc<Companions>,
    /// By group of companions.
    counts: Vec<u32>,
}

impl Weights for Share {
    fn of(&self, participants: &[Participant]) -> u32 {
        participants.first().map_or(0, |&first| self.counts[self.companions.of(first)])
    }
}

/// Formulas that all hold where `goal` does: its conjuncts, as far as its form shows them. What is
/// said of clocks belongs to each of them, for alone it is no goal to go to.
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
