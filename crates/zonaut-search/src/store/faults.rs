//! Parts of the store that can be made wrong on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. One fault at a time is
//! selected for the whole process; at first there is none.

use zonaut_base::define_faults;

define_faults! {
    /// What can be wrong.
    pub enum Fault {
        /// Payloads are taken for equal if two bits of their hashes are.
        PayloadsByHash,
        /// Payloads are taken for equal if their first halves are.
        PayloadsByHalf,
        /// A payload that is shared is released by the first of its users.
        SharedPayloadReleased,
        /// Summaries alone decide what covers what.
        SummariesDecide,
        /// Summaries are compared the wrong way round.
        SummariesReversed,
        /// Summaries stay where they are when nodes before them are evicted.
        SummariesNotMoved,
    }
}

/// As much of a payload as is compared.
pub(crate) fn compared<T>(payload: &[T]) -> &[T] {
    if Fault::PayloadsByHash.is_selected() {
        &payload[..0]
    } else if Fault::PayloadsByHalf.is_selected() {
        &payload[..payload.len() / 2]
    } else {
        payload
    }
}

/// As much of a hash as is compared.
pub(crate) fn compared_hash(hash: u32) -> u32 {
    if Fault::PayloadsByHash.is_selected() { hash & 3 } else { hash }
}

/// The most nodes of a chain: fewer where crowds are faulty, for small networks have no large ones.
pub(crate) fn longest_chain(longest: usize) -> usize {
    let summarised_buckets =
        [Fault::SummariesDecide, Fault::SummariesReversed, Fault::SummariesNotMoved];
    if summarised_buckets.into_iter().any(Fault::is_selected) { 1 } else { longest }
}
