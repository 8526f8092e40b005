//! The layers where transitions have weights: which facts can be reached by steps that count how
//! much.
//!
//! A layer is then what can be reached with one more event, and counts at least as much as the layer
//! before. A fact is due at what its producer's transition counts, after the last of what the
//! producer needs; what another participant of the same transition has just written is not paid for
//! again.
//!
//! *Why this is a lower bound.* Let every value of a state s be due at c at the latest, and let a
//! transition that counts w lead to t. No action that takes part counts more than w by itself or
//! with its lightest partner, for whoever joins makes a transition no lighter. The actions can be
//! taken at c, so what they always produce is due at c + w. What an effect reads of s is due at c,
//! what it reads of earlier participants at c + w by induction over the order of execution, so what
//! it produces is due at c + w.
//!
//! What is not told apart is whether an earlier participant has written a value or the effect itself
//! in an earlier step, so that an effect which reads what others may just have written can read its
//! own results for nothing. With steps alone ([`super`]) effects run once in each layer, and pay.

use super::Layers;
use super::effects::Written;
use crate::relaxation::layers::Reached;
use crate::relaxation::network::{Constant, Effect, Facts, Network, RelaxedActionId};
use crate::relaxation::sets::{Sets, Support};
use std::collections::BTreeMap;
use zonaut_analysis::VariableId;
use zonaut_analysis::runs::Runs;
use zonaut_base::Id;

/// What is not due.
const NEVER: u32 = u32::MAX;

/// Something that becomes true.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A variable gets a value.
    Value(Written),
    /// A variable gets every value.
    Everything(VariableId, Support),
}

/// What is due when.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    /// By what they count, in the order of discovery.
    events: BTreeMap<u32, Vec<Event>>,
    /// What each layer counts.
    counts: Vec<u32>,
    /// By fact of a small range, when it is due at the earliest.
    due: Vec<u32>,
    /// By action, when it can be taken at the earliest.
    taken_at: Vec<u32>,
}

impl Schedule {
    /// Room for a network; none where every transition counts one.
    pub(super) fn new(network: &Network) -> Self {
        if network.has_units {
            return Self::default();
        }
        Self {
            events: BTreeMap::new(),
            counts: vec![0],
            due: vec![NEVER; network.facts.len()],
            taken_at: vec![0; network.actions.len()],
        }
    }

    pub(super) fn reset(&mut self) {
        self.events.clear();
        self.counts.truncate(1);
        self.due.fill(NEVER);
    }

    /// What the layer that is looked at counts.
    fn now(&self) -> u32 {
        self.counts.last().copied().unwrap_or(0)
    }

    /// When what an effect produces of the chosen values is due.
    pub(super) fn due_of(
        &self,
        network: &Network,
        effect: &Effect,
        sets: &Sets,
        chosen: impl Iterator<Item = (VariableId, u32)>,
    ) -> u32 {
        let weight = network.actions[effect.action.index()].weight;
        let mut due = self.taken_at[effect.action.index()].saturating_add(weight);
        for (variable, position) in chosen {
            let known = self.counts[sets.layer_at(&network.facts, variable, position) as usize];
            let is_fresh = effect.inputs.iter().any(|i| i.fresh && i.variable == variable);
            let is_paid = is_fresh && !faulty!(PaidTwice);
            due = due.max(if is_paid { known } else { known.saturating_add(weight) });
        }
        due
    }

    /// Makes a value due, unless it is due earlier.
    pub(super) fn add(&mut self, facts: &Facts, written: Written) {
        if facts.is_dense[written.variable.index()] {
            let due = &mut self.due[facts.dense(written.variable, written.value).index()];
            if *due < written.due {
                return;
            }
            *due = written.due;
        }
        self.events.entry(written.due).or_default().push(Event::Value(written));
    }

    /// Makes everything due that an action can write into a variable, from now on.
    pub(super) fn add_everything(
        &mut self,
        network: &Network,
        action: RelaxedActionId,
        variable: VariableId,
        support: Support,
    ) {
        let weight = network.actions[action.index()].weight;
        let due = self.taken_at[action.index()].saturating_add(weight).max(self.now());
        self.events.entry(due).or_default().push(Event::Everything(variable, support));
    }
}

impl Layers {
    /// Goes on from the first layer, up to the goal.
    pub(super) fn build_by_weight(&mut self, network: &Network, runs: &mut Runs<'_>) -> Reached {
        let mut done = 0;
        loop {
            done = self.react(network, runs, done);
            if self.meets_goal(network) {
                return Reached::Goal(self.schedule.now());
            }
            // A layer that is not complete shows nothing.
            if runs.meter().spend(done as u32).is_err() {
                return Reached::Unknown;
            }
            self.match_partners(network);
            self.take(network);
            self.run_effects(network, runs);
            if !self.advance(network) {
                return Reached::Fixpoint { may_fail: self.may_fail };
            }
        }
    }

    /// Takes the actions that can be taken now.
    fn take(&mut self, network: &Network) {
        let now = self.schedule.now();
        for position in 0..self.firing.len() {
            let number = self.firing[position];
            let action = &network.actions[number as usize];
            self.may_fail |= action.fails;
            self.schedule.taken_at[number as usize] = now;
            let (support, due) = (self.support(network, number), now.saturating_add(action.weight));
            for &Constant { variable, value, .. } in &action.constants {
                self.schedule.add(&network.facts, Written { variable, value, support, due });
            }
            for effect in action.effects.clone() {
                self.is_active[effect as usize] = true;
                self.queue(network, effect);
            }
        }
        self.firing.clear();
    }

    /// Goes on to the next layer; whether there is one.
    fn advance(&mut self, network: &Network) -> bool {
        let before = self.sets.found.len();
        while let Some((count, events)) = self.schedule.events.pop_first() {
            self.sets.layer = self.schedule.counts.len() as u32;
            for event in events {
                match event {
                    Event::Value(Written { variable, value, support, .. }) => {
                        self.sets.add(&network.facts, variable, value, support);
                    }
                    Event::Everything(variable, support) => {
                        self.sets.add_everything(&network.facts, variable, support);
                    }
                }
            }
            if self.sets.found.len() != before {
                self.schedule.counts.push(count);
                return true;
            }
        }
        false
    }
}
