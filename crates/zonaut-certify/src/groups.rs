//! The discrete states of nodes, each stored once and packed, with the nodes that have it.

use crate::core::{Core, State};
use std::hash::{BuildHasher, RandomState};

/// The discrete states of nodes without unknown cells, and their nodes.
#[derive(Default)]
pub(crate) struct Groups {
    /// The number of processes, and of processes and cells.
    processes: usize,
    width: usize,
    /// The locations and contents of each state.
    content: Vec<i32>,
    /// Open addressing: the number of a state plus one, or 0.
    slots: Vec<u32>,
    seed: u64,
    /// The state of each node, until the members are sorted.
    of_nodes: Vec<u32>,
    /// The nodes of state `k` are `members[starts[k]..starts[k + 1]]`, ascending.
    starts: Vec<usize>,
    members: Vec<usize>,
}

/// The mark of a node with unknown cells.
const NO_STATE: u32 = u32::MAX;

impl Groups {
    /// No states yet.
    pub(crate) fn new(core: &Core) -> Self {
        let processes = core.processes.len();
        let width = processes + core.cells.len();
        // Unpredictable, so that no certificate can be made of states that collide.
        let seed = RandomState::new().hash_one(width);
        Self { processes, width, seed, slots: vec![0; 64], ..Self::default() }
    }

    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Adds the next node; `None` if some of its cells are unknown.
    pub(crate) fn push(&mut self, state: Option<&State>) {
        let number = state.map_or(NO_STATE, |state| self.intern(state));
        self.of_nodes.push(number);
    }

    /// Sorts the nodes by their states, after the last one.
    pub(crate) fn finish(&mut self) {
        let count = self.content.len().checked_div(self.width).unwrap_or(0);
        // Without processes and cells there is one state.
        let count = count.max(usize::from(self.width == 0 && !self.of_nodes.is_empty()));
        let known = |&&number: &&u32| number != NO_STATE;
        let mut starts = vec![0_usize; count + 1];
        for &number in self.of_nodes.iter().filter(known) {
            starts[number as usize + 1] += 1;
        }
        for k in 0..count {
            starts[k + 1] += starts[k];
        }
        let mut next = starts.clone();
        self.members = vec![0; starts[count]];
        for (node, &number) in self.of_nodes.iter().enumerate().filter(|(_, n)| known(n)) {
            self.members[next[number as usize]] = node;
            next[number as usize] += 1;
        }
        self.starts = starts;
        self.of_nodes = Vec::new();
    }

    /// The state with this number.
    pub(crate) fn state(&self, number: usize) -> State {
        let content = &self.content[number * self.width..(number + 1) * self.width];
        let (locations, cells) = content.split_at(self.processes);
        State {
            locations: locations.iter().map(|&location| location as usize).collect(),
            cells: cells.iter().map(|&value| i64::from(value)).collect(),
        }
    }

    /// The nodes of the state with this number, ascending.
    pub(crate) fn members(&self, number: usize) -> &[usize] {
        &self.members[self.starts[number]..self.starts[number + 1]]
    }

    /// The nodes that have this state, ascending.
    pub(crate) fn of(&self, state: &State) -> &[usize] {
        let slot = self.slots[self.slot(state)];
        if slot == 0 { &[] } else { self.members(slot as usize - 1) }
    }

    /// All states with their nodes, in the order of their first nodes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (State, &[usize])> {
        (0..self.len()).map(|number| (self.state(number), self.members(number)))
    }

    /// The number of a state, which is stored if it is new.
    fn intern(&mut self, state: &State) -> u32 {
        let slot = self.slot(state);
        if self.slots[slot] != 0 {
            return self.slots[slot] - 1;
        }
        let number = self.content.len().checked_div(self.width).unwrap_or(0) as u32;
        self.content.extend(values(state));
        self.slots[slot] = number + 1;
        if 2 * (number as usize + 1) > self.slots.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![0; 2 * old.len()];
        for number in old.into_iter().filter(|&number| number != 0) {
            let first = (number as usize - 1) * self.width;
            let hash = self.hash(self.content[first..first + self.width].iter().copied());
            let free = self.probe(hash, |_| false);
            self.slots[free] = number;
        }
    }

    /// The slot of a state, or the free one where it belongs.
    fn slot(&self, state: &State) -> usize {
        self.probe(self.hash(values(state)), |number| {
            let first = number * self.width;
            self.content[first..first + self.width].iter().copied().eq(values(state))
        })
    }

    /// The first slot from the place of a hash on that is free, or whose state is the same.
    fn probe(&self, hash: u64, is_same: impl Fn(usize) -> bool) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != 0 && !is_same(self.slots[slot] as usize - 1) {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn hash(&self, values: impl Iterator<Item = i32>) -> u64 {
        let mix = |hash: u64, value: i32| {
            let mixed = (hash ^ u64::from(value as u32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ (mixed >> 29)
        };
        values.fold(self.seed, mix)
    }
}

/// The locations and contents of a state. Both fit 32 bits: contents by their ranges, locations
/// because a core text has fewer lines.
fn values(state: &State) -> impl Iterator<Item = i32> {
    let locations = state.locations.iter().map(|&location| location as i32);
    locations.chain(state.cells.iter().map(|&value| value as i32))
}
