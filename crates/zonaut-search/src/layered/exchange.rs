//! The memory that the workers of one process share, and the messages to other processes.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use zonaut_base::Id;
use zonaut_space::{NodeId, StopReason, WorkerId};

use super::WorkerEffort;
use super::condition::{Condition, Flags};
use super::distribution::{Distribution, Network, Place, SavedPart};
use super::gate::Gate;
use super::numbers::StepNumbers;
use super::owners::Owners;
use super::window::{Claims, Rank};
use super::worker::{Arrival, Shipment};
use crate::node_table::Edge;
use crate::spill::Overflow;
use crate::store::publication::SharedPayloads;
use crate::wire::{Bytes, Codec, Malformed, put_blob, put_u32, put_u64};

/// The memory that workers share. No worker waits for a lock: each slot is written and read in
/// different phases of a round.
pub(super) struct Exchange<'s, Item, Step> {
    pub(super) owners: Owners,
    pub(super) distribution: Option<Distribution<'s, Step, Item>>,
    /// The number of workers of this process.
    pub(super) local: usize,
    bucket_words: usize,
    pub(super) gate: Gate,
    /// By owner and sender, of all processes.
    shipments: Vec<Vec<Mutex<Shipment<Item, Step>>>>,
    /// By process.
    numbers: Vec<Mutex<StepNumbers<Step>>>,
    /// Of all workers of all processes.
    pub(super) conditions: Vec<Mutex<Condition>>,
    /// Of the workers of this process.
    pub(super) claims: Claims,
    /// Of the workers of this process.
    pub(super) parts: Vec<Mutex<SavedPart>>,
    pub(super) payloads: SharedPayloads<Item>,
    pub(super) overflow: Option<Overflow>,
    /// The reason why the other processes cannot be reached any more.
    lost: Mutex<Option<StopReason>>,
}

impl<'s, Item: Copy + Eq + std::hash::Hash, Step: Copy> Exchange<'s, Item, Step> {
    pub(super) fn new(
        owners: Owners,
        local: usize,
        bucket_words: usize,
        distribution: Option<Distribution<'s, Step, Item>>,
    ) -> Self {
        let workers = owners.numbering.workers;
        let slots = || (0..workers).map(|_| Mutex::default()).collect();
        Self {
            owners,
            distribution,
            local,
            bucket_words,
            gate: Gate::new(local),
            shipments: (0..workers).map(|_| slots()).collect(),
            numbers: (0..workers / local.max(1)).map(|_| Mutex::default()).collect(),
            conditions: (0..workers).map(|_| Mutex::default()).collect(),
            claims: Claims::new(local),
            parts: (0..local).map(|_| Mutex::default()).collect(),
            payloads: SharedPayloads::new(local),
            overflow: None,
            lost: Mutex::new(None),
        }
    }

    pub(super) fn place(&self) -> Place {
        self.distribution.map_or(Place { process: 0, processes: 1 }, |all| all.place())
    }

    /// The number of the first worker of a process.
    pub(super) fn first_of(&self, process: usize) -> usize {
        process * self.local
    }

    /// The workers of a process.
    pub(super) fn workers_of(&self, process: usize) -> Range<usize> {
        self.first_of(process)..self.first_of(process + 1)
    }

    pub(super) fn all(&self) -> Condition {
        let conditions = self.conditions.iter().map(|slot| *locked(slot));
        conditions.fold(Condition::default(), Condition::with)
    }

    /// The parts of all workers of all processes.
    pub(super) fn efforts(&self) -> Vec<WorkerEffort> {
        let effort = |slot: &Mutex<Condition>| {
            let Condition { statistics, idle, .. } = *locked(slot);
            WorkerEffort { statistics, idle }
        };
        self.conditions.iter().map(effort).collect()
    }

    /// The condition of all workers before the first round, given those of this process.
    pub(super) fn all_at_start(&self, own: Vec<Condition>) -> Condition {
        let first = self.first_of(self.place().process);
        for (slot, condition) in self.conditions[first..].iter().zip(own) {
            *locked(slot) = condition;
        }
        let flags = self.flags_of_process();
        let mut lead = locked(&self.conditions[first]);
        lead.flags = lead.flags.with_those_of_process(flags);
        drop(lead);
        self.share_conditions(UNMEASURED);
        self.all()
    }

    /// The positions of the nodes of a round in the order of their layer, after this number of
    /// rounds. The nodes of all processes take turns.
    pub(super) fn positions(&self, before: u64) -> Range<u64> {
        let nodes = (self.owners.round * self.place().processes) as u64;
        before * nodes..(before + 1) * nodes
    }

    /// The position of the node at an offset of the window of this process.
    pub(super) fn position(&self, positions: &Range<u64>, offset: u32) -> u64 {
        let Place { process, processes } = self.place();
        positions.start + u64::from(offset) * processes as u64 + process as u64
    }

