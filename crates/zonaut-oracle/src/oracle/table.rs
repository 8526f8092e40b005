//! A hash table of states, each stored once as a row of integers.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Rows of equal width, numbered in order of insertion.
#[derive(Debug)]
pub(super) struct Table {
    width: usize,
    rows: Vec<i32>,
    index: HashTable<u32>,
    hasher: FixedState,
    count: usize,
}

impl Table {
    pub(super) fn new(width: usize) -> Self {
        let hasher = FixedState::default();
        Self { width, rows: Vec::new(), index: HashTable::new(), hasher, count: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn row(&self, id: u32) -> &[i32] {
        let first = id as usize * self.width;
        &self.rows[first..first + self.width]
    }

    /// The number of `row`, and whether it is new.
    pub(super) fn insert(&mut self, row: &[i32]) -> (u32, bool) {
        let hash = self.hasher.hash_one(row);
        let (rows, width) = (&self.rows, self.width);
        let same = |&id: &u32| rows[id as usize * width..][..width] == *row;
        if let Some(&id) = self.index.find(hash, same) {
            return (id, false);
        }
        let id = u32::try_from(self.count).expect("invariant: explorations stay below 2^32 states");
        self.count += 1;
        self.rows.extend_from_slice(row);
        let (rows, hasher) = (&self.rows, &self.hasher);
        let rehash = |&id: &u32| hasher.hash_one(&rows[id as usize * width..][..width]);
        self.index.insert_unique(hash, id, rehash);
        (id, true)
    }
}
