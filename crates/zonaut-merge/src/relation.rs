//! Relations: tests and writes of a variable by transitions.

use std::collections::HashMap;
use zonaut_base::{IndexVec, define_id};

define_id!(
    /// The id of a relation.
    pub(crate) struct RelationId
);

/// A relation between values of a variable, by their positions in its range.
///
/// Law: if a transition leads from a state with the value `v` to one with the value `w`, then
/// `guard[v]` holds, and `w` is in `after[v]` or, if `after` is `None`, it is `v`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Relation {
    /// The values that are possible before.
    pub(crate) guard: Vec<bool>,
    /// By value before, the values that are possible afterwards; `None` if the variable is not
    /// written.
    pub(crate) after: Option<Vec<Vec<u32>>>,
}

/// The order in which two participants of a transition write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WriteOrder {
    FirstThenSecond,
    SecondThenFirst,
    /// In the order of processes, with others between them.
    Any,
}

/// The interned relations.
#[derive(Debug, Default)]
pub(crate) struct Relations {
    all: IndexVec<RelationId, Relation>,
    known: HashMap<Relation, RelationId>,
}

impl std::ops::Index<RelationId> for Relations {
    type Output = Relation;
    fn index(&self, id: RelationId) -> &Relation {
        &self.all[id]
    }
}

impl Relation {
    /// Whether nothing is tested and nothing is written.
    pub(crate) fn is_trivial(&self) -> bool {
        self.after.is_none() && self.guard.iter().all(|&holds| holds)
    }

    /// The values that may follow a value.
    pub(crate) fn after(&self, value: u32) -> Vec<u32> {
        match &self.after {
            _ if !self.guard[value as usize] => Vec::new(),
            Some(after) => after[value as usize].clone(),
            None => vec![value],
        }
    }
}

impl Relations {
    pub(crate) fn intern(&mut self, relation: Relation) -> RelationId {
        if let Some(&known) = self.known.get(&relation) {
            return known;
        }
        let id = self.all.push(relation.clone());
        self.known.insert(relation, id);
        id
    }

    /// The joint relation of two participants; `None` if they exclude each other. Guards are
    /// evaluated before any write.
    pub(crate) fn joint(
        &mut self,
        one: RelationId,
        other: RelationId,
        order: WriteOrder,
    ) -> Option<RelationId> {
        let (first, second) = match order {
            WriteOrder::SecondThenFirst => (&self.all[other], &self.all[one]),
            WriteOrder::FirstThenSecond | WriteOrder::Any => (&self.all[one], &self.all[other]),
        };
        let guard: Vec<bool> =
            first.guard.iter().zip(&second.guard).map(|(a, b)| *a && *b).collect();
        if !guard.contains(&true) {
            return None;
        }
        let after = match (&first.after, &second.after) {
            (None, after) | (after, None) => after.clone(),
            (after, Some(_)) if faulty!(SecondWriterForgotten) => after.clone(),
            (Some(_), Some(_)) if order == WriteOrder::Any => {
                // A third participant may write between them.
                let all: Vec<u32> = (0..guard.len() as u32).collect();
                Some(vec![all; guard.len()])
            }
            (Some(first), Some(second)) => Some(composed(first, second)),
        };
        Some(self.intern(Relation { guard, after }))
    }
}

fn composed(first: &[Vec<u32>], second: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let through = |between: &Vec<u32>| {
        let mut after: Vec<u32> =
            between.iter().flat_map(|&value| &second[value as usize]).copied().collect();
        after.sort_unstable();
        after.dedup();
        after
    };
    first.iter().map(through).collect()
}
