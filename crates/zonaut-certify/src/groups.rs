//! The discrete states of nodes, each stored once and packed, with the nodes that have it.

use crate::core::{Core, State};
use std::hash::{BuildHasher, RandomState};

/// The discrete states of nodes without unknown cells, and their nodes.
#[derive(Default)]
pub(crate) struct Groups {
    layout: Layout,
    /// The packed states, one after the other.
    content: Vec<u8>,
    /// Their number.
    count: usize,
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
        let layout = Layout::new(core);
        // Unpredictable, so that no certificate can be made of states that collide.
        let seed = RandomState::new().hash_one(layout.size);
        Self { layout, seed, slots: vec![0; 64], ..Self::default() }
    }

    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Adds the next node; `None` if some of its cells are unknown.
    pub(crate) fn push(&mut self, state: Option<&State>) {
        let packed = state.and_then(|state| self.layout.packed(state));
        let number = packed.map_or(NO_STATE, |packed| self.intern(packed));
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

    /// The nodes of the state with this number, ascending.
    pub(crate) fn members(&self, number: usize) -> &[usize] {
        &self.members[self.starts[number]..self.starts[number + 1]]
    }

    /// The nodes that have this state, ascending.
    pub(crate) fn of(&self, state: &State) -> &[usize] {
        let Some(packed) = self.layout.packed(state) else { return &[] };
        match self.slots[self.slot(&packed)] {
            0 => &[],
            number => self.members(number as usize - 1),
        }
    }

    /// All states with their nodes, in the order of their first nodes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (State, &[usize])> {
        (0..self.count).map(|number| (self.state(number), self.members(number)))
    }

    fn packed(&self, number: usize) -> &[u8] {
        let size = self.layout.size;
        &self.content[number * size..(number + 1) * size]
    }

    /// The number of a state, which is stored if it is new.
    fn intern(&mut self, packed: Vec<u8>) -> u32 {
        let slot = self.slot(&packed);
        if self.slots[slot] != 0 {
            return self.slots[slot] - 1;
        }
        let number = self.count as u32;
        self.content.extend(packed);
        self.count += 1;
        self.slots[slot] = number + 1;
        if 2 * self.count > self.slots.len() {
            self.grow();
        }
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
            let (low, high) = cell.range;
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
