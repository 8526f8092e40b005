//! A worker: it owns states, expands them, and inserts those that it receives.

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use zonaut_base::Id;
use zonaut_space::{
    CostDominance, Covering, Encoding, Goal, Insertion, NodeId, OwnedNode, PassedStore, StopReason,
    Successor, TransitionSystem, WorkerId,
};

use super::condition::{Condition, Flags};
use super::owners::{Numbering, Owners};
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

/// States on their way to the worker that owns them.
pub(super) struct Shipment<Item, Step> {
    pub(super) states: EncodedStates<Item>,
    /// By state, the number of the node that it is a successor of, and the step.
    pub(super) arrivals: Vec<Edge<Step>>,
}

impl<Item: Copy, Step> Shipment<Item, Step> {
    /// Removes all states, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.states.clear();
        self.arrivals.clear();
    }

    pub(super) fn bytes(&self) -> usize {
        self.states.bytes() + bytes_of(&self.arrivals)
    }
}

impl<Item, Step> Default for Shipment<Item, Step> {
    fn default() -> Self {
        Self { states: EncodedStates::default(), arrivals: Vec::new() }
    }
}

/// The reason for which a worker cannot continue.
pub(super) enum Obstruction<Ts: TransitionSystem + ?Sized> {
    Failure { error: Ts::Error, from: Option<NodeId>, step: Option<Ts::Step> },
    Stop(StopReason),
    Panic(Box<dyn Any + Send>),
}

