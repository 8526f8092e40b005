//! The other processes and the checkpoints of a layered search.

use std::fmt;

use zonaut_space::StopReason;

use crate::wire::{Bytes, Codec, Malformed, put_blob, put_u64};

/// A process among those of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The number of this process. The first one, 0, has the result.
    pub process: usize,
    /// The number of processes, each with the same number of workers.
    pub processes: usize,
}

/// The connections to the other processes of a search.
///
/// Law: all processes [send](Self::send) and [receive](Self::receive) in turn and equally often, and
/// the messages of one turn belong together.
pub trait Network: Send + Sync + fmt::Debug {
    /// The place of this process.
    fn place(&self) -> Place;
    /// Sends a message to each other process, by its number, and does not wait until it is received.
    ///
    /// # Errors
    /// If a process is lost; the network knows which one.
    fn send(&self, messages: Vec<Vec<u8>>) -> Result<(), StopReason>;
    /// Waits for the messages of all other processes, and returns them by process.
    ///
    /// # Errors
    /// As above.
    fn receive(&self) -> Result<Vec<Vec<u8>>, StopReason>;
}

/// The keeper of checkpoints, of the first process.
pub trait Keeper: Send + Sync + fmt::Debug {
    /// Whether a checkpoint is wanted now. Called after each round.
    fn is_due(&self) -> bool;
    /// Keeps a checkpoint: the new nodes of each worker and the marks of all, in the order of the
    /// workers. With those of the calls before they make up the search.
    ///
    /// # Errors
    /// If it cannot be kept, which ends the search; the keeper knows why.
    fn keep(&self, parts: &[SavedPart]) -> Result<(), StopReason>;
    /// Called if the saved search cannot be read.
    fn refuse(&self);
}

/// The nodes of a worker since the last checkpoint, and the marks of all of its nodes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SavedPart {
    /// The nodes.
    pub nodes: Vec<u8>,
    /// The marks.
    pub marks: Vec<u8>,
}

/// A worker of a saved search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SavedWorker {
    /// The nodes, as they were saved.
    pub nodes: Vec<Vec<u8>>,
    /// The last marks.
    pub marks: Vec<u8>,
}

/// A search that was saved between two rounds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SavedSearch {
    /// All of its workers, in their order.
    pub workers: Vec<SavedWorker>,
}

impl SavedSearch {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_u64(&mut bytes, self.workers.len() as u64);
        for SavedWorker { nodes, marks } in &self.workers {
            put_u64(&mut bytes, nodes.len() as u64);
            nodes.iter().for_each(|nodes| put_blob(&mut bytes, nodes));
            put_blob(&mut bytes, marks);
        }
        bytes
    }

    pub(crate) fn decode(bytes: &mut Bytes<'_>) -> Result<Self, Malformed> {
        let mut workers = Vec::new();
        for _ in 0..bytes.count(16)? {
            let mut nodes = Vec::new();
            for _ in 0..bytes.count(8)? {
                nodes.push(bytes.blob()?.to_vec());
            }
            workers.push(SavedWorker { nodes, marks: bytes.blob()?.to_vec() });
        }
        Ok(Self { workers })
    }
}

/// The surroundings of a search that leaves its process: how states are written, the other
/// processes, and the checkpoints.
pub struct Distribution<'s, Step, Item> {
    /// The form of steps and payloads.
    pub codec: &'s dyn Codec<Step, Item>,
    /// The other processes, if there are some.
    pub network: Option<&'s dyn Network>,
    /// The keeper of checkpoints, if there is one; of the first process alone.
    pub keeper: Option<&'s dyn Keeper>,
    /// The search to continue, if there is one; of the first process alone.
    pub saved: Option<&'s SavedSearch>,
    /// Whether the nodes of an exhausted search are wanted: the first process collects them then, and
    /// only its own choice counts. The nodes of a search that reaches a goal are always collected.
    pub wants_nodes: bool,
}

impl<Step, Item> Clone for Distribution<'_, Step, Item> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Step, Item> Copy for Distribution<'_, Step, Item> {}

impl<Step, Item> Distribution<'_, Step, Item> {
    /// The place of this process.
    pub(crate) fn place(&self) -> Place {
        self.network.map_or(Place { process: 0, processes: 1 }, Network::place)
    }
}
