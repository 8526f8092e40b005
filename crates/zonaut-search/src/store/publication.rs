//! Publication: the payloads that workers have stored each for itself become shared.
//!
//! A payload belongs to the shard of its hash, and each worker changes one shard. A publication has
//! three steps, with a barrier after each: every worker [offers](ArenaStore::offer) its own payloads
//! and lets go of the shards; every worker [merges](SharedPayloads::merge) what all of them offer into
//! its shard; every worker [adopts](ArenaStore::adopt) the new slots.
//!
//! Offers are merged in the order of the workers and of their slots, and slots without users are
//! released in their order, so that slots do not depend on the speed of threads.

use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use zonaut_base::Id;
use zonaut_space::{Covering, Encoding, StopReason, WorkerId};

use super::distinct::Distinct;
use super::pool::{Pool, Sharding, hash_of, is_own};
use super::{ArenaStore, NONE, Spill};
use crate::growth::{push, refused};
use crate::spill::Spilling;

/// The own payloads of a worker of one length, and its released slots in shards.
struct Offer<T> {
    own: Distinct<T>,
    unused: Vec<u32>,
}

/// A payload that has moved into a shard.
#[derive(Clone, Copy)]
struct Moved {
    /// The position of the offer.
    offer: usize,
    from: u32,
    to: u32,
}

/// The payloads that the stores of several workers share.
pub(crate) struct SharedPayloads<T> {
    sharding: Sharding,
    /// By worker.
    offers: Vec<RwLock<Vec<Offer<T>>>>,
    /// By worker that changes it; one part for each length.
    shards: Vec<Mutex<Vec<Arc<Distinct<T>>>>>,
    /// By worker that offered, and shard.
    moved: Vec<Vec<Mutex<Vec<Moved>>>>,
    /// By worker, the file of its shard, and the form of elements there.
    spills: Vec<Mutex<Spill<T>>>,
}

impl<T: Copy + Eq + Hash> SharedPayloads<T> {
    pub(crate) fn new(workers: usize) -> Self {
        Self {
            sharding: Sharding::of(workers),
            offers: (0..workers).map(|_| RwLock::default()).collect(),
            shards: (0..workers).map(|_| Mutex::default()).collect(),
            moved: (0..workers).map(|_| (0..workers).map(|_| Mutex::default()).collect()).collect(),
            spills: Vec::new(),
        }
    }

    /// The same payloads, which may be [spilled](Self::spill).
    pub(crate) fn spilling<Step>(mut self, spilling: &Spilling<Step, T>) -> Self {
        let spill = |_| Mutex::new(Spill::new(spilling));
        self.spills = (0..self.workers()).map(spill).collect();
        self
    }

    /// Moves older payloads in the shard of a worker to a file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn spill(&self, worker: WorkerId) -> Result<(), StopReason> {
        let Some(spill) = self.spills.get(worker.index()) else { return Ok(()) };
        let Spill { outlet, items, .. } = &mut *locked(spill);
        let file = outlet.file()?;
        let parts = &mut *locked(&self.shards[worker.index()]);
        parts.iter_mut().try_for_each(|part| alone(part).spill(&file, *items))
    }

    /// The number of workers that share payloads.
    pub(crate) fn workers(&self) -> usize {
        self.shards.len()
    }

    /// Merges the offers of all workers into the shard of this one.
    ///
    /// # Errors
    /// When memory runs out; then no store can be used any more.
    pub(crate) fn merge(&self, worker: WorkerId) -> Result<(), StopReason> {
        let shard = worker.index();
        let parts = &mut *locked(&self.shards[shard]);
        let mut unused: Vec<Vec<u32>> = Vec::new();
        for offers in &self.offers {
            for offer in read(offers).iter() {
                let part = part_for(parts, offer.own.payload_len())?;
                unused.resize(parts.len(), Vec::new());
                let own =
                    offer.unused.iter().filter(|&&slot| self.sharding.shard_of_slot(slot) == shard);
                unused[part].extend(own.map(|&slot| self.sharding.index_of(slot)));
            }
        }
        for (part, mut unused) in parts.iter_mut().zip(unused) {
            let part = alone(part);
            unused.sort_unstable();
            unused.dedup();
            unused.retain(|&slot| part.users(slot) == 0);
            unused.into_iter().for_each(|slot| part.remove(slot, hash_of));
        }
        for (offers, moved) in self.offers.iter().zip(&self.moved) {
            let moved = &mut *locked(&moved[shard]);
            for (position, offer) in read(offers).iter().enumerate() {
                let index = part_for(parts, offer.own.payload_len())?;
                let part = alone(&mut parts[index]);
                let entries = offer.own.entries();
                let mut entries: Vec<_> =
                    entries.filter(|entry| self.sharding.shard(entry.hash) == shard).collect();
                entries.sort_unstable_by_key(|entry| entry.index);
                moved.try_reserve_exact(entries.len()).map_err(refused)?;
                for entry in entries {
                    let payload = offer.own.get(entry.index);
                    let users = offer.own.users(entry.index);
                    let slot = match part.find(entry.hash, &payload) {
                        Some(slot) => {
                            part.add_users_alone(slot, users);
                            slot
                        }
                        None => part.insert(entry.hash, &payload, users)?,
                    };
                    let to = self.sharding.slot(shard, slot)?;
                    moved.push(Moved { offer: position, from: entry.index, to });
                }
            }
        }
        Ok(())
    }
}

