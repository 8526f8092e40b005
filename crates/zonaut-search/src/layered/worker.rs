//! A worker: it owns states, expands them, and inserts those that it receives.

use std::any::Any;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use foldhash::fast::FixedState;
use zonaut_base::Id;
use zonaut_space::{
    CostDominance, Covering, Encoding, Goal, Insertion, NodeId, OwnedNode, PassedStore, StopReason,
    Successor, TransitionSystem, WorkerId,
};

use super::condition::{Condition, Flags};
use super::owners::{Numbering, Owners};
use super::share::{Place, Segment, Share};
use crate::batch::{EncodedState, EncodedStates};
use crate::growth::{bytes_of, push};
use crate::ledger::Ledger;
use crate::node_table::{Edge, NodeTable};
use crate::outcome::Statistics;
use crate::store::ArenaStore;
#[cfg(feature = "faults")]
use crate::store::faults::Fault;

/// The parts of a worker: a transition system, a goal, and an empty store. The systems of all
/// workers have the same states, and the stores the same covering.
pub struct WorkerParts<'s, Ts, G, E: Encoding, C: Covering> {
    /// The transition system.
    pub system: &'s Ts,
    /// The goal.
    pub goal: G,
    /// The empty store.
    pub store: ArenaStore<E, C>,
}

/// The states that a worker owns. All workers of its process read them while they expand nodes; the
/// owner changes them between expansions.
pub(super) struct Holding<E: Encoding, C: Covering> {
    pub(super) store: ArenaStore<E, C>,
    /// The nodes of the current layer.
    pub(super) layer: Vec<NodeId>,
}

impl<E: Encoding, C: Covering<Item = E::Item>> Holding<E, C> {
    /// Sorts the current layer, so that nodes of one kind follow each other, and returns its segments
    /// of one kind; `owner` is the number of the owner in its process.
    ///
    /// Kinds come in the order of their first nodes, and the nodes of a kind in the order of their
    /// insertion: larger zones tend to come first in that order, and fewer nodes are evicted later.
    pub(super) fn sort_layer(&mut self, owner: usize) -> Vec<Segment> {
        let Self { store, layer } = self;
        layer.retain(|&node| store.is_live(node));
        let kinds: Vec<_> =
            layer.iter().map(|&node| store.encoding().kind(store.bucket(node))).collect();
        let mut firsts = HashMap::with_hasher(FixedState::with_seed(0));
        let first_of_kind = |(position, kind)| *firsts.entry(kind).or_insert(position);
        let firsts: Vec<usize> = kinds.iter().enumerate().map(first_of_kind).collect();
        let mut order: Vec<usize> = (0..layer.len()).collect();
        order.sort_by_key(|&position| firsts[position]);
        *layer = order.iter().map(|&position| layer[position]).collect();
        let mut start = 0;
        let runs = order.chunk_by(|&one, &other| firsts[one] == firsts[other]);
        let segment = |run: &[usize]| {
            let (first, len) = (run[0], run.len());
            start += len;
            Segment { kind: kinds[first], first, owner, start: start - len, len }
        };
        runs.map(segment).collect()
    }
}

/// States on their way to the worker that owns them.
pub(super) struct Shipment<Item, Step> {
    pub(super) states: EncodedStates<Item>,
    /// By state, the number of the node that it is a successor of, and the step.
    pub(super) arrivals: Vec<Edge<Step>>,
    /// The nodes of that worker which the sender has expanded.
    pub(super) expanded: Vec<NodeId>,
}

impl<Item: Copy, Step> Shipment<Item, Step> {
    /// Removes all states, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.states.clear();
        self.arrivals.clear();
        self.expanded.clear();
    }

    pub(super) fn bytes(&self) -> usize {
        self.states.bytes() + bytes_of(&self.arrivals) + bytes_of(&self.expanded)
    }
}

impl<Item, Step> Default for Shipment<Item, Step> {
    fn default() -> Self {
        Self { states: EncodedStates::default(), arrivals: Vec::new(), expanded: Vec::new() }
    }
}

/// The reason for which a worker cannot continue.
pub(super) enum Obstruction<Ts: TransitionSystem + ?Sized> {
    Failure { error: Ts::Error, from: Option<OwnedNode>, step: Option<Ts::Step> },
    Stop(StopReason),
    Panic(Box<dyn Any + Send>),
}

impl<Ts: TransitionSystem + ?Sized> Obstruction<Ts> {
    pub(super) fn of_error(
        error: Ts::Error,
        from: Option<OwnedNode>,
        step: Option<Ts::Step>,
    ) -> Self {
        match Ts::stopped_by(&error) {
            Some(why) => Self::Stop(why),
            None => Self::Failure { error, from, step },
        }
    }
}

