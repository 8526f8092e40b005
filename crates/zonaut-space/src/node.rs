//! Nodes of a search.

zonaut_base::define_id!(
    /// A state that a search has inserted into its store.
    ///
    /// Ids are dense, in order of insertion, and never reused: a node that was evicted keeps its
    /// id, so that paths through it stay readable.
    pub struct NodeId
);
