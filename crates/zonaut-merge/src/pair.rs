//! The choice of the two automata that are replaced by their product.
//!
//! K. Dräger, B. Finkbeiner, A. Podelski: *Directed model checking with distance-preserving
//! abstractions*, STTT 11, 2009, doi:10.1007/s10009-008-0092-z, first merge automata that
//! synchronise near the goal. The rank of a label in an automaton is the least distance of the
//! targets of its transitions; the weight of a pair is the least over the labels that both share of
//! the greater of the two ranks. The lightest pair is chosen; of equal ones, one that is relevant
//! for the goal, then the one with the smaller product. A variable is multiplied only after all
//! automata that use it are one automaton: otherwise the others would change it from outside.

use crate::automaton::Automaton;
use crate::label::{FactorId, LabelId, LabelTable, Role};
use std::collections::BTreeMap;
use zonaut_analysis::action::Side;
use zonaut_model::ChannelId;

/// The weight of a pair; less is better.
type Weight = (u32, bool, usize, usize, usize);

/// The rank by channel and side.
type Ranks = BTreeMap<(ChannelId, Side), u32>;

/// The positions of the two automata to be multiplied, the smaller one first; `None` if there are
/// no two, or variables only.
pub(crate) fn choose(
    automata: &[Option<Automaton>],
    labels: &LabelTable,
) -> Option<(usize, usize)> {
    let present: Vec<(usize, &Automaton)> =
        automata.iter().enumerate().filter_map(|(k, a)| Some((k, a.as_ref()?))).collect();
    let by_label: Vec<BTreeMap<LabelId, u32>> = present.iter().map(|(_, a)| a.ranks()).collect();
    let by_channel: Vec<Ranks> = by_label.iter().map(|ranks| on_channels(ranks, labels)).collect();
    let mut best: Option<Weight> = None;
    for (i, &(first, one)) in present.iter().enumerate() {
        for (j, &(second, other)) in present.iter().enumerate().skip(i + 1) {
            let is_free = |factor: FactorId, user: usize| {
                let others = (0..present.len()).filter(|&other| other != user);
                others.map(|other| present[other].1).all(|other| !other.mentions(factor, labels))
            };
            let weight = match (one.factor, other.factor) {
                (Some(factor), None) if is_free(factor, j) => {
                    of_variable(one, &by_label[j], labels)
                }
                (None, Some(factor)) if is_free(factor, i) => {
                    of_variable(other, &by_label[i], labels)
                }
                (Some(_), _) | (_, Some(_)) => continue,
                (None, None) => of_channels(&by_channel[i], &by_channel[j]),
            };
            let matters = one.is_goal_relevant() || other.is_goal_relevant();
            let weight = (weight, !matters, one.len() * other.len(), first, second);
            best = Some(best.map_or(weight, |best| best.min(weight)));
        }
    }
    best.map(|(.., first, second)| (first, second))
}

fn on_channels(ranks: &BTreeMap<LabelId, u32>, labels: &LabelTable) -> Ranks {
    let mut all = Ranks::new();
    for (&label, &rank) in ranks {
        if let Role::On(channel, side) = labels[label].role {
            let known = all.entry((channel, side)).or_insert(u32::MAX);
            *known = rank.min(*known);
        }
    }
    all
}

/// The sides that match a side.
fn partners(side: Side) -> &'static [Side] {
    match side {
        Side::Send => &[Side::Receive],
        Side::Receive => &[Side::Send],
        Side::Announce => &[Side::Join],
        Side::Join => &[Side::Announce, Side::Join],
    }
}

fn of_channels(one: &Ranks, other: &Ranks) -> u32 {
    let weights = one.iter().flat_map(|(&(channel, side), &rank)| {
        let fitting = partners(side).iter().filter_map(move |&side| other.get(&(channel, side)));
        fitting.map(move |&partner| partner.max(rank))
    });
    weights.min().unwrap_or(u32::MAX)
}

/// The weight of a variable with an automaton whose labels have these ranks.
fn of_variable(variable: &Automaton, ranks: &BTreeMap<LabelId, u32>, labels: &LabelTable) -> u32 {
    let own = |label: LabelId| {
        let relations = labels[label].relations.iter();
        let mut own = relations.filter(|(factor, _)| Some(*factor) == variable.factor);
        let relation = &labels.relations[own.next()?.1];
        let targets = (0..variable.len() as u32).flat_map(|value| relation.after(value));
        targets.map(|value| variable.distances[value as usize]).min()
    };
    let weights = ranks.iter().filter_map(|(&label, &rank)| Some(own(label)?.max(rank)));
    weights.min().unwrap_or(u32::MAX)
}

/// The label after transitions without a possible partner outside are dropped, and broadcasts that
/// no automaton outside can join are completed; `None` if the transition is dropped.
pub(crate) fn close(label: LabelId, labels: &mut LabelTable, outside: &[Role]) -> Option<LabelId> {
    let Role::On(channel, side) = labels[label].role else { return Some(label) };
    let has = |side: Side| outside.binary_search(&Role::On(channel, side)).is_ok();
    match side {
        Side::Send if !has(Side::Receive) => None,
        Side::Receive if !has(Side::Send) => None,
        Side::Join if !has(Side::Announce) => None,
        Side::Announce if !has(Side::Join) => Some(labels.with_role(label, Role::Alone)),
        _ => Some(label),
    }
}

/// The sum of all sizes, for progress reports.
pub(crate) fn total(automata: &[Option<Automaton>]) -> usize {
    automata.iter().flatten().map(|a| a.len() + a.transitions.len()).sum()
}
