//! States of a network.

use zonaut_model::LocationId;

/// A state: the location of each process, the content of each cell, and a clock valuation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State<V> {
    /// The location of every process.
    pub locations: Vec<LocationId>,
    /// The content of every cell; `meta` cells have their initial value.
    pub cells: Vec<i32>,
    /// The value of every clock.
    pub clocks: Vec<V>,
}

impl<V: Copy> State<V> {
    /// Makes this state equal to `other`, reusing its storage.
    pub fn copy_from(&mut self, other: &Self) {
        self.locations.clone_from(&other.locations);
        self.cells.clone_from(&other.cells);
        self.clocks.clone_from(&other.clocks);
    }
}
