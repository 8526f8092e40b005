//! Active clocks of packed discrete states.

use super::{ActiveClocks, ActiveClocksByBounds, BYTES, FEW_SLOTS, GROWTH, Number, SLOTS, mix};
use std::sync::Arc;
use zonaut_compile::{BoundsTable, CompiledNetwork};

/// A cache of active clocks by the bits of locations in packed discrete states: few words instead of
/// one number for each process, and nothing to unpack.
#[derive(Clone, Debug)]
pub(crate) struct ActiveClocksOfBuckets {
    /// By word of a bucket, the bits of locations.
    masks: Box<[u64]>,
    /// The words of every slot, one after the other.
    words: Vec<u64>,
    slots: Vec<Number>,
    most_slots: usize,
    /// The number of misses since the last resize.
    missed: usize,
    by_bounds: ActiveClocksByBounds,
    processes: usize,
    /// The values of a discrete state that is not cached.
    values: Vec<i32>,
}

impl ActiveClocksOfBuckets {
    /// A cache for the states of a network.
    pub(crate) fn new(network: &CompiledNetwork) -> Self {
        let mut masks = vec![0; network.packing.words()];
        let places = network.packing.places().into_iter().take(network.process_count());
        places.flatten().for_each(|(word, bits)| masks[word] |= bits);
        // Words behind the last location are not compared.
        let used = masks.iter().rposition(|&mask| mask != 0).map_or(0, |last| last + 1);
        masks.truncate(used);
        let slot = size_of::<Number>() + 8 * used;
        Self {
            masks: masks.into(),
            words: Vec::new(),
            slots: Vec::new(),
            most_slots: ((BYTES / slot).next_power_of_two() / 2).clamp(1, SLOTS),
            missed: 0,
            by_bounds: ActiveClocksByBounds::default(),
            processes: network.process_count(),
            values: Vec::new(),
        }
    }

    /// The active clocks of the discrete state with this bucket.
    pub(crate) fn of(
        &mut self,
        network: &CompiledNetwork,
        bounds: &BoundsTable,
        bucket: &[u64],
    ) -> &Arc<ActiveClocks> {
        if self.slots.is_empty() {
            self.resize(self.most_slots.min(FEW_SLOTS));
        }
        let mut slot = self.slot(bucket);
        if !self.is_known(slot, bucket) {
            self.missed += 1;
            if self.missed > self.slots.len() && self.slots.len() < self.most_slots {
                // The cache starts anew: moving entries would need their hashes.
                self.resize((GROWTH * self.slots.len()).min(self.most_slots));
                slot = self.slot(bucket);
            }
            network.packing.unpack(bucket, &mut self.values);
            (self.slots[slot], _) = self.by_bounds.of(bounds, &self.values[..self.processes]);
            let len = self.masks.len();
            let words = self.words[slot * len..][..len].iter_mut();
            let key = self.masks.iter().zip(bucket).map(|(mask, word)| mask & word);
            words.zip(key).for_each(|(word, key)| *word = key);
        }
        self.by_bounds.get(self.slots[slot]).expect("invariant: the slot was filled")
    }

    fn resize(&mut self, slots: usize) {
        self.slots = vec![Number::NONE; slots];
        self.words = vec![0; slots * self.masks.len()];
        self.missed = 0;
    }

    fn is_known(&self, slot: usize, bucket: &[u64]) -> bool {
        let len = self.masks.len();
        let mut key = self.masks.iter().zip(bucket).map(|(mask, word)| mask & word);
        self.words[slot * len..][..len].iter().all(|&word| key.next() == Some(word))
            && self.by_bounds.get(self.slots[slot]).is_some()
    }

    fn slot(&self, bucket: &[u64]) -> usize {
        let key = self.masks.iter().zip(bucket).map(|(mask, word)| mask & word);
        (key.fold(0, mix) >> 32) as usize & (self.slots.len() - 1)
    }
}