impl<Ts: TransitionSystem + ?Sized> From<StopReason> for Obstruction<Ts> {
    fn from(why: StopReason) -> Self {
        Self::Stop(why)
    }
}

/// The part of a worker that adds nodes.
pub(super) struct Shelf<Ts: TransitionSystem, G> {
    pub(super) id: WorkerId,
    pub(super) goal: G,
    pub(super) nodes: NodeTable<Ts::Step>,
    pub(super) ledger: Ledger,
    /// The nodes of the next layer.
    pub(super) next_layer: Vec<NodeId>,
    /// The first goal.
    pub(super) reached: Option<NodeId>,
    is_shortest: bool,
    most_nodes: usize,
}

impl<Ts: TransitionSystem, G: Goal<Ts>> Shelf<Ts, G> {
    /// Inserts an initial state.
    fn insert_initial<E, C>(
        &mut self,
        store: &mut ArenaStore<E, C>,
        state: &Ts::State,
    ) -> Result<(), Obstruction<Ts>>
    where
        E: Encoding<State = Ts::State>,
        C: Covering<Item = E::Item>,
    {
        let encoding = store.encoding();
        let (bucket, payload) = (encoding.bucket(state), encoding.payload(state));
        match self.insert(store, None, 0, EncodedState { bucket, payload })? {
            Some(node) => self.enqueue(node, state),
            None => Ok(()),
        }
    }

    /// Inserts a state of this depth in encoded form; returns its node if it is not covered, which
    /// is then to be [enqueued](Self::enqueue).
    fn insert<E, C>(
        &mut self,
        store: &mut ArenaStore<E, C>,
        arrival: Option<Edge<Ts::Step>>,
        depth: u32,
        EncodedState { bucket, payload }: EncodedState<'_, E::Item>,
    ) -> Result<Option<NodeId>, StopReason>
    where
        E: Encoding<State = Ts::State>,
        C: Covering<Item = E::Item>,
    {
        let Self { nodes, ledger, is_shortest, most_nodes, .. } = self;
        let statistics = &mut ledger.statistics;
        statistics.generated += 1;
        if nodes.len() >= *most_nodes {
            return Err(StopReason::NodeLimit);
        }
        nodes.reserve()?;
        #[cfg(feature = "faults")]
        let is_shortest = &(*is_shortest && !Fault::LaterLayerEvicts.is_selected());
        let dominance = match *is_shortest {
            true => CostDominance::Required { candidate: depth, stored: nodes.costs() },
            false => CostDominance::Ignored,
        };
        let inserted = store.insert_encoded(bucket, payload, dominance, |eviction| {
            statistics.evicted += 1;
            statistics.evicted_after_expansion += usize::from(nodes.is_expanded(eviction.node));
        })?;
        match inserted {
            Insertion::New(node) => {
                let added = nodes.add(arrival, depth, ());
                debug_assert_eq!(node, added);
                Ok(Some(node))
            }
            Insertion::CoveredBy(_) => {
                statistics.covered += 1;
                Ok(None)
            }
        }
    }

    /// Evaluates the goal in the state of a new node, which becomes a goal or waits.
    fn enqueue(&mut self, node: NodeId, state: &Ts::State) -> Result<(), Obstruction<Ts>> {
        match self.goal.holds_in(state) {
            Ok(true) => _ = self.reached.get_or_insert(node),
            Ok(false) => push(&mut self.next_layer, node)?,
            Err(error) => {
                let owned = OwnedNode { worker: self.id, node };
                return Err(Obstruction::of_error(error, Some(owned), None));
            }
        }
        Ok(())
    }
}

/// A worker.
pub(super) struct Worker<'s, Ts: TransitionSystem, G, Item> {
    pub(super) system: &'s Ts,
    pub(super) shelf: Shelf<Ts, G>,
    scratch: Ts::Scratch,
    /// A buffer; `None` if there are no initial states.
    state: Option<Ts::State>,
    /// The nodes of the current layer that it has to expand.
    pub(super) share: Share,
    pub(super) depth: u32,
    /// By owner.
    pub(super) outgoing: Vec<Shipment<Item, Ts::Step>>,
    pub(super) obstruction: Option<Obstruction<Ts>>,
    /// Whether states that it should have inserted are lost.
    is_torn: bool,
    /// The number of nodes that are in a checkpoint.
    pub(super) saved: usize,
}

