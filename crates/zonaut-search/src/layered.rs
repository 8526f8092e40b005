//! Breadth-first search by several workers, layer by layer.
//!
//! Each worker owns the states whose buckets have its hash, with a store, a node table and working
//! memory of its own, so that covering is decided by one worker. The search proceeds in rounds. In
//! each round a worker expands some nodes of the current layer, inserts the successors that it owns
//! and ships the others to their owners; when all have done so, each inserts the states that it
//! received, in the order of the senders; then all take the same decision: to continue the layer, to
//! start the next one, or to end. So a search depends on the number of workers alone, not on the
//! speed of threads.
//!
//! # Correctness
//! The proofs of [`Search`](crate::Search) do not depend on the order of expansions, except for
//! shortest paths: the first goal that is generated has to be a nearest one. A layer is the set of
//! nodes of one depth. All of its nodes are inserted before the first one is expanded, and a search
//! for shortest paths preserves depths
//! ([`CostDominance::Required`](zonaut_space::CostDominance::Required)): a node is neither discarded
//! nor evicted for a deeper one. So until a goal is met, the nodes of a shortest path, or nodes that
//! cover them at no greater depth, are expanded in their layers, and the first layer with a goal has
//! the length of a shortest path.
//!
//! A layer is expanded completely even if a goal is met in it. A run-time error on the way to that
//! goal's layer is therefore always found, whatever the order; whether the goal or the error comes
//! first in a sequential search is decided by one.

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Barrier, Mutex, PoisonError};

use foldhash::fast::FixedState;
use std::hash::{BuildHasher, Hasher};
use zonaut_base::Id;
use zonaut_space::{
    CostDominance, Covering, Encoding, Goal, Insertion, NodeId, Observer, OwnedNode, PassedStore,
    Progress, StopReason, Successor, TransitionSystem, WorkerId,
};

use crate::batch::{EncodedState, EncodedStates};
use crate::growth::{bytes_of, push};
use crate::ledger::Ledger;
use crate::node_table::{Edge, NodeTable};
use crate::outcome::{Outcome, Report, ReportOf, Statistics};
use crate::search::{Budget, Status};
use crate::store::ArenaStore;
use crate::store::publication::SharedPayloads;

/// The default work of one worker in a round, in states expanded and generated: enough that waiting
/// for the others at its end costs little, and few enough that shipments stay small.
const WORK_PER_ROUND: u64 = 4096;

/// The least number of payloads of all workers that are published together, as a part of the work
/// of one worker in a round.
const LEAST_PUBLISHED_PART: u64 = 4;

/// Payloads that are stored for one worker alone are published when they are this part of all.
const PUBLISHED_PART: usize = 16;

/// The tasks of a search that run at the same time.
pub type Task<'t> = Box<dyn FnOnce() + Send + 't>;

/// The threads of a search with several workers. This crate starts none.
pub trait Crew: Sync {
    /// Runs `first` on the calling thread and all `others` at the same time, and returns when all
    /// of them have returned.
    ///
    /// # Errors
    /// If not all of them can run at the same time: then none was started.
    fn run(&self, first: &mut dyn FnMut(), others: Vec<Task<'_>>) -> Result<(), StopReason>;

    /// Called by a worker before it waits for the others. Tests delay it here.
    fn before_waiting(&self, worker: WorkerId) {
        let _ = worker;
    }
}

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

/// The owners of states: a function of their buckets.
struct Owners {
    numbering: Numbering,
    /// The work of one worker in a round.
    round: u64,
    /// Buckets of initial states belong to the first worker: roots come first in its node table.
    initial: Vec<Box<[u64]>>,
    hasher: FixedState,
}

impl Owners {
    fn owner(&self, bucket: &[u64]) -> usize {
        if self.initial.iter().any(|initial| **initial == *bucket) {
            return 0;
        }
        // The seed differs from that of the store, whose table would otherwise be unbalanced.
        let mut hasher = self.hasher.build_hasher();
        bucket.iter().for_each(|&word| hasher.write_u64(word));
        (hasher.finish() % self.numbering.workers as u64) as usize
    }
}

/// The numbering of the nodes of all workers: each takes every n-th number, so that a parent takes
/// as many bytes as with one worker.
#[derive(Clone, Copy)]
struct Numbering {
    workers: usize,
}

impl Numbering {
    /// The number of nodes that one worker can have.
    fn most_nodes(self) -> usize {
        u32::MAX as usize / self.workers
    }

