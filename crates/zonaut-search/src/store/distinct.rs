//! Distinct payloads of one length, with reference counts.

use std::borrow::Cow;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hashbrown::HashTable;
use zonaut_space::StopReason;

use super::TableEntry;
#[cfg(feature = "faults")]
use super::faults;
use crate::growth::{bytes_of, reserve_one};
use crate::slab::Slab;
use crate::spill::{Form, SpillFile};

/// An arena of distinct payloads of one length, with reference counts.
///
/// Workers that share it only read it, and count through shared references; whoever owns it alone
/// adds and removes payloads.
pub(super) struct Distinct<T> {
    payloads: Slab<T>,
    /// Reference counts by slot; 0 for a released slot.
    users: Vec<AtomicU32>,
    table: HashTable<TableEntry>,
}

impl<T: Copy + Eq + Hash> Distinct<T> {
    pub(super) fn new(payload_len: usize) -> Self {
        Self { payloads: Slab::new(payload_len), users: Vec::new(), table: HashTable::new() }
    }

    /// The number of elements in a payload.
    pub(super) fn payload_len(&self) -> usize {
        self.payloads.record_len()
    }

    /// The number of slots, in use or released.
    pub(super) fn slots(&self) -> usize {
        self.users.len()
    }

    /// The number of payloads in use.
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// The payload at `slot`.
    #[inline]
    pub(super) fn get(&self, slot: u32) -> Cow<'_, [T]> {
        self.payloads.get(slot)
    }

    /// The payload at `slot`; in the buffer, if it is spilled.
    #[inline]
    pub(super) fn get_with<'b>(&'b self, slot: u32, buffer: &'b mut Vec<T>) -> &'b [T] {
        self.payloads.get_with(slot, buffer)
    }

    /// Moves older payloads to a file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn spill(
        &mut self,
        file: &Arc<dyn SpillFile>,
        form: Form<T>,
    ) -> Result<(), StopReason> {
        self.payloads.spill(file, form)
    }

    /// The slot of a payload with this hash.
    pub(super) fn find(&self, hash: u32, payload: &[T]) -> Option<u32> {
        let is_wanted = |entry: &TableEntry| {
            if entry.hash != hash {
                return false;
            }
            let stored = self.payloads.get(entry.index);
            #[cfg(feature = "faults")]
            let (stored, payload) = (faults::compared(&stored), faults::compared(payload));
            *stored == *payload
        };
        self.table.find(TableEntry::spread(hash), is_wanted).map(|entry| entry.index)
    }

    /// Adds users of the payload at `slot`.
    pub(super) fn add_users(&self, slot: u32, new: u32) {
        self.users[slot as usize].fetch_add(new, Ordering::Relaxed);
    }

    /// Removes a user of the payload at `slot`; returns whether it was the last one.
    pub(super) fn remove_user(&self, slot: u32) -> bool {
        let users = &self.users[slot as usize];
        #[cfg(feature = "faults")]
        if users.load(Ordering::Relaxed) == 0 {
            return false;
        }
        users.fetch_sub(1, Ordering::Relaxed) == 1
    }

    /// The number of users of the payload at `slot`.
    pub(super) fn users(&self, slot: u32) -> u32 {
        self.users[slot as usize].load(Ordering::Relaxed)
    }

    /// Adds users of the payload at `slot`, without an atomic operation.
    pub(super) fn add_users_alone(&mut self, slot: u32, new: u32) {
        *self.users[slot as usize].get_mut() += new;
    }

    /// Removes a user of the payload at `slot`, without an atomic operation, and the payload with
    /// the last one.
    pub(super) fn remove_user_alone(&mut self, slot: u32, hash: impl Fn(&[T]) -> u32) {
        let users = self.users[slot as usize].get_mut();
        #[cfg(feature = "faults")]
        if *users == 0 {
            return;
        }
        *users -= 1;
        if *users == 0 {
            self.remove(slot, hash);
        }
    }

    /// Stores a payload that is not there.
    pub(super) fn insert(
        &mut self,
        hash: u32,
        payload: &[T],
        users: u32,
    ) -> Result<u32, StopReason> {
        reserve_one(&mut self.users)?;
        self.table.try_reserve(1, TableEntry::rehash).map_err(|_| StopReason::MemoryLimit)?;
        let slot = self.payloads.insert(payload)?;
        match self.users.get_mut(slot as usize) {
            Some(known) => *known.get_mut() = users,
            None => self.users.push(AtomicU32::new(users)),
        }
        let entry = TableEntry { index: slot, hash };
        self.table.insert_unique(TableEntry::spread(hash), entry, TableEntry::rehash);
        Ok(slot)
    }

    /// Removes the payload at `slot`, which has no users.
    pub(super) fn remove(&mut self, slot: u32, hash: impl Fn(&[T]) -> u32) {
        let hash = hash(&self.payloads.get(slot));
        let is_wanted = |entry: &TableEntry| entry.index == slot;
        if let Ok(entry) = self.table.find_entry(TableEntry::spread(hash), is_wanted) {
            entry.remove();
            self.payloads.release(slot);
        }
    }

    /// The slots in use and their hashes, in no useful order.
    pub(super) fn entries(&self) -> impl Iterator<Item = TableEntry> + '_ {
        self.table.iter().copied()
    }

    /// Visits the payloads in use with the number of their users, and frees the memory meanwhile.
    pub(super) fn consume<E>(
        self,
        mut visit: impl FnMut(u32, &[T], u32) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { payloads, users, table } = self;
        drop(table);
        payloads.consume(|slot, payload| match users[slot as usize].load(Ordering::Relaxed) {
            0 => Ok(()),
            users => visit(slot, payload, users),
        })
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
