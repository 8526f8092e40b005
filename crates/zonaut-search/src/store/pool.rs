//! Payloads of one length, each stored once however many nodes refer to it.
//!
//! The zones of a model repeat: processes that differ in their names only, and data that is
//! independent of clocks, give many discrete parts the same matrix. Sharing them was proposed by A.
//! David, G. Behrmann, K. G. Larsen, W. Yi, "Unification & sharing in timed automata verification"
//! (DOI 10.1007/3-540-44829-2_15).
//!
//! The stores of several workers share payloads in shards, which all of them read and none changes
//! while states are inserted. A payload that is in no shard is stored in the pool of its worker until
//! the next [publication](super::publication).

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash};
use std::ops::Range;
use std::sync::Arc;

use foldhash::fast::FixedState;
use zonaut_space::StopReason;

use super::NONE;
use super::distinct::Distinct;
#[cfg(feature = "faults")]
use super::faults;
use crate::growth::{bytes_of, push, refused};
use crate::spill::{Form, SpillFile};

/// The bit of slots in shards.
const IN_SHARD: u32 = 1 << 31;

/// The shards of a number of workers, and the slots in them.
#[derive(Clone, Copy)]
pub(super) struct Sharding {
    shards: usize,
    bits: u32,
}

impl Sharding {
    pub(super) fn of(shards: usize) -> Self {
        Self { shards, bits: shards.next_power_of_two().trailing_zeros() }
    }

    /// The shard of payloads with this hash.
    pub(super) fn shard(self, hash: u32) -> usize {
        ((u64::from(hash) * self.shards as u64) >> 32) as usize
    }

    /// The slot at an index of a shard, as nodes refer to it.
    ///
    /// # Errors
    /// If the index is too large.
    pub(super) fn slot(self, shard: usize, index: u32) -> Result<u32, StopReason> {
        let slot = u64::from(index) << self.bits | shard as u64;
        // The largest slot would be `NONE`.
        if slot >= u64::from(!IN_SHARD) {
            return Err(StopReason::NodeLimit);
        }
        Ok(IN_SHARD | slot as u32)
    }

    /// The shard of a slot.
    #[inline]
    pub(super) fn shard_of_slot(self, slot: u32) -> usize {
        (slot & !IN_SHARD & ((1 << self.bits) - 1)) as usize
    }

    #[inline]
    pub(super) fn index_of(self, slot: u32) -> u32 {
        (slot & !IN_SHARD) >> self.bits
    }
}

/// The hash of a payload.
pub(super) fn hash_of<T: Hash>(payload: &[T]) -> u32 {
    let hasher = FixedState::with_seed(1);
    #[cfg(feature = "faults")]
    if faults::Fault::PayloadsByHalf.is_selected() {
        return hasher.hash_one(faults::compared(payload)) as u32;
    }
    let hash = hasher.hash_one(payload);
    let hash = (hash ^ (hash >> 32)) as u32;
    #[cfg(feature = "faults")]
    let hash = faults::compared_hash(hash);
    hash
}

/// Whether a slot is one of the pool's own, and not in a shard.
#[inline]
pub(super) fn is_own(slot: u32) -> bool {
    slot < IN_SHARD
}

/// The payloads of one length that a store refers to.
pub(super) struct Pool<T> {
    /// Payloads of this store alone.
    own: Distinct<T>,
    /// Payloads that stores share; empty if there is one worker.
    shards: Vec<Arc<Distinct<T>>>,
    sharding: Sharding,
    /// The shards whose memory this pool counts.
    counted: Range<usize>,
    /// Slots in shards whose last user was here; another worker may have become a user since then.
    unused: Vec<u32>,
}

impl<T: Copy + Eq + Hash> Pool<T> {
    pub(super) fn new(payload_len: usize) -> Self {
        Self {
            own: Distinct::new(payload_len),
            shards: Vec::new(),
            sharding: Sharding::of(1),
            counted: 0..0,
            unused: Vec::new(),
        }
    }

    /// The number of elements in a payload.
    pub(super) fn payload_len(&self) -> usize {
        self.own.payload_len()
    }

    /// The number of payloads that a publication moves or releases.
    pub(super) fn unpublished(&self) -> usize {
        self.own.len() + self.unused.len()
    }

    /// The number of counted payloads in shards.
    pub(super) fn counted_len(&self) -> usize {
        self.shards
            .get(self.counted.clone())
            .unwrap_or_default()
            .iter()
            .map(|shard| shard.len())
            .sum()
    }

