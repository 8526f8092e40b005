//! Nodes of a search.

zonaut_base::define_id!(
    /// A state that a search has inserted into its store.
    ///
    /// Ids are dense, in order of insertion, and never reused: a node that was evicted keeps its
    /// id, so that paths through it stay readable.
    pub struct NodeId
);

zonaut_base::define_id!(
    /// A worker of a search with several workers.
    pub struct WorkerId
);

/// A node of a search with several workers: each numbers its own nodes. With one worker, the node
/// alone is the name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OwnedNode {
    /// The worker that owns it.
    pub worker: WorkerId,
    /// Its number there.
    pub node: NodeId,
}
