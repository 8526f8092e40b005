//! The backward pass: extraction of the steps that support the goal.
//!
//! From the goal backwards, every fact that is needed and not in layer 0 selects the step that
//! first produced it, and that step needs the facts that made the guards of its participants true
//! and the inputs of its updates (Figure 5 of the paper). All of these lie in earlier layers,
//! except values that another participant of the same transition has just written, which were found
//! before in the same layer; so facts are processed from the last layer to the first, and the steps
//! in opposite order are a run of the abstraction.
//!
//! A step is counted once for each layer in which it is needed: within a layer one application adds
//! all values that it can, and in another layer it is needed for other values, as when a counter is
//! increased several times. A binary synchronisation is one step of two actions; two actions that
//! are both needed are preferred. A broadcast is one step of all actions that join it.

use super::AbstractStep;
use super::layers::{Layers, NONE};
use super::network::{Goal, Network, Side};
use super::sets::Support;
use crate::dependencies::Dependencies;
use crate::weights::Participant;
use std::collections::BTreeSet;
use zonaut_analysis::Meaning;
use zonaut_base::Id;
use zonaut_model::{CellId, ChannelId, ExpressionId, Model};

/// The generation and the layer of a mark.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Mark {
    now: u64,
    layer: u32,
}

/// The working memory of the backward pass.
#[derive(Clone, Debug)]
pub(super) struct Extraction {
    /// The generation in which each fact was last needed.
    needed: Vec<u64>,
    /// The generation in which each node was last needed.
    asked: Vec<u64>,
    now: u64,
    /// The needed facts of each layer, as lists.
    heads: Vec<u32>,
    next: Vec<u32>,
    /// The latest mark of an action as needed for its effect.
    wanted: Vec<Mark>,
    /// The latest mark of an action as selected.
    selected: Vec<Mark>,
    /// The step that it was selected for.
    step_of: Vec<u32>,
    stack: Vec<u32>,
    /// The layers of the selected steps, last one first.
    steps: Vec<u32>,
    /// The pairs of a step and an action that takes part in it.
    participants: Vec<(u32, u32)>,
    /// Whether inputs of updates are ignored.
    is_direct: bool,
}

impl Extraction {
    pub(super) fn new(network: &Network) -> Self {
        let (facts, actions) = (network.facts.len(), network.actions.len());
        Self {
            needed: vec![0; facts],
            asked: vec![0; network.missing.len()],
            now: 0,
            heads: Vec::new(),
            next: vec![NONE; facts],
            wanted: vec![Mark::default(); actions],
            selected: vec![Mark::default(); actions],
            step_of: vec![0; actions],
            stack: Vec::new(),
            steps: Vec::new(),
            participants: Vec::new(),
            is_direct: false,
        }
    }

    /// The weight of the steps to a goal in the last layer. It is at least `least`, the weight of
    /// the layers, though fewer steps may have been selected: values of large ranges have no single
    /// support, and updates around every transition are not steps.
    pub(super) fn length(&mut self, network: &Network, layers: &Layers, least: u32) -> u32 {
        self.select_steps(network, layers, layers.sets.layer);
        least.max(if network.has_units { self.steps.len() as u32 } else { self.weight(network) })
    }

    /// The weight of the selected steps, each at least that of its heaviest action.
    fn weight(&self, network: &Network) -> u32 {
        let mut weights = vec![0; self.steps.len()];
        for &(step, action) in &self.participants {
            let weight: &mut u32 = &mut weights[step as usize];
            *weight = (*weight).max(network.actions[action as usize].weight);
        }
        weights.into_iter().fold(0, u32::saturating_add)
    }