    fn number(self, OwnedNode { worker, node }: OwnedNode) -> NodeId {
        NodeId::from_index(node.index() * self.workers + worker.index())
    }

    fn owned(self, number: NodeId) -> OwnedNode {
        OwnedNode {
            worker: WorkerId::from_index(number.index() % self.workers),
            node: NodeId::from_index(number.index() / self.workers),
        }
    }
}

/// States on their way to the worker that owns them.
struct Shipment<Item, Step> {
    states: EncodedStates<Item>,
    /// By state, the number of the node that it is a successor of, and the step.
    arrivals: Vec<Edge<Step>>,
}

impl<Item: Copy, Step> Shipment<Item, Step> {
    fn bytes(&self) -> usize {
        self.states.bytes() + bytes_of(&self.arrivals)
    }
}

impl<Item, Step> Default for Shipment<Item, Step> {
    fn default() -> Self {
        Self { states: EncodedStates::default(), arrivals: Vec::new() }
    }
}

/// The reason for which a worker cannot continue.
enum Obstruction<Ts: TransitionSystem + ?Sized> {
    Failure { error: Ts::Error, from: Option<NodeId>, step: Option<Ts::Step> },
    Stop(StopReason),
    Panic(Box<dyn Any + Send>),
}

impl<Ts: TransitionSystem + ?Sized> Obstruction<Ts> {
    fn of_error(error: Ts::Error, from: Option<NodeId>, step: Option<Ts::Step>) -> Self {
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
struct Shelf<Ts: TransitionSystem, G, E: Encoding, C: Covering> {
    goal: G,
    store: ArenaStore<E, C>,
    nodes: NodeTable<Ts::Step>,
    ledger: Ledger,
    /// The nodes of the next layer.
    next_layer: Vec<NodeId>,
    /// The first goal.
    reached: Option<NodeId>,
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
    fn insert(
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
    fn insert_encoded(
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
            Err(error) => return Err(Obstruction::of_error(error, Some(node), None)),
        }
        Ok(())
    }
}

/// A worker.
struct Worker<'s, Ts: TransitionSystem, G, E: Encoding, C: Covering> {
    id: WorkerId,
    system: &'s Ts,
    shelf: Shelf<Ts, G, E, C>,
    scratch: Ts::Scratch,
    /// Buffers of states; `None` if there are no initial states.
    state: Option<Ts::State>,
    received: Option<Ts::State>,
    /// The nodes of the current layer, and the position of the next one to expand.
    layer: Vec<NodeId>,
    position: usize,
    depth: u32,
    /// By owner.
    outgoing: Vec<Shipment<E::Item, Ts::Step>>,
    obstruction: Option<Obstruction<Ts>>,
}

impl<'s, Ts, G, E, C> Worker<'s, Ts, G, E, C>
where
    Ts: TransitionSystem,
    G: Goal<Ts>,
    E: Encoding<State = Ts::State>,
    C: Covering<Item = E::Item>,
{
    fn new(
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
        }
    }

    /// Inserts the initial states, if this is the first worker, which owns them.
    fn start(&mut self) {
        let Self { id, system, shelf, scratch, state, received, obstruction, .. } = self;
        let _ = system.for_each_initial(scratch, |initial| {
            let result = match initial {
                Ok(initial) => {
                    if state.is_none() {
                        (*state, *received) = (Some(initial.clone()), Some(initial.clone()));
                    }
                    match id.index() {
                        0 => shelf.insert(None, 0, initial),
                        _ => Ok(()),
                    }
                }
                Err(error) => Err(Obstruction::of_error(error, None, None)),
            };
            keep_first(obstruction, result)
        });
    }

