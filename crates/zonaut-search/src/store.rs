//! The passed store: states in arenas, indexed by bucket.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use zonaut_base::Id;
use zonaut_space::{
    Cost, CostDominance, Covering, Encoding, Eviction, Insertion, Member, NodeId, PassedStore,
    StopReason, SummaryWord,
};

use crate::batch::EncodedState;
use crate::growth::{bytes_of, push, reserve_one};
use crate::slab::Slab;
use crate::spill::{Form, Outlet, Spilling};
use group::{Group, Members};
use pool::Pool;
use summarised_bucket::SummarisedBucket;

mod append;
mod distinct;
#[cfg(feature = "faults")]
pub mod faults;
mod group;
mod pool;
pub(crate) mod publication;
mod summarised_bucket;

/// The end of a chain, and the slot of an evicted node.
const NONE: u32 = u32::MAX;

/// The greatest size of a chain; larger groups are summarised. Computing a summary costs as much as
/// some dozens of comparisons, most of which end with their first row.
const LONGEST_CHAIN: usize = 64;

/// The location of a node in the store: twelve bytes, and a share of a payload.
#[derive(Clone, Copy)]
struct NodeSlot {
    group: u32,
    /// The next older live node of the group, if it is a chain.
    next: u32,
    /// The index of the payload in the group's pool.
    slot: u32,
}

/// The address of a payload: its pool, and its slot there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PayloadSlot {
    /// The number of the pool.
    pub pool: usize,
    /// The slot in the pool.
    pub slot: usize,
}

/// The size of a pool of payloads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PoolSize {
    /// The number of elements of each payload.
    pub payload_len: usize,
    /// The number of slots, whether they are in use or released.
    pub slots: usize,
}

/// An entry of a hash table: an index into an arena, and enough of the hash to grow the table and
/// to reject most other entries without reading the arena.
#[derive(Clone, Copy)]
struct TableEntry {
    index: u32,
    hash: u32,
}

impl TableEntry {
    /// The 64 well-mixed bits that the table requires.
    fn spread(hash: u32) -> u64 {
        u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn rehash(&self) -> u64 {
        Self::spread(self.hash)
    }
}

/// A passed store that keeps buckets and payloads in arenas and compares only states with equal
/// buckets.
///
/// A table finds the group of a bucket; a group is a chain of live nodes, newest first, or, if it
/// is large, a summarised bucket in which summaries reject most of them. Equal payloads of one
/// length are stored once, and their memory is reused when no live node refers to them. A single
/// node needs no allocation of its own, every failed allocation leaves the store intact, and
/// [`bytes`](PassedStore::bytes) is exact at any time.
pub struct ArenaStore<E: Encoding, C: Covering> {
    encoding: E,
    covering: C,
    /// For insertions.
    probe: Probe<C>,
    table: HashTable<TableEntry>,
    hasher: FixedState,
    groups: Vec<Group>,
    /// The bucket of group `g` is the record `g`.
    buckets: Slab<u64>,
    /// One pool per payload length.
    payloads: Vec<Pool<E::Item>>,
    places: Vec<NodeSlot>,
    /// The first place since the last publication of payloads.
    unpublished: usize,
    summarised_buckets: Vec<SummarisedBucket>,
    /// The greatest size of a chain.
    longest_chain: usize,
    /// The bytes of all summarised buckets.
    summarised_bytes: usize,
    live: usize,
    spill: Option<Spill<E::Item>>,
}

/// The file to which a store may move records, and the form of elements of payloads there.
struct Spill<T> {
    outlet: Outlet,
    items: Form<T>,
    /// The bucket and payload of a state that is loaded if another one cannot be read back.
    stand_in: Option<(Vec<u64>, Vec<T>)>,
}

impl<T> Spill<T> {
    fn new<Step>(spilling: &Spilling<Step, T>) -> Self {
        Self { outlet: Outlet::new(&spilling.overflow), items: spilling.items, stand_in: None }
    }
}

/// The working memory for comparisons of a state with those of a group.
pub(crate) struct Probe<C: Covering> {
    scratch: C::Scratch,
    /// The summary of the state, if the group is summarised.
    summary: Vec<SummaryWord>,
    /// A spilled payload that is compared.
    spilled: Vec<C::Item>,
    /// The approximate number of comparisons.
    effort: usize,
}

impl<C: Covering> Probe<C> {
    fn new(covering: &C) -> Self {
        let (summary, spilled) = (Vec::new(), Vec::new());
        Self { scratch: covering.scratch(), summary, spilled, effort: 0 }
    }

