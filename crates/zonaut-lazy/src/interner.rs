//! Interned slices, identified by numbers.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};

/// The number of a slice: within one interner, equal slices have equal numbers.
pub(crate) type Number = u32;

/// An interner of slices.
#[derive(Clone, Debug)]
pub(crate) struct Interner<T> {
    items: Vec<T>,
    /// The end of each slice.
    ends: Vec<usize>,
    table: HashTable<Number>,
    hasher: FixedState,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            ends: Vec::new(),
            table: HashTable::new(),
            hasher: FixedState::with_seed(3),
        }
    }
}

impl<T: Copy + Eq + Hash> Interner<T> {
    /// The slice of this number.
    #[inline]
    pub(crate) fn get(&self, number: Number) -> &[T] {
        let index = number as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.items[start..self.ends[index]]
    }

    /// The number of a slice, which is stored if it is new.
    pub(crate) fn intern(&mut self, slice: &[T]) -> Number {
        let hash = self.hasher.hash_one(slice);
        if let Some(&known) = self.table.find(hash, |&number| self.get(number) == slice) {
            return known;
        }
        let number = self.ends.len() as Number;
        self.items.extend_from_slice(slice);
        self.ends.push(self.items.len());
        let Self { items, ends, hasher, table } = self;
        let rehash = |&number: &Number| {
            let index = number as usize;
            let start = if index == 0 { 0 } else { ends[index - 1] };
            hasher.hash_one(&items[start..ends[index]])
        };
        table.insert_unique(hash, number, rehash);
        number
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>()
            + self.ends.capacity() * size_of::<usize>()
            + self.table.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_slices_have_equal_numbers() {
        let mut interner = Interner::default();
        let slices: [&[u64]; 4] = [&[], &[1], &[1, 2], &[2]];
        let numbers: Vec<Number> = slices.iter().map(|slice| interner.intern(slice)).collect();
        assert_eq!(numbers, [0, 1, 2, 3]);
        for (slice, number) in slices.iter().zip(numbers) {
            assert_eq!((interner.intern(slice), interner.get(number)), (number, *slice));
        }
    }
}
