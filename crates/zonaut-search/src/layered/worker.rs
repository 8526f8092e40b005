//! A worker: it owns states, expands them, and inserts those that it receives.

use std::any::Any;
use std::hash::Hash;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use zonaut_base::Id;
use zonaut_space::{
    CostDominance, Covering, Encoding, Goal, Insertion, NodeId, OwnedNode, PassedStore, StopReason,
    Successor, TransitionSystem, WorkerId,
};

use super::condition::{Condition, Flags};
use super::exchange::Exchange;
use super::owners::Numbering;
use super::window::{Place, Rank, Waiting, Window};
use crate::batch::{EncodedState, EncodedStates};
use crate::growth::{bytes_of, push};
use crate::ledger::Ledger;
use crate::node_table::{Edge, NodeTable};
use crate::outcome::Statistics;
#[cfg(feature = "faults")]
use crate::store::faults::Fault;
use crate::store::{ArenaStore, Probe, Uncovered};

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
///
/// Aligned to pairs of cache lines, like workers: processors also fetch the neighbour of a line, and
/// what a worker writes all the time has no line in common with what others read.
#[repr(align(128))]
pub(super) struct Holding<E: Encoding, C: Covering> {
    pub(super) store: ArenaStore<E, C>,
    /// The nodes of the current layer, in order.
    pub(super) layer: Vec<Waiting>,
}

impl<E: Encoding, C: Covering<Item = E::Item>> Holding<E, C> {
    pub(super) fn new(store: ArenaStore<E, C>) -> Self {
        Self { store, layer: Vec::new() }
    }
}

/// How a state on its way was reached.
#[derive(Clone, Copy)]
pub(super) struct Arrival<Step> {
    /// The number of the node that it is a successor of, and the step.
    pub(super) edge: Edge<Step>,
    /// Its place in the order of the next layer.
    pub(super) rank: Rank,
    /// The knowledge about it in the store of its owner, if that could be asked.
    pub(super) uncovered: Option<Uncovered>,
}

/// The place of a new node in the search tree.
#[derive(Clone, Copy)]
struct Origin<Step> {
    /// `None` for an initial state.
    edge: Option<Edge<Step>>,
    depth: u32,
}

/// States on their way to the worker that owns them.
pub(super) struct Shipment<Item, Step> {
    pub(super) states: EncodedStates<Item>,
    /// By state, how it was reached; the successors of one node follow each other.
    pub(super) arrivals: Vec<Arrival<Step>>,
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

/// A run-time error.
pub(super) struct Failure<Ts: TransitionSystem + ?Sized> {
    pub(super) error: Ts::Error,
    pub(super) from: Option<OwnedNode>,
    pub(super) step: Option<Ts::Step>,
    /// The place of the state whose generation or evaluation failed in the order of its layer.
    pub(super) rank: Rank,
}

/// The reason for which a worker cannot continue.
pub(super) enum Obstruction<Ts: TransitionSystem + ?Sized> {
    Failure(Failure<Ts>),
    Stop(StopReason),
    Panic(Box<dyn Any + Send>),
}

impl<Ts: TransitionSystem + ?Sized> Obstruction<Ts> {
    /// The obstruction by an error of the system.
    pub(super) fn of(failure: Failure<Ts>) -> Self {
        match Ts::stopped_by(&failure.error) {
            Some(why) => Self::Stop(why),
            None => Self::Failure(failure),
        }
    }

    /// The obstruction that determines the outcome: a panic, else the first failure in the order of
    /// the layer, else the first stop.
    pub(super) fn graver(known: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (known, other) {
            (Some(known), None) => Some(known),
            (None, other) => other,
            (Some(known), Some(other)) => Some(match (&known, &other) {
                (Self::Panic(_), _) => known,
                (_, Self::Panic(_)) => other,
                (Self::Failure(one), Self::Failure(two)) if two.rank < one.rank => other,
                (Self::Failure(_), _) => known,
                (_, Self::Failure(_)) => other,
                _ => known,
            }),
        }
    }
}

impl<Ts: TransitionSystem + ?Sized> From<StopReason> for Obstruction<Ts> {
    fn from(why: StopReason) -> Self {
        Self::Stop(why)
    }
}

/// A goal. The least one in this order counts: one in the first layer that has any.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reached {
    pub(super) depth: u32,
    /// Its place in the order of its layer.
    pub(super) rank: Rank,
    pub(super) node: NodeId,
}