    /// The memory held, in bytes, without that of the covering.
    pub(crate) fn bytes(&self) -> usize {
        bytes_of(&self.summary) + bytes_of(&self.spilled)
    }
}

/// The knowledge about a state that no live node covered when the store was asked. It is true until
/// states are inserted, and then says where to look.
#[derive(Clone, Copy)]
pub(crate) struct Uncovered {
    hash: u32,
    /// The group of its bucket; [`NONE`] if there was none.
    group: u32,
    /// The number of nodes at that time.
    nodes: u32,
}

/// The parts of a store that comparisons read.
struct Stored<'s, T, C> {
    covering: &'s C,
    groups: &'s [Group],
    payloads: &'s [Pool<T>],
    places: &'s [NodeSlot],
    summarised_buckets: &'s [SummarisedBucket],
}

impl<E: Encoding, C: Covering<Item = E::Item>> ArenaStore<E, C> {
    /// An empty store.
    pub fn new(encoding: E, covering: C) -> Self {
        let buckets = Slab::new(encoding.bucket_words());
        let probe = Probe::new(&covering);
        let longest_chain = LONGEST_CHAIN;
        #[cfg(feature = "faults")]
        let longest_chain = faults::longest_chain(longest_chain);
        Self {
            encoding,
            covering,
            probe,
            table: HashTable::new(),
            hasher: FixedState::with_seed(0),
            groups: Vec::new(),
            buckets,
            payloads: Vec::new(),
            places: Vec::new(),
            unpublished: 0,
            summarised_buckets: Vec::new(),
            longest_chain,
            summarised_bytes: 0,
            live: 0,
            spill: None,
        }
    }

    /// The same store, which may [spill](PassedStore::spill) buckets and payloads.
    #[must_use]
    pub fn spilling<Step>(mut self, spilling: &Spilling<Step, E::Item>) -> Self {
        self.spill = Some(Spill::new(spilling));
        self
    }

    /// An empty store with the same encoding and covering.
    pub(crate) fn emptied(self) -> Self {
        let spill = self.spill;
        Self { spill, ..Self::new(self.encoding, self.covering) }
    }

    /// Adds a node of another store with the same covering, without comparing it: with its state if
    /// it was live there. Nodes of one bucket keep their order.
    pub(crate) fn restore(
        &mut self,
        state: Option<EncodedState<'_, E::Item>>,
    ) -> Result<(), StopReason> {
        if self.places.len() >= NONE as usize {
            return Err(StopReason::NodeLimit);
        }
        reserve_one(&mut self.places)?;
        let Some(EncodedState { bucket, payload }) = state else {
            self.places.push(NodeSlot { group: NONE, next: NONE, slot: NONE });
            return Ok(());
        };
        let hash = self.hash(bucket, payload);
        match self.find_group(hash, bucket, payload) {
            None => self.start_group(hash, bucket, payload)?,
            Some(group) => {
                self.focus(group, bucket, payload);
                let slot = self.reserve_member(group, payload)?;
                let length = self.chain_length(group);
                self.join_group(group, slot, length);
            }
        }
        self.live += 1;
        Ok(())
    }

