//! Saving a search between two rounds, and continuing it with any number of workers.
//!
//! Between two rounds no state is on its way: each worker has inserted everything that was sent to
//! it. So the nodes of all workers, which of them are live and which are expanded, and the current
//! depth determine the rest of the search, except for the order within a layer. Nodes are only added;
//! a checkpoint has the nodes since the one before, and the marks of all.
//!
//! To continue, each live node goes to the owner of its bucket; nodes that are no longer live matter
//! as parents only, and any worker can have them.

use std::collections::HashMap;
use std::sync::RwLock;

use zonaut_base::Id;
use zonaut_space::{
    Covering, Encoding, Goal, NodeId, OwnedNode, PassedStore, StopReason, TransitionSystem,
    WorkerId,
};

use super::distribution::{SavedPart, SavedSearch};
use super::owners::{Numbering, Owners};
use super::window::{Rank, Waiting};
use super::worker::{Holding, Reached, Worker, write};
use crate::batch::EncodedState;
use crate::growth::push;
use crate::node_table::Edge;
use crate::outcome::Statistics;
#[cfg(feature = "faults")]
use crate::store::faults::Fault;
use crate::store::{ArenaStore, PayloadSlot};
use crate::wire::{Bytes, Codec, Malformed, put_u32, put_u64};

/// No node.
const NO_NODE: u32 = u32::MAX;
/// The flag of nodes with a parent.
const HAS_PARENT: u8 = 1;
/// The flag of nodes that were live when they were saved.
const IS_LIVE: u8 = 2;

/// The reason for which a saved search cannot be continued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unrestored {
    Malformed,
    Stopped(StopReason),
}

impl From<Malformed> for Unrestored {
    fn from(_: Malformed) -> Self {
        Self::Malformed
    }
}

impl From<StopReason> for Unrestored {
    fn from(why: StopReason) -> Self {
        Self::Stopped(why)
    }
}