/// The position of the part of a shard for payloads of this length.
fn part_for<T: Copy + Eq + Hash>(
    parts: &mut Vec<Arc<Distinct<T>>>,
    payload_len: usize,
) -> Result<usize, StopReason> {
    match parts.iter().position(|part| part.payload_len() == payload_len) {
        Some(part) => Ok(part),
        None => {
            push(parts, Arc::new(Distinct::new(payload_len)))?;
            Ok(parts.len() - 1)
        }
    }
}

/// A part of a shard, which all workers have let go of.
fn alone<T>(part: &mut Arc<Distinct<T>>) -> &mut Distinct<T> {
    Arc::get_mut(part).expect("invariant: workers let go of shards before they are changed")
}

fn locked<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(slot: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    slot.read().unwrap_or_else(PoisonError::into_inner)
}

impl<E: Encoding, C: Covering<Item = E::Item>> ArenaStore<E, C> {
    /// The first step of a publication: offers the own payloads. Until the last step, no state can be
    /// read or inserted.
    pub(crate) fn offer(&mut self, shared: &SharedPayloads<E::Item>, worker: WorkerId) {
        let offers = self.payloads.iter_mut().map(Pool::detach);
        let offers = offers.map(|(own, unused)| Offer { own, unused }).collect();
        *shared.offers[worker.index()].write().unwrap_or_else(PoisonError::into_inner) = offers;
    }

    /// The last step of a publication: refers to the payloads where they are now.
    pub(crate) fn adopt(&mut self, shared: &SharedPayloads<E::Item>, worker: WorkerId) {
        let offers = &shared.offers[worker.index()];
        let mut slots: Vec<Vec<u32>> =
            read(offers).iter().map(|offer| vec![NONE; offer.own.slots()]).collect();
        for moved in &shared.moved[worker.index()] {
            for Moved { offer, from, to } in locked(moved).drain(..) {
                slots[offer][from as usize] = to;
            }
        }
        *offers.write().unwrap_or_else(PoisonError::into_inner) = Vec::new();
        for pool in &mut self.payloads {
            let payload_len = pool.payload_len();
            let shards = shared.shards.iter().filter_map(|parts| {
                let parts = locked(parts);
                parts.iter().find(|part| part.payload_len() == payload_len).map(Arc::clone)
            });
            pool.attach(shards.collect(), shared.sharding, worker.index());
        }
        let Self { places, groups, unpublished, .. } = self;
        for place in &mut places[*unpublished..] {
            if place.slot != NONE && is_own(place.slot) {
                let pool = groups[place.group as usize].pool();
                // After a failed publication a payload may have no slot; the search has ended then.
                let slot = slots.get(pool).and_then(|slots| slots.get(place.slot as usize));
                place.slot = slot.copied().unwrap_or(NONE);
            }
        }
        *unpublished = places.len();
    }

    /// The number of payloads that a publication moves into shards or releases there.
    pub(crate) fn unpublished_payloads(&self) -> usize {
        self.payloads.iter().map(Pool::unpublished).sum()
    }

    /// The number of payloads in the shard of this worker.
    pub(crate) fn shared_payloads(&self) -> usize {
        self.payloads.iter().map(Pool::counted_len).sum()
    }
}
