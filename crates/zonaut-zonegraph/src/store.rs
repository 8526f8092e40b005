//! How symbolic states are stored and when one covers another.

use crate::abstraction::Abstraction;
use crate::frame::{Frame, Frames};
use crate::graph::ZoneGraph;
use crate::state::SymbolicState;
use std::rc::Rc;
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_dbm::{Bound, SummaryOf, includes_slices, row_outside_alu};
use zonaut_space::{Covering, Encoding, Member, SummaryWord};

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

    fn bucket_words(&self) -> usize {
        self.network.packing.words()
    }

    fn bucket<'s>(&self, state: &'s SymbolicState) -> &'s [u64] {
        &state.key
    }

    fn payload<'s>(&self, state: &'s SymbolicState) -> &'s [Bound] {
        state.zone.as_slice()
    }

    fn load(&self, bucket: &[u64], payload: &[Bound], into: &mut SymbolicState) {
        self.network.packing.unpack(bucket, &mut into.values);
        into.key.clear();
        into.key.extend_from_slice(bucket);
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
}

impl<'n> ZoneCovering<'n> {
    /// The covering of the states of `graph`.
    #[must_use]
    pub fn new(graph: &ZoneGraph<'n>, comparison: Comparison) -> Self {
        Self { comparison, network: graph.network(), bounds: graph.bounds() }
    }
}

/// The working memory of one worker that compares zones: the frame of the bucket in focus.
#[derive(Clone, Debug)]
pub struct CoveringScratch {
    frames: Frames,
    frame: Option<Rc<Frame>>,
    values: Vec<i32>,
    /// The row that last showed that one zone does not simulate another.
    suspect: usize,
}

impl CoveringScratch {
    fn find_frame(&mut self, covering: &ZoneCovering<'_>, bucket: &[u64]) {
        covering.network.packing.unpack(bucket, &mut self.values);
        self.frame = Some(self.frames.of(covering.bounds, &self.values));
    }

    fn frame(&self) -> &Frame {
        self.frame.as_deref().expect("invariant: a bucket is in focus")
    }
}

impl Covering for ZoneCovering<'_> {
    type Item = Bound;
    type Scratch = CoveringScratch;

    fn scratch(&self) -> CoveringScratch {
        let frames = Frames::new(self.network.process_count());
        CoveringScratch { frames, frame: None, values: Vec::new(), suspect: 0 }
    }

    fn is_equality(&self) -> bool {
        self.comparison == Comparison::Equality
    }

    fn focus(&self, bucket: &[u64], scratch: &mut CoveringScratch) {
        if self.comparison == Comparison::Simulation {
            scratch.find_frame(self, bucket);
        }
    }

    #[inline]
    fn covers(
        &self,
        Member { payload: larger, .. }: Member<'_, Bound>,
        Member { payload: smaller, .. }: Member<'_, Bound>,
        scratch: &mut CoveringScratch,
    ) -> bool {
        match self.comparison {
            Comparison::Equality => larger == smaller,
            Comparison::Inclusion => includes_slices(larger, smaller),
            Comparison::Simulation => {
                let (frame, suspect) = (scratch.frame(), scratch.suspect);
                let outside = row_outside_alu(larger, smaller, &frame.lower, &frame.upper, suspect);
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
        payload: &[Bound],
        scratch: &mut CoveringScratch,
        summary: &mut [SummaryWord],
    ) {
        let of = match self.comparison {
            Comparison::Simulation => SummaryOf::Simulation,
            Comparison::Inclusion | Comparison::Equality => {
                scratch.find_frame(self, bucket);
                SummaryOf::Inclusion
            }
        };
        let frame = scratch.frame();
        let mut numbers = [0; SummaryOf::MOST_NUMBERS];
        let (numbers, _) = numbers.split_at_mut(summary.len() * SummaryWord::NUMBERS);
        of.write(payload, &frame.lower, &frame.upper, numbers);
        for (word, numbers) in summary.iter_mut().zip(numbers.as_chunks().0) {
            *word = SummaryWord::new(*numbers);
        }
    }
}
