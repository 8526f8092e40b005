//! The passed store: states in arenas, found by their keys.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use zonaut_base::Id;
use zonaut_space::{Covering, Encoding, Insertion, NodeId, PassedStore, Respect, StopReason};

use crate::growth::{bytes_of, push, reserve_one};
use crate::slab::Slab;
use pool::Pool;

#[cfg(feature = "faults")]
pub mod faults;
mod pool;

/// The end of a chain, and the slot of an evicted node.
const NONE: u32 = u32::MAX;

/// A node's place: twelve bytes, and its share of a payload.
#[derive(Clone, Copy)]
struct Place {
    group: u32,
    /// The next older live node of the group.
    next: u32,
    /// Where the payload is in the group's pool.
    slot: u32,
}

/// The nodes of one key; with equality as covering, of one key and payload.
#[derive(Clone, Copy)]
struct Group {
    /// The newest live node. A group always has one: only an insertion evicts.
    newest: u32,
    pool: u32,
}

/// An entry of a table: where something is in its arena, and enough of its hash to grow the table,
/// and to reject most other things, without looking at the arena.
#[derive(Clone, Copy)]
struct TableEntry {
    index: u32,
    hash: u32,
}

impl TableEntry {
    /// The table wants 64 well-mixed bits.
    fn spread(hash: u32) -> u64 {
        u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn rehash(&self) -> u64 {
        Self::spread(self.hash)
    }
}

/// A passed store that keeps keys and payloads in arenas and compares states of equal keys only.
///
/// A table finds the group of a key; a group is a chain of live nodes, newest first. Equal payloads
/// of one length are kept once, and their memory is reused when no live node has them. Nothing is
/// allocated for a single node, every allocation can be refused without harm, and
/// [`bytes`](PassedStore::bytes) is exact at any time.
pub struct ArenaStore<E: Encoding, C> {
    encoding: E,
    covering: C,
    table: HashTable<TableEntry>,
    hasher: FixedState,
    groups: Vec<Group>,
    /// The key of group `g` is the record `g`.
    keys: Slab<u64>,
    /// One pool for each payload length.
    payloads: Vec<Pool<E::Item>>,
    places: Vec<Place>,
    live: usize,
    /// How many numbers the last insertion compared, about.
    effort: usize,
}

impl<E: Encoding, C: Covering<Item = E::Item>> ArenaStore<E, C> {
    /// An empty store.
    pub fn new(encoding: E, covering: C) -> Self {
        let keys = Slab::new(encoding.key_words());
        Self {
            encoding,
            covering,
            table: HashTable::new(),
            hasher: FixedState::with_seed(0),
            groups: Vec::new(),
            keys,
            payloads: Vec::new(),
            places: Vec::new(),
            live: 0,
            effort: 0,
        }
    }