impl<Ts: TransitionSystem, G: Goal<Ts>, C: Covering<Item: Copy>> Worker<'_, Ts, G, C> {
    /// The nodes that are not saved yet, and the marks of all; those nodes count as saved then.
    pub(super) fn save<E>(
        &mut self,
        holding: &Holding<E, C>,
        codec: &dyn Codec<Ts::Step, C::Item>,
    ) -> SavedPart
    where
        E: Encoding<State = Ts::State, Item = C::Item>,
    {
        let store = &holding.store;
        let part =
            SavedPart { nodes: self.save_nodes(store, codec), marks: self.save_marks(store) };
        self.saved = self.shelf.nodes.len();
        part
    }

    fn save_nodes<E>(
        &self,
        store: &ArenaStore<E, C>,
        codec: &dyn Codec<Ts::Step, C::Item>,
    ) -> Vec<u8>
    where
        E: Encoding<State = Ts::State, Item = C::Item>,
    {
        let nodes = &self.shelf.nodes;
        let mut to = Vec::new();
        put_u64(&mut to, self.saved as u64);
        put_u64(&mut to, (nodes.len() - self.saved) as u64);
        let mut known: HashMap<PayloadSlot, u32> = HashMap::new();
        for node in (self.saved..nodes.len()).map(NodeId::from_index) {
            let (arrival, is_live) = (nodes.arrival(node), store.is_live(node));
            let parent = if arrival.is_some() { HAS_PARENT } else { 0 };
            to.push(parent | if is_live { IS_LIVE } else { 0 });
            put_u32(&mut to, nodes.cost(node));
            if let Some(Edge { from, step }) = arrival {
                put_u32(&mut to, from.index() as u32);
                codec.write_step(step, &mut to);
            }
            if is_live {
                store.bucket(node).iter().for_each(|&word| put_u64(&mut to, word));
                let next = known.len() as u32;
                let index = *known.entry(store.payload_slot(node)).or_insert(next);
                put_u32(&mut to, index);
                if index == next {
                    let payload = store.payload(node);
                    put_u32(&mut to, payload.len() as u32);
                    codec.write_payload(&payload, &mut to);
                }
            }
        }
        to
    }

    fn save_marks<E>(&self, store: &ArenaStore<E, C>) -> Vec<u8>
    where
        E: Encoding<State = Ts::State, Item = C::Item>,
    {
        let nodes = &self.shelf.nodes;
        let Statistics { explored, generated, covered, evicted, evicted_after_expansion, .. } =
            self.shelf.ledger.statistics;
        let mut to = Vec::new();
        put_u32(&mut to, self.depth);
        put_u32(&mut to, self.shelf.reached.map_or(NO_NODE, |goal| goal.node.index() as u32));
        for count in [explored, generated, covered, evicted, evicted_after_expansion, nodes.len()] {
            put_u64(&mut to, count as u64);
        }
        let all = || (0..nodes.len()).map(NodeId::from_index);
        put_bits(&mut to, all().map(|node| store.is_live(node)));
        let is_expanded = |node| {
            #[cfg(feature = "faults")]
            if Fault::LayerNotSaved.is_selected() && nodes.cost(node) <= self.depth {
                return true;
            }
            nodes.is_expanded(node)
        };
        put_bits(&mut to, all().map(is_expanded));
        to
    }

    /// Adds a node of a saved search.
    fn restore<E>(
        &mut self,
        holding: &mut Holding<E, C>,
        arrival: Option<Edge<Ts::Step>>,
        cost: u32,
        state: Option<EncodedState<'_, C::Item>>,
        is_expanded: bool,
    ) -> Result<(), Unrestored>
    where
        E: Encoding<State = Ts::State, Item = C::Item>,
    {
        let shelf = &mut self.shelf;
        shelf.nodes.reserve()?;
        let is_live = state.is_some();
        let kind = state.and_then(|state| holding.store.encoding().kind(state.bucket));
        holding.store.restore(state)?;
        let node = shelf.nodes.add(arrival, cost, ());
        // Ranks are not saved. Those of the nodes of one owner have their order, and nodes of
        // different owners take turns.
        let waiting = Waiting::new(node, Rank::new(node.index() as u64, 0), kind);
        if is_expanded {
            shelf.nodes.mark_expanded(node);
        } else if is_live && cost == self.depth {
            push(&mut holding.layer, waiting)?;
        } else if is_live && cost == self.depth + 1 {
            push(&mut shelf.next_layer, waiting)?;
        } else if is_live {
            return Err(Unrestored::Malformed);
        }
        Ok(())
    }
}

fn put_bits(to: &mut Vec<u8>, bits: impl Iterator<Item = bool>) {
    let (mut byte, mut used) = (0_u8, 0);
    for bit in bits {
        byte |= u8::from(bit) << used;
        used += 1;
        if used == 8 {
            to.push(byte);
            (byte, used) = (0, 0);
        }
    }
    if used > 0 {
        to.push(byte);
    }
}

/// The marks of a saved worker.
struct Marks<'b> {
    depth: u32,
    reached: Option<NodeId>,
    statistics: Statistics,
    nodes: usize,
    live: &'b [u8],
    expanded: &'b [u8],
}

impl<'b> Marks<'b> {
    fn read(marks: &'b [u8]) -> Result<Self, Malformed> {
        let from = &mut Bytes::new(marks);
        let (depth, reached) = (from.u32()?, from.u32()?);
        let mut count = || usize::try_from(from.u64()?).map_err(|_| Malformed);
        let statistics = Statistics {
            explored: count()?,
            generated: count()?,
            covered: count()?,
            evicted: count()?,
            evicted_after_expansion: count()?,
            ..Statistics::default()
        };
        let nodes = count()?;
        let (live, expanded) = (from.take(nodes.div_ceil(8))?, from.take(nodes.div_ceil(8))?);
        let reached = (reached != NO_NODE).then(|| NodeId::from_index(reached as usize));
        if !from.is_empty() || reached.is_some_and(|node| node.index() >= nodes) {
            return Err(Malformed);
        }
        Ok(Self { depth, reached, statistics, nodes, live, expanded })
    }

    fn is_live(&self, node: usize) -> bool {
        self.live[node / 8] >> (node % 8) & 1 == 1
    }

