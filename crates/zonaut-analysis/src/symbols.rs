//! Sets of symbols of a model: processes, cells, clocks, channels.

use std::marker::PhantomData;
use zonaut_base::Id;
use zonaut_model::{CellId, ChannelId, ClockId, ProcessId};

/// A set of ids.
#[derive(Clone, Debug)]
pub struct IdSet<I> {
    words: Vec<u64>,
    ids: PhantomData<fn(I) -> I>,
}

impl<I> PartialEq for IdSet<I> {
    fn eq(&self, other: &Self) -> bool {
        let (shorter, longer) = if self.words.len() < other.words.len() {
            (&self.words, &other.words)
        } else {
            (&other.words, &self.words)
        };
        let (same, rest) = longer.split_at(shorter.len());
        same == shorter && rest.iter().all(|&word| word == 0)
    }
}

impl<I> Eq for IdSet<I> {}

impl<I: Id> Default for IdSet<I> {
    fn default() -> Self {
        Self { words: Vec::new(), ids: PhantomData }
    }
}

impl<I: Id> IdSet<I> {
    /// Whether `id` is in the set.
    #[must_use]
    #[inline]
    pub fn contains(&self, id: I) -> bool {
        let index = id.index();
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Adds `id`; returns whether it is new.
    pub fn insert(&mut self, id: I) -> bool {
        let (word, bit) = (id.index() / 64, 1u64 << (id.index() % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    /// Intersects the set with `other`.
    pub fn keep_within(&mut self, other: &Self) {
        let others = other.words.iter().copied().chain(std::iter::repeat(0));
        self.words.iter_mut().zip(others).for_each(|(word, other)| *word &= other);
    }

    /// Removes `id`.
    pub fn remove(&mut self, id: I) {
        if let Some(word) = self.words.get_mut(id.index() / 64) {
            *word &= !(1u64 << (id.index() % 64));
        }
    }

    /// Adds all of `other`; returns whether any is new.
    pub fn extend(&mut self, other: &Self) -> bool {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut is_changed = false;
        for (word, &more) in self.words.iter_mut().zip(&other.words) {
            is_changed |= more & !*word != 0;
            *word |= more;
        }
        is_changed
    }

    /// Whether the sets intersect.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// Whether the set is a subset of `other`.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        let others = other.words.iter().copied().chain(std::iter::repeat(0));
        self.words.iter().zip(others).all(|(&a, b)| a & !b == 0)
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The number of ids.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The ids, ascending.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        (0..self.words.len() * 64).map(I::from_index).filter(|&id| self.contains(id))
    }
}

impl<I: Id> FromIterator<I> for IdSet<I> {
    fn from_iter<It: IntoIterator<Item = I>>(ids: It) -> Self {
        let mut set = Self::default();
        for id in ids {
            set.insert(id);
        }
        set
    }
}

/// A set of symbols of a model.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Symbols {
    /// Processes, which stand for their locations.
    pub processes: IdSet<ProcessId>,
    /// Cells.
    pub cells: IdSet<CellId>,
    /// Clocks.
    pub clocks: IdSet<ClockId>,
    /// Channels.
    pub channels: IdSet<ChannelId>,
}

impl Symbols {
    /// Whether the sets intersect.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.processes.meets(&other.processes)
            || self.cells.meets(&other.cells)
            || self.clocks.meets(&other.clocks)
            || self.channels.meets(&other.channels)
    }

    /// Adds all of `other`; returns whether any is new.
    pub fn extend(&mut self, other: &Self) -> bool {
        self.processes.extend(&other.processes)
            | self.cells.extend(&other.cells)
            | self.clocks.extend(&other.clocks)
            | self.channels.extend(&other.channels)
    }

    /// Intersects the set with `other`.
    pub fn keep_within(&mut self, other: &Self) {
        self.processes.keep_within(&other.processes);
        self.cells.keep_within(&other.cells);
        self.clocks.keep_within(&other.clocks);
        self.channels.keep_within(&other.channels);
    }

    /// Whether the set is a subset of `other`.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        self.processes.is_within(&other.processes)
            && self.cells.is_within(&other.cells)
            && self.clocks.is_within(&other.clocks)
            && self.channels.is_within(&other.channels)
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.processes.is_empty()
            && self.cells.is_empty()
            && self.clocks.is_empty()
            && self.channels.is_empty()
    }
}
