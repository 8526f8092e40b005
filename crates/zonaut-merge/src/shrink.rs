//! Shrinking: the choice of states of an automaton that are merged.
//!
//! Any choice is sound; a good one preserves distances. States of different distances stay
//! separate, as long as there are not too many distances; then those far away are merged. The
//! remaining room is used to separate states of equal distance with different behaviour: blocks are
//! split by the labels of their transitions and the blocks they lead to, those near the goal first,
//! until nothing changes, so that equivalent states are merged in any case, or the room is used up.

use crate::automaton::{Automaton, Traits};
use crate::label::{LabelId, LabelTable, Role};
use std::collections::BTreeMap;

/// By state, its block; there are at most `room` blocks, which is not 0.
pub(crate) fn blocks(automaton: &Automaton, labels: &LabelTable, room: usize) -> Vec<u32> {
    let mut partition = Partition::new(automaton, labels, room.max(1));
    partition.refine();
    partition.block
}

struct Partition<'a> {
    automaton: &'a Automaton,
    labels: &'a LabelTable,
    room: usize,
    /// The block by state.
    block: Vec<u32>,
    count: usize,
}

/// The behaviour of a state: labels, and the blocks they lead to.
type Signature = Vec<(LabelId, u32)>;

impl<'a> Partition<'a> {
    fn new(automaton: &'a Automaton, labels: &'a LabelTable, room: usize) -> Self {
        let farthest = room as u32 - 1;
        let by_traits = |state: usize| (automaton.distances[state], Some(automaton.traits[state]));
        let by_distance = |state: usize| (automaton.distances[state].min(farthest), None);
        let mut this = Self { automaton, labels, room, block: Vec::new(), count: 0 };
        this.block_by(by_traits);
        if this.count > room {
            this.block_by(by_distance);
        }
        this
    }

    /// Creates one block for each key, numbered in the order of keys: near the goal first.
    fn block_by(&mut self, key: impl Fn(usize) -> (u32, Option<Traits>)) {
        let states = 0..self.automaton.len();
        let mut number: BTreeMap<_, u32> = states.clone().map(|state| (key(state), 0)).collect();
        number.values_mut().zip(0..).for_each(|(number, next)| *number = next);
        self.block = states.map(|state| number[&key(state)]).collect();
        self.count = number.len();
    }

    fn refine(&mut self) {
        loop {
            let signatures = self.signatures();
            let mut members: Vec<BTreeMap<&Signature, Vec<usize>>> = Vec::new();
            members.resize_with(self.count, BTreeMap::new);
            for (state, signature) in signatures.iter().enumerate() {
                let block = self.block[state] as usize;
                members[block].entry(signature).or_default().push(state);
            }
            let before = self.count;
            for groups in members {
                for states in groups.into_values().skip(1) {
                    if self.count == self.room {
                        return;
                    }
                    states.into_iter().for_each(|state| self.block[state] = self.count as u32);
                    self.count += 1;
                }
            }
            if self.count == before {
                return;
            }
        }
    }

    fn signatures(&self) -> Vec<Signature> {
        let signature = |(state, transitions): (usize, &[crate::automaton::Transition])| {
            let own = self.block[state];
            let mut all: Signature = transitions
                .iter()
                .map(|t| (t.label, self.block[t.target as usize]))
                .filter(|&(label, block)| block != own || !self.is_idle(label))
                .collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        self.automaton.by_source().into_iter().enumerate().map(signature).collect()
    }

    /// Whether a transition with this label is invisible to all components outside.
    fn is_idle(&self, label: LabelId) -> bool {
        let label = &self.labels[label];
        label.role == Role::Alone && label.relations.is_empty()
    }
}