    /// The live nodes, in order of insertion.
    pub fn live_nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.places.len()).map(NodeId::from_index).filter(|&node| self.is_live(node))
    }

    /// The number of nodes ever inserted.
    pub fn inserted(&self) -> usize {
        self.places.len()
    }

    /// The number of different keys.
    pub fn keys(&self) -> usize {
        self.groups.len()
    }

    /// The key of a node, live or not.
    pub fn key(&self, node: NodeId) -> &[u64] {
        self.keys.get(self.places[node.index()].group)
    }

    /// The payload of a live node.
    pub fn payload(&self, node: NodeId) -> &[E::Item] {
        self.payload_at(self.places[node.index()])
    }

    /// The covering that decides.
    pub fn covering(&self) -> &C {
        &self.covering
    }

    fn payload_at(&self, place: Place) -> &[E::Item] {
        self.payloads[self.groups[place.group as usize].pool as usize].get(place.slot)
    }

    /// The newest payload of a group.
    fn newest_payload(&self, group: u32) -> &[E::Item] {
        self.payload_at(self.places[self.groups[group as usize].newest as usize])
    }

    fn hash(&self, key: &[u64], payload: &[E::Item]) -> u32 {
        let mut hasher = self.hasher.build_hasher();
        // All keys have the same length.
        key.iter().for_each(|&word| hasher.write_u64(word));
        if self.covering.is_equality() {
            payload.hash(&mut hasher);
        }
        let hash = hasher.finish();
        (hash ^ (hash >> 32)) as u32
    }

    fn find_group(&self, hash: u32, key: &[u64], payload: &[E::Item]) -> Option<u32> {
        let exact = self.covering.is_equality();
        let is_wanted = |entry: &TableEntry| {
            entry.hash == hash
                && self.keys.get(entry.index) == key
                && (!exact || self.newest_payload(entry.index) == payload)
        };
        self.table.find(TableEntry::spread(hash), is_wanted).map(|entry| entry.index)
    }

    /// The node of the group that covers `payload`, the newest of several.
    fn coverer(&mut self, group: u32, payload: &[E::Item], respect: Respect<'_>) -> Option<NodeId> {
        let key = self.keys.get(group);
        let pool = &self.payloads[self.groups[group as usize].pool as usize];
        let mut next = self.groups[group as usize].newest;
        while next != NONE {
            let place = self.places[next as usize];
            let node = NodeId::from_index(next as usize);
            self.effort += payload.len();
            if respect.allows_discarding_for(node)
                && self.covering.covers(key, pool.get(place.slot), payload)
            {
                return Some(node);
            }
            next = place.next;
        }
        None
    }

    /// Takes every node that `payload` covers out of the group's chain.
    fn evict_covered(
        &mut self,
        group: u32,
        payload: &[E::Item],
        respect: Respect<'_>,
        mut evicted: impl FnMut(NodeId),
    ) {
        let key = self.keys.get(group);
        let pool = &mut self.payloads[self.groups[group as usize].pool as usize];
        let mut previous = NONE;
        let mut next = self.groups[group as usize].newest;
        while next != NONE {
            let Place { next: following, slot, .. } = self.places[next as usize];
            let node = NodeId::from_index(next as usize);
            if respect.allows_evicting(node) && self.covering.covers(key, payload, pool.get(slot)) {
                pool.release(slot);
                self.places[next as usize].slot = NONE;
                match previous {
                    NONE => self.groups[group as usize].newest = following,
                    _ => self.places[previous as usize].next = following,
                }
                self.live -= 1;
                evicted(node);
            } else {
                previous = next;
            }
            next = following;
        }
    }

    /// The pool for payloads of this length. There are as many as lengths: few.
    fn pool_for(&mut self, payload_len: usize) -> Result<u32, StopReason> {
        let found = self.payloads.iter().position(|pool| pool.payload_len() == payload_len);
        let index = match found {
            Some(index) => index,
            None => {
                push(&mut self.payloads, Pool::new(payload_len))?;
                self.payloads.len() - 1
            }
        };
        Ok(index as u32)
    }

    /// Starts a group with one node, whose place is already reserved.
    fn start_group(
        &mut self,
        hash: u32,
        key: &[u64],
        payload: &[E::Item],
    ) -> Result<(), StopReason> {
        reserve_one(&mut self.groups)?;
        self.table.try_reserve(1, TableEntry::rehash).map_err(|_| StopReason::MemoryLimit)?;
        let pool = self.pool_for(payload.len())?;
        let slot = self.payloads[pool as usize].acquire(payload)?;
        let group = match self.keys.insert(key) {
            Ok(group) => group,
            Err(reason) => {
                self.payloads[pool as usize].release(slot);
                return Err(reason);
            }
        };
        debug_assert_eq!(group as usize, self.groups.len());
        self.groups.push(Group { newest: self.places.len() as u32, pool });
        self.places.push(Place { group, next: NONE, slot });
        let entry = TableEntry { index: group, hash };
        self.table.insert_unique(TableEntry::spread(hash), entry, TableEntry::rehash);
        Ok(())
    }

    /// Adds a node, whose place is already reserved, to a group; its payload is stored first, so
    /// that nothing is evicted when memory runs out.
    fn extend_group(
        &mut self,
        group: u32,
        payload: &[E::Item],
        respect: Respect<'_>,
        evicted: impl FnMut(NodeId),
    ) -> Result<(), StopReason> {
        let pool = self.groups[group as usize].pool;
        let slot = self.payloads[pool as usize].acquire(payload)?;
        self.evict_covered(group, payload, respect, evicted);
        let next = self.groups[group as usize].newest;
        self.groups[group as usize].newest = self.places.len() as u32;
        self.places.push(Place { group, next, slot });
        Ok(())
    }
}

impl<E: Encoding, C: Covering<Item = E::Item>> PassedStore<E::State> for ArenaStore<E, C> {
    fn insert(
        &mut self,
        state: &E::State,
        respect: Respect<'_>,
        mut evicted: impl FnMut(NodeId, NodeId),
    ) -> Result<Insertion, StopReason> {
        self.effort = 0;
        let key = self.encoding.key(state);
        let payload = self.encoding.payload(state);
        let hash = self.hash(key, payload);
        let found = self.find_group(hash, key, payload);
        if let Some(group) = found {
            self.covering.focus(key);
            if let Some(node) = self.coverer(group, payload, respect) {
                return Ok(Insertion::CoveredBy(node));
            }
        }
        if self.places.len() >= NONE as usize {
            return Err(StopReason::NodeLimit);
        }
        reserve_one(&mut self.places)?;
        let node = NodeId::from_index(self.places.len());
        match found {
            Some(group) => {
                self.extend_group(group, payload, respect, |old| evicted(old, node))?;
            }
            None => self.start_group(hash, key, payload)?,
        }
        self.live += 1;
        Ok(Insertion::New(node))
    }

    fn load(&self, node: NodeId, into: &mut E::State) {
        let place = self.places[node.index()];
        debug_assert_ne!(place.slot, NONE, "evicted nodes are not loaded");
        self.encoding.load(self.keys.get(place.group), self.payload_at(place), into);
    }

    #[inline]
    fn is_live(&self, node: NodeId) -> bool {
        self.places[node.index()].slot != NONE
    }

    fn len(&self) -> usize {
        self.live
    }

    fn bytes(&self) -> usize {
        self.keys.bytes()
            + self.payloads.iter().map(Pool::bytes).sum::<usize>()
            + bytes_of(&self.payloads)
            + bytes_of(&self.groups)
            + bytes_of(&self.places)
            + self.table.allocation_size()
    }

    fn effort(&self) -> usize {
        self.effort
    }
}

#[cfg(test)]
mod tests;