    /// The live nodes, in order of insertion.
    pub fn live_nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.places.len()).map(NodeId::from_index).filter(|&node| self.is_live(node))
    }

    /// Working memory to ask whether states are [covered](Self::covers).
    pub(crate) fn probe(&self) -> Probe<C> {
        Probe::new(&self.covering)
    }

    /// Whether a live node covers a state: `None`, or the knowledge with which it is
    /// [inserted](Self::insert_encoded).
    pub(crate) fn uncovered(
        &self,
        state: EncodedState<'_, E::Item>,
        probe: &mut Probe<C>,
    ) -> Option<Uncovered> {
        let EncodedState { bucket, payload } = state;
        let (hash, nodes) = (self.hash(bucket, payload), self.places.len() as u32);
        let Some(group) = self.find_group(hash, bucket, payload) else {
            return Some(Uncovered { hash, group: NONE, nodes });
        };
        if self.covering.is_equality() {
            return None;
        }
        let stored = self.stored();
        stored.focus(group, state, probe);
        match stored.coverer(group, payload, CostDominance::<u32>::Ignored, 0, probe) {
            Some(_) => None,
            None => Some(Uncovered { hash, group, nodes }),
        }
    }

    /// Compares with other working memory from now on, and gives the former one in return. Both know
    /// only what the covering found out about buckets.
    pub(crate) fn swap_probe(&mut self, probe: &mut Probe<C>) {
        std::mem::swap(&mut self.probe, probe);
    }

    fn stored(&self) -> Stored<'_, E::Item, C> {
        let Self { covering, groups, payloads, places, summarised_buckets, .. } = self;
        Stored { covering, groups, payloads, places, summarised_buckets }
    }

    /// The newest live node that covers `state`; nothing is inserted.
    pub fn coverer_of(&mut self, state: &E::State) -> Option<NodeId> {
        self.probe.effort = 0;
        let bucket = self.encoding.bucket(state);
        let payload = self.encoding.payload(state);
        let group = self.find_group(self.hash(bucket, payload), bucket, payload)?;
        self.focus(group, bucket, payload);
        self.coverer(group, payload, CostDominance::<u32>::Ignored, 0)
    }

    /// Inserts the state with this bucket and payload, as [`PassedStore::insert`] does. If it is
    /// known to have been uncovered, it is compared only with nodes that were inserted since then.
    pub(crate) fn insert_encoded<D: Cost>(
        &mut self,
        EncodedState { bucket, payload }: EncodedState<'_, E::Item>,
        known: Option<Uncovered>,
        dominance: CostDominance<'_, D>,
        evicted: impl FnMut(Eviction),
    ) -> Result<Insertion, StopReason> {
        self.probe.effort = 0;
        let hash = known.map_or_else(|| self.hash(bucket, payload), |known| known.hash);
        let since = known.map_or(0, |known| known.nodes);
        #[cfg(feature = "faults")]
        let since = match faults::Fault::NewerNodesIgnored.is_selected() && known.is_some() {
            true => NONE,
            false => since,
        };
        let found = match known {
            // Groups are never removed.
            Some(Uncovered { group, .. }) if group != NONE => Some(group),
            _ => self.find_group(hash, bucket, payload),
        };
        if let Some(group) = found {
            self.focus(group, bucket, payload);
            if let Some(node) = self.coverer(group, payload, dominance, since) {
                return Ok(Insertion::CoveredBy(node));
            }
        }
        if self.places.len() >= NONE as usize {
            return Err(StopReason::NodeLimit);
        }
        reserve_one(&mut self.places)?;
        let node = NodeId::from_index(self.places.len());
        match found {
            Some(group) => self.extend_group(group, payload, dominance, evicted)?,
            None => self.start_group(hash, bucket, payload)?,
        }
        self.live += 1;
        Ok(Insertion::New(node))
    }

    /// The number of nodes ever inserted.
    pub fn inserted(&self) -> usize {
        self.places.len()
    }

    /// The number of different buckets.
    pub fn buckets(&self) -> usize {
        self.groups.len()
    }

    /// The bucket of a node, live or not.
    pub fn bucket(&self, node: NodeId) -> Cow<'_, [u64]> {
        self.buckets.get(self.places[node.index()].group)
    }

    /// The payload of a live node.
    pub fn payload(&self, node: NodeId) -> Cow<'_, [E::Item]> {
        self.payload_at(self.places[node.index()])
    }

    /// The encoding of states.
    pub(crate) fn encoding(&self) -> &E {
        &self.encoding
    }

    /// The live nodes, those with equal buckets one after the other, otherwise in order of
    /// insertion.
    pub fn grouped_nodes(&self) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = self.live_nodes().collect();
        if self.covering.is_equality() {
            nodes.sort_by_key(|&node| self.bucket(node));
        } else {
            nodes.sort_by_key(|node| self.places[node.index()].group);
        }
        nodes
    }

    /// The address of the payload of a live node. Nodes with equal addresses share a payload.
    pub fn payload_slot(&self, node: NodeId) -> PayloadSlot {
        let place = self.places[node.index()];
        let pool = self.groups[place.group as usize].pool();
        PayloadSlot { pool, slot: self.payloads[pool].dense(place.slot) }
    }

    /// The payload at an address.
    pub fn payload_in(&self, at: PayloadSlot) -> Cow<'_, [E::Item]> {
        self.payloads[at.pool].get_dense(at.slot)
    }

    /// The number of slots of each pool of payloads, whose payloads have one length.
    pub fn payload_slots(&self) -> impl Iterator<Item = PoolSize> + '_ {
        let size = |pool: &Pool<E::Item>| PoolSize {
            payload_len: pool.payload_len(),
            slots: pool.slots(),
        };
        self.payloads.iter().map(size)
    }

    /// The covering relation.
    pub fn covering(&self) -> &C {
        &self.covering
    }

    fn payload_at(&self, place: NodeSlot) -> Cow<'_, [E::Item]> {
        self.payloads[self.groups[place.group as usize].pool()].get(place.slot)
    }

    /// The common payload of all nodes of a group, if covering is equality.
    fn only_payload(&self, group: u32) -> Cow<'_, [E::Item]> {
        match self.groups[group as usize].members() {
            Members::Chain { newest } => self.payload_at(self.places[newest as usize]),
            Members::SummarisedBucket { .. } => Cow::Borrowed(&[]),
        }
    }

    fn hash(&self, bucket: &[u64], payload: &[E::Item]) -> u32 {
        let mut hasher = self.hasher.build_hasher();
        // All buckets have the same length.
        bucket.iter().for_each(|&word| hasher.write_u64(word));
        if self.covering.is_equality() {
            payload.hash(&mut hasher);
        }
        let hash = hasher.finish();
        (hash ^ (hash >> 32)) as u32
    }

    fn find_group(&self, hash: u32, bucket: &[u64], payload: &[E::Item]) -> Option<u32> {
        let exact = self.covering.is_equality();
        let is_wanted = |entry: &TableEntry| {
            entry.hash == hash
                && *self.buckets.get(entry.index) == *bucket
                && (!exact || *self.only_payload(entry.index) == *payload)
        };
        self.table.find(TableEntry::spread(hash), is_wanted).map(|entry| entry.index)
    }

    /// Prepares comparisons with the nodes of a group.
    #[inline]
    fn focus(&mut self, group: u32, bucket: &[u64], payload: &[E::Item]) {
        let Self { covering, probe, groups, payloads, places, summarised_buckets, .. } = self;
        let stored = Stored { covering, groups, payloads, places, summarised_buckets };
        stored.focus(group, EncodedState { bucket, payload }, probe);
    }

    /// The newest node of the group in focus that covers `payload`, from this one on.
    #[inline]
    fn coverer(
        &mut self,
        group: u32,
        payload: &[E::Item],
        dominance: CostDominance<'_, impl Cost>,
        since: u32,
    ) -> Option<NodeId> {
        let Self { covering, probe, groups, payloads, places, summarised_buckets, .. } = self;
        let stored = Stored { covering, groups, payloads, places, summarised_buckets };
        stored.coverer(group, payload, dominance, since, probe)
    }

    /// Evicts every node that `payload` covers from the group in focus; returns the length of the
    /// remaining chain, if the group is one.
    fn evict_covered(
        &mut self,
        group: u32,
        payload: &[E::Item],
        dominance: CostDominance<'_, impl Cost>,
        mut evicted: impl FnMut(Eviction),
    ) -> usize {
        let Self { covering, probe, groups, payloads, places, live, .. } = self;
        let Probe { scratch, summary, spilled, .. } = probe;
        let group = &mut groups[group as usize];
        let pool = &mut payloads[group.pool()];
        let larger = Member { node: NodeId::from_index(places.len()), payload };
        let mut is_evicted = |node: u32, places: &mut [NodeSlot]| {
            let place = &mut places[node as usize];
            let node = NodeId::from_index(node as usize);
            let smaller = Member { node, payload: pool.get_with(place.slot, spilled) };
            let goes = dominance.allows_evicting(node) && covering.covers(larger, smaller, scratch);
            if goes {
                pool.release(place.slot);
                place.slot = NONE;
                *live -= 1;
                evicted(Eviction { node, by: larger.node });
            }
            goes
        };
        match group.members() {
            Members::Chain { newest } => {
                let (mut previous, mut next, mut left) = (NONE, newest, 0);
                while next != NONE {
                    let following = places[next as usize].next;
                    if !is_evicted(next, places) {
                        previous = next;
                        left += 1;
                    } else if previous == NONE {
                        *group = group.with_newest(following);
                    } else {
                        places[previous as usize].next = following;
                    }
                    next = following;
                }
                left
            }
            Members::SummarisedBucket { index } => {
                self.summarised_buckets[index]
                    .evict_covered(summary, |node| is_evicted(node, places));
                0
            }
        }
    }

    /// The pool for payloads of this length. The number of lengths is small.
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

    /// Starts a group with one node, whose slot is already reserved.
    fn start_group(
        &mut self,
        hash: u32,
        bucket: &[u64],
        payload: &[E::Item],
    ) -> Result<(), StopReason> {
        reserve_one(&mut self.groups)?;
        self.table.try_reserve(1, TableEntry::rehash).map_err(|_| StopReason::MemoryLimit)?;
        let pool = self.pool_for(payload.len())?;
        let slot = self.payloads[pool as usize].acquire(payload)?;
        let group = match self.buckets.insert(bucket) {
            Ok(group) => group,
            Err(reason) => {
                self.payloads[pool as usize].release(slot);
                return Err(reason);
            }
        };
        debug_assert_eq!(group as usize, self.groups.len());
        self.groups.push(Group::chain(self.places.len() as u32, pool));
        self.places.push(NodeSlot { group, next: NONE, slot });
        let entry = TableEntry { index: group, hash };
        self.table.insert_unique(TableEntry::spread(hash), entry, TableEntry::rehash);
        Ok(())
    }

    /// Adds a node, whose slot is already reserved, to a group; its payload is stored first, so
    /// that no node is evicted when memory runs out.
    fn extend_group(
        &mut self,
        group: u32,
        payload: &[E::Item],
        dominance: CostDominance<'_, impl Cost>,
        evicted: impl FnMut(Eviction),
    ) -> Result<(), StopReason> {
        let slot = self.reserve_member(group, payload)?;
        let left = self.evict_covered(group, payload, dominance, evicted);
        self.join_group(group, slot, left);
        Ok(())
    }

    /// Stores the payload of the next node of a group, and makes room for the node.
    fn reserve_member(&mut self, group: u32, payload: &[E::Item]) -> Result<u32, StopReason> {
        let pool = self.groups[group as usize].pool();
        if let Members::SummarisedBucket { index } = self.groups[group as usize].members() {
            let before = self.summarised_buckets[index].bytes();
            let reserved = self.summarised_buckets[index].reserve();
            self.summarised_bytes += self.summarised_buckets[index].bytes() - before;
            reserved?;
        }
        self.payloads[pool].acquire(payload)
    }

    /// Adds the next node to a group, which is a chain of this length or a summarised bucket.
    fn join_group(&mut self, group: u32, slot: u32, length: usize) {
        let node = self.places.len() as u32;
        match self.groups[group as usize].members() {
            Members::Chain { newest } => {
                self.groups[group as usize] = self.groups[group as usize].with_newest(node);
                self.places.push(NodeSlot { group, next: newest, slot });
                if length >= self.longest_chain {
                    self.summarise_chain(group, node);
                }
            }
            Members::SummarisedBucket { index } => {
                self.summarised_buckets[index].push(node, &self.probe.summary);
                self.places.push(NodeSlot { group, next: NONE, slot });
            }
        }
    }

    /// The length of a chain; 0 for a summarised bucket.
    fn chain_length(&self, group: u32) -> usize {
        let Members::Chain { newest } = self.groups[group as usize].members() else { return 0 };
        let older =
            |&node: &u32| Some(self.places[node as usize].next).filter(|&next| next != NONE);
        std::iter::successors(Some(newest), older).count()
    }

    /// Converts the chain that begins with `newest` into a summarised bucket, if summaries help. If
    /// memory runs out, it stays a chain.
    fn summarise_chain(&mut self, group: u32, newest: u32) {
        let pool = &self.payloads[self.groups[group as usize].pool()];
        let words = self.covering.summary_words(pool.payload_len());
        if words == 0 || reserve_one(&mut self.summarised_buckets).is_err() {
            return;
        }
        let bucket = self.buckets.get(group);
        let mut summarised_bucket = SummarisedBucket::new(words);
        self.probe.summary.resize(words, SummaryWord::default());
        let mut next = newest;
        while next != NONE {
            if summarised_bucket.reserve().is_err() {
                return;
            }
            let place = self.places[next as usize];
            let payload = pool.get(place.slot);
            let Probe { scratch, summary, .. } = &mut self.probe;
            self.covering.summarise(&bucket, &payload, scratch, summary);
            summarised_bucket.push(next, &self.probe.summary);
            next = place.next;
        }
        summarised_bucket.reverse();
        self.summarised_bytes += summarised_bucket.bytes();
        self.groups[group as usize] =
            self.groups[group as usize].with_summarised_bucket(self.summarised_buckets.len());
        self.summarised_buckets.push(summarised_bucket);
    }
}

