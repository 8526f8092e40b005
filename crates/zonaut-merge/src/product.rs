//! The product of two automata.
//!
//! # The claim
//! If both factors satisfy the law of [`Automaton`], so does the product. A transition of the
//! network has participants in one factor, in the other, in both, or in none. In the first two
//! cases the other factor keeps its state; in the third the labels match, since they contain the
//! channel and the participants outside. Only impossible transitions are dropped: those whose
//! participants are all in one factor, none of them committed, while a process of the other factor
//! is committed.

use crate::automaton::{Automaton, Traits, Transition};
use crate::label::{FactorId, LabelId, LabelTable, Role};
use std::collections::BTreeMap;
use zonaut_base::{Meter, StopReason};
use zonaut_model::ChannelId;

/// The product before impossible states are removed, over pairs `left * width + right`.
pub(crate) struct Product {
    pub(crate) traits: Vec<Traits>,
    pub(crate) initial: u32,
    pub(crate) transitions: Vec<Transition>,
}

/// The number of meter steps of one transition.
const STEPS: u32 = 8;

/// The product of two automata that each can reach the goal.
pub(crate) fn product(
    left: &Automaton,
    right: &Automaton,
    labels: &mut LabelTable,
    meter: &Meter,
) -> Result<Option<Product>, StopReason> {
    let (Some(first), Some(second)) = (left.initial, right.initial) else { return Ok(None) };
    let width = right.len() as u32;
    let mut traits = Vec::with_capacity(left.len() * right.len());
    for a in &left.traits {
        traits.extend(right.traits.iter().map(|b| Traits {
            goals: a.goals & b.goals,
            may_commit: a.may_commit || b.may_commit,
            must_commit: a.must_commit || b.must_commit,
        }));
    }
    let mut pairs = Pairs { left, right, width, transitions: Vec::new(), meter };
    match (left.factor, right.factor) {
        (Some(factor), _) => pairs.with_variable(factor, labels, Sides::VariableLeft)?,
        (_, Some(factor)) => pairs.with_variable(factor, labels, Sides::VariableRight)?,
        (None, None) => {
            pairs.separate_transitions(labels)?;
            pairs.joint_transitions(labels)?;
        }
    }
    let (initial, transitions) = (first * width + second, pairs.transitions);
    Ok(Some(Product { traits, initial, transitions }))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sides {
    VariableLeft,
    VariableRight,
}

struct Pairs<'a> {
    left: &'a Automaton,
    right: &'a Automaton,
    width: u32,
    transitions: Vec<Transition>,
    meter: &'a Meter,
}

impl Pairs<'_> {
    /// The number of a pair of states.
    fn pair(&self, left: u32, right: u32) -> u32 {
        left * self.width + right
    }

    fn push(&mut self, source: u32, label: LabelId, target: u32) {
        self.transitions.push(Transition { source, label, target });
    }

    /// Transitions of one automaton, while the other one keeps its state.
    fn separate_transitions(&mut self, labels: &LabelTable) -> Result<(), StopReason> {
        let (left, right) = (self.left, self.right);
        let may_go = |label: LabelId, own: Traits, other: Traits| {
            // A partner outside may be committed.
            let is_complete = labels[label].role == Role::Alone || faulty!(PartnersForgotten);
            !(is_complete && other.must_commit && !own.may_commit)
        };
        for t in &left.transitions {
            self.meter.spend(STEPS * self.width)?;
            for b in 0..self.width {
                if may_go(t.label, left.traits[t.source as usize], right.traits[b as usize]) {
                    self.push(self.pair(t.source, b), t.label, self.pair(t.target, b));
                }
            }
        }
        for t in &right.transitions {
            self.meter.spend(STEPS * left.len() as u32)?;
            for a in 0..left.len() as u32 {
                if may_go(t.label, right.traits[t.source as usize], left.traits[a as usize]) {
                    self.push(self.pair(a, t.source), t.label, self.pair(a, t.target));
                }
            }
        }
        Ok(())
    }

    /// Joint transitions of both automata.
    fn joint_transitions(&mut self, labels: &mut LabelTable) -> Result<(), StopReason> {
        let mut by_channel: BTreeMap<ChannelId, Vec<Transition>> = BTreeMap::new();
        for t in &self.right.transitions {
            if let Role::On(channel, _) = labels[t.label].role {
                by_channel.entry(channel).or_default().push(*t);
            }
        }
        for t in &self.left.transitions {
            let Role::On(channel, _) = labels[t.label].role else { continue };
            for u in by_channel.get(&channel).map_or(&[][..], Vec::as_slice) {
                self.meter.spend(STEPS)?;
                if let Some(label) = labels.joint(t.label, u.label) {
                    self.push(self.pair(t.source, u.source), label, self.pair(t.target, u.target));
                }
            }
        }
        Ok(())
    }

    /// Transitions of an automaton with their effect on a variable.
    fn with_variable(
        &mut self,
        factor: FactorId,
        labels: &mut LabelTable,
        sides: Sides,
    ) -> Result<(), StopReason> {
        let (automaton, values) = match sides {
            Sides::VariableLeft => (self.right, self.left.len() as u32),
            Sides::VariableRight => (self.left, self.right.len() as u32),
        };
        for t in &automaton.transitions {
            self.meter.spend(STEPS * values)?;
            let (relation, label) = labels.without(t.label, factor);
            for value in 0..values {
                let after = match relation {
                    None => vec![value],
                    Some(relation) => labels.relations[relation].after(value),
                };
                for next in after {
                    match sides {
                        Sides::VariableLeft => {
                            self.push(self.pair(value, t.source), label, self.pair(next, t.target));
                        }
                        Sides::VariableRight => {
                            self.push(self.pair(t.source, value), label, self.pair(t.target, next));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
