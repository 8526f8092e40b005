//! Labels of transitions: the requirements on components outside an automaton, which are partners
//! and values of variables.

use crate::relation::{RelationId, Relations, WriteOrder};
use std::collections::HashMap;
use zonaut_analysis::action::Side;
use zonaut_base::{IndexVec, define_id};
use zonaut_model::ChannelId;

define_id!(
    /// The id of a label.
    pub(crate) struct LabelId
);
define_id!(
    /// A variable that is a component of its own.
    pub(crate) struct FactorId
);

/// The partners outside that a transition needs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Role {
    /// No partner: all participants are inside.
    Alone,
    /// It is on one side of a channel, and the other side is outside. The sender of a broadcast
    /// needs no partner, but others may join it.
    On(ChannelId, Side),
}

/// The requirements of a transition on components outside.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Label {
    pub(crate) role: Role,
    /// The relations to variables outside, ascending by variable.
    pub(crate) relations: Vec<(FactorId, RelationId)>,
}

/// The interned labels.
#[derive(Debug, Default)]
pub(crate) struct LabelTable {
    all: IndexVec<LabelId, Label>,
    known: HashMap<Label, LabelId>,
    joint: HashMap<(LabelId, LabelId), Option<LabelId>>,
    pub(crate) relations: Relations,
}

impl std::ops::Index<LabelId> for LabelTable {
    type Output = Label;
    fn index(&self, id: LabelId) -> &Label {
        &self.all[id]
    }
}

impl LabelTable {
    pub(crate) fn intern(&mut self, label: Label) -> LabelId {
        if let Some(&known) = self.known.get(&label) {
            return known;
        }
        let id = self.all.push(label.clone());
        self.known.insert(label, id);
        id
    }

    /// The label with another role.
    pub(crate) fn with_role(&mut self, id: LabelId, role: Role) -> LabelId {
        let relations = self.all[id].relations.clone();
        self.intern(Label { role, relations })
    }

    /// The relation of a label to a variable, and the label without it.
    pub(crate) fn without(
        &mut self,
        id: LabelId,
        factor: FactorId,
    ) -> (Option<RelationId>, LabelId) {
        let Label { role, mut relations } = self.all[id].clone();
        let Some(position) = relations.iter().position(|(other, _)| *other == factor) else {
            return (None, id);
        };
        let (_, relation) = relations.remove(position);
        (Some(relation), self.intern(Label { role, relations }))
    }

    /// The label of the joint transition of a transition of one automaton and one of another;
    /// `None` if they do not match.
    pub(crate) fn joint(&mut self, one: LabelId, other: LabelId) -> Option<LabelId> {
        if let Some(&known) = self.joint.get(&(one, other)) {
            return known;
        }
        let joint = self.make_joint(one, other);
        self.joint.insert((one, other), joint);
        joint
    }

    fn make_joint(&mut self, one: LabelId, other: LabelId) -> Option<LabelId> {
        let (Role::On(channel, side), Role::On(same, opposite)) =
            (self.all[one].role, self.all[other].role)
        else {
            return None;
        };
        if channel != same {
            return None;
        }
        let is_joined = !faulty!(NoReceiverJoins);
        let (role, order) = match (side, opposite) {
            (Side::Send, Side::Receive) => (Role::Alone, WriteOrder::FirstThenSecond),
            (Side::Receive, Side::Send) => (Role::Alone, WriteOrder::SecondThenFirst),
            (Side::Announce, Side::Join) | (Side::Join, Side::Announce) if is_joined => {
                (Role::On(channel, Side::Announce), WriteOrder::Any)
            }
            (Side::Join, Side::Join) => (Role::On(channel, Side::Join), WriteOrder::Any),
            _ => return None,
        };
        let relations = self.merge(one, other, order)?;
        Some(self.intern(Label { role, relations }))
    }

    fn merge(
        &mut self,
        one: LabelId,
        other: LabelId,
        order: WriteOrder,
    ) -> Option<Vec<(FactorId, RelationId)>> {
        let mut all = self.all[one].relations.clone();
        for &(factor, relation) in &self.all[other].relations {
            match all.iter_mut().find(|(known, _)| *known == factor) {
                Some((_, known)) => *known = self.relations.joint(*known, relation, order)?,
                None => all.push((factor, relation)),
            }
        }
        all.sort_unstable_by_key(|(factor, _)| *factor);
        Some(all)
    }
}
