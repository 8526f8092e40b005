//! Injected faults in the store, which measure whether tests detect them.
//!
//! Only with the feature `faults`, which no released build enables. At most one fault is selected
//! for the whole process; initially none is.

use zonaut_base::define_faults;

define_faults! {
    /// A fault.
    pub enum Fault {
        /// Payloads count as equal if two bits of their hashes are equal.
        PayloadsByHash,
        /// Payloads count as equal if their first halves are equal.
        PayloadsByHalf,
        /// A shared payload is released when its first user is.
        SharedPayloadReleased,
        /// Summaries alone decide covering.
        SummariesDecide,
        /// Summaries are compared in the wrong direction.
        SummariesReversed,
        /// Summaries are not moved when nodes before them are evicted.
        SummariesNotMoved,
        /// A node of a later layer evicts one of an earlier layer that is not expanded.
        LaterLayerEvicts,
        /// The states that the last worker sends to others are lost.
        BatchLost,
        /// A checkpoint in the middle of a layer counts the rest of the layer as expanded.
        LayerNotSaved,
        /// A node of each window with several is not expanded.
        NodeForgotten,
        /// A state that was uncovered when its owner was asked is not compared with newer nodes.
        NewerNodesIgnored,
        /// A search ends while states are on their way.
        MessageOverlooked,
        /// Of the goals that a worker finds the last one counts, even in a later layer.
        LaterGoalCounts,
        /// All workers but the first compute owners from half of a bucket.
        OwnerByHalf,
        /// Spilled payloads are read from the segment before theirs.
        SegmentMisread,
        /// An asynchronous search for a cheapest path ends with the first goal.
        FirstGoalIsBest,
    }
}

/// The part of a payload that is compared.
pub(crate) fn compared<T>(payload: &[T]) -> &[T] {
    if Fault::PayloadsByHash.is_selected() {
        &payload[..0]
    } else if Fault::PayloadsByHalf.is_selected() {
        &payload[..payload.len() / 2]
    } else {
        payload
    }
}

/// The part of a hash that is compared.
pub(crate) fn compared_hash(hash: u32) -> u32 {
    if Fault::PayloadsByHash.is_selected() { hash & 3 } else { hash }
}

/// The greatest size of a chain: smaller if summarised buckets are faulty, because small networks
/// have no large buckets.
pub(crate) fn longest_chain(longest: usize) -> usize {
    let summarised_buckets =
        [Fault::SummariesDecide, Fault::SummariesReversed, Fault::SummariesNotMoved];
    if summarised_buckets.into_iter().any(Fault::is_selected) { 1 } else { longest }
}
