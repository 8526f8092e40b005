//! Locks: cells that say who may be where.
//!
//! A cell is a lock, free at its first value, if for each process there is a set of locations in
//! which it holds the lock, and
//!
//! - no process holds it at the start;
//! - whoever enters the set finds the cell free and sets it to something else;
//! - whoever leaves the set sets it free;
//! - nobody else writes it.
//!
//! Then, by induction over transitions, the cell is free exactly if nobody holds the lock, and at
//! most one process holds it: it is entered only where it is free, and then it is not.

use zonaut_analysis::interval::{Declared, Intervals};
use zonaut_analysis::{Domain, Overlay, Truth, Walk};
use zonaut_base::Id;
use zonaut_model::{CellId, Edge, LocationId, Model, ProcessId, Storage};

use super::tasks::Move;

/// A lock, and where it is held.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lock {
    pub(crate) cell: CellId,
    /// By process and location.
    held: Vec<Vec<bool>>,
}

impl Lock {
    pub(crate) fn is_held(&self, process: ProcessId, location: LocationId) -> bool {
        self.held[process.index()][location.index()]
    }
}

/// What an edge does to a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    Nothing,
    SetsFree,
    SetsOther,
    Unknown,
}

/// All locks.
pub(super) fn find_locks(model: &Model, moves: &[Move]) -> Vec<Lock> {
    model.cells.ids().filter_map(|cell| lock_of(model, moves, cell)).collect()
}

fn lock_of(model: &Model, moves: &[Move], cell: CellId) -> Option<Lock> {
    if !moves.iter().any(|this| this.writes.cells.contains(cell)) {
        return None;
    }
    let edge = |this: &Move| &model.processes[this.process].edges[this.edge];
    let effects: Vec<Effect> = moves
        .iter()
        .map(|this| match this.writes.cells.contains(cell) {
            // What is done together with others is not looked at.
            true if edge(this).synchronisation.is_some() => Effect::Unknown,
            true => effect_of(model, edge(this), cell),
            false => Effect::Nothing,
        })
        .collect();
    let mut held: Vec<Vec<bool>> =
        model.processes.iter().map(|process| vec![false; process.locations.len()]).collect();
    let mut is_changed = true;
    while std::mem::take(&mut is_changed) {
        for (this, effect) in moves.iter().zip(&effects) {
            let held = &mut held[this.process.index()];
            let comes_to_hold = match effect {
                Effect::SetsOther => true,
                Effect::Nothing => held[this.source.index()],
                Effect::SetsFree => false,
                Effect::Unknown => return None,
            };
            if comes_to_hold && !held[this.target.index()] {
                held[this.target.index()] = true;
                is_changed = true;
            }
        }
    }
    let lock = Lock { cell, held };
    let is_free_at_start =
        model.processes.iter_enumerated().all(|(id, process)| !lock.is_held(id, process.initial));
    let is_kept = moves.iter().zip(&effects).all(|(this, effect)| {
        let before = lock.is_held(this.process, this.source);
        let after = lock.is_held(this.process, this.target);
        match (before, after) {
            (false, true) => {
                *effect == Effect::SetsOther && asks_for_freedom(model, edge(this), cell)
            }
            (true, false) => *effect == Effect::SetsFree,
            _ => *effect == Effect::Nothing,
        }
    });
    (is_free_at_start && is_kept).then_some(lock)
}

fn effect_of(model: &Model, edge: &Edge, cell: CellId) -> Effect {
    let free = i64::from(model.cells[cell].initial);
    let mut walk = Walk::new(model, Intervals::new(model, Declared(model)), Overlay::default());
    if walk.update(&edge.updates).is_none() {
        return Effect::Unknown;
    }
    let memory = walk.memory.clone();
    match walk.domain.load(&memory, Storage::Cell(cell)) {
        Some((low, high)) if low == free && high == free => Effect::SetsFree,
        Some((low, high)) if high < free || low > free => Effect::SetsOther,
        _ => Effect::Unknown,
    }
}

/// Whether the guard of an edge fails wherever the cell is not free.
fn asks_for_freedom(model: &Model, edge: &Edge, cell: CellId) -> bool {
    let range = model.cells[cell].range;
    let (low, high) = (i64::from(range.low), i64::from(range.high));
    let free = i64::from(model.cells[cell].initial);
    [(low, free - 1), (free + 1, high)].into_iter().filter(|(low, high)| low <= high).all(|taken| {
        let mut memory = Overlay::default();
        memory.insert(Storage::Cell(cell), taken);
        let mut walk = Walk::new(model, Intervals::new(model, Declared(model)), memory);
        walk.condition(&edge.guard) == Some(Truth::Fails)
    })
}