impl<'s, Ts: TransitionSystem, G: Goal<Ts>, Item: Copy> Worker<'s, Ts, G, Item> {
    pub(super) fn new(
        id: WorkerId,
        system: &'s Ts,
        goal: G,
        numbering: Numbering,
        is_shortest: bool,
    ) -> Self {
        Self {
            system,
            shelf: Shelf {
                id,
                goal,
                nodes: NodeTable::new(),
                ledger: Ledger::default(),
                next_layer: Vec::new(),
                reached: None,
                is_shortest,
                most_nodes: numbering.most_nodes(),
            },
            scratch: system.scratch(),
            state: None,
            share: Share::default(),
            depth: 0,
            outgoing: (0..numbering.workers).map(|_| Shipment::default()).collect(),
            obstruction: None,
            is_torn: false,
            saved: 0,
        }
    }

    /// Gives the worker another number among other workers; it has no nodes yet.
    pub(super) fn renumber(&mut self, id: WorkerId, numbering: Numbering) {
        self.shelf.id = id;
        self.shelf.most_nodes = numbering.most_nodes();
        self.outgoing = (0..numbering.workers).map(|_| Shipment::default()).collect();
    }

    /// The only worker of a search, without nodes.
    pub(super) fn emptied(self, numbering: Numbering) -> Self {
        let Self { system, shelf: Shelf { goal, is_shortest, .. }, .. } = self;
        Self::new(WorkerId::from_index(0), system, goal, numbering, is_shortest)
    }

    /// Prepares the buffer, and inserts the initial states of a search that begins, if this is the
    /// first worker, which owns them.
    pub(super) fn start<E, C>(&mut self, holding: &mut Holding<E, C>, is_continued: bool)
    where
        E: Encoding<State = Ts::State, Item = Item>,
        C: Covering<Item = Item>,
    {
        let Self { system, shelf, scratch, state, obstruction, .. } = self;
        let is_first = shelf.id.index() == 0 && !is_continued;
        let _ = system.for_each_initial(scratch, |initial| {
            let result = match initial {
                Ok(initial) => {
                    state.get_or_insert_with(|| initial.clone());
                    match is_first {
                        true => shelf.insert_initial(&mut holding.store, initial),
                        false => Ok(()),
                    }
                }
                Err(error) => Err(Obstruction::of_error(error, None, None)),
            };
            keep_first(obstruction, result)
        });
    }

    /// Expands nodes of its share for one round. `holdings` are those of the workers of this process,
    /// which begin with number `first`.
    pub(super) fn expand<E, C>(
        &mut self,
        owners: &Owners,
        first: usize,
        holdings: &[RwLock<Holding<E, C>>],
    ) -> Result<(), Obstruction<Ts>>
    where
        E: Encoding<State = Ts::State, Item = Item>,
        C: Covering<Item = Item>,
    {
        let Self { system, shelf, scratch, state, share, outgoing, .. } = self;
        let Some(state) = state else { return Ok(()) };
        let explored = &mut shelf.ledger.statistics.explored;
        let holdings: Vec<_> = holdings.iter().map(read).collect();
        let mut work = 0;
        while work < owners.round
            && let Some(Place { owner, position }) = share.first()
        {
            let Holding { store, layer } = &*holdings[owner];
            let node = layer[position];
            if !store.is_live(node) {
                share.advance();
                continue;
            }
            work += 1;
            *explored += 1;
            store.load(node, state);
            let owned = OwnedNode { worker: WorkerId::from_index(first + owner), node };
            let from = owners.numbering.number(owned);
            let mut obstruction = None;
            let _ = system.for_each_successor(state, scratch, |successor| {
                work += 1;
                let result = match successor {
                    Successor::State(step, target) => {
                        let encoding = store.encoding();
                        let bucket = encoding.bucket(target);
                        let Shipment { states, arrivals, .. } = &mut outgoing[owners.owner(bucket)];
                        states
                            .try_push(bucket, encoding.payload(target))
                            .and_then(|()| push(arrivals, Edge { from, step }))
                            .map_err(Obstruction::Stop)
                    }
                    Successor::Error(step, error) => {
                        Err(Obstruction::of_error(error, Some(owned), Some(step)))
                    }
                };
                keep_first(&mut obstruction, result)
            });
            if let Some(obstruction) = obstruction {
                if let Obstruction::Stop(_) = obstruction {
                    // Its other successors are missing, so that it is still to be expanded.
                    *explored -= 1;
                }
                return Err(obstruction);
            }
            push(&mut outgoing[first + owner].expanded, node)?;
            share.advance();
        }
        Ok(())
    }

    /// Records which of its nodes another worker has expanded.
    pub(super) fn mark_expanded(&mut self, shipment: &Shipment<Item, Ts::Step>) {
        shipment.expanded.iter().for_each(|&node| self.shelf.nodes.mark_expanded(node));
    }

