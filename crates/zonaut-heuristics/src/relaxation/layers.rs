//! The layers of the relaxation: the facts that are reachable in a number of steps.

mod effects;
mod layer_cache;
mod partners;
mod tuples;
mod weighted;

use super::compile::undergo;
use super::hull::may_hold;
use super::network::{Goal, Leaf, Network, TableInput};
use super::sets::{Found, Sets, Support, View};
use effects::Written;
use layer_cache::LayerCache;
use partners::Ready;
use std::ops::ControlFlow;
use tuples::{for_each_tuple, row};
use weighted::Schedule;
use zonaut_analysis::VariableId;
use zonaut_analysis::runs::{Outcome, Runs};
use zonaut_base::Id;

/// The absent action or process.
pub(super) const NONE: u32 = u32::MAX;

/// The result of building layers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reached {
    /// The goal can hold after steps of this weight.
    Goal(u32),
    /// The goal cannot hold: a fixpoint is reached. A run-time error may have occurred.
    Fixpoint { may_fail: bool },
    /// The meter stopped the computation.
    Unknown,
}

/// The state of a node during the forward pass.
#[derive(Clone, Copy, Debug)]
struct NodeState {
    /// The number of its parts that are not true yet.
    missing: u32,
    /// The sum of the layers of the facts it depends on, if causes are recorded.
    weight: u32,
}

/// The working memory of the forward pass, kept between evaluations.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    pub(super) sets: Sets,
    nodes: Vec<NodeState>,
    /// The initial state of the nodes.
    first_nodes: Vec<NodeState>,
    /// By node, the part that became true last.
    pub(super) last_part: Vec<u32>,
    /// The facts that made a leaf true, as a range of `sets.causes`.
    pub(super) leaf_causes: Vec<(u32, u32)>,
    stack: Vec<u32>,
    /// Actions whose guards became true in this layer.
    ready: Vec<u32>,
    firing: Vec<u32>,
    is_fired: Vec<bool>,
    /// Actions that are disabled.
    is_forbidden: Vec<bool>,
    /// The layer in which the guard of an action became true.
    ready_at: Vec<u32>,
    /// The partner with which an action was first taken.
    pub(super) partner: Vec<u32>,
    /// The actions that can send and receive on each channel.
    sending: Vec<Ready>,
    receiving: Vec<Ready>,
    is_active: Vec<bool>,
    queued_effects: Vec<u32>,
    is_queued: Vec<bool>,
    queued_leaves: Vec<u32>,
    leaf_is_queued: Vec<bool>,
    /// Leaves with too many tuples; as sets only grow, they stay so.
    leaf_is_large: Vec<bool>,
    /// Effects with too many tuples, which have produced all values they can.
    is_exhausted: Vec<bool>,
    /// The number of values of each input that an effect has processed.
    worked_on: Vec<u32>,
    first_input: Vec<u32>,
    from: Vec<u32>,
    to: Vec<u32>,
    at: Vec<u32>,
    written: Vec<Written>,
    may_fail: bool,
    /// The events by their weight, if transitions have weights.
    schedule: Schedule,
    /// The cache of earlier layers, if only the distance is needed.
    layer_cache: Option<LayerCache>,
    /// Whether causes are recorded.
    pub(super) records: bool,
}

impl Layers {
    pub(super) fn new(network: &Network, records: bool) -> Self {
        let (nodes, actions) = (network.missing.len(), network.actions.len());
        let missing = network.missing.iter();
        let first_nodes: Vec<NodeState> =
            missing.map(|&missing| NodeState { missing, weight: 0 }).collect();
        let mut first_input = vec![0];
        let mut end = 0;
        for effect in &network.effects {
            end += effect.inputs.len() as u32;
            first_input.push(end);
        }
        let channels = network.senders.len();
        Self {
            sets: Sets::new(&network.facts),
            nodes: first_nodes.clone(),
            first_nodes,
            last_part: vec![0; nodes],
            leaf_causes: vec![(0, 0); network.leaves.len()],
            stack: Vec::new(),
            ready: Vec::new(),
            firing: Vec::new(),
            is_fired: vec![false; actions],
            is_forbidden: vec![false; actions],
            ready_at: vec![0; actions],
            partner: vec![NONE; actions],
            sending: vec![Ready::EMPTY; channels],
            receiving: vec![Ready::EMPTY; channels],
            is_active: vec![false; network.effects.len()],
            queued_effects: Vec::new(),
            is_queued: vec![false; network.effects.len()],
            queued_leaves: Vec::new(),
            leaf_is_queued: vec![false; network.leaves.len()],
            leaf_is_large: vec![false; network.leaves.len()],
            is_exhausted: vec![false; network.effects.len()],
            worked_on: vec![0; end as usize],
            first_input,
            from: Vec::new(),
            to: Vec::new(),
            at: Vec::new(),
            written: Vec::new(),
            may_fail: false,
            schedule: Schedule::new(network),
            layer_cache: None,
            records,
        }
    }

