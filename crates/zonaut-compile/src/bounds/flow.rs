//! The backward flow of the bounds of one process.

use super::ClockBounds;
use super::clock_writes::ClockWrites;
use zonaut_base::{Id, IndexVec};
use zonaut_dbm::NO_BOUND;
use zonaut_model::{ClockId, LocationId, Process};

/// A lower and an upper bound.
pub(super) type Pair = (i32, i32);

/// The pair without bounds.
pub(super) const NEITHER: Pair = (NO_BOUND, NO_BOUND);

/// Raises `pair`; returns whether it changed.
pub(super) fn raise(pair: &mut Pair, by: Pair) -> bool {
    let raised = (pair.0.max(by.0), pair.1.max(by.1));
    std::mem::replace(pair, raised) != raised
}

/// The bounds of one process. Only the clocks that are relevant for it have a column, so that a
/// network of many processes with local clocks takes little memory.
pub(super) struct ProcessBounds {
    /// The clocks, ascending.
    clocks: Vec<ClockId>,
    /// The bounds row by row, a row for each location.
    bounds: Vec<Pair>,
    /// By location, its incoming edges.
    incoming: IndexVec<LocationId, Vec<usize>>,
    /// Locations whose bounds have not been propagated yet.
    open: Vec<LocationId>,
}

impl ProcessBounds {
    /// A table with columns for `clocks` and no bounds.
    pub(super) fn new(process: &Process, mut clocks: Vec<ClockId>) -> Self {
        clocks.sort_unstable();
        clocks.dedup();
        let bounds = vec![NEITHER; clocks.len() * process.locations.len()];
        let mut incoming: IndexVec<LocationId, Vec<usize>> =
            process.locations.iter().map(|_| Vec::new()).collect();
        for (position, edge) in process.edges.iter().enumerate() {
            incoming[edge.target].push(position);
        }
        Self { clocks, bounds, incoming, open: Vec::new() }
    }

    /// Raises the bounds of a clock, which has a column, at a location.
    pub(super) fn raise(&mut self, location: LocationId, by: ClockBounds) {
        let column = self.clocks.binary_search(&by.clock);
        let column = column.expect("invariant: every clock that matters has a column");
        let cell = &mut self.bounds[location.index() * self.clocks.len() + column];
        if raise(cell, (by.lower, by.upper)) {
            self.open.push(location);
        }
    }

    /// Propagates bounds until a fixpoint is reached; returns whether any changed since the last
    /// call.
    pub(super) fn settle(&mut self, process: &Process, writes: &[ClockWrites]) -> bool {
        let changed = !self.open.is_empty();
        let width = self.clocks.len();
        let mut row = Vec::new();
        while let Some(location) = self.open.pop() {
            for &edge in &self.incoming[location] {
                let source = process.edges[Id::from_index(edge)].source;
                row.clear();
                row.extend_from_slice(&self.bounds[location.index() * width..][..width]);
                for killed in &writes[edge].killed {
                    if let Ok(column) = self.clocks.binary_search(killed) {
                        row[column] = NEITHER;
                    }
                }
                let cells = &mut self.bounds[source.index() * width..][..width];
                let raised =
                    cells.iter_mut().zip(&row).fold(false, |any, (c, &by)| raise(c, by) | any);
                if raised {
                    self.open.push(source);
                }
            }
        }
        changed
    }

    /// Calls `visit` with the bounds of every clock at every location.
    pub(super) fn for_each(&self, mut visit: impl FnMut(ClockId, Pair)) {
        for row in self.bounds.chunks_exact(self.clocks.len().max(1)) {
            self.clocks.iter().zip(row).for_each(|(&clock, &pair)| visit(clock, pair));
        }
    }

    /// The bounds of every location, without those of clocks that are not active.
    pub(super) fn sparse(&self) -> IndexVec<LocationId, Box<[ClockBounds]>> {
        let width = self.clocks.len();
        let location = |k: usize| sparse(&self.clocks, &self.bounds[k * width..][..width]);
        (0..self.incoming.len()).map(location).collect()
    }
}

/// The bounds of the active ones among `clocks`.
pub(super) fn sparse(clocks: &[ClockId], bounds: &[Pair]) -> Box<[ClockBounds]> {
    let active = clocks.iter().zip(bounds).filter(|(_, pair)| **pair != NEITHER);
    active.map(|(&clock, &(lower, upper))| ClockBounds { clock, lower, upper }).collect()
}