    /// Inserts the states that a worker has sent.
    pub(super) fn absorb<E, C>(
        &mut self,
        holding: &mut Holding<E, C>,
        shipment: &Shipment<Item, Ts::Step>,
    ) -> Result<(), Obstruction<Ts>>
    where
        E: Encoding<State = Ts::State, Item = Item>,
        C: Covering<Item = Item>,
    {
        let Self { shelf, state, depth, .. } = self;
        let (Some(state), store) = (state, &mut holding.store) else { return Ok(()) };
        let words = store.encoding().bucket_words();
        for (index, &arrival) in shipment.arrivals.iter().enumerate() {
            let encoded = shipment.states.get(index, words);
            // Most states are covered, and need not be decoded.
            if let Some(node) = shelf.insert(store, Some(arrival), *depth + 1, encoded)? {
                store.encoding().load(encoded.bucket, encoded.payload, state);
                shelf.enqueue(node, state)?;
            }
        }
        Ok(())
    }

    /// Does a part of the work, unless it is obstructed; an obstruction or a panic ends the search.
    pub(super) fn attempt(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Obstruction<Ts>>) {
        if self.obstruction.is_some() {
            return;
        }
        let result = catch_unwind(AssertUnwindSafe(|| work(self)));
        self.obstruction = match result {
            Ok(Ok(())) => None,
            Ok(Err(obstruction)) => Some(obstruction),
            Err(panic) => Some(Obstruction::Panic(panic)),
        };
    }

    /// Does a part of the work without which states are lost, even if the search is being stopped.
    pub(super) fn attempt_whole(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<(), Obstruction<Ts>>,
    ) {
        let stopped = match self.obstruction.take() {
            stopped @ (None | Some(Obstruction::Stop(_))) => stopped,
            other => {
                self.obstruction = other;
                return;
            }
        };
        self.attempt(work);
        self.is_torn |= self.obstruction.is_some();
        self.obstruction = stopped.or(self.obstruction.take());
    }

    /// Starts the next layer, and returns its segments of one kind; `owner` is the number of this
    /// worker in its process.
    pub(super) fn advance<E, C>(
        &mut self,
        holding: &mut Holding<E, C>,
        owner: usize,
    ) -> Vec<Segment>
    where
        E: Encoding<State = Ts::State, Item = Item>,
        C: Covering<Item = Item>,
    {
        holding.layer.clear();
        std::mem::swap(&mut holding.layer, &mut self.shelf.next_layer);
        self.depth += 1;
        holding.sort_layer(owner)
    }

    pub(super) fn statistics<E, C>(&self, holding: &Holding<E, C>) -> Statistics
    where
        E: Encoding<State = Ts::State, Item = Item>,
        C: Covering<Item = Item>,
    {
        let shipped = self.outgoing.iter().map(Shipment::bytes).sum::<usize>();
        let layers = bytes_of(&holding.layer) + bytes_of(&self.shelf.next_layer);
        let bytes = holding.store.bytes() + self.shelf.nodes.bytes() + layers + shipped;
        Statistics { stored: holding.store.len(), bytes, ..self.shelf.ledger.statistics }
    }

    pub(super) fn condition<E, C>(&self, holding: &Holding<E, C>) -> Condition
    where
        E: Encoding<State = Ts::State, Item = Item>,
        C: Covering<Item = Item>,
    {
        let mut flags = Flags::default();
        flags.set_if(Flags::HAS_GOAL, self.shelf.reached.is_some());
        flags.set_if(Flags::IS_OBSTRUCTED, self.obstruction.is_some());
        let stop = match &self.obstruction {
            Some(Obstruction::Stop(why)) => Some(*why),
            Some(Obstruction::Failure { .. }) => {
                flags.set_if(Flags::HAS_FAILED, true);
                None
            }
            Some(Obstruction::Panic(_)) => {
                flags.set_if(Flags::IS_TORN, true);
                None
            }
            None => None,
        };
        flags.set_if(Flags::IS_TORN, self.is_torn);
        Condition {
            statistics: self.statistics(holding),
            left: self.share.left(),
            next: self.shelf.next_layer.len(),
            depth: self.depth,
            unpublished_payloads: holding.store.unpublished_payloads(),
            shared_payloads: holding.store.shared_payloads(),
            flags,
            stop,
        }
    }
}

/// Stores an error, if there is one, and ends an enumeration then.
fn keep_first<E>(first: &mut Option<E>, result: Result<(), E>) -> ControlFlow<()> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            first.get_or_insert(error);
            ControlFlow::Break(())
        }
    }
}

/// The holding of a worker, to read it; panics of workers are caught before they could leave it
/// half changed.
pub(super) fn read<T>(slot: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    slot.read().unwrap_or_else(PoisonError::into_inner)
}

/// The holding of a worker, to change it.
pub(super) fn write<T>(slot: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    slot.write().unwrap_or_else(PoisonError::into_inner)
}
