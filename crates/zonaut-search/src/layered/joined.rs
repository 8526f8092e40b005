//! The nodes of all workers in one table and one store.

use zonaut_base::Id;
use zonaut_space::{Covering, Encoding, NodeId, OwnedNode, StopReason, WorkerId};

use super::owners::Numbering;
use crate::node_table::{Edge, NodeTable};
use crate::store::ArenaStore;
use crate::store::publication::SharedPayloads;

/// The nodes of a search by several workers, each with a table and a store of its own.
pub struct Unjoined<Step, E: Encoding, C: Covering> {
    /// By worker.
    pub(super) tables: Vec<NodeTable<Step>>,
    /// By worker.
    pub(super) stores: Vec<ArenaStore<E, C>>,
    pub(super) payloads: SharedPayloads<E::Item>,
    pub(super) numbering: Numbering,
    /// The first goal.
    pub(super) reached: Option<OwnedNode>,
    /// The first node without successors.
    pub(super) dead_end: Option<OwnedNode>,
}

/// The nodes of all workers together.
pub struct Joined<Step, E: Encoding, C: Covering> {
    /// The table of nodes.
    pub nodes: NodeTable<Step>,
    /// The store.
    pub store: ArenaStore<E, C>,
    /// The goal that was met.
    pub best: Option<NodeId>,
    /// Whether all nodes are there; otherwise memory or node numbers ran out.
    pub result: Result<(), StopReason>,
}

impl<Step: Copy, E: Encoding, C: Covering<Item = E::Item>> Unjoined<Step, E, C> {
    /// The same without nodes.
    pub(super) fn emptied(mut self) -> Self {
        self.tables.clear();
        self.stores.truncate(1);
        self.stores = self.stores.into_iter().map(ArenaStore::emptied).collect();
        Self { reached: None, dead_end: None, ..self }
    }

    /// The number of a node in the joined table.
    pub(super) fn joined_id(&self, OwnedNode { worker, node }: OwnedNode) -> NodeId {
        let before = self.tables[..worker.index()].iter().map(NodeTable::len).sum::<usize>();
        NodeId::from_index(before + node.index())
    }

    /// The steps from the root to a node.
    pub(super) fn steps(&self, node: OwnedNode) -> Vec<Step> {
        let edge_to = |OwnedNode { worker, node }: OwnedNode| {
            self.tables.get(worker.index()).and_then(|table| table.arrival(node))
        };
        let before = |edge: &Edge<Step>| edge_to(self.numbering.owned(edge.from));
        let edges = std::iter::successors(edge_to(node), before);
        let mut steps: Vec<Step> = edges.map(|edge| edge.step).collect();
        steps.reverse();
        steps
    }

    /// The steps to the first expanded node without successors, if there is one.
    #[must_use]
    pub fn steps_to_dead_end(&self) -> Option<Vec<Step>> {
        self.dead_end.map(|node| self.steps(node))
    }

    /// Joins the tables and stores: the nodes of the workers follow each other, those of the first
    /// one at first. The memory of each is freed as its parts are copied.
    ///
    /// # Panics
    /// If there are no workers.
    #[must_use]
    pub fn join(self) -> Joined<Step, E, C> {
        let best = self.reached.map(|goal| self.joined_id(goal));
        let Self { tables, mut stores, payloads, numbering, .. } = self;
        let mut result = Ok(());
        if stores.len() > 1 {
            let shards = || (0..).map(WorkerId::from_index);
            for (store, shard) in stores.iter_mut().zip(shards()) {
                store.offer(&payloads, shard);
            }
            result = shards().take(stores.len()).try_for_each(|shard| payloads.merge(shard));
            for (store, shard) in stores.iter_mut().zip(shards()) {
                store.adopt(&payloads, shard);
            }
        }
        let sizes = tables.iter().map(NodeTable::len);
        let firsts: Vec<usize> =
            sizes.scan(0, |first, size| Some(std::mem::replace(first, *first + size))).collect();
        let dense = |number| {
            let OwnedNode { worker, node } = numbering.owned(number);
            NodeId::from_index(firsts[worker.index()] + node.index())
        };
        let mut nodes = tables.first().map_or_else(NodeTable::new, NodeTable::emptied);
        for table in tables {
            result = result.and_then(|()| nodes.append(&table, dense));
        }
        let mut stores = stores.into_iter();
        let mut store = stores.next().expect("invariant: there is a worker");
        for other in stores {
            result = result.and_then(|()| store.append(other));
        }
        Joined { nodes, store, best, result }
    }
}