    fn select_steps(&mut self, network: &Network, layers: &Layers, last: u32) {
        self.now += 1;
        self.steps.clear();
        self.participants.clear();
        self.heads.clear();
        self.heads.resize(last as usize + 1, NONE);
        let Goal::Proposition(goal) = network.goal else { return };
        self.ask(network, layers, goal.index() as u32);
        for layer in (1..=last).rev() {
            self.want(layers, layer);
            while self.heads[layer as usize] != NONE {
                let fact = self.heads[layer as usize];
                self.heads[layer as usize] = self.next[fact as usize];
                let Support { action, causes: (start, end), .. } =
                    layers.sets.support[fact as usize];
                let end = if self.is_direct || faulty!(InputsForgotten) { start } else { end };
                for cause in start..end {
                    self.need(layers, layers.sets.causes[cause as usize]);
                }
                self.select(network, layers, action, layer);
            }
        }
    }

    /// Marks the actions that produced the needed facts of a layer.
    fn want(&mut self, layers: &Layers, layer: u32) {
        let mut fact = self.heads[layer as usize];
        while fact != NONE {
            let action = layers.sets.support[fact as usize].action;
            if action != NONE {
                self.wanted[action as usize] = Mark { now: self.now, layer };
            }
            fact = self.next[fact as usize];
        }
    }

    fn need(&mut self, layers: &Layers, fact: u32) {
        let layer = layers.sets.layer_of[fact as usize];
        if layer == 0 || self.needed[fact as usize] == self.now {
            return;
        }
        self.needed[fact as usize] = self.now;
        self.next[fact as usize] = self.heads[layer as usize];
        self.heads[layer as usize] = fact;
    }

    /// Ensures that an action takes part in a step of a layer.
    fn select(&mut self, network: &Network, layers: &Layers, action: u32, layer: u32) {
        let counted = if faulty!(RepetitionsForgotten) { 0 } else { layer };
        let mark = Mark { now: self.now, layer: counted };
        // Updates around every transition are not steps.
        if action == NONE
            || self.selected[action as usize] == mark
            || network.actions[action as usize].participant.is_none()
        {
            return;
        }
        self.ask(network, layers, network.first_action + action);
        let Some((channel, side)) = network.actions[action as usize].channel else {
            self.add_step(layer);
            self.join(action, mark);
            return;
        };
        let joins = side == Side::Receive && network.is_broadcast[channel.index()];
        let partner = match side {
            Side::Announce => NONE,
            _ if joins => layers.partner[action as usize],
            _ => self.partner(network, layers, action, layer),
        };
        if joins && self.selected[partner as usize] == mark {
            let step = self.step_of[partner as usize];
            self.selected[action as usize] = mark;
            self.participants.push((step, action));
            return;
        }
        self.add_step(layer);
        self.join(action, mark);
        if partner != NONE {
            if !faulty!(PartnerForgotten) {
                self.ask(network, layers, network.first_action + partner);
            }
            self.join(partner, mark);
        }
    }

    fn add_step(&mut self, layer: u32) {
        self.steps.push(layer);
    }

    /// Adds an action to the last step.
    fn join(&mut self, action: u32, mark: Mark) {
        let step = self.steps.len() as u32 - 1;
        self.selected[action as usize] = mark;
        self.step_of[action as usize] = step;
        self.participants.push((step, action));
    }

    /// The partner of a binary synchronisation: one that is needed as well, if possible.
    fn partner(&self, network: &Network, layers: &Layers, action: u32, layer: u32) -> u32 {
        let Some((channel, side)) = network.actions[action as usize].channel else { return NONE };
        let others = match side {
            Side::Receive => network.senders.of(channel.index()),
            Side::Send | Side::Announce => network.receivers.of(channel.index()),
        };
        let process = network.process_of(action as usize);
        let mark = Mark { now: self.now, layer };
        let fits = |&&other: &&u32| {
            self.wanted[other as usize] == mark
                && self.selected[other as usize] != mark
                && layers.is_ready_before(network, other, layer)
                && network.process_of(other as usize) != process
        };
        others.iter().find(fits).copied().unwrap_or(layers.partner[action as usize])
    }

