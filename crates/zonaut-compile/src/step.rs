//! Names of steps: the actions that are taken together, and the part of the result.
//!
//! A search stores a step for every state, so a step is four bytes, and its content is interned. An
//! action without partners is named by its own index; everything else gets the next number when it
//! is first met. Names do not depend on zones: a list of steps can be replayed under any
//! abstraction, by its participants.
//!
//! The number of a name is local to one table. Outside the process, a step is its participants and
//! its part ([`StepNames::part`]), from which any table of the same network makes its own name.

use crate::ActionId;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::sync::{Arc, PoisonError, RwLock};
use zonaut_base::Id;

/// The interned name of a transition, and of the part of its result if it has several, in one
/// network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step(u32);

/// The table of names of steps, shared by all users of one network.
#[derive(Clone, Debug)]
pub struct StepNames {
    /// The number of actions: the first names are theirs.
    actions: u32,
    named: Arc<RwLock<Named>>,
}

impl Step {
    /// The number of the name.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The step whose name has this number.
    #[inline]
    #[must_use]
    pub fn from_index(index: u32) -> Self {
        Self(index)
    }
}

/// The names so far, besides actions without partners.
#[derive(Debug, Default)]
struct Named {
    participants: Vec<ActionId>,
    entries: Vec<Entry>,
    table: HashTable<u32>,
    hasher: FixedState,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    len: u32,
    part: u32,
}

impl StepNames {
    /// The names of a network with this many actions.
    #[must_use]
    pub fn new(actions: usize) -> Self {
        Self { actions: actions as u32, named: Arc::default() }
    }

    /// The name of `part` of the result of these actions together.
    #[inline]
    #[must_use]
    pub fn name(&self, participants: &[ActionId], part: u32) -> Step {
        if let (&[action], 0) = (participants, part) {
            return Step(action.index() as u32);
        }
        self.name_together(participants, part)
    }

    fn name_together(&self, participants: &[ActionId], part: u32) -> Step {
        let known = {
            let named = self.named.read().unwrap_or_else(PoisonError::into_inner);
            named.find(participants, part)
        };
        let entry = known.unwrap_or_else(|| {
            let mut named = self.named.write().unwrap_or_else(PoisonError::into_inner);
            // Another thread may have added it in the meantime.
            named.find(participants, part).unwrap_or_else(|| named.add(participants, part))
        });
        Step(self.actions + entry)
    }

    /// Calls `read` with the actions of a step, the sender's first, receivers in system order.
    pub fn read<T>(&self, step: Step, read: impl FnOnce(&[ActionId]) -> T) -> T {
        match step.0.checked_sub(self.actions) {
            None => read(&[ActionId::from_index(step.0 as usize)]),
            Some(entry) => {
                let named = self.named.read().unwrap_or_else(PoisonError::into_inner);
                read(named.participants_of(entry))
            }
        }
    }

    /// The part of the result that a step names, if it has several.
    #[must_use]
    pub fn part(&self, step: Step) -> u32 {
        step.0.checked_sub(self.actions).map_or(0, |entry| {
            let named = self.named.read().unwrap_or_else(PoisonError::into_inner);
            named.entries[entry as usize].part
        })
    }

    /// The number of actions of the network.
    #[must_use]
    pub fn actions(&self) -> usize {
        self.actions as usize
    }

    /// The memory held, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let named = self.named.read().unwrap_or_else(PoisonError::into_inner);
        named.participants.capacity() * size_of::<ActionId>()
            + named.entries.capacity() * size_of::<Entry>()
            + named.table.allocation_size()
    }
}

impl Named {
    fn participants_of(&self, entry: u32) -> &[ActionId] {
        let Entry { start, len, .. } = self.entries[entry as usize];
        &self.participants[start as usize..(start + len) as usize]
    }

    fn hash(&self, participants: &[ActionId], part: u32) -> u64 {
        self.hasher.hash_one((participants, part))
    }

    fn find(&self, participants: &[ActionId], part: u32) -> Option<u32> {
        let is_wanted = |&entry: &u32| {
            self.entries[entry as usize].part == part && self.participants_of(entry) == participants
        };
        self.table.find(self.hash(participants, part), is_wanted).copied()
    }

    fn add(&mut self, participants: &[ActionId], part: u32) -> u32 {
        let entry = self.entries.len() as u32;
        let (start, len) = (self.participants.len() as u32, participants.len() as u32);
        let hash = self.hash(participants, part);
        self.participants.extend_from_slice(participants);
        self.entries.push(Entry { start, len, part });
        let Self { participants, entries, table, hasher } = self;
        table.insert_unique(hash, entry, |&entry| {
            let Entry { start, len, part } = entries[entry as usize];
            hasher.hash_one((&participants[start as usize..(start + len) as usize], part))
        });
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actions(numbers: &[usize]) -> Vec<ActionId> {
        numbers.iter().map(|&number| ActionId::from_index(number)).collect()
    }

    #[test]
    fn a_name_is_resolved_to_its_participants() {
        let names = StepNames::new(5);
        let lists = [&[][..], &[3], &[3, 1], &[1, 3], &[0, 1, 2, 3, 4], &[4]];
        let mut steps = Vec::new();
        for part in 0..3 {
            for list in lists {
                let step = names.name(&actions(list), part);
                assert!(!steps.contains(&step), "{list:?} {part}");
                steps.push(step);
            }
        }
        let again = (0..3).flat_map(|part| lists.map(|list| names.name(&actions(list), part)));
        assert_eq!(again.collect::<Vec<_>>(), steps);
        for (&step, list) in steps.iter().zip(lists.iter().cycle()) {
            assert_eq!(names.clone().read(step, <[_]>::to_vec), actions(list));
        }
    }

    #[test]
    fn participants_and_part_name_the_same_step_in_another_table() {
        let (here, there) = (StepNames::new(5), StepNames::new(5));
        let lists = [&[4][..], &[3, 1], &[1, 3], &[4], &[0, 1, 2]];
        // The other table meets the steps in another order, so its numbers differ.
        for list in lists.iter().rev() {
            let _ = there.name(&actions(list), 1);
        }
        for (part, list) in (0..3).zip(lists) {
            let step = here.name(&actions(list), part);
            let sent = (here.read(step, <[_]>::to_vec), here.part(step));
            assert_eq!(sent, (actions(list), part));
            let received = there.name(&sent.0, sent.1);
            assert_eq!((there.read(received, <[_]>::to_vec), there.part(received)), sent);
        }
    }
}
