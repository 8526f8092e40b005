//! Actions of edges: one for every combination of select values and every channel.

use crate::interval::declared_walk;
use crate::normal_form::{Binding, Bindings, Condition, Test, TestKind};
use zonaut_base::Id;
use zonaut_model::{ChannelId, Direction, Edge, EdgeId, Model, ProcessId, Select, Synchronisation};

/// A side of a synchronisation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// Sends on a binary channel.
    Send,
    /// Receives on a binary channel.
    Receive,
    /// Sends on a broadcast channel; needs no receiver.
    Announce,
    /// Receives on a broadcast channel, possibly with others.
    Join,
}

/// An edge with values of its select variables and a channel: its part in a transition.
///
/// Law: whenever an edge takes part in a transition, one of its actions has a guard that holds
/// before, and the bindings and the channel of the transition.
#[derive(Clone, Debug)]
pub struct Action {
    /// The process.
    pub process: ProcessId,
    /// The edge.
    pub edge: EdgeId,
    /// The values of select variables; ranges of values if there are too many combinations.
    pub bindings: Bindings,
    /// The data part of the guard, and the condition that the channel expression denotes the
    /// channel.
    pub guard: Condition,
    /// The channel and the side.
    pub channel: Option<(ChannelId, Side)>,
}

/// Maximum number of combinations of select values that become separate actions.
const COMBINATIONS: u64 = 256;

impl Action {
    /// All actions of a model, by process and edge.
    #[must_use]
    pub fn all(model: &Model) -> Vec<Self> {
        let mut actions = Vec::new();
        for (process, definition) in model.processes.iter_enumerated() {
            for (id, edge) in definition.edges.iter_enumerated() {
                for bindings in combinations(&edge.select, COMBINATIONS) {
                    add(model, process, id, bindings, &mut actions);
                }
            }
        }
        actions
    }

    /// The edge of the action.
    #[must_use]
    pub fn edge<'m>(&self, model: &'m Model) -> &'m Edge {
        &model.processes[self.process].edges[self.edge]
    }
}

fn add(model: &Model, process: ProcessId, id: EdgeId, bindings: Bindings, to: &mut Vec<Action>) {
    let edge = &model.processes[process].edges[id];
    let guard = match edge.guard.data {
        None => Condition::TRUE,
        Some(data) => Condition::of_expression(&model.expressions, data, false, &bindings),
    };
    let Some(label) = &edge.synchronisation else {
        to.push(Action { process, edge: id, bindings, guard, channel: None });
        return;
    };
    for (channel, condition) in channels(model, label, &bindings) {
        let side = match (label.direction, model.channels[channel].broadcast) {
            (Direction::Send, false) => Side::Send,
            (Direction::Receive, false) => Side::Receive,
            (Direction::Send, true) => Side::Announce,
            (Direction::Receive, true) => Side::Join,
        };
        let guard = Condition::All(vec![guard.clone(), condition]);
        let (bindings, channel) = (bindings.clone(), Some((channel, side)));
        to.push(Action { process, edge: id, bindings, guard, channel });
    }
}

/// The channels that a label may denote, each with the condition under which it does.
fn channels(
    model: &Model,
    label: &Synchronisation,
    bindings: &Bindings,
) -> Vec<(ChannelId, Condition)> {
    let place = &label.channel;
    if place.is_fixed() {
        return vec![(place.root, Condition::TRUE)];
    }
    let mut walk = declared_walk(model);
    let Some(chosen) = walk.bind_all(bindings).and_then(|()| walk.channel(label)) else {
        return Vec::new();
    };
    let meaning = |&displacement: &usize| {
        let indices = place.indices.clone();
        let kind = TestKind::Chooses { indices, displacement: displacement as u32 };
        let test = Condition::Test(Test { kind, bindings: bindings.clone() });
        (ChannelId::from_index(place.root.index() + displacement), test)
    };
    chosen.as_slice().iter().map(meaning).collect()
}

/// The values of select variables: every combination or, if there are more than `most`, a single
/// one that leaves them open.
#[must_use]
pub fn combinations(select: &[Select], most: u64) -> Vec<Bindings> {
    let size = |s: &Select| (i64::from(s.high) - i64::from(s.low) + 1).max(0).unsigned_abs();
    let count = select.iter().map(size).fold(1, u64::saturating_mul);
    if count > most {
        let open = select.iter().map(|s| (s.binder, Binding::Any(s.low, s.high)));
        return vec![open.collect()];
    }
    let mut all = vec![Bindings::new()];
    for variable in select {
        let extended = all.iter().flat_map(|bindings| {
            (variable.low..=variable.high).map(move |value| {
                let mut bindings = bindings.clone();
                bindings.push((variable.binder, Binding::Value(value)));
                bindings
            })
        });
        all = extended.collect();
    }
    all
}