    /// The payload at `slot`.
    #[inline]
    pub(super) fn get(&self, slot: u32) -> Cow<'_, [T]> {
        let (part, index) = self.part_of(slot);
        part.get(index)
    }

    /// The payload at `slot`; in the buffer, if it is spilled.
    #[inline]
    pub(super) fn get_with<'b>(&'b self, slot: u32, buffer: &'b mut Vec<T>) -> &'b [T] {
        let (part, index) = self.part_of(slot);
        part.get_with(index, buffer)
    }

    #[inline]
    fn part_of(&self, slot: u32) -> (&Distinct<T>, u32) {
        match is_own(slot) {
            true => (&self.own, slot),
            false => {
                let shard = &self.shards[self.sharding.shard_of_slot(slot)];
                (shard, self.sharding.index_of(slot))
            }
        }
    }

    /// Moves older payloads to a file, unless they are in shards or on their way there.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn spill(
        &mut self,
        file: &Arc<dyn SpillFile>,
        form: Form<T>,
    ) -> Result<(), StopReason> {
        match self.shards.is_empty() {
            true => self.own.spill(file, form),
            false => Ok(()),
        }
    }

    /// The slot of a payload, with its reference count incremented.
    pub(super) fn acquire(&mut self, payload: &[T]) -> Result<u32, StopReason> {
        self.acquire_for(payload, 1)
    }

    /// The slot of a payload, with its reference count raised by the number of `new` users.
    fn acquire_for(&mut self, payload: &[T], new: u32) -> Result<u32, StopReason> {
        let hash = hash_of(payload);
        if !self.shards.is_empty() {
            let shard = self.sharding.shard(hash);
            if let Some(index) = self.shards[shard].find(hash, payload) {
                self.shards[shard].add_users(index, new);
                return self.sharding.slot(shard, index);
            }
        }
        if let Some(slot) = self.own.find(hash, payload) {
            #[cfg(feature = "faults")]
            if faults::Fault::SharedPayloadReleased.is_selected() {
                return Ok(slot);
            }
            self.own.add_users_alone(slot, new);
            return Ok(slot);
        }
        let slot = self.own.insert(hash, payload, new)?;
        debug_assert!(is_own(slot));
        Ok(slot)
    }

    /// Decrements the reference count of the payload at `slot`. Memory in shards is released at the
    /// next publication.
    pub(super) fn release(&mut self, slot: u32) {
        if is_own(slot) {
            self.own.remove_user_alone(slot, hash_of);
        } else {
            let shard = &self.shards[self.sharding.shard_of_slot(slot)];
            if shard.remove_user(self.sharding.index_of(slot)) {
                // A slot that cannot be noted for lack of memory stays unused, which is harmless.
                let _ = push(&mut self.unused, slot);
            }
        }
    }

    /// Adds the own payloads of another pool, whose memory is freed meanwhile, and shares its
    /// shards; returns the slot of each own payload here, by its slot there.
    pub(super) fn append(&mut self, other: Self) -> Result<Vec<u32>, StopReason> {
        let mut slots = Vec::new();
        slots.try_reserve_exact(other.own.slots()).map_err(refused)?;
        slots.resize(other.own.slots(), NONE);
        if self.shards.is_empty() {
            (self.shards, self.sharding) = (other.shards, other.sharding);
            self.counted = other.counted;
        } else if !other.shards.is_empty() {
            debug_assert!(Arc::ptr_eq(&self.shards[0], &other.shards[0]));
            self.counted = self.counted.start.min(other.counted.start)
                ..self.counted.end.max(other.counted.end);
        }
        other.own.consume(|slot, payload, users| {
            slots[slot as usize] = self.acquire_for(payload, users)?;
            Ok(())
        })?;
        Ok(slots)
    }

    /// Takes the own payloads, and forgets the shards, so that they can be changed.
    pub(super) fn detach(&mut self) -> (Distinct<T>, Vec<u32>) {
        self.shards = Vec::new();
        let empty = Distinct::new(self.payload_len());
        (std::mem::replace(&mut self.own, empty), std::mem::take(&mut self.unused))
    }

    /// Refers to shards, and counts the memory of one of them.
    pub(super) fn attach(
        &mut self,
        shards: Vec<Arc<Distinct<T>>>,
        sharding: Sharding,
        counted: usize,
    ) {
        (self.shards, self.sharding, self.counted) = (shards, sharding, counted..counted + 1);
    }

    /// The number of slots, in use or released, of the pool and its shards.
    pub(super) fn slots(&self) -> usize {
        self.own.slots() + self.shards.iter().map(|shard| shard.slots()).sum::<usize>()
    }

    /// The number of `slot` among all slots of the pool and its shards.
    pub(super) fn dense(&self, slot: u32) -> usize {
        if is_own(slot) {
            return slot as usize;
        }
        let before = &self.shards[..self.sharding.shard_of_slot(slot)];
        let before = before.iter().map(|shard| shard.slots()).sum::<usize>();
        self.own.slots() + before + self.sharding.index_of(slot) as usize
    }

    /// The payload with this number among all slots.
    pub(super) fn get_dense(&self, mut number: usize) -> Cow<'_, [T]> {
        let mut part = &self.own;
        for shard in &self.shards {
            if number < part.slots() {
                break;
            }
            number -= part.slots();
            part = shard;
        }
        part.get(number as u32)
    }

    /// The memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let shards = self.shards.get(self.counted.clone()).unwrap_or_default();
        self.own.bytes()
            + shards.iter().map(|shard| shard.bytes()).sum::<usize>()
            + bytes_of(&self.shards)
            + bytes_of(&self.unused)
    }

    /// The memory held, counted anew from every chunk.
    #[cfg(test)]
    pub(super) fn recounted_bytes(&self) -> usize {
        self.bytes() - self.own.bytes() + self.own.recounted_bytes()
    }
}