impl<Ts: TransitionSystem + ?Sized> Obstruction<Ts> {
    pub(super) fn of_error(error: Ts::Error, from: Option<NodeId>, step: Option<Ts::Step>) -> Self {
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

/// The part of a worker that stores states.
pub(super) struct Shelf<Ts: TransitionSystem, G, E: Encoding, C: Covering> {
    pub(super) goal: G,
    pub(super) store: ArenaStore<E, C>,
    pub(super) nodes: NodeTable<Ts::Step>,
    pub(super) ledger: Ledger,
    /// The nodes of the next layer.
    pub(super) next_layer: Vec<NodeId>,
    /// The first goal.
    pub(super) reached: Option<NodeId>,
    is_shortest: bool,
    most_nodes: usize,
}

impl<Ts, G, E, C> Shelf<Ts, G, E, C>
where
    Ts: TransitionSystem,
    G: Goal<Ts>,
    E: Encoding<State = Ts::State>,
    C: Covering<Item = E::Item>,
{
    /// Inserts a state of this depth.
    pub(super) fn insert(
        &mut self,
        arrival: Option<Edge<Ts::Step>>,
        depth: u32,
        state: &Ts::State,
    ) -> Result<(), Obstruction<Ts>> {
        let encoding = self.store.encoding();
        let encoded =
            EncodedState { bucket: encoding.bucket(state), payload: encoding.payload(state) };
        match self.insert_encoded(arrival, depth, encoded)? {
            Some(node) => self.enqueue(node, state),
            None => Ok(()),
        }
    }

    /// Inserts a state of this depth in encoded form; returns its node if it is not covered, which
    /// is then to be [enqueued](Self::enqueue).
    pub(super) fn insert_encoded(
        &mut self,
        arrival: Option<Edge<Ts::Step>>,
        depth: u32,
        EncodedState { bucket, payload }: EncodedState<'_, E::Item>,
    ) -> Result<Option<NodeId>, StopReason> {
        let Self { store, nodes, ledger, is_shortest, most_nodes, .. } = self;
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
    pub(super) fn enqueue(
        &mut self,
        node: NodeId,
        state: &Ts::State,
    ) -> Result<(), Obstruction<Ts>> {
        match self.goal.holds_in(state) {
            Ok(true) => _ = self.reached.get_or_insert(node),
            Ok(false) => push(&mut self.next_layer, node)?,
            Err(error) => return Err(Obstruction::of_error(error, Some(node), None)),
        }
        Ok(())
    }
}

/// A worker.
pub(super) struct Worker<'s, Ts: TransitionSystem, G, E: Encoding, C: Covering> {
    pub(super) id: WorkerId,
    pub(super) system: &'s Ts,
    pub(super) shelf: Shelf<Ts, G, E, C>,
    scratch: Ts::Scratch,
    /// Buffers of states; `None` if there are no initial states.
    state: Option<Ts::State>,
    received: Option<Ts::State>,
    /// The nodes of the current layer, and the position of the next one to expand.
    pub(super) layer: Vec<NodeId>,
    pub(super) position: usize,
    pub(super) depth: u32,
    /// By owner.
    pub(super) outgoing: Vec<Shipment<E::Item, Ts::Step>>,
    pub(super) obstruction: Option<Obstruction<Ts>>,
    /// Whether states that it should have inserted are lost.
    is_torn: bool,
    /// The number of nodes that are in a checkpoint.
    pub(super) saved: usize,
}

impl<'s, Ts, G, E, C> Worker<'s, Ts, G, E, C>
where
    Ts: TransitionSystem,
    G: Goal<Ts>,
    E: Encoding<State = Ts::State>,
    C: Covering<Item = E::Item>,
{
    pub(super) fn new(
        id: WorkerId,
        parts: WorkerParts<'s, Ts, G, E, C>,
        numbering: Numbering,
        is_shortest: bool,
    ) -> Self {
        let WorkerParts { system, goal, store } = parts;
        Self {
            id,
            system,
            shelf: Shelf {
                goal,
                store,
                nodes: NodeTable::new(),
                ledger: Ledger::default(),
                next_layer: Vec::new(),
                reached: None,
                is_shortest,
                most_nodes: numbering.most_nodes(),
            },
            scratch: system.scratch(),
            state: None,
            received: None,
            layer: Vec::new(),
            position: 0,
            depth: 0,
            outgoing: (0..numbering.workers).map(|_| Shipment::default()).collect(),
            obstruction: None,
            is_torn: false,
            saved: 0,
        }
    }

    /// Gives the worker another number among other workers; it has no nodes yet.
    pub(super) fn renumber(&mut self, id: WorkerId, numbering: Numbering) {
        self.id = id;
        self.shelf.most_nodes = numbering.most_nodes();
        self.outgoing = (0..numbering.workers).map(|_| Shipment::default()).collect();
    }

    /// The only worker of a search, without nodes.
    pub(super) fn emptied(self, numbering: Numbering) -> Self {
        let Self { system, shelf, .. } = self;
        let Shelf { goal, store, is_shortest, .. } = shelf;
        let parts = WorkerParts { system, goal, store: store.emptied() };
        Self::new(WorkerId::from_index(0), parts, numbering, is_shortest)
    }

    /// Prepares the buffers, and inserts the initial states of a search that begins, if this is the
    /// first worker, which owns them.
    pub(super) fn start(&mut self, is_continued: bool) {
        let Self { id, system, shelf, scratch, state, received, obstruction, .. } = self;
        let _ = system.for_each_initial(scratch, |initial| {
            let result = match initial {
                Ok(initial) => {
                    if state.is_none() {
                        (*state, *received) = (Some(initial.clone()), Some(initial.clone()));
                    }
                    match id.index() {
                        0 if !is_continued => shelf.insert(None, 0, initial),
                        _ => Ok(()),
                    }
                }
                Err(error) => Err(Obstruction::of_error(error, None, None)),
            };
            keep_first(obstruction, result)
        });
    }

    /// Expands nodes of the current layer for one round.
    pub(super) fn expand(&mut self, owners: &Owners) -> Result<(), Obstruction<Ts>> {
        let Self { id, system, shelf, scratch, state, layer, position, depth, outgoing, .. } = self;
        let Some(state) = state else { return Ok(()) };
        let own = id.index();
        let mut work = 0;
        while work < owners.round && *position < layer.len() {
            let node = layer[*position];
            *position += 1;
            if !shelf.store.is_live(node) {
                continue;
            }
            work += 1;
            shelf.nodes.mark_expanded(node);
            shelf.ledger.statistics.explored += 1;
            shelf.store.load(node, state);
            let from = owners.numbering.number(OwnedNode { worker: *id, node });
            let mut obstruction = None;
            let _ = system.for_each_successor(state, scratch, |successor| {
                work += 1;
                let result = match successor {
                    Successor::State(step, target) => {
                        let owner = owners.owner(shelf.store.encoding().bucket(target));
                        if owner == own {
                            shelf.insert(Some(Edge { from, step }), *depth + 1, target)
                        } else {
                            let Shipment { states, arrivals } = &mut outgoing[owner];
                            let encoding = shelf.store.encoding();
                            states
                                .try_push(encoding.bucket(target), encoding.payload(target))
                                .and_then(|()| push(arrivals, Edge { from, step }))
                                .map_err(Obstruction::Stop)
                        }
                    }
                    Successor::Error(step, error) => {
                        Err(Obstruction::of_error(error, Some(node), Some(step)))
                    }
                };
                keep_first(&mut obstruction, result)
            });
            if let Some(obstruction) = obstruction {
                if let Obstruction::Stop(_) = obstruction {
                    // Its other successors are missing, so that it is still to be expanded.
                    shelf.nodes.mark_unexpanded(node);
                    shelf.ledger.statistics.explored -= 1;
                    *position -= 1;
                }
                return Err(obstruction);
            }
        }
        Ok(())
    }

    /// Inserts the states that another worker has sent.
    pub(super) fn absorb(
        &mut self,
        shipment: &Shipment<E::Item, Ts::Step>,
    ) -> Result<(), Obstruction<Ts>> {
        let Self { shelf, received, depth, .. } = self;
        let Some(state) = received else { return Ok(()) };
        let words = shelf.store.encoding().bucket_words();
        for (index, &arrival) in shipment.arrivals.iter().enumerate() {
            let encoded = shipment.states.get(index, words);
            // Most states are covered, and need not be decoded.
            if let Some(node) = shelf.insert_encoded(Some(arrival), *depth + 1, encoded)? {
                shelf.store.encoding().load(encoded.bucket, encoded.payload, state);
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

    /// Starts the next layer.
    pub(super) fn advance(&mut self) {
        self.layer.clear();
        std::mem::swap(&mut self.layer, &mut self.shelf.next_layer);
        self.position = 0;
        self.depth += 1;
    }

    pub(super) fn bytes(&self) -> usize {
        let shipped = self.outgoing.iter().map(Shipment::bytes).sum::<usize>();
        self.shelf.store.bytes()
            + self.shelf.nodes.bytes()
            + bytes_of(&self.layer)
            + bytes_of(&self.shelf.next_layer)
            + shipped
    }

    pub(super) fn statistics(&self) -> Statistics {
        let (stored, bytes) = (self.shelf.store.len(), self.bytes());
        Statistics { stored, bytes, ..self.shelf.ledger.statistics }
    }

    pub(super) fn condition(&self) -> Condition {
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
            statistics: self.statistics(),
            left: self.layer.len() - self.position,
            next: self.shelf.next_layer.len(),
            depth: self.depth,
            unpublished_payloads: self.shelf.store.unpublished_payloads(),
            shared_payloads: self.shelf.store.shared_payloads(),
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
