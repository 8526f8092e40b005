//! Answers to questions about data that were asked before.
//!
//! The answer to a question depends on few cells. So it is remembered by the question and by the
//! content of those cells, which is the packed state under a mask.

use super::facts::{FactTable, Facts};
use crate::interner::{Interner, Number};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// The memory that is used before everything is forgotten, in bytes.
const BYTES: usize = 1 << 28;

/// DataConditions with the numbers of their answers.
#[derive(Clone, Debug)]
pub(crate) struct Memo {
    /// The words of each question, one after the other: its number, then the masked state.
    asked: Vec<u64>,
    answers: Vec<Number>,
    table: HashTable<u32>,
    hasher: FixedState,
    /// The last question.
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

    /// The answer to a question about a state, of which only these bits matter.
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

    /// Remembers the answer to the last question, which was unknown.
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

    /// The facts of a list, each of which is enough.
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
    fn only_what_matters_tells_questions_apart() {
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
