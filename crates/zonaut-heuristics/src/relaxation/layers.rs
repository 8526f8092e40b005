//! The layers of the relaxation: which facts can be reached in how many steps.

use super::compile::{perform, undergo};
use super::hull::may_hold;
use super::network::{ActionId, EffectId, Goal, Leaf, Network, Row, Side, Table};
use super::sets::{Found, Sets, View};
use crate::evaluate::{Evaluator, Runs};
use crate::variables::VariableId;
use std::ops::ControlFlow;
use zonaut_base::Id;

/// No action, no process.
pub(super) const NONE: u32 = u32::MAX;
/// More than one process.
const SEVERAL: u32 = u32::MAX - 1;

/// What the layers lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reached {
    /// The goal can hold after this many steps.
    Goal(u32),
    /// Never: nothing new is reached any more. Something may have failed on the way.
    Fixpoint { may_fail: bool },
}

/// The working memory of the forward pass, kept between evaluations.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    pub(super) sets: Sets,
    /// How many parts each node still misses.
    missing: Vec<u32>,
    /// The part that came last, by node.
    pub(super) last_part: Vec<u32>,
    /// Which facts made a leaf true, as a range of `sets.causes`.
    pub(super) leaf_causes: Vec<(u32, u32)>,
    stack: Vec<u32>,
    /// Actions whose guards came to hold in this layer.
    ready: Vec<u32>,
    firing: Vec<u32>,
    is_fired: Vec<bool>,
    /// The layer in which the guard of an action came to hold.
    ready_at: Vec<u32>,
    /// With whom an action was first taken.
    pub(super) partner: Vec<u32>,
    /// The process that can send and receive on each channel, if it is one.
    sending: Vec<u32>,
    receiving: Vec<u32>,
    is_active: Vec<bool>,
    queued_effects: Vec<u32>,
    is_queued: Vec<bool>,
    queued_leaves: Vec<u32>,
    leaf_is_queued: Vec<bool>,
    /// How many values of each input an effect has worked on.
    worked_on: Vec<u32>,
    first_input: Vec<u32>,
    from: Vec<u32>,
    to: Vec<u32>,
    at: Vec<u32>,
    written: Vec<(VariableId, i32, u32, u32)>,
    may_fail: bool,
    /// Whether causes are recorded.
    pub(super) records: bool,
}

impl Layers {
    pub(super) fn new(network: &Network, records: bool) -> Self {
        let (nodes, actions) = (network.missing.len(), network.actions.len());
        let mut first_input = vec![0];
        let mut end = 0;
        for effect in &network.effects {
            end += effect.inputs.len() as u32;
            first_input.push(end);
        }
        let channels = network.senders.len();
        Self {
            sets: Sets::new(&network.facts),
            missing: network.missing.clone(),
            last_part: vec![0; nodes],
            leaf_causes: vec![(0, 0); network.leaves.len()],
            stack: Vec::new(),
            ready: Vec::new(),
            firing: Vec::new(),
            is_fired: vec![false; actions],
            ready_at: vec![0; actions],
            partner: vec![NONE; actions],
            sending: vec![NONE; channels],
            receiving: vec![NONE; channels],
            is_active: vec![false; network.effects.len()],
            queued_effects: Vec::new(),
            is_queued: vec![false; network.effects.len()],
            queued_leaves: Vec::new(),
            leaf_is_queued: vec![false; network.leaves.len()],
            worked_on: vec![0; end as usize],
            first_input,
            from: Vec::new(),
            to: Vec::new(),
            at: Vec::new(),
            written: Vec::new(),
            may_fail: false,
            records,
        }
    }

    /// Builds the layers for a state, up to the goal.
    pub(super) fn build(
        &mut self,
        network: &Network,
        evaluator: &mut Evaluator<'_>,
        values: &[i32],
    ) -> Reached {
        if network.goal == Goal::Holds {
            return Reached::Goal(0);
        }
        self.reset(network);
        for (index, &value) in values.iter().enumerate() {
            self.sets.add(&network.facts, VariableId::from_index(index), value, (NONE, 0, 0));
        }
        self.firing.extend(network.always.iter().map(|action| action.index() as u32));
        let mut done = 0;
        let mut layer = 0;
        loop {
            done = self.react(network, evaluator, done);
            if let Goal::Node(goal) = network.goal
                && self.missing[goal.index()] == 0
            {
                return Reached::Goal(layer);
            }
            self.match_partners(network);
            layer += 1;
            self.sets.layer = layer;
            self.fire(network);
            self.run_effects(network, evaluator);
            if self.sets.found.len() == done {
                return Reached::Fixpoint { may_fail: self.may_fail };
            }
        }
    }