/// A node without successors, and its place in the order of all expansions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DeadEnd {
    depth: u32,
    position: u64,
    pub(super) node: OwnedNode,
}

/// The part of a worker that adds nodes.
pub(super) struct Shelf<Ts: TransitionSystem, G> {
    pub(super) id: WorkerId,
    pub(super) goal: G,
    pub(super) nodes: NodeTable<Ts::Step>,
    pub(super) ledger: Ledger,
    /// The nodes of the next layer.
    pub(super) next_layer: Vec<Waiting>,
    /// The least goal so far.
    pub(super) reached: Option<Reached>,
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
        let kind = encoding.kind(bucket);
        // Initial states come in their order.
        let rank = Rank::new(0, self.nodes.len());
        let origin = Origin { edge: None, depth: 0 };
        match self.insert(store, origin, EncodedState { bucket, payload }, None)? {
            Some(node) => self.enqueue(Waiting::new(node, rank, kind), state),
            None => Ok(()),
        }
    }

    /// Inserts a state in encoded form; returns its node if it is not covered, which is then to be
    /// [enqueued](Self::enqueue).
    fn insert<E, C>(
        &mut self,
        store: &mut ArenaStore<E, C>,
        Origin { edge, depth }: Origin<Ts::Step>,
        state: EncodedState<'_, E::Item>,
        known: Option<Uncovered>,
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
        let inserted = store.insert_encoded(state, known, dominance, |eviction| {
            statistics.evicted += 1;
            statistics.evicted_after_expansion += usize::from(nodes.is_expanded(eviction.node));
        })?;
        match inserted {
            Insertion::New(node) => {
                let added = nodes.add(edge, depth, ());
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
    fn enqueue(&mut self, waiting: Waiting, state: &Ts::State) -> Result<(), Obstruction<Ts>> {
        let (node, rank) = (waiting.node, waiting.rank());
        match self.goal.holds_in(state) {
            Ok(true) => {
                let found = Reached { depth: self.nodes.cost(node), rank, node };
                let known = self.reached;
                #[cfg(feature = "faults")]
                let known = known.filter(|_| !Fault::LaterGoalCounts.is_selected());
                self.reached = Some(known.map_or(found, |known| known.min(found)));
            }
            Ok(false) => push(&mut self.next_layer, waiting)?,
            Err(error) => {
                let from = Some(OwnedNode { worker: self.id, node });
                return Err(Obstruction::of(Failure { error, from, step: None, rank }));
            }
        }
        Ok(())
    }
}

/// The parts of a worker that a search which starts anew takes over.
pub(super) struct Equipment<'s, Ts, G, C: Covering> {
    pub(super) system: &'s Ts,
    pub(super) goal: G,
    pub(super) probe: Probe<C>,
}

/// A worker.
#[repr(align(128))]
pub(super) struct Worker<'s, Ts: TransitionSystem, G, C: Covering> {
    pub(super) system: &'s Ts,
    pub(super) shelf: Shelf<Ts, G>,
    scratch: Ts::Scratch,
    /// The working memory with which it compares successors with the states of all workers.
    probe: Probe<C>,
    /// A buffer; `None` if there are no initial states.
    state: Option<Ts::State>,
    /// The nodes that all workers of its process expand in this round.
    pub(super) window: Window,
    /// The runs of this round.
    runs: Vec<Run>,
    /// The number of nodes of its own that were not expanded although they were in a window.
    pub(super) missed: usize,
    /// The first node that it has found without successors.
    pub(super) dead_end: Option<DeadEnd>,
    /// The time that it has waited for others.
    pub(super) idle: Duration,
    pub(super) depth: u32,
    /// Whether it is to spill in this round.
    pub(super) is_over: bool,
    /// The memory of its shipments in this round, in bytes.
    shipped: usize,
    /// The number of states that it has sent and that are not inserted yet.
    sent: usize,
    pub(super) obstruction: Option<Obstruction<Ts>>,
    /// Whether states that it should have inserted are lost.
    is_torn: bool,
    /// The number of nodes that are in a checkpoint.
    pub(super) saved: usize,
}