    /// The reason why the other processes cannot be reached any more.
    pub(super) fn lost(&self) -> Option<StopReason> {
        *locked(&self.lost)
    }

    pub(super) fn lose(&self, why: StopReason) {
        locked(&self.lost).get_or_insert(why);
    }

    /// Exchanges a message with each other process. `write` appends that to a process, `read` takes
    /// that from a process.
    ///
    /// `idle` runs a function that waits.
    pub(super) fn talk(
        &self,
        idle: Idle<'_>,
        write: impl FnMut(usize, &mut Vec<u8>),
        read: impl FnMut(usize, &mut Bytes<'_>) -> Result<(), Malformed>,
    ) {
        self.send(write);
        self.receive(idle, read);
    }

    /// The network, unless another process is lost.
    fn network(&self) -> Option<&'s dyn Network> {
        self.distribution.and_then(|all| all.network).filter(|_| self.lost().is_none())
    }

    /// Sends a message to each other process: `write` appends it.
    fn send(&self, mut write: impl FnMut(usize, &mut Vec<u8>)) {
        let Some(network) = self.network() else { return };
        let Place { process, processes } = network.place();
        let mut messages = vec![Vec::new(); processes];
        for (to, message) in messages.iter_mut().enumerate().filter(|(to, _)| *to != process) {
            write(to, message);
        }
        if let Err(why) = network.send(messages) {
            self.lose(why);
        }
    }

    /// Receives a message from each other process: `read` takes it.
    fn receive(
        &self,
        idle: Idle<'_>,
        mut read: impl FnMut(usize, &mut Bytes<'_>) -> Result<(), Malformed>,
    ) {
        let Some(network) = self.network() else { return };
        let process = network.place().process;
        let mut received = Ok(Vec::new());
        idle(&mut || received = network.receive());
        match received {
            Ok(received) => {
                for (from, message) in
                    received.iter().enumerate().filter(|(from, _)| *from != process)
                {
                    let mut bytes = Bytes::new(message);
                    // A peer that sends something else is a bug or an attack: nothing it says counts.
                    if read(from, &mut bytes).is_err() || !bytes.is_empty() {
                        self.lose(StopReason::Cancelled);
                    }
                }
            }
            Err(why) => self.lose(why),
        }
    }

    /// The shipments of a worker, by owner.
    pub(super) fn outgoing(&self, worker: WorkerId) -> Vec<MutexGuard<'_, Shipment<Item, Step>>> {
        self.shipments.iter().map(|senders| locked(&senders[worker.index()])).collect()
    }