    /// Layers with a cache. They end as soon as the distance is known and are incomplete then.
    pub(super) fn with_cache(network: &Network) -> Self {
        let layer_cache = if network.has_units { LayerCache::new(network) } else { None };
        Self { layer_cache, ..Self::new(network, false) }
    }

    /// Builds the layers for a state, up to the goal.
    pub(super) fn build(
        &mut self,
        network: &Network,
        runs: &mut Runs<'_>,
        values: &[i32],
    ) -> Reached {
        if network.goal == Goal::Holds {
            return Reached::Goal(0);
        }
        self.reset();
        for (index, &value) in values.iter().enumerate() {
            let support = Support { action: NONE, causes: (0, 0), weight: 0 };
            self.sets.add(&network.facts, VariableId::from_index(index), value, support);
        }
        self.firing.extend(network.always.iter().map(|action| action.index() as u32));
        if !network.has_units {
            return self.build_by_weight(network, runs);
        }
        let mut done = 0;
        let mut layer = 0;
        loop {
            done = self.react(network, runs, done);
            if self.meets_goal(network) {
                self.learn(1);
                return Reached::Goal(layer);
            }
            // Estimates of the state itself are cached elsewhere, by the values that are read.
            if layer > 0
                && let Some(left) = self.left()
            {
                self.learn(left);
                return Reached::Goal(layer + left);
            }
            // An incomplete layer proves nothing.
            if runs.meter().spend(done as u32).is_err() {
                return Reached::Unknown;
            }
            self.match_partners(network);
            layer += 1;
            self.sets.layer = layer;
            self.fire(network);
            self.run_effects(network, runs);
            if self.sets.found.len() == done {
                return Reached::Fixpoint { may_fail: self.may_fail };
            }
        }
    }

    /// The number of steps left to the goal, if an equal layer is in the cache.
    fn left(&mut self) -> Option<u32> {
        let sets = &self.sets;
        self.layer_cache.as_mut().and_then(|layer_cache| layer_cache.left(sets))
    }

    /// Records the number of steps that are left from the layer that was looked up last.
    fn learn(&mut self, left: u32) {
        self.layer_cache.iter_mut().for_each(|layer_cache| layer_cache.learn(left));
    }

    /// Disables or enables actions.
    pub(super) fn forbid(&mut self, actions: &[u32], are_forbidden: bool) {
        for &action in actions {
            self.is_forbidden[action as usize] = are_forbidden;
        }
    }

    /// Whether the goal can hold.
    fn meets_goal(&self, network: &Network) -> bool {
        match network.goal {
            Goal::Proposition(goal) => self.nodes[goal.index()].missing == 0,
            Goal::Holds => true,
            Goal::Never => false,
        }
    }