    fn reset(&mut self, network: &Network) {
        self.sets.reset();
        self.missing.copy_from_slice(&network.missing);
        self.is_fired.fill(false);
        self.sending.fill(NONE);
        self.receiving.fill(NONE);
        self.is_active.fill(false);
        self.worked_on.fill(0);
        self.ready.clear();
        self.firing.clear();
        for leaf in self.queued_leaves.drain(..) {
            self.leaf_is_queued[leaf as usize] = false;
        }
        for effect in self.queued_effects.drain(..) {
            self.is_queued[effect as usize] = false;
        }
        self.may_fail = false;
    }

    /// Makes everything true that the new facts make true; returns how many facts there are.
    fn react(&mut self, network: &Network, evaluator: &mut Evaluator<'_>, done: usize) -> usize {
        let end = self.sets.found.len();
        self.sets.freeze(done);
        for position in done..end {
            let Found { variable, value, fact } = self.sets.found[position];
            for &leaf in network.leaves_of_fact.of(fact.index()) {
                if self.missing[leaf as usize] != 0 {
                    if self.records {
                        self.leaf_causes[leaf as usize] = self.sets.cause([fact]);
                    }
                    self.satisfy(network, leaf);
                }
            }
            for &leaf in network.tables_of.of(variable.index()) {
                self.try_table(network, leaf, variable, value);
            }
            for &leaf in network.evaluated_of.of(variable.index()) {
                if self.missing[leaf as usize] != 0 && !self.leaf_is_queued[leaf as usize] {
                    self.leaf_is_queued[leaf as usize] = true;
                    self.queued_leaves.push(leaf);
                }
            }
            for &effect in network.effects_of.of(variable.index()) {
                if self.is_active[effect as usize] {
                    self.queue(network, effect);
                }
            }
        }
        while let Some(leaf) = self.queued_leaves.pop() {
            self.leaf_is_queued[leaf as usize] = false;
            self.evaluate_leaf(network, evaluator, leaf);
        }
        end
    }

    fn queue(&mut self, network: &Network, effect: u32) {
        if !network.is_ordered[effect as usize] && !self.is_queued[effect as usize] {
            self.is_queued[effect as usize] = true;
            self.queued_effects.push(effect);
        }
    }

    /// Makes a node true, and those above it.
    fn satisfy(&mut self, network: &Network, leaf: u32) {
        self.missing[leaf as usize] = 0;
        self.stack.push(leaf);
        while let Some(node) = self.stack.pop() {
            for &parent in network.parents.of(node as usize) {
                let missing = &mut self.missing[parent as usize];
                if *missing == 0 {
                    continue;
                }
                *missing -= 1;
                if *missing == 0 {
                    self.last_part[parent as usize] = node;
                    match network.action_of(parent as usize) {
                        Some(action) => {
                            self.ready_at[action] = self.sets.layer;
                            self.ready.push(action as u32);
                        }
                        None => self.stack.push(parent),
                    }
                }
            }
        }
    }

