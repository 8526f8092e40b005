//! How symbolic states are stored and when one covers another.

use crate::abstraction::Abstraction;
use crate::frame::{Frame, Frames};
use crate::graph::ZoneGraph;
use crate::state::SymbolicState;
use std::rc::Rc;
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_dbm::{Bound, alu_includes_slices, includes_slices};
use zonaut_space::{Covering, Encoding};

/// Writes symbolic states as packed words and matrices.
#[derive(Clone, Debug)]
pub struct StateEncoding<'n> {
    network: &'n CompiledNetwork,
}

impl<'n> StateEncoding<'n> {
    /// The encoding of the states of `graph`.
    #[must_use]
    pub fn new(graph: &ZoneGraph<'n>) -> Self {
        Self { network: graph.network() }
    }
}

impl Encoding for StateEncoding<'_> {
    type State = SymbolicState;
    type Item = Bound;

    fn key_words(&self) -> usize {
        self.network.packing.words()
    }

    fn key<'s>(&self, state: &'s SymbolicState) -> &'s [u64] {
        &state.key
    }

    fn payload<'s>(&self, state: &'s SymbolicState) -> &'s [Bound] {
        state.zone.as_slice()
    }

    fn load(&self, key: &[u64], payload: &[Bound], into: &mut SymbolicState) {
        self.network.packing.unpack(key, &mut into.values);
        into.key.clear();
        into.key.extend_from_slice(key);
        into.zone.assign_slice(payload.len().isqrt(), payload);
    }
}

/// Which states make others redundant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// Only equal ones.
    Equality,
    /// Those whose zone includes the other's.
    Inclusion,
    /// Those whose zone simulates the other's by lower and upper bounds.
    Simulation,
}

impl Comparison {
    /// The coarsest comparison that is sound under `abstraction`.
    #[must_use]
    pub fn of(abstraction: Abstraction) -> Self {
        match abstraction {
            Abstraction::Simulation => Self::Simulation,
            _ => Self::Inclusion,
        }
    }
}

/// Compares zones of equal discrete parts.
#[derive(Clone, Debug)]
pub struct ZoneCovering<'n> {
    comparison: Comparison,
    network: &'n CompiledNetwork,
    bounds: &'n BoundsTable,
    frames: Frames,
    frame: Option<Rc<Frame>>,
    values: Vec<i32>,
}

impl<'n> ZoneCovering<'n> {
    /// The covering of the states of `graph`.
    #[must_use]
    pub fn new(graph: &ZoneGraph<'n>, comparison: Comparison) -> Self {
        let (network, bounds) = (graph.network(), graph.bounds());
        let frames = Frames::new(network.process_count());
        Self { comparison, network, bounds, frames, frame: None, values: Vec::new() }
    }
}

impl Covering for ZoneCovering<'_> {
    type Item = Bound;

    fn is_equality(&self) -> bool {
        self.comparison == Comparison::Equality
    }

    fn focus(&mut self, key: &[u64]) {
        if self.comparison == Comparison::Simulation {
            self.network.packing.unpack(key, &mut self.values);
            self.frame = Some(self.frames.of(self.bounds, &self.values));
        }
    }

    #[inline]
    fn covers(&self, _key: &[u64], larger: &[Bound], smaller: &[Bound]) -> bool {
        match self.comparison {
            Comparison::Equality => larger == smaller,
            Comparison::Inclusion => includes_slices(larger, smaller),
            Comparison::Simulation => {
                let frame = self.frame.as_deref().expect("invariant: a key is in focus");
                alu_includes_slices(larger, smaller, &frame.lower, &frame.upper)
            }
        }
    }
}