    fn reset(&mut self) {
        self.sets.reset();
        self.schedule.reset();
        self.layer_cache.iter_mut().for_each(LayerCache::begin);
        self.nodes.copy_from_slice(&self.first_nodes);
        self.is_fired.fill(false);
        self.sending.fill(Ready::EMPTY);
        self.receiving.fill(Ready::EMPTY);
        self.is_active.fill(false);
        self.leaf_is_large.fill(false);
        self.is_exhausted.fill(false);
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

    /// Propagates the new facts to all nodes; returns the number of facts.
    fn react(&mut self, network: &Network, runs: &mut Runs<'_>, done: usize) -> usize {
        let end = self.sets.found.len();
        self.sets.freeze(done);
        for position in done..end {
            let Found { variable, value, fact } = self.sets.found[position];
            for &leaf in network.leaves_of_fact.of(fact.index()) {
                if self.nodes[leaf as usize].missing != 0 {
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
                if self.nodes[leaf as usize].missing != 0 && !self.leaf_is_queued[leaf as usize] {
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
            self.evaluate_leaf(network, runs, leaf);
        }
        end
    }

    fn queue(&mut self, network: &Network, effect: u32) {
        if !network.is_ordered[effect as usize] && !self.is_queued[effect as usize] {
            self.is_queued[effect as usize] = true;
            self.queued_effects.push(effect);
        }
    }

    /// Makes a leaf true, and propagates to the nodes above it.
    fn satisfy(&mut self, network: &Network, leaf: u32) {
        if self.records {
            self.propagate::<true>(network, leaf);
        } else {
            self.propagate::<false>(network, leaf);
        }
    }

    fn propagate<const RECORDS: bool>(&mut self, network: &Network, leaf: u32) {
        let weight = if RECORDS { self.sets.layer } else { 0 };
        self.nodes[leaf as usize] = NodeState { missing: 0, weight };
        self.stack.push(leaf);
        while let Some(node) = self.stack.pop() {
            let weight = self.nodes[node as usize].weight;
            for &parent in network.parents.of(node as usize) {
                let state = &mut self.nodes[parent as usize];
                if state.missing == 0 {
                    continue;
                }
                state.missing -= 1;
                if RECORDS {
                    state.weight += weight;
                }
                if state.missing != 0 {
                    continue;
                }
                if RECORDS {
                    self.last_part[parent as usize] = node;
                }
                match network.action_of(parent as usize) {
                    Some(action) if self.is_forbidden[action] => {}
                    Some(action) => {
                        self.ready_at[action] = self.sets.layer;
                        self.ready.push(action as u32);
                    }
                    None => self.stack.push(parent),
                }
            }
        }
    }

    /// Searches a tuple with the new value that satisfies a leaf.
    fn try_table(&mut self, network: &Network, leaf: u32, variable: VariableId, value: i32) {
        let Leaf::Table(table) = &network.leaves[leaf as usize] else { return };
        if self.nodes[leaf as usize].missing == 0 {
            return;
        }
        self.from.clear();
        self.to.clear();
        for &TableInput { variable: input, .. } in &table.inputs {
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
                let inputs = table.inputs.iter().map(|input| input.variable);
                self.leaf_causes[leaf as usize] =
                    self.sets.cause_at(&network.facts, inputs, &self.at);
            }
            self.satisfy(network, leaf);
        }
    }

    fn evaluate_leaf(&mut self, network: &Network, runs: &mut Runs<'_>, leaf: u32) {
        let Leaf::Evaluated { test, inputs } = &network.leaves[leaf as usize] else { return };
        if self.nodes[leaf as usize].missing == 0 {
            return;
        }
        let view = View { sets: &self.sets, facts: &network.facts, fresh: &[] };
        let outcome = if self.leaf_is_large[leaf as usize] {
            Outcome::Unknown
        } else {
            runs.for_each(&view, &test.bindings, |walk| {
                let holds = walk.satisfies(test)?;
                Some(if holds { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            })
        };
        self.leaf_is_large[leaf as usize] = outcome == Outcome::Unknown;
        let may_hold = match outcome {
            Outcome::Complete { .. } => false,
            Outcome::Stopped => true,
            Outcome::Unknown => may_hold(runs.model(), view, test),
        };
        if !may_hold {
            return;
        }
        if self.records {
            self.leaf_causes[leaf as usize] = match outcome {
                Outcome::Stopped => self.sets.cause_of(&network.facts, runs.choices()),
                _ => self.sets.cause_of_layer(inputs),
            };
        }
        self.satisfy(network, leaf);
    }

    /// Whether an evaluation besides updates may fail within the last layer.
    pub(super) fn meets_hazard(&self, network: &Network, runs: &mut Runs<'_>) -> bool {
        let view = View { sets: &self.sets, facts: &network.facts, fresh: &[] };
        network.hazards.iter().any(|hazard| {
            let is_reached = hazard.at.is_none_or(|fact| self.sets.has(fact));
            is_reached
                && runs.for_each(&view, &hazard.bindings, |walk| {
                    undergo(walk, &hazard.steps).map(ControlFlow::Continue)
                }) != Outcome::Complete { failed: false }
        })
    }

    /// Whether every evaluation was performed, and every value is distinguished.
    pub(super) fn is_exact(&self) -> bool {
        let is_large = self.leaf_is_large.contains(&true) || self.is_exhausted.contains(&true);
        self.sets.is_exact() && !is_large
    }

    /// Whether the guard of an action can hold before a layer.
    pub(super) fn is_ready_before(&self, network: &Network, action: u32, layer: u32) -> bool {
        self.nodes[(network.first_action + action) as usize].missing == 0
            && self.ready_at[action as usize] < layer
    }

    pub(super) fn bytes(&self) -> usize {
        let layer_cache = self.layer_cache.as_ref().map_or(0, LayerCache::bytes);
        layer_cache
            + self.sets.bytes()
            + (self.nodes.len() * 4 + self.worked_on.len()) * size_of::<u32>()
    }
}