impl<T: Copy + Eq + Hash, C: Covering<Item = T>> Stored<'_, T, C> {
    /// Prepares comparisons with the nodes of a group.
    #[inline]
    fn focus(
        &self,
        group: u32,
        EncodedState { bucket, payload }: EncodedState<'_, T>,
        probe: &mut Probe<C>,
    ) {
        let Probe { scratch, summary, effort, .. } = probe;
        self.covering.focus(bucket, scratch);
        if let Members::SummarisedBucket { index } = self.groups[group as usize].members() {
            *effort += payload.len() + self.summarised_buckets[index].len();
            summary.resize(self.summarised_buckets[index].words(), SummaryWord::default());
            self.covering.summarise(bucket, payload, scratch, summary);
        }
    }

    /// The newest node of the group in focus that covers `payload`, from this one on.
    #[inline]
    fn coverer(
        &self,
        group: u32,
        payload: &[T],
        dominance: CostDominance<'_, impl Cost>,
        since: u32,
        probe: &mut Probe<C>,
    ) -> Option<NodeId> {
        let Self { covering, groups, payloads, places, summarised_buckets } = *self;
        let Probe { scratch, summary, spilled, effort } = probe;
        let group = groups[group as usize];
        let pool = &payloads[group.pool()];
        let smaller = Member { node: NodeId::from_index(places.len()), payload };
        let mut covers = |node: u32, place: NodeSlot| {
            *effort += payload.len();
            let node = NodeId::from_index(node as usize);
            let larger = Member { node, payload: pool.get_with(place.slot, spilled) };
            dominance.allows_discarding_for(node) && covering.covers(larger, smaller, scratch)
        };
        let found = match group.members() {
            Members::Chain { newest } => {
                let mut next = newest;
                loop {
                    if next == NONE || next < since {
                        break None;
                    }
                    let place = places[next as usize];
                    if covers(next, place) {
                        break Some(next);
                    }
                    next = place.next;
                }
            }
            Members::SummarisedBucket { index } => {
                summarised_buckets[index].find_coverer(summary, since, |node| {
                    #[cfg(feature = "faults")]
                    if faults::Fault::SummariesDecide.is_selected() {
                        return true;
                    }
                    covers(node, places[node as usize])
                })
            }
        };
        found.map(|node| NodeId::from_index(node as usize))
    }
}

