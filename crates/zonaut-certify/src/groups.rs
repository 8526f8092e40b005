//! The discrete states of nodes, each stored once and packed, with the nodes that have it.

use crate::core::{Core, State};
use crate::packed;
use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

/// The discrete states of nodes without unknown cells, and their nodes.
#[derive(Default)]
pub(crate) struct Groups<'t> {
    layout: Layout,
    /// A record for each state, one after the other: the packed state, and in packed sets the number
    /// of its first node.
    records: Cow<'t, [u8]>,
    /// The bytes of a record.
    stride: usize,
    /// The number of states.
    count: usize,
    /// Open addressing: the number of a state plus one, or 0.
    slots: Vec<u32>,
    seed: u64,
    /// The state of each node, until the members are sorted.
    of_nodes: Vec<u32>,
    /// The nodes of state `k` are `members[starts[k]..starts[k + 1]]`, ascending.
    starts: Vec<usize>,
    members: Vec<usize>,
    /// The number of nodes of a packed set, in which the nodes of a state are consecutive.
    packed: Option<usize>,
}

/// The mark of a node with unknown cells.
const NO_STATE: u32 = u32::MAX;

/// The bytes of the number of the first node in a record.
const FIRST: usize = 4;

/// Nodes, ascending.
#[derive(Clone, Debug)]
pub(crate) enum Members<'s> {
    Listed(Cow<'s, [usize]>),
    Consecutive(Range<usize>),
}

impl Members<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Listed(nodes) => nodes.len(),
            Self::Consecutive(nodes) => nodes.len(),
        }
    }

    /// The node at a position.
    pub(crate) fn at(&self, position: usize) -> usize {
        match self {
            Self::Listed(nodes) => nodes[position],
            Self::Consecutive(nodes) => nodes.start + position,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).map(|position| self.at(position))
    }

    pub(crate) fn contains(&self, node: usize) -> bool {
        match self {
            Self::Listed(nodes) => nodes.binary_search(&node).is_ok(),
            Self::Consecutive(nodes) => nodes.contains(&node),
        }
    }
}

impl<'s> From<&'s [usize]> for Members<'s> {
    fn from(nodes: &'s [usize]) -> Self {
        Self::Listed(nodes.into())
    }
}

impl<'t> Groups<'t> {
    /// No states yet.
    pub(crate) fn new(core: &Core) -> Self {
        let layout = Layout::new(core);
        // Unpredictable, so that no certificate can be made of states that collide.
        let seed = RandomState::new().hash_one(layout.size);
        Self { stride: layout.size, layout, seed, slots: vec![0; 64], ..Self::default() }
    }

    /// The bytes of a state in a packed set.
    pub(crate) fn packed_length(&self) -> usize {
        self.layout.size + FIRST
    }

