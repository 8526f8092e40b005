//! A cache of decided conditions.
//!
//! The decision of a condition depends on few cells. So it is cached by the condition and by the
//! values of those cells, which are the packed state under a mask.

use super::facts::{FactTable, Facts};
use crate::interner::{Interner, Number};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// The memory limit in bytes, at which the cache is cleared.
const BYTES: usize = 1 << 28;

/// Conditions with the numbers of their results.
#[derive(Clone, Debug)]
pub(crate) struct Memo {
    /// The words of each key, stored contiguously: the number of the condition, then the masked
    /// state.
    asked: Vec<u64>,
    answers: Vec<Number>,
    table: HashTable<u32>,
    hasher: FixedState,
    /// The key looked up last.
    condition: Vec<u64>,
    hash: u64,
}

impl Memo {
    pub(crate) fn new() -> Self {
        Self {
            asked: Vec::new(),
            answers: Vec::new(),
            table: HashTable::new(),
            hasher: FixedState::with_seed(5),
            condition: Vec::new(),
            hash: 0,
        }
    }

    /// The cached result of a condition in a state, of which only these bits matter.
    pub(crate) fn ask(&mut self, condition: u64, key: &[u64], bits: &[u64]) -> Option<Number> {
        self.condition.clear();
        self.condition.push(condition);
        self.condition.extend(key.iter().zip(bits).map(|(key, bits)| key & bits));
        self.hash = self.hasher.hash_one(self.condition.as_slice());
        let words = self.condition.len();
        let is_same = |&at: &u32| self.asked[at as usize * words..][..words] == self.condition;
        let known = self.table.find(self.hash, is_same)?;
        Some(self.answers[*known as usize])
    }

    /// Stores the result of the last lookup, which was unknown.
    pub(crate) fn learn(&mut self, answer: Number) {
        if self.bytes() > BYTES {
            self.asked.clear();
            self.answers.clear();
            self.table.clear();
        }
        let number = self.answers.len() as u32;
        self.asked.extend_from_slice(&self.condition);
        self.answers.push(answer);
        let Self { asked, hasher, table, condition, .. } = self;
        let words = condition.len();
        let rehash = |&at: &u32| hasher.hash_one(&asked[at as usize * words..][..words]);
        table.insert_unique(self.hash, number, rehash);
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.asked.capacity() * size_of::<u64>()
            + self.answers.capacity() * size_of::<Number>()
            + self.table.allocation_size()
    }
}

/// Facts, and lists of alternatives among them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alternatives {
    facts: FactTable,
    lists: Interner<Number>,
}

impl Alternatives {
    /// The number of a list of facts.
    pub(crate) fn intern<'f>(&mut self, list: impl Iterator<Item = Facts<'f>>) -> Number {
        let numbers: Vec<Number> = list.map(|facts| self.facts.intern(facts)).collect();
        self.lists.intern(&numbers)
    }

    /// The facts of a list, each of which suffices.
    pub(crate) fn get(&self, list: Number) -> impl Iterator<Item = Facts<'_>> {
        self.lists.get(list).iter().map(|&facts| self.facts.get(facts))
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.facts.bytes() + self.lists.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_relevant_bits_distinguish_conditions() {
        let mut memo = Memo::new();
        assert_eq!(memo.ask(1, &[0b11], &[0b01]), None);
        memo.learn(7);
        assert_eq!(memo.ask(1, &[0b01], &[0b01]), Some(7));
        assert_eq!(memo.ask(1, &[0b10], &[0b01]), None);
        memo.learn(8);
        assert_eq!(memo.ask(2, &[0b01], &[0b01]), None);
        assert_eq!(memo.ask(1, &[0b11], &[0b01]), Some(7));
    }
}
