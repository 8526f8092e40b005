//! Encoding and covering of symbolic states.

use crate::abstraction::Abstraction;
use crate::active_clocks::{ActiveClocks, ActiveClocksOfBuckets};
use crate::graph::ZoneGraph;
use crate::kinds::Kinds;
use crate::state::SymbolicState;
use std::marker::PhantomData;
use std::sync::Arc;
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_dbm::{Bound, Narrow, SummaryOf, Width, includes_slices, row_outside_alu};
use zonaut_space::{BucketPart, Covering, Encoding, Member, SummaryWord};

/// The encoding of symbolic states as packed words and matrices.
#[derive(Clone, Debug)]
pub struct StateEncoding<'n, W: Width = Narrow> {
    network: &'n CompiledNetwork,
    kinds: Option<Kinds>,
    width: PhantomData<W>,
}

impl<'n, W: Width> StateEncoding<'n, W> {
    /// The encoding of the states of `graph`.
    #[must_use]
    pub fn new(graph: &ZoneGraph<'n, W>) -> Self {
        let network = graph.network();
        Self { network, kinds: Kinds::new(network, graph.bounds()), width: PhantomData }
    }
}

impl<W: Width> Encoding for StateEncoding<'_, W> {
    type State = SymbolicState<W>;
    type Item = Bound<W>;

    fn bucket_words(&self) -> usize {
        self.network.packing.words()
    }

    fn bucket<'s>(&self, state: &'s SymbolicState<W>) -> &'s [u64] {
        &state.key
    }

    fn payload<'s>(&self, state: &'s SymbolicState<W>) -> &'s [Bound<W>] {
        state.zone.as_slice()
    }

    fn load(&self, bucket: &[u64], payload: &[Bound<W>], into: &mut SymbolicState<W>) {
        self.network.packing.unpack(bucket, &mut into.values);
        into.key.clear();
        into.key.extend_from_slice(bucket);
        into.zone.assign_slice(payload.len().isqrt(), payload);
    }

    fn kind(&self, bucket: &[u64]) -> Option<u64> {
        self.kinds.as_ref().map(|kinds| kinds.of(bucket))
    }

    fn parts(&self) -> Vec<BucketPart> {
        // Locations are the first values.
        let places = self.network.packing.places().into_iter().flatten();
        places.map(|(word, bits)| BucketPart { word, bits }).collect()
    }
}

/// The covering relation of symbolic states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// Equality of zones.
    Equality,
    /// Inclusion of zones.
    Inclusion,
    /// Simulation of zones by lower and upper bounds.
    Simulation,
}

impl Comparison {
    /// The coarsest comparison that is sound under `abstraction`.
    #[must_use]
    pub fn of(abstraction: Abstraction) -> Self {
        abstraction.properties().comparison
    }
}

/// The covering of symbolic states with equal discrete parts.
#[derive(Clone, Debug)]
pub struct ZoneCovering<'n, W: Width = Narrow> {
    comparison: Comparison,
    network: &'n CompiledNetwork,
    bounds: &'n BoundsTable,
    width: PhantomData<W>,
}

impl<'n, W: Width> ZoneCovering<'n, W> {
    /// The covering of the states of `graph`.
    #[must_use]
    pub fn new(graph: &ZoneGraph<'n, W>, comparison: Comparison) -> Self {
        let (network, bounds) = (graph.network(), graph.bounds());
        Self { comparison, network, bounds, width: PhantomData }
    }
}

/// The scratch of one worker that compares zones: the active clocks of the bucket in focus.
#[derive(Clone, Debug)]
pub struct CoveringScratch {
    active_clocks: ActiveClocksOfBuckets,
    active: Option<Arc<ActiveClocks>>,
    /// The row that last refuted simulation.
    suspect: usize,
}

impl CoveringScratch {
    fn find_active<W: Width>(&mut self, covering: &ZoneCovering<'_, W>, bucket: &[u64]) {
        let active = self.active_clocks.of(covering.network, covering.bounds, bucket);
        self.active = Some(Arc::clone(active));
    }

    fn active(&self) -> &ActiveClocks {
        self.active.as_deref().expect("invariant: a bucket is in focus")
    }
}

impl<W: Width> Covering for ZoneCovering<'_, W> {
    type Item = Bound<W>;
    type Scratch = CoveringScratch;

    fn scratch(&self) -> CoveringScratch {
        let active_clocks = ActiveClocksOfBuckets::new(self.network);
        CoveringScratch { active_clocks, active: None, suspect: 0 }
    }

    fn is_equality(&self) -> bool {
        self.comparison == Comparison::Equality
    }

    fn focus(&self, bucket: &[u64], scratch: &mut CoveringScratch) {
        if self.comparison == Comparison::Simulation {
            scratch.find_active(self, bucket);
        }
    }

    #[inline]
    fn covers(
        &self,
        Member { payload: larger, .. }: Member<'_, Bound<W>>,
        Member { payload: smaller, .. }: Member<'_, Bound<W>>,
        scratch: &mut CoveringScratch,
    ) -> bool {
        match self.comparison {
            Comparison::Equality => larger == smaller,
            Comparison::Inclusion => includes_slices(larger, smaller),
            Comparison::Simulation => {
                let (active, suspect) = (scratch.active(), scratch.suspect);
                let outside =
                    row_outside_alu(larger, smaller, &active.lower, &active.upper, suspect);
                scratch.suspect = outside.unwrap_or(suspect);
                outside.is_none()
            }
        }
    }

    fn summary_words(&self, payload_len: usize) -> usize {
        match self.comparison {
            Comparison::Equality => 0,
            _ => SummaryOf::numbers(payload_len.isqrt()) / SummaryWord::NUMBERS,
        }
    }

    fn summarise(
        &self,
        bucket: &[u64],
        payload: &[Bound<W>],
        scratch: &mut CoveringScratch,
        summary: &mut [SummaryWord],
    ) {
        let of = match self.comparison {
            Comparison::Simulation => SummaryOf::Simulation,
            Comparison::Inclusion | Comparison::Equality => {
                scratch.find_active(self, bucket);
                SummaryOf::Inclusion
            }
        };
        let active = scratch.active();
        let mut numbers = [0; SummaryOf::MOST_NUMBERS];
        let (numbers, _) = numbers.split_at_mut(summary.len() * SummaryWord::NUMBERS);
        of.write(payload, &active.lower, &active.upper, numbers);
        for (word, numbers) in summary.iter_mut().zip(numbers.as_chunks().0) {
            *word = SummaryWord::new(*numbers);
        }
    }
}
