//! Active clocks by the bounds of all clocks of the network.

#[cfg(feature = "faults")]
use super::faults;
use super::{ActiveClocks, DenseBounds, collect, hash_of};
use hashbrown::HashTable;
use std::sync::Arc;
use zonaut_compile::BoundsTable;

/// The greatest number of distinct bounds, and of shapes, that are kept; a power of two.
const MOST_DISTINCT: usize = 1 << 12;
/// The memory limit for distinct bounds, in bytes.
const BYTES: usize = 1 << 20;

/// The number of active clocks among all that one [`ActiveClocksByBounds`] has made, beginning with
/// one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Number(u64);

impl Number {
    pub(super) const NONE: Self = Self(0);

    /// The position of the entry among `most`, a power of two.
    #[inline]
    fn position(self, most: usize) -> usize {
        self.0.wrapping_sub(1) as usize & most.wrapping_sub(1)
    }
}

/// Active clocks that were computed, at most a certain number of them: the newest ones. Equal bounds
/// share an entry. The memory of one that is replaced is used again unless it is still in use
/// elsewhere, since for models with many combinations of bounds most are made anew.
#[derive(Clone, Debug, Default)]
pub(super) struct ActiveClocksByBounds {
    /// In the order of their numbers, modulo the limit.
    entries: Vec<Entry>,
    /// The limit, a power of two; 0 before the first lookup.
    most: usize,
    /// The number of those ever made.
    made: u64,
    /// Positions of entries.
    table: HashTable<u32>,
    shapes: Shapes,
    /// The bounds that are being looked up.
    dense: DenseBounds,
    #[cfg(feature = "faults")]
    made_before: Option<ActiveClocks>,
}

/// Active clocks with the bounds that they were computed from, and their hash.
#[derive(Clone, Debug)]
struct Entry {
    number: Number,
    hash: u64,
    dense: DenseBounds,
    active: Arc<ActiveClocks>,
}

impl ActiveClocksByBounds {
    /// The active clocks with this number, if they are still kept.
    #[inline]
    pub(super) fn get(&self, number: Number) -> Option<&Arc<ActiveClocks>> {
        let entry = self.entries.get(number.position(self.most))?;
        (entry.number == number).then_some(&entry.active)
    }

    /// The active clocks of a location vector, and their number.
    pub(super) fn of(
        &mut self,
        bounds: &BoundsTable,
        locations: &[i32],
    ) -> (Number, &Arc<ActiveClocks>) {
        collect(bounds, locations, &mut self.dense);
        if self.most == 0 {
            self.limit(self.dense.len());
        }
        let hash = hash_of(self.dense.iter().map(|(lower, upper)| (lower, upper)));
        let is_wanted = |&position: &u32| {
            let entry = &self.entries[position as usize];
            entry.hash == hash && entry.dense == self.dense
        };
        let position = match self.table.find(hash, is_wanted) {
            Some(&position) => position as usize,
            None => self.make(hash),
        };
        let Entry { number, active, .. } = &self.entries[position];
        (*number, active)
    }

    /// Sets the number of distinct bounds that are kept for this number of clocks.
    pub(super) fn limit(&mut self, clocks: usize) {
        let entry = size_of::<Entry>() + size_of::<ActiveClocks>() + 24 * clocks;
        self.most = ((BYTES / entry).next_power_of_two() / 2).clamp(1, MOST_DISTINCT);
    }

    /// The greatest number of entries.
    #[cfg(test)]
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Computes the active clocks of the bounds that are being looked up; returns the position of
    /// the entry.
    fn make(&mut self, hash: u64) -> usize {
        let Self { entries, most, made, table, shapes, dense, .. } = self;
        *made += 1;
        let number = Number(*made);
        let position = number.position(*most);
        if position == entries.len() {
            let (dense, active) = (DenseBounds::new(), Arc::default());
            entries.push(Entry { number, hash, dense, active });
        }
        let entry = &mut entries[position];
        if let Ok(replaced) = table.find_entry(entry.hash, |&at| at as usize == position) {
            replaced.remove();
        }
        entry.number = number;
        entry.hash = hash;
        entry.dense.clone_from(dense);
        if Arc::get_mut(&mut entry.active).is_none() {
            entry.active = Arc::default();
        }
        let active = Arc::get_mut(&mut entry.active).expect("invariant: it has no other user");
        active.refill(dense);
        #[cfg(feature = "faults")]
        faults::keep_bounds(&mut self.made_before, active);
        active.shape = shapes.number(&active.lower, &active.upper);
        table.insert_unique(hash, position as u32, |&at| entries[at as usize].hash);
        position
    }
}

/// Ids for lists of bounds. Ids are never reused, so dropping lists is harmless.
#[derive(Clone, Debug, Default)]
pub(super) struct Shapes {
    table: HashTable<Shape>,
    /// The lower bounds of each shape, and then its upper bounds.
    bounds: Vec<i32>,
    next: u64,
}

#[derive(Clone, Copy, Debug)]
struct Shape {
    hash: u64,
    /// The first lower bound, and the number of lower bounds.
    start: usize,
    len: usize,
    id: u64,
}

impl Shapes {
    /// The id of these bounds, by row.
    pub(super) fn number(&mut self, lower: &[i32], upper: &[i32]) -> u64 {
        let hash = hash_of(lower.iter().zip(upper));
        let is_wanted = |shape: &Shape| {
            let bounds = &self.bounds[shape.start..][..2 * shape.len];
            shape.hash == hash && bounds.split_at(shape.len) == (lower, upper)
        };
        if let Some(known) = self.table.find(hash, is_wanted) {
            return known.id;
        }
        if self.table.len() == MOST_DISTINCT {
            self.table.clear();
            self.bounds.clear();
        }
        let shape = Shape { hash, start: self.bounds.len(), len: lower.len(), id: self.next };
        self.bounds.extend_from_slice(lower);
        self.bounds.extend_from_slice(upper);
        self.next += 1;
        self.table.insert_unique(hash, shape, |shape| shape.hash);
        shape.id
    }
}