    /// Marks the facts that made a node true as needed.
    fn ask(&mut self, network: &Network, layers: &Layers, node: u32) {
        self.stack.push(node);
        while let Some(node) = self.stack.pop() {
            if self.asked[node as usize] == self.now {
                continue;
            }
            self.asked[node as usize] = self.now;
            if (node as usize) < network.leaves.len() {
                let (start, end) = layers.leaf_causes[node as usize];
                for cause in start..end {
                    self.need(layers, layers.sets.causes[cause as usize]);
                }
            } else if network.missing[node as usize] == 1 {
                self.stack.push(layers.last_part[node as usize]);
            } else {
                self.stack.extend(network.children.of(node as usize));
            }
        }
    }

    /// The selected steps without those that are needed only as inputs of updates: a variable is
    /// needed for guards, not for the values computed from it.
    pub(super) fn direct_path(
        &mut self,
        network: &Network,
        layers: &Layers,
        model: &Model,
    ) -> Vec<AbstractStep> {
        self.is_direct = true;
        let path = self.path(network, layers, model);
        self.is_direct = false;
        path
    }

    /// The selected steps, first layer first.
    pub(super) fn path(
        &mut self,
        network: &Network,
        layers: &Layers,
        model: &Model,
    ) -> Vec<AbstractStep> {
        self.select_steps(network, layers, layers.sets.layer);
        let mut actions: Vec<Vec<u32>> = vec![Vec::new(); self.steps.len()];
        for &(step, action) in &self.participants {
            actions[step as usize].push(action);
        }
        let steps = self.steps.iter().zip(&actions).rev();
        steps.map(|(&layer, actions)| describe(network, model, layer - 1, actions)).collect()
    }

    /// The actions of the steps that were selected last.
    pub(super) fn actions(&self) -> impl Iterator<Item = u32> {
        self.participants.iter().map(|&(_, action)| action)
    }

    /// Forgets the steps that were selected last.
    pub(super) fn forget(&mut self) {
        self.steps.clear();
        self.participants.clear();
    }

    pub(super) fn bytes(&self) -> usize {
        self.needed.len() * (size_of::<u64>() + size_of::<u32>())
            + (self.asked.len() + 4 * self.selected.len()) * size_of::<u64>()
    }
}

fn describe(network: &Network, model: &Model, layer: u32, actions: &[u32]) -> AbstractStep {
    let dependencies = Dependencies { model, variables: &network.facts.variables };
    let mut edges: Vec<(bool, Participant)> = Vec::new();
    let mut channel: Option<ChannelId> = None;
    let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
    for &action in actions {
        let action = &network.actions[action as usize];
        let Some(participant) = action.participant else { continue };
        let Participant { process, edge } = participant;
        let receives = matches!(action.channel, Some((_, Side::Receive)));
        edges.push((receives, participant));
        channel = action.channel.map(|(channel, _)| channel);
        let definition = &model.processes[process].edges[edge];
        let mut roots: Vec<ExpressionId> = definition.guard.data.into_iter().collect();
        roots.extend(&definition.updates);
        if let Some(synchronisation) = &definition.synchronisation {
            roots.extend(synchronisation.channel.indices.iter().map(|index| index.value));
        }
        let footprint = dependencies.footprint(roots);
        reads.extend(footprint.reads);
        writes.extend(footprint.writes);
    }
    edges.sort_unstable();
    let cells = |set: BTreeSet<_>| -> Vec<CellId> {
        let cell = |variable| match network.facts.variables.meaning(variable) {
            Meaning::Cell(cell) => Some(cell),
            Meaning::Process(_) => None,
        };
        set.into_iter().filter_map(cell).collect()
    };
    AbstractStep {
        layer,
        edges: edges.into_iter().map(|(_, participant)| participant).collect(),
        channel,
        reads: cells(reads),
        writes: cells(writes),
    }
}