impl<'s, Ts, G, C> Worker<'s, Ts, G, C>
where
    Ts: TransitionSystem,
    G: Goal<Ts>,
    C: Covering<Item: Copy + Eq + Hash>,
{
    pub(super) fn new(
        id: WorkerId,
        Equipment { system, goal, probe }: Equipment<'s, Ts, G, C>,
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
            probe,
            state: None,
            window: Window::default(),
            runs: Vec::new(),
            missed: 0,
            dead_end: None,
            idle: Duration::ZERO,
            depth: 0,
            is_over: false,
            shipped: 0,
            sent: 0,
            obstruction: None,
            is_torn: false,
            saved: 0,
        }
    }

    /// Gives the worker another number among other workers; it has no nodes yet.
    pub(super) fn renumber(&mut self, id: WorkerId, numbering: Numbering) {
        self.shelf.id = id;
        self.shelf.most_nodes = numbering.most_nodes();
    }

    /// The only worker of a search, without nodes.
    pub(super) fn emptied(self, numbering: Numbering) -> Self {
        let Self { system, shelf: Shelf { goal, is_shortest, .. }, probe, .. } = self;
        let equipment = Equipment { system, goal, probe };
        Self::new(WorkerId::from_index(0), equipment, numbering, is_shortest)
    }

    /// Prepares the buffer, and inserts the initial states of a search that begins, if this is the
    /// first worker, which owns them.
    pub(super) fn start<E>(&mut self, holding: &mut Holding<E, C>, is_continued: bool)
    where
        E: Encoding<State = Ts::State, Item = C::Item>,
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
                Err(error) => {
                    let rank = Rank::default();
                    Err(Obstruction::of(Failure { error, from: None, step: None, rank }))
                }
            };
            keep_first(obstruction, result)
        });
    }

    /// Takes the nodes of the next round from the layers of all workers of its process.
    pub(super) fn fill_window<E>(
        &mut self,
        exchange: &Exchange<'_, C::Item, Ts::Step>,
        holdings: &[RwLock<Holding<E, C>>],
    ) -> Result<(), Obstruction<Ts>>
    where
        E: Encoding<State = Ts::State, Item = C::Item>,
    {
        let holdings: Vec<_> = holdings.iter().map(read).collect();
        let layers: Vec<&[Waiting]> = holdings.iter().map(|one| one.layer.as_slice()).collect();
        let is_live = |owner: usize, node| holdings[owner].store.is_live(node);
        Ok(self.window.fill(&layers, exchange.owners.round, is_live)?)
    }

    /// Expands nodes of its window for one round: those that it claims.
    ///
    /// A run-time error does not end the round, since the worker that meets it first depends on the
    /// speed of threads.
    pub(super) fn expand<E>(
        &mut self,
        exchange: &Exchange<'_, C::Item, Ts::Step>,
        holdings: &[RwLock<Holding<E, C>>],
    ) -> Result<(), Obstruction<Ts>>
    where
        E: Encoding<State = Ts::State, Item = C::Item>,
    {
        let Self { system, shelf, scratch, probe, state, window, depth, dead_end, .. } = self;
        let Some(state) = state else { return Ok(()) };
        let statistics = &mut shelf.ledger.statistics;
        let holdings: Vec<_> = holdings.iter().map(read).collect();
        let Exchange { owners, claims, .. } = exchange;
        let first = exchange.first_of(exchange.place().process);
        let (places, positions) = (window.places(), exchange.positions(window.before()));
        let here = shelf.id.index() - first;
        let mut outgoing = exchange.outgoing(shelf.id);
        let mut worst = None;
        while let Some(range) = claims.claim(here, places.len()) {
            for &Place { owner, node, offset, .. } in &places[range] {
                let owner = owner as usize;
                let store = &holdings[owner].store;
                store.load(node, state);
                statistics.explored += 1;
                let owned = OwnedNode { worker: WorkerId::from_index(first + owner), node };
                let from = owners.numbering.number(owned);
                let position = exchange.position(&positions, offset);
                let (mut obstruction, mut steps) = (None, 0);
                let _ = system.for_each_successor(state, scratch, |successor| {
                    let rank = Rank::new(position, steps);
                    steps += 1;
                    let result = match successor {
                        Successor::State(step, target) => {
                            let encoding = store.encoding();
                            let (bucket, payload) =
                                (encoding.bucket(target), encoding.payload(target));
                            let state = EncodedState { bucket, payload };
                            let owner = owners.owner(bucket);
                            let near = owner.checked_sub(first).and_then(|at| holdings.get(at));
                            let uncovered =
                                near.and_then(|near| near.store.uncovered(state, probe));
                            // Most states are covered by those of earlier rounds.
                            if near.is_some() && uncovered.is_none() {
                                statistics.generated += 1;
                                statistics.covered += 1;
                                return ControlFlow::Continue(());
                            }
                            let Shipment { states, arrivals, .. } = &mut *outgoing[owner];
                            let edge = Edge { from, step };
                            states
                                .try_push(bucket, payload)
                                .and_then(|()| push(arrivals, Arrival { edge, rank, uncovered }))
                                .map_err(Obstruction::Stop)
                        }
                        Successor::Error(step, error) => {
                            let (from, step) = (Some(owned), Some(step));
                            Err(Obstruction::of(Failure { error, from, step, rank }))
                        }
                    };
                    keep_first(&mut obstruction, result)
                });
                if let Some(Obstruction::Stop(why)) = obstruction {
                    // Its other successors are missing, so that it is still to be expanded.
                    statistics.explored -= 1;
                    return Err(Obstruction::Stop(why));
                }
                worst = Obstruction::graver(worst, obstruction);
                if steps == 0 {
                    let found = DeadEnd { depth: *depth, position, node: owned };
                    *dead_end = Some(dead_end.map_or(found, |known| known.min(found)));
                }
                push(&mut outgoing[first + owner].expanded, node)?;
            }
        }
        self.shipped = outgoing.iter().map(|shipment| shipment.bytes()).sum();
        self.sent = outgoing.iter().map(|shipment| shipment.arrivals.len()).sum();
        worst.map_or(Ok(()), Err)
    }

    /// Records which of its nodes the workers of its process have expanded, once all have.
    pub(super) fn mark_expanded(
        &mut self,
        exchange: &Exchange<'_, C::Item, Ts::Step>,
        here: usize,
    ) {
        let mut count = 0;
        let senders = exchange.workers_of(exchange.place().process);
        for mut shipment in exchange.inbox(self.shelf.id, senders) {
            count += shipment.expanded.len();
            shipment.expanded.drain(..).for_each(|node| self.shelf.nodes.mark_expanded(node));
        }
        self.missed += self.window.count(here).saturating_sub(count);
    }

    /// Inserts the states in these shipments, in the order of the nodes that they are successors of.
    pub(super) fn absorb<E>(
        &mut self,
        exchange: &Exchange<'_, C::Item, Ts::Step>,
        holding: &mut Holding<E, C>,
        inbox: &[MutexGuard<'_, Shipment<C::Item, Ts::Step>>],
    ) -> Result<(), Obstruction<Ts>>
    where
        E: Encoding<State = Ts::State, Item = C::Item>,
    {
        let Self { shelf, probe, state, depth, runs, window, .. } = self;
        let (Some(state), store) = (state, &mut holding.store) else { return Ok(()) };
        find_runs(runs, inbox, exchange.positions(window.before()))?;
        let words = store.encoding().bucket_words();
        // What was found out about buckets for one comparison serves the other.
        store.swap_probe(probe);
        for run in runs.iter().filter(|run| run.len > 0) {
            let shipment = &inbox[run.sender as usize];
            for index in run.start as usize..(run.start + run.len) as usize {
                let Arrival { edge, rank, uncovered } = shipment.arrivals[index];
                let encoded = shipment.states.get(index, words);
                let origin = Origin { edge: Some(edge), depth: *depth + 1 };
                // Many states are covered, and need not be decoded.
                if let Some(node) = shelf.insert(store, origin, encoded, uncovered)? {
                    let encoding = store.encoding();
                    encoding.load(encoded.bucket, encoded.payload, state);
                    let kind = encoding.kind(encoded.bucket);
                    shelf.enqueue(Waiting::new(node, rank, kind), state)?;
                }
            }
        }
        store.swap_probe(probe);
        self.sent = 0;
        Ok(())
    }

    /// Moves old states and parents to files.
    pub(super) fn spill<E>(&mut self, holding: &mut Holding<E, C>) -> Result<(), Obstruction<Ts>>
    where
        E: Encoding<State = Ts::State, Item = C::Item>,
    {
        holding.store.spill()?;
        Ok(self.shelf.nodes.spill()?)
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

    /// Does a part of the work without which states are lost, even if the search is being stopped or
    /// has failed.
    pub(super) fn attempt_whole(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<(), Obstruction<Ts>>,
    ) {
        let known = match self.obstruction.take() {
            panic @ Some(Obstruction::Panic(_)) => {
                self.obstruction = panic;
                return;
            }
            known => known,
        };
        self.attempt(work);
        self.is_torn |= self.obstruction.is_some();
        self.obstruction = Obstruction::graver(known, self.obstruction.take());
    }

    /// Shows the nodes of the next layer to all workers, which have taken all nodes of the current one
    /// into windows.
    pub(super) fn show_next_layer<E>(&mut self, holding: &mut Holding<E, C>)
    where
        E: Encoding<State = Ts::State, Item = C::Item>,
    {
        holding.layer.clear();
        std::mem::swap(&mut holding.layer, &mut self.shelf.next_layer);
    }

    /// Starts the next layer of a process with this number of workers, once it is shown.
    pub(super) fn advance(&mut self, workers: usize) {
        self.depth += 1;
        self.missed = 0;
        self.window.restart(workers);
    }

    pub(super) fn statistics<E>(&self, holding: &Holding<E, C>) -> Statistics
    where
        E: Encoding<State = Ts::State, Item = C::Item>,
    {
        let layers = bytes_of(&holding.layer) + bytes_of(&self.shelf.next_layer);
        let round = self.window.bytes() + bytes_of(&self.runs) + self.shipped;
        let bytes = holding.store.bytes() + self.shelf.nodes.bytes() + layers + round;
        Statistics { stored: holding.store.len(), bytes, ..self.shelf.ledger.statistics }
    }

    /// Its condition; `here` is its number in its process.
    pub(super) fn condition<E>(&self, holding: &Holding<E, C>, here: usize) -> Condition
    where
        E: Encoding<State = Ts::State, Item = C::Item>,
    {
        let mut flags = Flags::default();
        flags.set_if(Flags::HAS_GOAL, self.shelf.reached.is_some());
        let is_in_layer = |goal: Reached| goal.depth <= self.depth;
        flags.set_if(Flags::HAS_GOAL_IN_LAYER, self.shelf.reached.is_some_and(is_in_layer));
        flags.set_if(Flags::IS_OBSTRUCTED, self.obstruction.is_some());
        let stop = match &self.obstruction {
            Some(Obstruction::Stop(why)) => Some(*why),
            Some(Obstruction::Failure(_)) => {
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
            left: self.window.left(here, holding.layer.len()) + self.missed,
            next: self.shelf.next_layer.len(),
            sent: self.sent,
            depth: self.depth,
            unpublished_payloads: holding.store.unpublished_payloads(),
            shared_payloads: holding.store.shared_payloads(),
            idle: self.idle,
            flags,
            stop,
        }
    }
}

/// The states that one worker has sent of the successors of one node.
#[derive(Clone, Copy, Default)]
struct Run {
    sender: u32,
    start: u32,
    len: u32,
}

/// Finds the runs in shipments, by the positions of their nodes, which are in this range.
fn find_runs<Item: Copy, Step: Copy>(
    runs: &mut Vec<Run>,
    inbox: &[MutexGuard<'_, Shipment<Item, Step>>],
    positions: Range<u64>,
) -> Result<(), StopReason> {
    runs.clear();
    for (sender, shipment) in inbox.iter().enumerate() {
        let mut start = 0;
        let is_sibling =
            |one: &Arrival<Step>, two: &Arrival<Step>| one.rank.parent() == two.rank.parent();
        for run in shipment.arrivals.chunk_by(is_sibling) {
            let slot = (run[0].rank.parent() - positions.start) as usize;
            while runs.len() <= slot {
                push(runs, Run::default())?;
            }
            runs[slot] = Run { sender: sender as u32, start, len: run.len() as u32 };
            start += run.len() as u32;
        }
    }
    Ok(())
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