    /// Adds all states of a packed set with this number of nodes.
    pub(crate) fn pack(
        &mut self,
        core: &Core,
        records: &'t [u8],
        nodes: usize,
    ) -> Result<(), &'static str> {
        self.stride = self.packed_length();
        self.records = records.into();
        self.packed = Some(nodes);
        let count = records.len() / self.stride;
        for number in 0..count {
            if !self.layout.is_state(core, self.packed(number)) {
                return Err("a discrete state has a location or a value out of range");
            }
            let before = number.checked_sub(1).map(|number| self.first(number));
            let first = self.first(number);
            if before.map_or(first != 0, |before| first <= before) || first >= nodes {
                return Err("every discrete state has nodes, which follow those before it");
            }
            let slot = self.slot(self.packed(number));
            if self.slots[slot] != 0 {
                return Err("a discrete state occurs twice");
            }
            self.add(slot);
        }
        if count == 0 && nodes > 0 {
            return Err("nodes have no discrete state");
        }
        Ok(())
    }

    /// The first node of a state of a packed set.
    fn first(&self, number: usize) -> usize {
        packed::number(&self.records, number * self.stride + self.layout.size)
    }

    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Adds the next node; `None` if some of its cells are unknown.
    pub(crate) fn push(&mut self, state: Option<&State>) {
        let packed = state.and_then(|state| self.layout.packed(state));
        let number = packed.map_or(NO_STATE, |packed| self.intern(&packed));
        self.of_nodes.push(number);
    }

    /// Sorts the nodes by their states, after the last one.
    pub(crate) fn finish(&mut self) {
        let known = |&&number: &&u32| number != NO_STATE;
        let mut starts = vec![0_usize; self.count + 1];
        for &number in self.of_nodes.iter().filter(known) {
            starts[number as usize + 1] += 1;
        }
        for k in 0..self.count {
            starts[k + 1] += starts[k];
        }
        let mut next = starts.clone();
        self.members = vec![0; starts[self.count]];
        for (node, &number) in self.of_nodes.iter().enumerate().filter(|(_, n)| known(n)) {
            self.members[next[number as usize]] = node;
            next[number as usize] += 1;
        }
        self.starts = starts;
        self.of_nodes = Vec::new();
    }

    /// The state with this number.
    pub(crate) fn state(&self, number: usize) -> State {
        self.layout.unpacked(self.packed(number))
    }

    /// The nodes of the state with this number.
    pub(crate) fn members(&self, number: usize) -> Members<'_> {
        match self.packed {
            None => self.listed(number).into(),
            Some(nodes) => {
                let is_last = number + 1 == self.count;
                let end = if is_last { nodes } else { self.first(number + 1) };
                Members::Consecutive(self.first(number)..end)
            }
        }
    }

    /// The nodes of the state with this number, ascending, unless the set is packed.
    fn listed(&self, number: usize) -> &[usize] {
        &self.members[self.starts[number]..self.starts[number + 1]]
    }

    /// The nodes that have this state, ascending. The set is not packed.
    pub(crate) fn of(&self, state: &State) -> &[usize] {
        match self.find(state).filter(|_| self.packed.is_none()) {
            None => &[],
            Some(number) => self.listed(number),
        }
    }

    /// The number of this state.
    pub(crate) fn find(&self, state: &State) -> Option<usize> {
        let packed = self.layout.packed(state)?;
        (self.slots[self.slot(&packed)] as usize).checked_sub(1)
    }

    /// All states with their nodes, in the order of their first nodes. The set is not packed.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (State, &[usize])> {
        let count = if self.packed.is_none() { self.count } else { 0 };
        (0..count).map(|number| (self.state(number), self.listed(number)))
    }

    fn packed(&self, number: usize) -> &[u8] {
        let start = number * self.stride;
        &self.records[start..start + self.layout.size]
    }

    /// Adds the next state, whose record exists, to the index.
    fn add(&mut self, slot: usize) {
        self.count += 1;
        self.slots[slot] = self.count as u32;
        if 2 * self.count > self.slots.len() {
            self.grow();
        }
    }

    /// The number of a state, which is stored if it is new.
    fn intern(&mut self, packed: &[u8]) -> u32 {
        let slot = self.slot(packed);
        if self.slots[slot] != 0 {
            return self.slots[slot] - 1;
        }
        let number = self.count as u32;
        self.records.to_mut().extend(packed);
        self.add(slot);
        number
    }

    fn grow(&mut self) {
        self.slots = vec![0; 2 * self.slots.len()];
        for number in 0..self.count {
            let slot = self.slot(self.packed(number));
            self.slots[slot] = number as u32 + 1;
        }
    }

    /// The slot of a state, or the free one where it belongs.
    fn slot(&self, packed: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.hash(packed) as usize & mask;
        while self.slots[slot] != 0 && self.packed(self.slots[slot] as usize - 1) != packed {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn hash(&self, packed: &[u8]) -> u64 {
        packed.chunks(8).fold(self.seed, |hash, chunk| {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            let mixed = (hash ^ u64::from_le_bytes(bytes)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ (mixed >> 29)
        })
    }
}

/// The bytes of packed states.
#[derive(Default)]
struct Layout {
    processes: usize,
    /// One for each process and each cell.
    fields: Vec<Field>,
    /// The bytes of a state.
    size: usize,
}

/// The bytes of a location or a content: the distance from the least one.
#[derive(Clone, Copy)]
struct Field {
    least: i64,
    bytes: usize,
}

impl Field {
    /// A field for numbers of a range.
    fn new(least: i64, most: i64) -> Self {
        let distance = most.wrapping_sub(least) as u64;
        let bits = (u64::BITS - distance.leading_zeros()) as usize;
        Self { least, bytes: bits.div_ceil(8) }
    }
}

impl Layout {
    fn new(core: &Core) -> Self {
        let locations = core.processes.iter().map(|process| {
            let last = process.locations.len().max(process.initial.saturating_add(1)) - 1;
            Field::new(0, last as i64)
        });
        let cells = core.cells.iter().map(|cell| {
            // The content of a cell that is not part of the state is its initial value.
            let (low, high) = if cell.meta { (cell.initial, cell.initial) } else { cell.range };
            Field::new(low.min(cell.initial), high.max(cell.initial))
        });
        let fields: Vec<Field> = locations.chain(cells).collect();
        let size = fields.iter().map(|field| field.bytes).sum();
        Self { processes: core.processes.len(), fields, size }
    }

    /// The packed state; `None` if a number is out of its range.
    fn packed(&self, state: &State) -> Option<Vec<u8>> {
        let mut packed = Vec::with_capacity(self.size);
        let locations = state.locations.iter().map(|&location| location as i64);
        let values = locations.chain(state.cells.iter().copied());
        for (field, value) in self.fields.iter().zip(values) {
            let distance = value.wrapping_sub(field.least) as u64;
            let (bytes, rest) =
                (distance.to_le_bytes(), distance.checked_shr(8 * field.bytes as u32));
            if rest.unwrap_or(0) != 0 {
                return None;
            }
            packed.extend_from_slice(&bytes[..field.bytes]);
        }
        Some(packed)
    }

    /// Whether these bytes are a state of the network.
    fn is_state(&self, core: &Core, packed: &[u8]) -> bool {
        let State { locations, cells } = self.unpacked(packed);
        let mut locations = core.processes.iter().zip(locations);
        let mut cells = core.cells.iter().zip(cells);
        locations.all(|(process, location)| location < process.locations.len())
            && cells.all(|(cell, value)| {
                let (low, high) = cell.range;
                value == cell.initial || (low <= value && value <= high)
            })
    }

    fn unpacked(&self, mut packed: &[u8]) -> State {
        let mut values = self.fields.iter().map(|field| {
            let (own, rest) = packed.split_at(field.bytes);
            packed = rest;
            let mut bytes = [0; 8];
            bytes[..own.len()].copy_from_slice(own);
            field.least.wrapping_add(u64::from_le_bytes(bytes) as i64)
        });
        let locations = values.by_ref().take(self.processes);
        let locations = locations.map(|location| location as usize).collect();
        State { locations, cells: values.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_found_and_restored_whatever_their_ranges() {
        let cells = ["0 0 0", "0 1 0", "-3 300 5", "-2147483648 2147483647 0", "0 3 9"];
        let lines = cells.iter().enumerate().map(|(k, range)| format!("cell v{k} {range} state\n"));
        let lines: String = lines.collect();
        let text = format!(
            "core 1\n{lines}default-priority 0\nprocess P 0 0\nlocation a ordinary\n\
             location b ordinary\nquery none\nend\n"
        );
        let core = Core::read(&text).expect("a core text");
        let contents = [
            [0, 0, -3, 0, 9],
            [0, 1, 300, i64::from(i32::MIN), 3],
            [0, 1, 44, i64::from(i32::MAX), 9],
            [0, 0, 5, -1, 0],
        ];
        let state = |k: usize| State { locations: vec![k % 2], cells: contents[k / 2].to_vec() };
        let mut groups = Groups::new(&core);
        for k in (0..8).chain([3, 3, 7]) {
            groups.push(Some(&state(k)));
        }
        groups.push(None);
        groups.finish();
        assert_eq!(groups.len(), 8);
        for k in 0..8 {
            assert_eq!(groups.state(k), state(k));
        }
        assert_eq!(groups.of(&state(3)), [3, 8, 9]);
        assert_eq!(groups.of(&state(7)), [7, 10]);
        let other = State { locations: vec![1], cells: vec![0, 1, 45, 0, 9] };
        assert!(groups.of(&other).is_empty());
        // 300 and 44 differ by 256, and so do the distances of these contents.
        let beyond = State { locations: vec![0], cells: vec![0, 1, 300 + (1 << 16), 0, 9] };
        assert!(groups.of(&beyond).is_empty());
    }
}
