//! Symbolic states.

use zonaut_dbm::Zone;

/// A symbolic state: locations, data, and the zone of its active clocks.
#[derive(Clone, Debug)]
pub struct SymbolicState {
    /// The location of every process, then the content of every cell.
    pub values: Vec<i32>,
    /// The packed values.
    pub(crate) key: Vec<u64>,
    /// The valuations of the clocks that are active in these locations; [`crate::ZoneGraph::rows`]
    /// tells which they are.
    pub zone: Zone,
}

impl SymbolicState {
    /// A state without meaning, to load another one into.
    #[must_use]
    pub fn buffer() -> Self {
        Self { values: Vec::new(), key: Vec::new(), zone: Zone::origin(1) }
    }

    /// The packed discrete part.
    #[must_use]
    pub fn key(&self) -> &[u64] {
        &self.key
    }
}
