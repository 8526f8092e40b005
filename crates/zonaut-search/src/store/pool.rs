//! Payloads of one length, each stored once however many nodes refer to it.
//!
//! The zones of a model repeat: processes that differ in their names only, and data that is
//! independent of clocks, give many discrete parts the same matrix. Sharing them was proposed by A.
//! David, G. Behrmann, K. G. Larsen, W. Yi, "Unification & sharing in timed automata verification"
//! (DOI 10.1007/3-540-44829-2_15).

use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use zonaut_space::StopReason;

#[cfg(feature = "faults")]
use super::faults;
use super::{NONE, TableEntry};
use crate::growth::{bytes_of, refused, reserve_one};
use crate::slab::Slab;

/// An arena of distinct payloads of one length, with reference counts.
pub(super) struct Pool<T> {
    payloads: Slab<T>,
    /// Reference counts by slot; 0 for a released slot.
    users: Vec<u32>,
    table: HashTable<TableEntry>,
    hasher: FixedState,
}

impl<T: Copy + Eq + Hash> Pool<T> {
    pub(super) fn new(payload_len: usize) -> Self {
        Self {
            payloads: Slab::new(payload_len),
            users: Vec::new(),
            table: HashTable::new(),
            hasher: FixedState::with_seed(1),
        }
    }

    /// The number of elements in a payload.
    pub(super) fn payload_len(&self) -> usize {
        self.payloads.record_len()
    }

    /// The number of slots, in use or released.
    pub(super) fn slots(&self) -> usize {
        self.users.len()
    }

    /// The payload at `slot`.
    #[inline]
    pub(super) fn get(&self, slot: u32) -> &[T] {
        self.payloads.get(slot)
    }

    /// The slot of a payload, with its reference count incremented.
    pub(super) fn acquire(&mut self, payload: &[T]) -> Result<u32, StopReason> {
        self.acquire_for(payload, 1)
    }

    /// The slot of a payload, with its reference count raised by the number of `new` users.
    fn acquire_for(&mut self, payload: &[T], new: u32) -> Result<u32, StopReason> {
        let hash = self.hash(payload);
        let is_wanted = |entry: &TableEntry| {
            let stored = self.payloads.get(entry.index);
            #[cfg(feature = "faults")]
            let (stored, payload) = (faults::compared(stored), faults::compared(payload));
            entry.hash == hash && stored == payload
        };
        if let Some(entry) = self.table.find(TableEntry::spread(hash), is_wanted) {
            let slot = entry.index;
            #[cfg(feature = "faults")]
            if faults::Fault::SharedPayloadReleased.is_selected() {
                return Ok(slot);
            }
            self.users[slot as usize] += new;
            return Ok(slot);
        }
        reserve_one(&mut self.users)?;
        self.table.try_reserve(1, TableEntry::rehash).map_err(|_| StopReason::MemoryLimit)?;
        let slot = self.payloads.insert(payload)?;
        match self.users.get_mut(slot as usize) {
            Some(users) => *users = new,
            None => self.users.push(new),
        }
        let entry = TableEntry { index: slot, hash };
        self.table.insert_unique(TableEntry::spread(hash), entry, TableEntry::rehash);
        Ok(slot)
    }

    /// Adds the payloads of another pool, whose memory is freed meanwhile; returns the slot of each
    /// here, by its slot there. Released slots have none.
    pub(super) fn append(&mut self, other: Self) -> Result<Vec<u32>, StopReason> {
        let Self { payloads, users, table, .. } = other;
        drop(table);
        let mut slots = Vec::new();
        slots.try_reserve_exact(users.len()).map_err(refused)?;
        payloads.consume(|slot, payload| {
            slots.push(match users[slot as usize] {
                0 => NONE,
                users => self.acquire_for(payload, users)?,
            });
            Ok(())
        })?;
        Ok(slots)
    }

    /// Decrements the reference count of the payload at `slot`; the slot is released at zero.
    pub(super) fn release(&mut self, slot: u32) {
        let users = &mut self.users[slot as usize];
        #[cfg(feature = "faults")]
        if *users == 0 {
            return;
        }
        *users -= 1;
        if *users > 0 {
            return;
        }
        let hash = self.hash(self.payloads.get(slot));
        let is_wanted = |entry: &TableEntry| entry.index == slot;
        if let Ok(entry) = self.table.find_entry(TableEntry::spread(hash), is_wanted) {
            entry.remove();
        }
        self.payloads.release(slot);
    }

    fn hash(&self, payload: &[T]) -> u32 {
        #[cfg(feature = "faults")]
        if faults::Fault::PayloadsByHalf.is_selected() {
            return self.hasher.hash_one(faults::compared(payload)) as u32;
        }
        let hash = self.hasher.hash_one(payload);
        let hash = (hash ^ (hash >> 32)) as u32;
        #[cfg(feature = "faults")]
        let hash = faults::compared_hash(hash);
        hash
    }

    /// The memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.payloads.bytes() + bytes_of(&self.users) + self.table.allocation_size()
    }

    /// The memory held, counted anew from every chunk.
    #[cfg(test)]
    pub(super) fn recounted_bytes(&self) -> usize {
        self.payloads.recounted_bytes() + bytes_of(&self.users) + self.table.allocation_size()
    }
}
