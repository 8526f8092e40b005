//! Automata that are multiplied and shrunk.

use crate::label::{FactorId, LabelId, LabelTable, Role};
use std::collections::{BTreeMap, BTreeSet};

/// The image of states that cannot reach the goal.
pub(crate) const DEAD: u32 = u32::MAX - 1;
/// The image of states that are unreachable.
pub(crate) const UNREACHED: u32 = u32::MAX;

/// Whether a state is one of the two above.
pub(crate) fn is_removed(state: u32) -> bool {
    state >= DEAD
}

/// A transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Transition {
    pub(crate) source: u32,
    pub(crate) label: LabelId,
    pub(crate) target: u32,
}

/// The properties of a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Traits {
    /// The alternatives of the goal that may hold, as bits.
    pub(crate) goals: u64,
    /// Whether some process inside may be committed.
    pub(crate) may_commit: bool,
    /// Whether some process inside is certainly committed.
    pub(crate) must_commit: bool,
}

/// An automaton over some components of the network.
///
/// Law: states of the network are mapped to its states, to [`DEAD`], or to [`UNREACHED`]; a
/// transition of the network whose participants are all outside keeps the state; any other one is a
/// transition here, with a label that describes the participants outside. A goal state of the
/// network is mapped to a state with a goal bit.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    /// The properties by state.
    pub(crate) traits: Vec<Traits>,
    /// The image of the initial state; `None` if no goal is reachable from there.
    pub(crate) initial: Option<u32>,
    /// The transitions, ascending and without duplicates.
    pub(crate) transitions: Vec<Transition>,
    /// By state, the number of transitions to a goal.
    pub(crate) distances: Vec<u32>,
    /// The variable, if the automaton consists of a single variable.
    pub(crate) factor: Option<FactorId>,
}

impl Automaton {
    /// An automaton with its distances, and the map from the given states to the remaining ones:
    /// unreachable states and states that do not reach a goal are removed.
    pub(crate) fn new(
        traits: &[Traits],
        initial: u32,
        mut transitions: Vec<Transition>,
    ) -> (Self, Vec<u32>) {
        transitions.sort_unstable();
        transitions.dedup();
        let reached = reached(traits.len(), initial, &transitions);
        let distances = distances(traits, &transitions);
        let mut map = Vec::with_capacity(traits.len());
        let mut count = 0;
        for state in 0..traits.len() {
            map.push(match (reached[state], distances[state]) {
                (false, _) => UNREACHED,
                (true, u32::MAX) => DEAD,
                (true, _) => {
                    count += 1;
                    count - 1
                }
            });
        }
        let automaton = Self {
            traits: kept(traits, &map),
            initial: Some(map[initial as usize]).filter(|&state| !is_removed(state)),
            transitions: renamed(&transitions, &map),
            distances: kept(&distances, &map),
            factor: None,
        };
        (automaton, map)
    }

    pub(crate) fn len(&self) -> usize {
        self.traits.len()
    }

    /// The transitions of each state.
    pub(crate) fn by_source(&self) -> Vec<&[Transition]> {
        let mut rest = self.transitions.as_slice();
        (0..self.len() as u32)
            .map(|state| {
                let (own, others) = rest.split_at(rest.partition_point(|t| t.source <= state));
                rest = others;
                own
            })
            .collect()
    }

    /// The roles of its transitions.
    pub(crate) fn roles(&self, labels: &LabelTable) -> BTreeSet<Role> {
        self.transitions.iter().map(|t| labels[t.label].role).collect()
    }

    /// Whether its transitions test or write a variable outside.
    pub(crate) fn mentions(&self, factor: FactorId, labels: &LabelTable) -> bool {
        let is_it = |t: &Transition| labels[t.label].relations.iter().any(|(f, _)| *f == factor);
        self.transitions.iter().any(is_it)
    }

    /// Whether it is relevant for the goal.
    pub(crate) fn is_goal_relevant(&self) -> bool {
        self.distances.iter().any(|&distance| distance > 0)
    }

