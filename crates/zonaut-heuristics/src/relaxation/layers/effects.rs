//! Application of actions to the sets.

use super::tuples::{for_each_tuple, row};
use super::{Layers, NONE};
use crate::relaxation::compile::perform;
use crate::relaxation::network::{Constant, EffectId, Network, Row, Table};
use crate::relaxation::sets::{Found, Support, View};
use std::ops::ControlFlow;
use zonaut_analysis::VariableId;
use zonaut_analysis::runs::{Outcome, Runs};
use zonaut_base::Id;

/// A value that an effect produces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    pub(super) variable: VariableId,
    pub(super) value: i32,
    pub(super) support: Support,
    /// The accumulated weight at which it is produced, if transitions have weights.
    pub(super) due: u32,
}

impl Layers {
    pub(super) fn fire(&mut self, network: &Network) {
        for position in 0..self.firing.len() {
            let number = self.firing[position];
            let action = &network.actions[number as usize];
            self.may_fail |= action.fails;
            let support = self.support(network, number);
            for constant in &action.constants {
                let Constant { variable, value, fact } = *constant;
                match fact {
                    Some(fact) => self.sets.add_dense(Found { variable, value, fact }, support),
                    None => self.sets.add(&network.facts, variable, value, support),
                }
            }
            for effect in action.effects.clone() {
                self.is_active[effect as usize] = true;
                self.queue(network, effect);
            }
        }
        self.firing.clear();
    }

    /// The support by an action, without the inputs of its effects.
    pub(super) fn support(&self, network: &Network, action: u32) -> Support {
        let mut weight = 0;
        if self.records {
            let node = |action: u32| (network.first_action + action) as usize;
            weight = self.nodes[node(action)].weight;
            if self.partner[action as usize] != NONE {
                weight += self.nodes[node(self.partner[action as usize])].weight;
            }
        }
        Support { action, causes: (0, 0), weight }
    }

    pub(super) fn run_effects(&mut self, network: &Network, runs: &mut Runs<'_>) {
        for position in 0..self.queued_effects.len() {
            let effect = self.queued_effects[position];
            self.is_queued[effect as usize] = false;
            self.run_effect(network, runs, effect as usize);
        }
        self.queued_effects.clear();
        for effect in &network.ordered {
            if self.is_active[effect.index()] && self.has_new_input(network, *effect) {
                self.run_effect(network, runs, effect.index());
            }
        }
    }

    fn has_new_input(&self, network: &Network, effect: EffectId) -> bool {
        let first = self.first_input[effect.index()] as usize;
        let inputs = &network.effects[effect.index()].inputs;
        inputs.iter().enumerate().any(|(k, input)| {
            self.worked_on[first + k] != self.sets.count(input.variable, input.fresh)
        })
    }

    fn run_effect(&mut self, network: &Network, runs: &mut Runs<'_>, number: usize) {
        match &network.effects[number].table {
            Some(table) => self.run_table(network, number, table),
            None => self.evaluate_effect(network, runs, number),
        }
    }

    /// Adds the results of the tuples with a new value. Tuples are divided by the first input whose
    /// value is new.
    fn run_table(&mut self, network: &Network, number: usize, table: &Table<Row>) {
        let effect = &network.effects[number];
        let first = self.first_input[number] as usize;
        let count = effect.inputs.len();
        self.written.clear();
        let support = self.support(network, effect.action.index() as u32);
        let pivots = if faulty!(PairsForgotten) { count.min(1) } else { count };
        for pivot in 0..pivots {
            self.from.clear();
            self.to.clear();
            for (k, input) in effect.inputs.iter().enumerate() {
                let old = self.worked_on[first + k];
                let now = self.sets.count(input.variable, input.fresh);
                self.from.push(if k == pivot { old } else { 0 });
                self.to.push(if k < pivot { old } else { now });
            }
            let (sets, written, may_fail) = (&mut self.sets, &mut self.written, &mut self.may_fail);
            let (records, schedule) = (self.records, &self.schedule);
            let _ = for_each_tuple(&self.from, &self.to, &mut self.at, |at| {
                let row = &table.rows[row(network, table, sets, at)];
                *may_fail |= row.fails;
                let inputs = effect.inputs.iter().map(|input| input.variable);
                let chosen = inputs.zip(at.iter().copied());
                let mut support = support;
                if records {
                    support.weight += sets.weight_at(&network.facts, chosen.clone());
                }
                let due = match network.has_units {
                    true => 0,
                    false => schedule.due_of(network, effect, sets, chosen.clone()),
                };
                for &(variable, value) in &row.written {
                    if sets.is_improvement(&network.facts, variable, value, support.weight) {
                        if records {
                            support.causes = sets.cause_of(&network.facts, chosen.clone());
                        }
                        written.push(Written { variable, value, support, due });
                    }
                }
                ControlFlow::<()>::Continue(())
            });
        }
        for (k, input) in effect.inputs.iter().enumerate() {
            self.worked_on[first + k] = self.sets.count(input.variable, input.fresh);
        }
        self.add_written(network);
    }

    fn evaluate_effect(&mut self, network: &Network, runs: &mut Runs<'_>, number: usize) {
        if self.is_exhausted[number] {
            return;
        }
        let effect = &network.effects[number];
        let first = self.first_input[number] as usize;
        for (k, input) in effect.inputs.iter().enumerate() {
            self.worked_on[first + k] = self.sets.count(input.variable, input.fresh);
        }
        let records = self.records;
        let support = self.support(network, effect.action.index() as u32);
        let mut written = std::mem::take(&mut self.written);
        written.clear();
        let mut causes = std::mem::take(&mut self.sets.causes);
        let view = View { sets: &self.sets, facts: &network.facts, fresh: &effect.inputs };
        let outcome = runs.for_each(&view, &effect.bindings, |walk| {
            if !perform(walk, &effect.filters, &effect.updates)? {
                return Some(ControlFlow::Continue(()));
            }
            let mut support = support;
            if records {
                let start = causes.len() as u32;
                let chosen = walk.choices();
                causes.extend(chosen.map(|(v, p)| view.fact(v, p).index() as u32));
                support.causes = (start, causes.len() as u32);
                support.weight += view.sets.weight_at(&network.facts, walk.choices());
            }
            let due = match network.has_units {
                true => 0,
                false => self.schedule.due_of(network, effect, view.sets, walk.choices()),
            };
            for (variable, value) in walk.written() {
                if view.sets.is_improvement(&network.facts, variable, value, support.weight) {
                    written.push(Written { variable, value, support, due });
                }
            }
            Some(ControlFlow::Continue(()))
        });
        self.sets.causes = causes;
        self.written = written;
        self.add_written(network);
        match outcome {
            Outcome::Complete { failed } => self.may_fail |= failed,
            Outcome::Stopped | Outcome::Unknown => {
                self.is_exhausted[number] = true;
                self.may_fail |= effect.may_fail;
                for &output in &effect.outputs {
                    if network.has_units {
                        self.sets.add_everything(&network.facts, output, support);
                    } else {
                        self.schedule.add_everything(network, effect.action, output, support);
                    }
                }
            }
        }
    }

    fn add_written(&mut self, network: &Network) {
        if !network.has_units {
            for &written in &self.written {
                self.schedule.add(&network.facts, written);
            }
            return;
        }
        for position in 0..self.written.len() {
            let Written { variable, value, support, .. } = self.written[position];
            self.sets.add(&network.facts, variable, value, support);
        }
    }
}