    /// The shipments to a worker from these.
    pub(super) fn inbox(
        &self,
        worker: WorkerId,
        senders: Range<usize>,
    ) -> Vec<MutexGuard<'_, Shipment<Item, Step>>> {
        self.shipments[worker.index()][senders].iter().map(locked).collect()
    }

    /// Sends the shipments to workers of other processes, and the conditions of the workers of this
    /// one, in which nothing of this round is inserted.
    pub(super) fn send_round(&self) {
        let Some(Distribution { codec, .. }) = self.distribution else { return };
        let place = self.place();
        self.send(|process, message| {
            self.write_conditions(message);
            let mut numbers = locked(&self.numbers[process]);
            let mut form = ShipmentForm { words: self.bucket_words, codec, numbers: &mut numbers };
            for owner in self.workers_of(process) {
                for sender in self.workers_of(place.process) {
                    let mut shipment = locked(&self.shipments[owner][sender]);
                    form.write(&shipment, message);
                    shipment.clear();
                }
            }
        });
    }

    /// Receives what the other processes have sent of their round. The states are successors of nodes
    /// at these positions.
    pub(super) fn receive_round(&self, positions: &Range<u64>, idle: Idle<'_>) {
        let Some(Distribution { codec, .. }) = self.distribution else { return };
        let place = self.place();
        self.receive(idle, |process, bytes| {
            self.read_conditions(process, bytes)?;
            let mut numbers = locked(&self.numbers[process]);
            let mut form = ShipmentForm { words: self.bucket_words, codec, numbers: &mut numbers };
            for owner in self.workers_of(place.process) {
                for sender in self.workers_of(process) {
                    let mut shipment = locked(&self.shipments[owner][sender]);
                    let read = form.read(bytes, &mut shipment);
                    let mut ranks = shipment.arrivals.iter().map(|arrival| arrival.rank);
                    if read.is_err() || !ranks.all(|rank| positions.contains(&rank.parent())) {
                        shipment.clear();
                        return Err(Malformed);
                    }
                }
            }
            Ok(())
        });
    }

    fn write_conditions(&self, message: &mut Vec<u8>) {
        for worker in self.workers_of(self.place().process) {
            locked(&self.conditions[worker]).encode(message);
        }
    }

    fn read_conditions(&self, process: usize, bytes: &mut Bytes<'_>) -> Result<(), Malformed> {
        for worker in self.workers_of(process) {
            *locked(&self.conditions[worker]) = Condition::decode(bytes)?;
        }
        Ok(())
    }

    /// Tells the other processes the conditions of the workers of this one, and learns theirs.
    pub(super) fn share_conditions(&self, idle: Idle<'_>) {
        self.talk(
            idle,
            |_, message| self.write_conditions(message),
            |process, bytes| self.read_conditions(process, bytes),
        );
    }

    /// Collects saved parts of all workers in the first process; empty in the others.
    pub(super) fn gather(&self, own: &[SavedPart]) -> Vec<SavedPart> {
        let place = self.place();
        let mut all = match place.process {
            0 => own.to_vec(),
            _ => Vec::new(),
        };
        self.talk(
            UNMEASURED,
            |process, message| {
                if process == 0 {
                    for SavedPart { nodes, marks } in own {
                        put_blob(message, nodes);
                        put_blob(message, marks);
                    }
                }
            },
            |process, bytes| {
                if place.process == 0 {
                    for _ in self.workers_of(process) {
                        let (nodes, marks) = (bytes.blob()?.to_vec(), bytes.blob()?.to_vec());
                        all.push(SavedPart { nodes, marks });
                    }
                }
                Ok(())
            },
        );
        all
    }

    /// Gives the parts that all workers have saved to the keeper.
    pub(super) fn keep(&self) -> Result<(), StopReason> {
        let own = self.parts.iter().map(|part| std::mem::take(&mut *locked(part)));
        let all = self.gather(&own.collect::<Vec<_>>());
        match self.distribution.and_then(|all| all.keeper) {
            Some(keeper) if self.lost().is_none() => keeper.keep(&all),
            _ => Ok(()),
        }
    }

    /// The flags that the first worker of a process reports for it.
    pub(super) fn flags_of_process(&self) -> Flags {
        let mut flags = Flags::default();
        let wants_nodes = self.distribution.is_some_and(|all| all.wants_nodes);
        flags.set_if(Flags::WANTS_NODES, wants_nodes && self.place().process == 0);
        if let Some(keeper) = self.distribution.and_then(|all| all.keeper) {
            flags.set_if(Flags::IS_KEPT, true);
            flags.set_if(Flags::WANTS_CHECKPOINT, keeper.is_due());
        }
        // One worker reports the overflow, so that all take the same decision.
        flags.set_if(Flags::IS_OVER, self.is_over(self.all().statistics.bytes));
        flags
    }

    /// Whether workers that hold this memory together are to spill.
    pub(super) fn is_over(&self, bytes: usize) -> bool {
        self.overflow.as_ref().is_some_and(|overflow| overflow.is_due(bytes))
    }
}

/// A function that runs one that waits for others, and may measure how long that takes.
pub(super) type Idle<'w> = &'w dyn Fn(&mut dyn FnMut());

/// Does not measure how long waiting takes.
pub(super) const UNMEASURED: Idle<'static> = &|waiting| waiting();

/// The form of the states that processes send to each other.
struct ShipmentForm<'f, Item, Step> {
    /// The number of words of a bucket.
    words: usize,
    codec: &'f dyn Codec<Step, Item>,
    numbers: &'f mut StepNumbers<Step>,
}

impl<Item: Copy, Step: Copy> ShipmentForm<'_, Item, Step> {
    fn write(&mut self, shipment: &Shipment<Item, Step>, to: &mut Vec<u8>) {
        let Self { words, codec, numbers } = self;
        put_u64(to, shipment.arrivals.len() as u64);
        for (index, &Arrival { edge: Edge { from, step }, rank, .. }) in
            shipment.arrivals.iter().enumerate()
        {
            put_u32(to, from.index() as u32);
            put_u64(to, rank.bits());
            numbers.write(step, *codec, to);
            let state = shipment.states.get(index, *words);
            state.bucket.iter().for_each(|&word| put_u64(to, word));
            put_u32(to, state.payload.len() as u32);
            codec.write_payload(state.payload, to);
        }
    }

    fn read(
        &mut self,
        from: &mut Bytes<'_>,
        shipment: &mut Shipment<Item, Step>,
    ) -> Result<(), Malformed> {
        let Self { words, codec, numbers } = self;
        shipment.clear();
        let (mut bucket, mut payload) = (Vec::new(), Vec::new());
        for _ in 0..from.count(4)? {
            let parent = NodeId::from_index(from.u32()? as usize);
            let rank = Rank::of_bits(from.u64()?);
            let step = numbers.read(*codec, from)?;
            bucket.clear();
            for _ in 0..*words {
                bucket.push(from.u64()?);
            }
            let len = from.u32()? as usize;
            codec.read_payload(len, from, &mut payload)?;
            shipment.states.try_push(&bucket, &payload).map_err(|_| Malformed)?;
            let edge = Edge { from: parent, step };
            shipment.arrivals.push(Arrival { edge, rank, uncovered: None });
        }
        Ok(())
    }
}

/// The content of a slot; panics of workers are caught before they could hold one.
pub(super) fn locked<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
