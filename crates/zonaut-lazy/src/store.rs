//! The exact parts of nodes, and the transitions that reached them.

use crate::cover_index::CoverIndex;
use crate::domain::{Exact, TransitionRecord};
use crate::interner::{Interner, Number};
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::hash::BuildHasher;
use zonaut_base::Id;
use zonaut_compile::ActionId;
use zonaut_dbm::{Bound, Width};
use zonaut_space::{Encoding, NodeId, StopReason};
use zonaut_zonegraph::{StateEncoding, SymbolicState, Transition};

/// The exact part of a node.
#[derive(Clone, Copy, Debug)]
struct Entry {
    vector: Number,
    zone: Number,
    transition: Number,
}

/// The exact parts of nodes. Zones and transitions are stored once.
#[derive(Clone, Debug)]
pub(crate) struct Store<'n, W: Width> {
    encoding: StateEncoding<'n, W>,
    words: usize,
    keys: Vec<u64>,
    entries: Vec<Entry>,
    zones: Interner<Bound<W>>,
    transitions: TransitionTable<W>,
}

impl<'n, W: Width> Store<'n, W> {
    pub(crate) fn new(encoding: StateEncoding<'n, W>) -> Self {
        Self {
            words: encoding.bucket_words(),
            encoding,
            keys: Vec::new(),
            entries: Vec::new(),
            zones: Interner::default(),
            transitions: TransitionTable { all: Vec::new(), numbers: HashMap::default() },
        }
    }

    /// Adds the next node: a state with the number of its location vector, reached by a transition.
    pub(crate) fn add(
        &mut self,
        state: &SymbolicState<W>,
        vector: Number,
        transition: &Transition<W>,
    ) -> Result<(), StopReason> {
        self.keys.try_reserve(self.words).map_err(|_| StopReason::MemoryLimit)?;
        self.entries.try_reserve(1).map_err(|_| StopReason::MemoryLimit)?;
        self.keys.extend_from_slice(state.key());
        let zone = self.zones.intern(state.zone.as_slice());
        let transition = self.transitions.number(transition);
        self.entries.push(Entry { vector, zone, transition });
        Ok(())
    }

    /// The packed locations and data of a node.
    pub(crate) fn key(&self, node: NodeId) -> &[u64] {
        &self.keys[node.index() * self.words..][..self.words]
    }

    /// The number of the location vector of a node.
    pub(crate) fn vector(&self, node: NodeId) -> Number {
        self.entries[node.index()].vector
    }

    /// The exact part of a node.
    #[inline]
    pub(crate) fn exact<'e>(&'e self, node: NodeId, cover_index: &'e CoverIndex) -> Exact<'e, W> {
        let Entry { vector, zone, .. } = self.entries[node.index()];
        Exact {
            key: self.key(node),
            zone: self.zones.get(zone),
            active: cover_index.active(vector),
        }
    }

    /// The transition by which a node was reached.
    pub(crate) fn transition(&self, node: NodeId) -> &TransitionRecord<W> {
        &self.transitions.all[self.entries[node.index()].transition as usize]
    }

    /// Writes the state of a node over `state`.
    pub(crate) fn load(&self, node: NodeId, state: &mut SymbolicState<W>) {
        let zone = self.zones.get(self.entries[node.index()].zone);
        self.encoding.load(self.key(node), zone, state);
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<u64>()
            + self.entries.capacity() * size_of::<Entry>()
            + self.zones.bytes()
    }
}

/// Distinct transitions, each stored once.
#[derive(Clone, Debug)]
struct TransitionTable<W: Width> {
    all: Vec<TransitionRecord<W>>,
    /// Numbers by hash.
    numbers: HashMap<u64, Vec<Number>, FixedState>,
}

impl<W: Width> TransitionTable<W> {
    fn number(&mut self, transition: &Transition<W>) -> Number {
        let Transition { participants, before, effects, arrival, delayed, .. } = transition;
        let departure = transition.departure();
        let actions: &[ActionId] = participants;
        let hash =
            FixedState::with_seed(9).hash_one((actions, before, arrival, departure, delayed));
        let known = self.numbers.entry(hash).or_default();
        let is_same = |&&number: &&Number| {
            let transition = &self.all[number as usize];
            *transition.participants == **participants
                && *transition.before == **before
                && *transition.effects == **effects
                && *transition.arrival == **arrival
                && transition.delayed == *delayed
                && *transition.departure == *departure
        };
        if let Some(&number) = known.iter().find(is_same) {
            return number;
        }
        let number = self.all.len() as Number;
        known.push(number);
        self.all.push(TransitionRecord {
            number,
            participants: participants.clone().into(),
            before: before.clone().into(),
            effects: effects.clone().into(),
            arrival: arrival.clone().into(),
            delayed: *delayed,
            departure: departure.into(),
        });
        number
    }
}