impl<E: Encoding, C: Covering<Item = E::Item>> PassedStore<E::State> for ArenaStore<E, C> {
    fn insert<D: Cost>(
        &mut self,
        state: &E::State,
        dominance: CostDominance<'_, D>,
        evicted: impl FnMut(Eviction),
    ) -> Result<Insertion, StopReason> {
        let (bucket, payload) = (self.encoding.bucket(state), self.encoding.payload(state));
        self.insert_encoded(EncodedState { bucket, payload }, None, dominance, evicted)
    }

    fn load(&self, node: NodeId, into: &mut E::State) {
        let place = self.places[node.index()];
        debug_assert_ne!(place.slot, NONE, "evicted nodes are not loaded");
        let (bucket, payload) = (self.buckets.get(place.group), self.payload_at(place));
        match &self.spill {
            Some(Spill { outlet, stand_in: Some((bucket, payload)), .. })
                if outlet.has_failed() =>
            {
                self.encoding.load(bucket, payload, into);
            }
            _ => self.encoding.load(&bucket, &payload, into),
        }
    }

    #[inline]
    fn is_live(&self, node: NodeId) -> bool {
        self.places[node.index()].slot != NONE
    }

    fn len(&self) -> usize {
        self.live
    }

    fn bytes(&self) -> usize {
        self.buckets.bytes()
            + self.payloads.iter().map(Pool::bytes).sum::<usize>()
            + bytes_of(&self.payloads)
            + bytes_of(&self.groups)
            + bytes_of(&self.places)
            + bytes_of(&self.summarised_buckets)
            + self.probe.bytes()
            + self.summarised_bytes
            + self.table.allocation_size()
    }

    fn effort(&self) -> usize {
        self.probe.effort
    }

    fn spill(&mut self) -> Result<(), StopReason> {
        let Some(spill) = &self.spill else { return Ok(()) };
        let newest = match &spill.stand_in {
            Some(_) => None,
            None => self.places.iter().rfind(|place| place.slot != NONE).copied(),
        };
        let stand_in = newest.map(|place| {
            (self.buckets.get(place.group).into_owned(), self.payload_at(place).into_owned())
        });
        let Some(spill) = &mut self.spill else { return Ok(()) };
        let file = spill.outlet.file()?;
        spill.stand_in = spill.stand_in.take().or(stand_in);
        self.buckets.spill(&file, Form::WORDS)?;
        let items = spill.items;
        self.payloads.iter_mut().try_for_each(|pool| pool.spill(&file, items))
    }
}

#[cfg(test)]
mod tests;
