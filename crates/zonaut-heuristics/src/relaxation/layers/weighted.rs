//! The layers of transitions with weights: the facts that are reachable with an accumulated weight.
//!
//! A layer is then the set of facts that are reachable with one more event, and has at least the
//! weight of the layer before. A fact is due at the weight of its producer's transition, after the
//! last fact that the producer needs; a value that another participant of the same transition has
//! just written does not add the weight again.
//!
//! *Proof that this is a lower bound.* Let every value of a state s be due at c at the latest, and
//! let a transition of weight w lead to t. No action that takes part has a weight greater than w,
//! alone or with its lightest partner, because further participants never make a transition
//! lighter. The actions are enabled at c, so their constant effects are due at c + w. The inputs of
//! an effect from s are due at c, those written by earlier participants at c + w by induction over
//! the order of execution, so the results are due at c + w.
//!
//! The computation does not distinguish whether an earlier participant has written a value or the
//! effect itself in an earlier step, so that an effect which reads variables that others may have
//! written in the same transition can read its own results at no cost. With unit weights
//! ([`super`]) effects run once in each layer, and each application is counted.

use super::Layers;
use super::effects::Written;
use crate::relaxation::layers::Reached;
use crate::relaxation::network::{Constant, Effect, Facts, Network, RelaxedActionId};
use crate::relaxation::sets::{Sets, Support};
use std::collections::BTreeMap;
use zonaut_analysis::VariableId;
use zonaut_analysis::runs::Runs;
use zonaut_base::Id;

/// The weight of events that never happen.
const NEVER: u32 = u32::MAX;

/// Something that becomes true.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A variable gets a value.
    Value(Written),
    /// A variable gets every value.
    Everything(VariableId, Support),
}

/// The events by weight.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    /// The events by accumulated weight, in the order of discovery.
    events: BTreeMap<u32, Vec<Event>>,
    /// The accumulated weight of each layer.
    counts: Vec<u32>,
    /// By fact of a small range, its least accumulated weight.
    due: Vec<u32>,
    /// By action, the least accumulated weight at which it is enabled.
    taken_at: Vec<u32>,
}

impl Schedule {
    /// The schedule of a network; empty if every transition has weight 1.
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

    /// The accumulated weight of the current layer.
    fn now(&self) -> u32 {
        self.counts.last().copied().unwrap_or(0)
    }

    /// The weight at which the results of an effect for the chosen values are due.
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

    /// Schedules a value, unless it is due earlier.
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

    /// Schedules all values that an action can write into a variable, from the current weight on.
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
    /// Continues from the first layer, up to the goal.
    pub(super) fn build_by_weight(&mut self, network: &Network, runs: &mut Runs<'_>) -> Reached {
        let mut done = 0;
        loop {
            done = self.react(network, runs, done);
            if self.meets_goal(network) {
                return Reached::Goal(self.schedule.now());
            }
            // An incomplete layer proves nothing.
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

    /// Takes the actions that are enabled now.
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

    /// Advances to the next layer; returns whether one exists.
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