    /// Looks for a tuple with the new value that satisfies a leaf.
    fn try_table(&mut self, network: &Network, leaf: u32, variable: VariableId, value: i32) {
        let Leaf::Table(table) = &network.leaves[leaf as usize] else { return };
        if self.missing[leaf as usize] == 0 {
            return;
        }
        self.from.clear();
        self.to.clear();
        for &(input, _) in &table.inputs {
            let count = self.sets.frozen[input.index()];
            let position = if input == variable { self.sets.search(input, value) } else { None };
            self.from.push(position.unwrap_or(0));
            self.to.push(position.map_or(count, |position| position + 1));
        }
        let found = for_each_tuple(&self.from, &self.to, &mut self.at, |at| {
            if table.rows[row(network, table, &self.sets, at)] {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        if found.is_break() {
            if self.records {
                let inputs = table.inputs.iter().map(|(input, _)| *input);
                self.leaf_causes[leaf as usize] =
                    self.sets.cause_at(&network.facts, inputs, &self.at);
            }
            self.satisfy(network, leaf);
        }
    }

    fn evaluate_leaf(&mut self, network: &Network, evaluator: &mut Evaluator<'_>, leaf: u32) {
        let Leaf::Evaluated { test, inputs } = &network.leaves[leaf as usize] else { return };
        if self.missing[leaf as usize] == 0 {
            return;
        }
        let view = View { sets: &self.sets, facts: &network.facts, fresh: &[] };
        let runs = evaluator.for_each_run(&test.bindings, |evaluator| {
            let holds = evaluator.test(&view, test)?;
            Ok(if holds { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        let may_hold = match runs {
            Runs::Complete { .. } => false,
            Runs::Stopped => true,
            Runs::Unknown => may_hold(evaluator.model(), &view, test),
        };
        if !may_hold {
            return;
        }
        if self.records {
            self.leaf_causes[leaf as usize] = match runs {
                Runs::Stopped => self.sets.cause_of(&network.facts, evaluator.choices()),
                _ => self.sets.cause_of_layer(inputs),
            };
        }
        self.satisfy(network, leaf);
    }

    /// Finds out which of the actions that are ready can be taken: internal ones and announcements
    /// at once, the others with a partner in another process.
    fn match_partners(&mut self, network: &Network) {
        for position in 0..self.ready.len() {
            let action = self.ready[position];
            let Some((channel, side)) = network.actions[action as usize].channel else {
                self.start(action, NONE);
                continue;
            };
            let process = network.process_of(action as usize).map_or(NONE, |p| p.index() as u32);
            let receives = side == Side::Receive;
            let (own, others) = if receives {
                (&mut self.receiving, network.senders.of(channel.index()))
            } else {
                (&mut self.sending, network.receivers.of(channel.index()))
            };
            // A process that was seen on this side has nobody new to meet.
            let known = own[channel.index()];
            let is_new = known != process && known != SEVERAL;
            if is_new {
                own[channel.index()] = if known == NONE { process } else { SEVERAL };
            }
            if side == Side::Announce {
                self.start(action, NONE);
                if faulty!(NobodyJoins) {
                    continue;
                }
            }
            let across = if receives { &self.sending } else { &self.receiving };
            if across[channel.index()] == NONE || across[channel.index()] == process {
                continue;
            }
            for &other in others {
                let is_ready = self.missing[network.first_action as usize + other as usize] == 0;
                let is_other =
                    network.process_of(other as usize).map(|p| p.index() as u32) != Some(process);
                if is_ready && is_other {
                    self.start(action, other);
                    self.start(other, action);
                    if !is_new {
                        break;
                    }
                }
            }
        }
        self.ready.clear();
    }

    fn start(&mut self, action: u32, partner: u32) {
        if !self.is_fired[action as usize] {
            self.is_fired[action as usize] = true;
            self.partner[action as usize] = partner;
            self.firing.push(action);
        }
    }

    fn fire(&mut self, network: &Network) {
        for position in 0..self.firing.len() {
            let number = self.firing[position];
            let action = &network.actions[number as usize];
            self.may_fail |= action.fails;
            for &(variable, value) in &action.constants {
                self.sets.add(&network.facts, variable, value, (number, 0, 0));
            }
            for effect in action.effects.clone() {
                self.is_active[effect as usize] = true;
                self.queue(network, effect);
            }
        }
        self.firing.clear();
    }

    fn run_effects(&mut self, network: &Network, evaluator: &mut Evaluator<'_>) {
        for position in 0..self.queued_effects.len() {
            let effect = self.queued_effects[position];
            self.is_queued[effect as usize] = false;
            self.run_effect(network, evaluator, effect as usize);
        }
        self.queued_effects.clear();
        for effect in &network.ordered {
            if self.is_active[effect.index()] && self.has_new_input(network, *effect) {
                self.run_effect(network, evaluator, effect.index());
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

    fn run_effect(&mut self, network: &Network, evaluator: &mut Evaluator<'_>, number: usize) {
        match &network.effects[number].table {
            Some(table) => self.run_table(network, number, table),
            None => self.evaluate_effect(network, evaluator, number),
        }
    }

    /// Adds what the tuples with a new value lead to. Tuples are divided by the first input whose
    /// value is new.
    fn run_table(&mut self, network: &Network, number: usize, table: &Table<Row>) {
        let effect = &network.effects[number];
        let first = self.first_input[number] as usize;
        let count = effect.inputs.len();
        self.written.clear();
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
            let records = self.records;
            let _ = for_each_tuple(&self.from, &self.to, &mut self.at, |at| {
                let row = &table.rows[row(network, table, sets, at)];
                *may_fail |= row.fails;
                for &(variable, value) in &row.written {
                    if sets.is_new(&network.facts, variable, value) {
                        let inputs = effect.inputs.iter().map(|input| input.variable);
                        let (start, end) = if records {
                            sets.cause_at(&network.facts, inputs, at)
                        } else {
                            (0, 0)
                        };
                        written.push((variable, value, start, end));
                    }
                }
                ControlFlow::<()>::Continue(())
            });
        }
        for (k, input) in effect.inputs.iter().enumerate() {
            self.worked_on[first + k] = self.sets.count(input.variable, input.fresh);
        }
        self.add_written(network, effect.action);
    }

    fn evaluate_effect(&mut self, network: &Network, evaluator: &mut Evaluator<'_>, number: usize) {
        let effect = &network.effects[number];
        let first = self.first_input[number] as usize;
        for (k, input) in effect.inputs.iter().enumerate() {
            self.worked_on[first + k] = self.sets.count(input.variable, input.fresh);
        }
        let records = self.records;
        let mut written = std::mem::take(&mut self.written);
        written.clear();
        let mut causes = std::mem::take(&mut self.sets.causes);
        let view = View { sets: &self.sets, facts: &network.facts, fresh: &effect.inputs };
        let runs = evaluator.for_each_run(&effect.bindings, |evaluator| {
            if !perform(evaluator, &view, &effect.filters, &effect.updates)? {
                return Ok(ControlFlow::Continue(()));
            }
            let start = causes.len() as u32;
            let mut end = start;
            for (variable, value) in evaluator.written() {
                if !view.sets.is_new(&network.facts, variable, value) {
                    continue;
                }
                if records && end == start {
                    let chosen = evaluator.choices();
                    causes.extend(chosen.map(|(v, p)| view.fact(v, p).index() as u32));
                    end = causes.len() as u32;
                }
                written.push((variable, value, start, end));
            }
            Ok(ControlFlow::Continue(()))
        });
        self.sets.causes = causes;
        self.written = written;
        self.add_written(network, effect.action);
        match runs {
            Runs::Complete { failed } => self.may_fail |= failed,
            Runs::Stopped | Runs::Unknown => {
                self.may_fail |= effect.may_fail;
                for &output in &effect.outputs {
                    let support = (effect.action.index() as u32, 0, 0);
                    self.sets.add_everything(&network.facts, output, support);
                }
            }
        }
    }

    fn add_written(&mut self, network: &Network, action: ActionId) {
        for position in 0..self.written.len() {
            let (variable, value, start, end) = self.written[position];
            let support = (action.index() as u32, start, end);
            self.sets.add(&network.facts, variable, value, support);
        }
    }

    /// Whether something besides updates may fail within the last layer.
    pub(super) fn meets_hazard(&self, network: &Network, evaluator: &mut Evaluator<'_>) -> bool {
        let view = View { sets: &self.sets, facts: &network.facts, fresh: &[] };
        network.hazards.iter().any(|hazard| {
            let is_reached = hazard.at.is_none_or(|fact| self.sets.has(fact));
            is_reached
                && evaluator.for_each_run(&hazard.bindings, |evaluator| {
                    undergo(evaluator, &view, &hazard.steps).map(ControlFlow::Continue)
                }) != Runs::Complete { failed: false }
        })
    }

    /// Whether the guard of an action can hold before a layer.
    pub(super) fn is_ready_before(&self, network: &Network, action: u32, layer: u32) -> bool {
        self.missing[(network.first_action + action) as usize] == 0
            && self.ready_at[action as usize] < layer
    }

    pub(super) fn bytes(&self) -> usize {
        self.sets.bytes() + (self.missing.len() * 2 + self.worked_on.len()) * size_of::<u32>()
    }
}

/// The row of the values at these positions.
#[inline]
fn row<T>(network: &Network, table: &Table<T>, sets: &Sets, at: &[u32]) -> usize {
    let mut row = 0;
    for (&(input, stride), &position) in table.inputs.iter().zip(at) {
        let value = sets.value(input, position);
        let low = network.facts.variables.domain(input).low;
        row += value.wrapping_sub(low) as usize * stride as usize;
    }
    row
}

/// Calls `visit` with every tuple of positions within the bounds.
#[inline]
fn for_each_tuple(
    from: &[u32],
    to: &[u32],
    at: &mut Vec<u32>,
    mut visit: impl FnMut(&[u32]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if from.iter().zip(to).any(|(from, to)| from >= to) {
        return ControlFlow::Continue(());
    }
    at.clear();
    at.extend_from_slice(from);
    loop {
        visit(at)?;
        let Some(next) = (0..at.len()).find(|&k| at[k] + 1 < to[k]) else {
            return ControlFlow::Continue(());
        };
        at[next] += 1;
        at[..next].copy_from_slice(&from[..next]);
    }
}