    fn is_expanded(&self, node: usize) -> bool {
        self.expanded[node / 8] >> (node % 8) & 1 == 1
    }
}

/// A node as it was saved; its bucket is in the reader.
struct SavedNode<Step> {
    arrival: Option<Edge<Step>>,
    cost: u32,
    /// The number of its payload, if it was live.
    payload: Option<usize>,
}

/// Reads the nodes of one part.
struct NodeReader<'b, 'c, Step, Item> {
    bytes: Bytes<'b>,
    codec: &'c dyn Codec<Step, Item>,
    bucket: Vec<u64>,
    /// The payloads so far, one after the other, and their ends.
    items: Vec<Item>,
    ends: Vec<usize>,
    buffer: Vec<Item>,
}

impl<'b, 'c, Step: Copy, Item: Copy> NodeReader<'b, 'c, Step, Item> {
    fn new(bytes: &'b [u8], codec: &'c dyn Codec<Step, Item>) -> Self {
        let (bucket, items, ends, buffer) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { bytes: Bytes::new(bytes), codec, bucket, items, ends, buffer }
    }

    /// The number of nodes, which begin with this one.
    fn count(&mut self, first: usize) -> Result<usize, Malformed> {
        match self.bytes.u64()? == first as u64 {
            true => self.bytes.count(5),
            false => Err(Malformed),
        }
    }

    fn next(&mut self, bucket_words: usize) -> Result<SavedNode<Step>, Malformed> {
        let (flags, cost) = (self.bytes.u8()?, self.bytes.u32()?);
        let mut arrival = None;
        if flags & HAS_PARENT != 0 {
            let from = NodeId::from_index(self.bytes.u32()? as usize);
            arrival = Some(Edge { from, step: self.codec.read_step(&mut self.bytes)? });
        }
        let mut payload = None;
        if flags & IS_LIVE != 0 {
            self.bucket.clear();
            for _ in 0..bucket_words {
                self.bucket.push(self.bytes.u64()?);
            }
            let index = self.bytes.u32()? as usize;
            if index == self.ends.len() {
                let len = self.bytes.u32()? as usize;
                self.codec.read_payload(len, &mut self.bytes, &mut self.buffer)?;
                self.items.extend_from_slice(&self.buffer);
                self.ends.push(self.items.len());
            }
            payload = Some(index).filter(|&index| index < self.ends.len());
            if payload.is_none() {
                return Err(Malformed);
            }
        }
        Ok(SavedNode { arrival, cost, payload })
    }

    fn payload(&self, index: usize) -> &[Item] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start..self.ends[index]]
    }
}

/// A node of a saved search in the numbering of the search that continues it.
#[derive(Clone, Copy)]
struct Moved {
    owned: OwnedNode,
    cost: u32,
}