    /// Expands nodes of the current layer for one round.
    fn expand(&mut self, owners: &Owners) -> Result<(), Obstruction<Ts>> {
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
                return Err(obstruction);
            }
        }
        Ok(())
    }

    /// Inserts the states that another worker has sent.
    fn absorb(&mut self, shipment: &Shipment<E::Item, Ts::Step>) -> Result<(), Obstruction<Ts>> {
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

    fn offer_payloads(&mut self, shared: &SharedPayloads<E::Item>) -> Result<(), Obstruction<Ts>> {
        self.shelf.store.offer(shared, self.id);
        Ok(())
    }

    fn adopt_payloads(&mut self, shared: &SharedPayloads<E::Item>) -> Result<(), Obstruction<Ts>> {
        self.shelf.store.adopt(shared, self.id);
        Ok(())
    }

    /// Does a part of the work, unless it is obstructed; an obstruction or a panic ends the search.
    fn attempt(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Obstruction<Ts>>) {
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

    /// Starts the next layer.
    fn advance(&mut self) {
        self.layer.clear();
        std::mem::swap(&mut self.layer, &mut self.shelf.next_layer);
        self.position = 0;
        self.depth += 1;
    }

    fn bytes(&self) -> usize {
        let shipped = self.outgoing.iter().map(Shipment::bytes).sum::<usize>();
        self.shelf.store.bytes()
            + self.shelf.nodes.bytes()
            + bytes_of(&self.layer)
            + bytes_of(&self.shelf.next_layer)
            + shipped
    }

    fn statistics(&self) -> Statistics {
        let (stored, bytes) = (self.shelf.store.len(), self.bytes());
        Statistics { stored, bytes, ..self.shelf.ledger.statistics }
    }

    fn condition(&self) -> Condition {
        Condition {
            statistics: self.statistics(),
            left: self.layer.len() - self.position,
            next: self.shelf.next_layer.len(),
            depth: self.depth,
            unpublished_payloads: self.shelf.store.unpublished_payloads(),
            shared_payloads: self.shelf.store.shared_payloads(),
            has_goal: self.shelf.reached.is_some(),
            is_obstructed: self.obstruction.is_some(),
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

/// The condition of a worker at the end of a round, or of all workers together.
#[derive(Clone, Copy, Default)]
struct Condition {
    statistics: Statistics,
    /// Nodes of the current layer that are not expanded.
    left: usize,
    /// Nodes of the next layer.
    next: usize,
    depth: u32,
    /// Payloads that are stored for one worker alone, and shared ones without users.
    unpublished_payloads: usize,
    /// Payloads that workers share.
    shared_payloads: usize,
    has_goal: bool,
    is_obstructed: bool,
}

impl Condition {
    fn with(self, other: Self) -> Self {
        Self {
            statistics: self.statistics + other.statistics,
            left: self.left + other.left,
            next: self.next + other.next,
            depth: self.depth.max(other.depth),
            unpublished_payloads: self.unpublished_payloads + other.unpublished_payloads,
            shared_payloads: self.shared_payloads + other.shared_payloads,
            has_goal: self.has_goal || other.has_goal,
            is_obstructed: self.is_obstructed || other.is_obstructed,
        }
    }

    fn work(&self) -> u64 {
        (self.statistics.explored + self.statistics.generated) as u64
    }

    fn progress(&self) -> Progress {
        Progress {
            explored: self.statistics.explored,
            stored: self.statistics.stored,
            waiting: self.left + self.next,
            bytes: self.statistics.bytes,
            depth: self.depth,
        }
    }

    /// Whether payloads are to be published, with this much work of one worker in a round.
    fn wants_publication(&self, round: u64) -> bool {
        let least = usize::try_from(round / LEAST_PUBLISHED_PART).unwrap_or(usize::MAX).max(1);
        self.unpublished_payloads >= least.max(self.shared_payloads / PUBLISHED_PART)
    }

    /// The common decision at the end of a round, given the work at which the search pauses.
    fn decision(&self, end: u64) -> Decision {
        if self.is_obstructed {
            return Decision::End;
        }
        match (self.left, self.next) {
            (0, _) if self.has_goal => Decision::End,
            (0, 0) => Decision::End,
            _ if self.work() >= end => Decision::Pause,
            (0, _) => Decision::NextLayer,
            _ => Decision::SameLayer,
        }
    }
}

/// The common decision of all workers at the end of a round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decision {
    SameLayer,
    NextLayer,
    Pause,
    End,
}

/// The memory that workers share. No worker waits for a lock: each slot is written and read in
/// different phases of a round.
struct Exchange<Item, Step> {
    owners: Owners,
    barrier: Barrier,
    /// By owner and sender.
    shipments: Vec<Vec<Mutex<Shipment<Item, Step>>>>,
    conditions: Vec<Mutex<Condition>>,
    payloads: SharedPayloads<Item>,
}

impl<Item: Copy + Eq + std::hash::Hash, Step> Exchange<Item, Step> {
    fn new(owners: Owners) -> Self {
        let workers = owners.numbering.workers;
        let slots = || (0..workers).map(|_| Mutex::default()).collect();
        Self {
            owners,
            barrier: Barrier::new(workers),
            shipments: (0..workers).map(|_| slots()).collect(),
            conditions: (0..workers).map(|_| Mutex::default()).collect(),
            payloads: SharedPayloads::new(workers),
        }
    }

    fn all(&self) -> Condition {
        let conditions = self.conditions.iter().map(|slot| *locked(slot));
        conditions.fold(Condition::default(), Condition::with)
    }
}

/// The content of a slot; panics of workers are caught before they could hold one.
fn locked<T>(slot: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Works until the search pauses or ends. `report` receives the condition of all workers after each
/// round, and may stop the search.
fn work<Ts, G, E, C>(
    worker: &mut Worker<'_, Ts, G, E, C>,
    exchange: &Exchange<E::Item, Ts::Step>,
    crew: &dyn Crew,
    end: u64,
    report: &mut dyn FnMut(&Condition) -> Result<(), StopReason>,
) -> Decision
where
    Ts: TransitionSystem,
    G: Goal<Ts>,
    E: Encoding<State = Ts::State>,
    C: Covering<Item = E::Item>,
{
    let id = worker.id;
    let wait = || {
        crew.before_waiting(id);
        exchange.barrier.wait();
    };
    loop {
        worker.attempt(|worker| worker.expand(&exchange.owners));
        for (owner, outgoing) in worker.outgoing.iter_mut().enumerate() {
            std::mem::swap(outgoing, &mut locked(&exchange.shipments[owner][id.index()]));
        }
        wait();
        for sender in 0..exchange.owners.numbering.workers {
            let mut shipment = locked(&exchange.shipments[id.index()][sender]);
            worker.attempt(|worker| worker.absorb(&shipment));
            shipment.states.clear();
            shipment.arrivals.clear();
        }
        *locked(&exchange.conditions[id.index()]) = worker.condition();
        wait();
        let all = exchange.all();
        let decision = all.decision(end);
        match decision {
            Decision::Pause | Decision::End => return decision,
            Decision::NextLayer => worker.advance(),
            Decision::SameLayer => {}
        }
        if exchange.conditions.len() > 1 && all.wants_publication(exchange.owners.round) {
            worker.attempt(|worker| worker.offer_payloads(&exchange.payloads));
            wait();
            worker.attempt(|_| Ok(exchange.payloads.merge(id)?));
            wait();
            worker.attempt(|worker| worker.adopt_payloads(&exchange.payloads));
        }
        // Conditions are written again only after the next wait, so all have read the same.
        worker.attempt(|_| report(&all).map_err(Obstruction::Stop));
    }
}

/// A breadth-first search by several workers, as a value that is paused and resumed. The header of
/// this file proves its verdicts correct.
///
/// It reports progress alone to its observer, and no single nodes and edges.
pub struct Layered<'s, Ts: TransitionSystem, G, E: Encoding, C: Covering> {
    workers: Vec<Worker<'s, Ts, G, E, C>>,
    exchange: Exchange<E::Item, Ts::Step>,
    is_started: bool,
    /// The reason for which it was stopped from outside.
    stopped: Option<StopReason>,
    has_ended: bool,
}

impl<'s, Ts, G, E, C> Layered<'s, Ts, G, E, C>
where
    Ts: TransitionSystem<State: Send, Step: Send, Error: Send, Scratch: Send> + Sync,
    G: Goal<Ts> + Send,
    E: Encoding<State = Ts::State, Item: Send + Sync> + Send,
    C: Covering<Item = E::Item, Scratch: Send> + Send,
{
    /// A search for any path to a goal, with a worker for each of the `parts`.
    #[must_use]
    pub fn reach(parts: Vec<WorkerParts<'s, Ts, G, E, C>>) -> Self {
        Self::new(parts, false)
    }

    /// A search for a shortest path to a goal, with a worker for each of the `parts`.
    #[must_use]
    pub fn shortest(parts: Vec<WorkerParts<'s, Ts, G, E, C>>) -> Self {
        Self::new(parts, true)
    }

    /// The same search with this much work of one worker in a round, in states expanded and
    /// generated. Its verdict and the length of a shortest path do not depend on it.
    #[must_use]
    pub fn with_round(mut self, work: u64) -> Self {
        self.exchange.owners.round = work;
        self
    }

    fn new(parts: Vec<WorkerParts<'s, Ts, G, E, C>>, is_shortest: bool) -> Self {
        let count = parts.len();
        let mut initial = Vec::new();
        if let Some(WorkerParts { system, store, .. }) = parts.first() {
            let _ = system.for_each_initial(&mut system.scratch(), |state| {
                initial.extend(state.ok().map(|state| store.encoding().bucket(state).into()));
                ControlFlow::Continue(())
            });
        }
        let hasher = FixedState::with_seed(0x0137);
        let numbering = Numbering { workers: count };
        let owners = Owners { numbering, round: WORK_PER_ROUND, initial, hasher };
        let workers = parts.into_iter().enumerate();
        let worker = |(index, parts)| {
            Worker::new(WorkerId::from_index(index), parts, numbering, is_shortest)
        };
        Self {
            workers: workers.map(worker).collect(),
            exchange: Exchange::new(owners),
            is_started: false,
            stopped: None,
            has_ended: count == 0,
        }
    }

    /// Works until the budget is used or the outcome is known. `observer` may stop the search.
    ///
    /// # Panics
    /// If a worker panics.
    pub fn run<Ob>(&mut self, budget: Budget, crew: &dyn Crew, observer: &mut Ob) -> Status
    where
        Ob: Observer<Ts::State, Ts::Step> + ?Sized,
    {
        if self.has_ended {
            return Status::Ended;
        }
        let end = budget.end_after(self.work());
        if !self.is_started {
            self.is_started = true;
            self.workers.iter_mut().for_each(Worker::start);
            if self.condition().has_goal {
                self.has_ended = true;
                return Status::Ended;
            }
            for worker in &mut self.workers {
                std::mem::swap(&mut worker.layer, &mut worker.shelf.next_layer);
            }
        }
        let exchange = &self.exchange;
        let mut report = |now: &Condition| crate::ledger::ask(observer, &now.progress());
        let mut decision = Decision::End;
        let mut workers = self.workers.iter_mut();
        let first = workers.next().expect("invariant: a search without workers has ended");
        let others = workers.map(|worker| -> Task<'_> {
            Box::new(move || _ = work(worker, exchange, crew, end, &mut |_| Ok(())))
        });
        let others = others.collect();
        let mut lead = || decision = work(first, exchange, crew, end, &mut report);
        if let Err(why) = crew.run(&mut lead, others) {
            self.stopped = Some(why);
        }
        for worker in &mut self.workers {
            if let Some(Obstruction::Panic(panic)) =
                worker.obstruction.take_if(|why| matches!(why, Obstruction::Panic(_)))
            {
                resume_unwind(panic);
            }
        }
        if decision == Decision::Pause && self.stopped.is_none() {
            return Status::Paused;
        }
        self.has_ended = true;
        let progress = self.condition().progress();
        // The search has ended, so a request to stop has no effect.
        let _ = observer.progress(&progress);
        Status::Ended
    }

    /// Whether a run-time error ended the search. A goal may be as near as the error; which of them
    /// a sequential search meets first depends on the order within a layer.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        let is_failure = |why: &Obstruction<Ts>| matches!(why, Obstruction::Failure { .. });
        self.workers.iter().any(|worker| worker.obstruction.as_ref().is_some_and(is_failure))
    }

    /// The work so far, as budgets count it.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.condition().work()
    }

    /// The statistics of all workers together.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.condition().statistics
    }

    /// The statistics of each worker.
    #[must_use]
    pub fn statistics_of_workers(&self) -> Vec<Statistics> {
        self.workers.iter().map(Worker::statistics).collect()
    }

    fn condition(&self) -> Condition {
        self.workers.iter().map(Worker::condition).fold(Condition::default(), Condition::with)
    }

    /// The report and the store of all workers together; a search that has not ended counts as
    /// cancelled. The nodes of the workers follow each other, those of the first one at first.
    ///
    /// # Panics
    /// If there are no workers.
    pub fn into_report(self) -> (ReportOf<Ts>, ArenaStore<E, C>) {
        let statistics = self.statistics();
        let Self { mut workers, exchange, stopped, has_ended, .. } = self;
        let mut joined = Ok(());
        if workers.len() > 1 {
            let payloads = &exchange.payloads;
            workers.iter_mut().for_each(|worker| worker.shelf.store.offer(payloads, worker.id));
            joined = workers.iter().try_for_each(|worker| payloads.merge(worker.id));
            workers.iter_mut().for_each(|worker| worker.shelf.store.adopt(payloads, worker.id));
        }
        let numbering = exchange.owners.numbering;
        let sizes = workers.iter().map(|worker| worker.shelf.nodes.len());
        let firsts: Vec<usize> =
            sizes.scan(0, |first, size| Some(std::mem::replace(first, *first + size))).collect();
        let dense = |OwnedNode { worker, node }: OwnedNode| {
            NodeId::from_index(firsts[worker.index()] + node.index())
        };
        let (mut nodes, mut store) = (NodeTable::new(), None::<ArenaStore<E, C>>);
        let (mut obstruction, mut reached) = (None, None);
        for worker in workers {
            let Worker { id, shelf, obstruction: own, .. } = worker;
            let owned = |node| dense(OwnedNode { worker: id, node });
            reached = reached.or(shelf.reached.map(owned));
            obstruction = better(obstruction, own, owned);
            joined = joined
                .and_then(|()| nodes.append(&shelf.nodes, |from| dense(numbering.owned(from))));
            drop(shelf.nodes);
            match &mut store {
                None => store = Some(shelf.store),
                Some(store) => joined = joined.and_then(|()| store.append(shelf.store)),
            }
        }
        let store = store.expect("invariant: there is a worker");
        let stop = |why| Outcome::Stopped { why, lower_bound: 0 };
        let outcome = match (joined, obstruction, reached, stopped) {
            (Err(why), ..) => stop(why),
            (_, Some(Obstruction::Failure { error, from, step }), ..) => {
                let mut steps = from.map_or_else(Vec::new, |node| nodes.steps(node));
                steps.extend(step);
                Outcome::Failed { error, steps }
            }
            (_, _, Some(node), _) => Outcome::Reached { node, steps: nodes.steps(node) },
            (_, Some(Obstruction::Stop(why)), ..) | (_, _, _, Some(why)) => stop(why),
            (_, None, None, None) if has_ended => Outcome::Exhausted,
            _ => stop(StopReason::Cancelled),
        };
        (Report { outcome, best: reached, nodes, statistics }, store)
    }
}

/// The obstruction that determines the outcome: the first failure, else the first stop.
fn better<Ts: TransitionSystem>(
    known: Option<Obstruction<Ts>>,
    other: Option<Obstruction<Ts>>,
    owned: impl Fn(NodeId) -> NodeId,
) -> Option<Obstruction<Ts>> {
    match (known, other) {
        (Some(Obstruction::Failure { error, from, step }), _) => {
            Some(Obstruction::Failure { error, from, step })
        }
        (_, Some(Obstruction::Failure { error, from, step })) => {
            Some(Obstruction::Failure { error, from: from.map(owned), step })
        }
        (known, other) => known.or(other),
    }
}
