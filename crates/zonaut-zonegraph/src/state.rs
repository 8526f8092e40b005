//! Symbolic states.

use zonaut_base::Id;
use zonaut_compile::{ClockRow, Packing};
use zonaut_dbm::{Narrow, Width, Zone};
use zonaut_space::DiscretePart;

/// A symbolic state: locations, data, and the zone of its active clocks.
#[derive(Clone, Debug)]
pub struct SymbolicState<W: Width = Narrow> {
    /// The location of every process, then the content of every cell.
    pub values: Vec<i32>,
    /// The packed values.
    pub(crate) key: Vec<u64>,
    /// The valuations of the clocks that are active in these locations; [`crate::ZoneGraph::rows`]
    /// lists them.
    pub zone: Zone<W>,
    /// The cost of the transition that led here, if the state has just been generated. Not part of
    /// the state.
    pub price: i64,
}

impl<W: Width> SymbolicState<W> {
    /// An uninitialised state, to load another one into.
    #[must_use]
    pub fn buffer() -> Self {
        Self { values: Vec::new(), key: Vec::new(), zone: Zone::origin(1), price: 0 }
    }

    /// Packs the values again after a change.
    pub fn repack(&mut self, packing: &Packing) {
        packing.pack(&self.values, &mut self.key);
    }

    /// The packed discrete part.
    #[must_use]
    pub fn key(&self) -> &[u64] {
        &self.key
    }
}

impl<W: Width> DiscretePart for SymbolicState<W> {
    fn values(&self) -> &[i32] {
        &self.values
    }
}

/// The names of the clocks of a zone, for display; `names` are those of the network.
pub fn zone_names<'n>(
    rows: &[ClockRow],
    names: impl Fn(zonaut_model::ClockId) -> &'n str,
) -> Vec<&'n str> {
    let name = |&row: &ClockRow| match row {
        0 => "0",
        row => names(Id::from_index(row as usize - 1)),
    };
    rows.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_names_of_their_clocks() {
        let names = ["x", "y", "z"];
        assert_eq!(zone_names(&[0, 2, 3], |clock| names[clock.index()]), ["0", "y", "z"]);
    }
}