/// Continues a saved search: gives the `workers`, which are empty and begin with the one of number
/// `first`, the nodes that they own.
pub(super) fn restore<Ts, G, E, C>(
    saved: &SavedSearch,
    codec: &dyn Codec<Ts::Step, E::Item>,
    owners: &Owners,
    first: usize,
    workers: &mut [Worker<'_, Ts, G, C>],
    holdings: &[RwLock<Holding<E, C>>],
) -> Result<(), Unrestored>
where
    Ts: TransitionSystem,
    G: Goal<Ts>,
    E: Encoding<State = Ts::State>,
    C: Covering<Item = E::Item>,
{
    let mut holdings: Vec<_> = holdings.iter().map(write).collect();
    let Some(words) = holdings.first().map(|one| one.store.encoding().bucket_words()) else {
        return Ok(());
    };
    let marks = saved.workers.iter().map(|worker| Marks::read(&worker.marks));
    let marks = marks.collect::<Result<Vec<_>, _>>()?;
    let depth = marks.iter().map(|marks| marks.depth).max().unwrap_or(0);
    if marks.iter().any(|marks| marks.depth != depth) {
        return Err(Unrestored::Malformed);
    }
    let before = Numbering { workers: saved.workers.len() };
    let moved = moved_nodes(saved, &marks, codec, owners, words)?;
    let new = |OwnedNode { worker, node }: OwnedNode| {
        let moved = moved.get(worker.index()).and_then(|nodes| nodes.get(node.index()));
        moved.copied().ok_or(Malformed)
    };
    workers.iter_mut().for_each(|worker| worker.depth = depth);
    for (old, (saved, marks)) in saved.workers.iter().zip(&marks).enumerate() {
        let mut index = 0;
        for part in &saved.nodes {
            let mut reader = NodeReader::new(part, codec);
            for _ in 0..reader.count(index)? {
                let SavedNode { arrival, cost, payload } = reader.next(words)?;
                let place = moved[old][index].owned;
                let is_live = marks.is_live(index);
                let is_expanded = marks.is_expanded(index);
                let number = NodeId::from_index(index);
                index += 1;
                let Some(local) = place.worker.index().checked_sub(first) else { continue };
                let Some(worker) = workers.get_mut(local) else { continue };
                let arrival = match arrival {
                    None => None,
                    Some(Edge { from, step }) => {
                        let parent = new(before.owned(from))?;
                        // Costs are depths, so that no path is infinite.
                        if parent.cost.checked_add(1) != Some(cost) {
                            return Err(Unrestored::Malformed);
                        }
                        Some(Edge { from: owners.numbering.number(parent.owned), step })
                    }
                };
                let state = match (is_live, payload) {
                    (false, _) => None,
                    (true, Some(payload)) => Some(EncodedState {
                        bucket: &reader.bucket,
                        payload: reader.payload(payload),
                    }),
                    (true, None) => return Err(Unrestored::Malformed),
                };
                if marks.reached == Some(number) {
                    let node = NodeId::from_index(worker.shelf.nodes.len());
                    let found = Reached { depth: cost, rank: Rank::default(), node };
                    let known = &mut worker.shelf.reached;
                    *known = Some(known.map_or(found, |known| known.min(found)));
                }
                worker.restore(&mut holdings[local], arrival, cost, state, is_expanded)?;
            }
            if !reader.bytes.is_empty() {
                return Err(Unrestored::Malformed);
            }
        }
    }
    if let Some(worker) = workers.first_mut().filter(|worker| worker.shelf.id.index() == 0) {
        let statistics = marks.iter().map(|marks| marks.statistics);
        worker.shelf.ledger.statistics =
            statistics.fold(Statistics::default(), |sum, one| sum + one);
    }
    Ok(())
}

/// By worker of the saved search, its nodes in the new numbering.
fn moved_nodes<Step: Copy, Item: Copy>(
    saved: &SavedSearch,
    marks: &[Marks<'_>],
    codec: &dyn Codec<Step, Item>,
    owners: &Owners,
    bucket_words: usize,
) -> Result<Vec<Vec<Moved>>, Unrestored> {
    let workers = owners.numbering.workers;
    let mut counts = vec![0; workers];
    let mut moved = Vec::new();
    for (old, (saved, marks)) in saved.workers.iter().zip(marks).enumerate() {
        let mut nodes = Vec::new();
        for part in &saved.nodes {
            let mut reader = NodeReader::new(part, codec);
            for _ in 0..reader.count(nodes.len())? {
                let SavedNode { cost, .. } = reader.next(bucket_words)?;
                if nodes.len() >= marks.nodes {
                    return Err(Unrestored::Malformed);
                }
                let owner = match marks.is_live(nodes.len()) {
                    true => owners.owner(&reader.bucket),
                    false => old % workers,
                };
                let (worker, node) =
                    (WorkerId::from_index(owner), NodeId::from_index(counts[owner]));
                counts[owner] += 1;
                if counts[owner] >= owners.numbering.most_nodes() {
                    return Err(Unrestored::Stopped(StopReason::NodeLimit));
                }
                push(&mut nodes, Moved { owned: OwnedNode { worker, node }, cost })?;
            }
        }
        if nodes.len() != marks.nodes {
            return Err(Unrestored::Malformed);
        }
        moved.push(nodes);
    }
    Ok(moved)
}
