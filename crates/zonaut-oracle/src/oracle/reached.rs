//! The reached states, layer by layer.

use super::table::Table;
use crate::network::State;
use zonaut_base::Id;
use zonaut_model::LocationId;

const NOT_REACHED: u32 = u32::MAX;

/// The last step of a path to a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastStep {
    /// The state before it.
    pub(super) parent: u32,
    pub(super) is_delay: bool,
}

/// States by the minimal number of actions that lead to them. Delays stay in a layer, actions lead
/// to the next one.
#[derive(Debug)]
pub(super) struct Reached {
    pub(super) table: Table,
    /// The last step of a path to each state with the minimal number of actions.
    pub(super) last_steps: Vec<LastStep>,
    /// The minimal number of actions known.
    distance: Vec<u32>,
    is_done: Vec<bool>,
    now: Vec<u32>,
    next: Vec<u32>,
    row: Vec<i32>,
}

impl Reached {
    pub(super) fn new(width: usize) -> Self {
        Self {
            table: Table::new(width),
            last_steps: Vec::new(),
            distance: Vec::new(),
            is_done: Vec::new(),
            now: Vec::new(),
            next: Vec::new(),
            row: Vec::new(),
        }
    }

    /// Advances to the next layer; returns whether it has any states.
    pub(super) fn next_layer(&mut self) -> bool {
        std::mem::swap(&mut self.now, &mut self.next);
        !self.now.is_empty()
    }

    /// The next state of this layer to expand.
    pub(super) fn next(&mut self) -> Option<u32> {
        loop {
            let id = self.now.pop()?;
            if !std::mem::replace(&mut self.is_done[id as usize], true) {
                return Some(id);
            }
        }
    }

    /// Reads a state.
    pub(super) fn load(&self, id: u32, state: &mut State<i32>) {
        unpack(self.table.row(id), state);
    }

    /// Records that an action leads to `state`, after `actions` actions in all.
    pub(super) fn by_action(&mut self, state: &State<i32>, parent: u32, actions: u32) {
        let step = LastStep { parent, is_delay: false };
        if let Some(id) = self.note(state, step, actions) {
            self.next.push(id);
        }
    }

    /// Records that a delay leads to `state`, after `actions` actions in all.
    pub(super) fn by_delay(&mut self, state: &State<i32>, parent: u32, actions: u32) {
        let step = LastStep { parent, is_delay: true };
        if let Some(id) = self.note(state, step, actions) {
            self.now.push(id);
        }
    }

    /// The number of the state, if it is reached by fewer actions than before.
    fn note(&mut self, state: &State<i32>, step: LastStep, actions: u32) -> Option<u32> {
        pack(state, &mut self.row);
        let (id, is_new) = self.table.insert(&self.row);
        if is_new {
            self.distance.push(NOT_REACHED);
            self.is_done.push(false);
            self.last_steps.push(step);
        }
        let known = &mut self.distance[id as usize];
        if actions >= *known {
            return None;
        }
        *known = actions;
        self.last_steps[id as usize] = step;
        Some(id)
    }
}

/// Writes a state as a row.
pub(super) fn pack(state: &State<i32>, row: &mut Vec<i32>) {
    row.clear();
    row.extend(state.locations.iter().map(|location| location.index() as i32));
    row.extend_from_slice(&state.cells);
    row.extend_from_slice(&state.clocks);
}

/// Reads a row into a state of the same dimensions.
pub(super) fn unpack(row: &[i32], state: &mut State<i32>) {
    let (locations, rest) = row.split_at(state.locations.len());
    let (cells, clocks) = rest.split_at(state.cells.len());
    for (to, &from) in state.locations.iter_mut().zip(locations) {
        *to = LocationId::from_index(from as usize);
    }
    state.cells.copy_from_slice(cells);
    state.clocks.copy_from_slice(clocks);
}
