//! Large buckets, with summaries that reject most nodes.

use zonaut_space::{StopReason, SummaryWord};

use super::NONE;
#[cfg(feature = "faults")]
use super::faults::Fault;
use crate::growth::{bytes_of, refused};

/// The live nodes of a large group, oldest first, each with the summary of its payload.
///
/// First words are stored separately: almost all nodes are rejected by their first word, so a scan
/// reads eight contiguous bytes per node.
pub(super) struct SummarisedBucket {
    nodes: Vec<u32>,
    first: Vec<SummaryWord>,
    /// The other words, the same number for each node.
    rest: Vec<SummaryWord>,
    /// The words of a summary; at least one.
    words: usize,
}

impl SummarisedBucket {
    pub(super) fn new(words: usize) -> Self {
        Self { nodes: Vec::new(), first: Vec::new(), rest: Vec::new(), words }
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The number of words in a summary.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Reserves room for one more node, so that adding it cannot fail. Summarised buckets are
    /// large, and grow by small factors.
    pub(super) fn reserve(&mut self) -> Result<(), StopReason> {
        if self.nodes.len() < self.nodes.capacity() {
            return Ok(());
        }
        let additional = (self.nodes.len() / 8).max(8);
        self.first.try_reserve_exact(additional).map_err(refused)?;
        self.rest.try_reserve_exact(additional * (self.words - 1)).map_err(refused)?;
        self.nodes.try_reserve_exact(additional).map_err(refused)
    }

    /// Adds the newest node, for which room is reserved.
    pub(super) fn push(&mut self, node: u32, summary: &[SummaryWord]) {
        self.nodes.push(node);
        self.first.push(summary[0]);
        self.rest.extend_from_slice(&summary[1..]);
    }

    /// Adds `first` to the numbers of the nodes.
    pub(super) fn renumber(&mut self, first: u32) {
        self.nodes.iter_mut().for_each(|node| *node += first);
    }

    /// Reverses the order of the nodes.
    pub(super) fn reverse(&mut self) {
        self.nodes.reverse();
        self.first.reverse();
        self.rest.chunks_exact_mut((self.words - 1).max(1)).for_each(<[_]>::reverse);
        self.rest.reverse();
    }

    /// The newest node, from this one on, whose summary allows covering a payload with this summary
    /// and for which `is_wanted` holds.
    #[inline]
    pub(super) fn find_coverer(
        &self,
        summary: &[SummaryWord],
        since: u32,
        mut is_wanted: impl FnMut(u32) -> bool,
    ) -> Option<u32> {
        let smaller = summary[0];
        let older = match since {
            0 => 0,
            _ => self.nodes.partition_point(|&node| node < since),
        };
        for (position, &larger) in self.first.iter().enumerate().skip(older).rev() {
            #[cfg(feature = "faults")]
            if Fault::SummariesReversed.is_selected() && !smaller.is_at_least(larger) {
                continue;
            }
            if larger.is_at_least(smaller)
                && are_at_least(self.rest_of(position), &summary[1..])
                && is_wanted(self.nodes[position])
            {
                return Some(self.nodes[position]);
            }
        }
        None
    }

    /// Removes the nodes, newest first, whose summaries allow being covered by a payload with this
    /// summary and for which `is_evicted` holds.
    pub(super) fn evict_covered(
        &mut self,
        summary: &[SummaryWord],
        mut is_evicted: impl FnMut(u32) -> bool,
    ) {
        let mut has_evicted = false;
        for position in (0..self.nodes.len()).rev() {
            if summary[0].is_at_least(self.first[position])
                && are_at_least(&summary[1..], self.rest_of(position))
                && is_evicted(self.nodes[position])
            {
                self.nodes[position] = NONE;
                has_evicted = true;
            }
        }
        if has_evicted {
            self.close_gaps();
        }
    }

    fn close_gaps(&mut self) {
        let mut kept = 0;
        for position in 0..self.nodes.len() {
            if self.nodes[position] != NONE {
                self.nodes[kept] = self.nodes[position];
                #[cfg(feature = "faults")]
                if Fault::SummariesNotMoved.is_selected() {
                    kept += 1;
                    continue;
                }
                self.first[kept] = self.first[position];
                let rest = self.words - 1;
                self.rest.copy_within(position * rest..(position + 1) * rest, kept * rest);
                kept += 1;
            }
        }
        self.nodes.truncate(kept);
        self.first.truncate(kept);
        self.rest.truncate(kept * (self.words - 1));
    }

    fn rest_of(&self, position: usize) -> &[SummaryWord] {
        let rest = self.words - 1;
        &self.rest[position * rest..][..rest]
    }

    /// The memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        bytes_of(&self.nodes) + bytes_of(&self.first) + bytes_of(&self.rest)
    }
}

#[inline]
fn are_at_least(words: &[SummaryWord], others: &[SummaryWord]) -> bool {
    words.iter().zip(others).all(|(word, &other)| word.is_at_least(other))
}