    /// By label of transitions that change the state, the least distance of a target.
    pub(crate) fn ranks(&self) -> BTreeMap<LabelId, u32> {
        let mut ranks = BTreeMap::new();
        for t in self.transitions.iter().filter(|t| t.source != t.target) {
            let rank = ranks.entry(t.label).or_insert(u32::MAX);
            *rank = self.distances[t.target as usize].min(*rank);
        }
        ranks
    }

    /// The automaton with states merged: `blocks` has the new state of each state. Distances never
    /// grow, since every transition and every goal is preserved.
    pub(crate) fn merged(&self, blocks: &[u32]) -> Self {
        let count = blocks.iter().max().map_or(0, |&last| last as usize + 1);
        let mut traits: Vec<Option<Traits>> = vec![None; count];
        for (state, &block) in blocks.iter().enumerate() {
            let own = self.traits[state];
            let known = &mut traits[block as usize];
            *known = Some(known.map_or(own, |known| Traits {
                goals: known.goals | own.goals,
                may_commit: known.may_commit || own.may_commit,
                must_commit: known.must_commit && own.must_commit,
            }));
        }
        let traits: Vec<Traits> = traits.into_iter().flatten().collect();
        let mut transitions = renamed(&self.transitions, blocks);
        transitions.sort_unstable();
        transitions.dedup();
        let mut distances = distances(&traits, &transitions);
        if faulty!(FarthestLocation) {
            for (state, &block) in blocks.iter().enumerate() {
                let distance = &mut distances[block as usize];
                *distance = self.distances[state].max(*distance);
            }
        }
        if faulty!(LargeDistance) && count < self.len() {
            distances.iter_mut().for_each(|distance| *distance += 1);
        }
        let initial = self.initial.map(|state| blocks[state as usize]);
        Self { traits, initial, transitions, distances, factor: self.factor }
    }
}

/// The entries of the remaining states.
fn kept<T: Copy>(all: &[T], map: &[u32]) -> Vec<T> {
    all.iter().zip(map).filter(|(_, new)| !is_removed(**new)).map(|(&one, _)| one).collect()
}

/// The transitions between remaining states, renamed.
fn renamed(transitions: &[Transition], map: &[u32]) -> Vec<Transition> {
    let rename = |t: &Transition| {
        let (source, target) = (map[t.source as usize], map[t.target as usize]);
        (!is_removed(source) && !is_removed(target)).then_some(Transition { source, target, ..*t })
    };
    transitions.iter().filter_map(rename).collect()
}

fn reached(states: usize, initial: u32, transitions: &[Transition]) -> Vec<bool> {
    let mut reached = vec![false; states];
    reached[initial as usize] = true;
    let mut open = vec![initial];
    while let Some(state) = open.pop() {
        let first = transitions.partition_point(|t| t.source < state);
        for t in transitions[first..].iter().take_while(|t| t.source == state) {
            if !std::mem::replace(&mut reached[t.target as usize], true) {
                open.push(t.target);
            }
        }
    }
    reached
}

/// The number of transitions from each state to one with a goal.
fn distances(traits: &[Traits], transitions: &[Transition]) -> Vec<u32> {
    let mut arrivals: Vec<(u32, u32)> = transitions.iter().map(|t| (t.target, t.source)).collect();
    arrivals.sort_unstable();
    arrivals.dedup();
    let mut distances: Vec<u32> =
        traits.iter().map(|t| if t.goals != 0 { 0 } else { u32::MAX }).collect();
    let mut layer: Vec<u32> =
        (0..traits.len() as u32).filter(|&state| distances[state as usize] == 0).collect();
    for distance in 1.. {
        if layer.is_empty() {
            break;
        }
        let mut next = Vec::new();
        for state in layer {
            let first = arrivals.partition_point(|(target, _)| *target < state);
            for &(_, source) in arrivals[first..].iter().take_while(|(target, _)| *target == state)
            {
                if distances[source as usize] == u32::MAX {
                    distances[source as usize] = distance;
                    next.push(source);
                }
            }
        }
        layer = next;
    }
    distances
}
