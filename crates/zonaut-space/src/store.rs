//! Encoding, covering and storage of states.

use zonaut_base::Id;

use crate::{Cost, NodeId, StopReason, SummaryWord};

/// A part of a bucket: some bits of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BucketPart {
    /// The word.
    pub word: usize,
    /// The bits.
    pub bits: u64,
}

/// The encoding of a system's states in a store.
///
/// A state consists of a *bucket*, the part by which it is found, packed into words, and a
/// *payload*, the rest. Only states with equal buckets are compared. If covering requires equal
/// discrete parts, as for zone graphs, the bucket is the whole discrete part and the payload the
/// matrix of bounds; a covering that abstracts from variables has them in the payload.
///
/// Laws:
/// - All buckets have [`bucket_words`](Self::bucket_words) words.
/// - Equal buckets have payloads of equal length.
/// - Loading the bucket and the payload of a state into any other state gives a state with the same
///   bucket, payload, successors and goals.
pub trait Encoding {
    /// The encoded states.
    type State;
    /// The element type of payloads.
    type Item: Copy + Eq + std::hash::Hash;

    /// The number of words in a bucket.
    fn bucket_words(&self) -> usize;
    /// The bucket of `state`.
    fn bucket<'s>(&self, state: &'s Self::State) -> &'s [u64];
    /// The payload of `state`.
    fn payload<'s>(&self, state: &'s Self::State) -> &'s [Self::Item];
    /// Writes the state with this bucket and payload over `into`.
    fn load(&self, bucket: &[u64], payload: &[Self::Item], into: &mut Self::State);
    /// The kind of states of this bucket: a number that is equal for states whose successors are
    /// computed alike, so that it is best that one worker expands them. `None` if kinds are not known
    /// or too few to be divided among workers.
    fn kind(&self, bucket: &[u64]) -> Option<u64> {
        let _ = bucket;
        None
    }
    /// Parts of a bucket of which a step changes few. Several processes divide the states by some of
    /// the first ones. By default there are none.
    fn parts(&self) -> Vec<BucketPart> {
        Vec::new()
    }
}

/// A state in a comparison: its payload, and the node that it is or would become, under which a
/// covering finds further data of the node.
#[derive(Debug)]
pub struct Member<'p, Item> {
    /// The node.
    pub node: NodeId,
    /// The payload.
    pub payload: &'p [Item],
}

impl<Item> Clone for Member<'_, Item> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Item> Copy for Member<'_, Item> {}

/// The covering relation: one state makes another of the same bucket redundant.
///
/// Laws:
/// - It is a preorder on the states of each bucket.
/// - It is a simulation: if `larger` covers `smaller`, every step of `smaller` has a step of
///   `larger` that leads to a state covering its target (of the same bucket), and a goal that holds in
///   `smaller` holds in `larger`. For priced systems the cost is no greater either.
/// - Summaries grow with payloads: if `larger` covers `smaller`, every word of its summary
///   [is at least](SummaryWord::is_at_least) that of `smaller`.
pub trait Covering {
    /// The element type of payloads.
    type Item;
    /// The working memory of one worker.
    type Scratch;

    /// Fresh working memory.
    fn scratch(&self) -> Self::Scratch;

    /// Whether covering is equality of payloads; then the store can hash whole states.
    fn is_equality(&self) -> bool {
        false
    }

    /// Announces the bucket of the comparisons that follow, so that data that depends on the bucket
    /// alone is computed once. Called once for each insertion that compares at least one pair.
    fn focus(&self, bucket: &[u64], scratch: &mut Self::Scratch) {
        let _ = (bucket, scratch);
    }

    /// Whether `larger` makes `smaller` redundant. Called in the innermost loop of a search.
    fn covers(
        &self,
        larger: Member<'_, Self::Item>,
        smaller: Member<'_, Self::Item>,
        scratch: &mut Self::Scratch,
    ) -> bool;

    /// The number of words that summarise a payload of this length; if zero, all payloads of a
    /// bucket are compared.
    fn summary_words(&self, payload_len: usize) -> usize {
        let _ = payload_len;
        0
    }

    /// Writes the summary of `payload` over `summary`, which has
    /// [`summary_words`](Self::summary_words) words. Called only for large buckets, with the bucket
    /// in focus.
    fn summarise(
        &self,
        bucket: &[u64],
        payload: &[Self::Item],
        scratch: &mut Self::Scratch,
        summary: &mut [SummaryWord],
    ) {
        let _ = (bucket, payload, scratch, summary);
    }
}

/// The requirement of covering on costs, besides reachability.
#[derive(Debug)]
pub enum CostDominance<'c, C> {
    /// Costs are ignored: any covering state makes a state redundant.
    Ignored,
    /// Costs are preserved: a state is discarded only for one that covers it at no greater cost,
    /// and evicts only those it covers at no smaller cost.
    Required {
        /// The cost of the state to insert.
        candidate: C,
        /// The costs of the nodes inserted before, by id.
        stored: &'c [C],
    },
}

impl<C: Copy> Clone for CostDominance<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Copy> Copy for CostDominance<'_, C> {}

impl<C: Cost> CostDominance<'_, C> {
    /// Whether the state to insert may be discarded for `node`, if that covers it.
    #[inline]
    #[must_use]
    pub fn allows_discarding_for(&self, node: NodeId) -> bool {
        match *self {
            Self::Ignored => true,
            Self::Required { candidate, stored } => stored[node.index()] <= candidate,
        }
    }

    /// Whether the state to insert may evict `node`, if it covers it.
    #[inline]
    #[must_use]
    pub fn allows_evicting(&self, node: NodeId) -> bool {
        match *self {
            Self::Ignored => true,
            Self::Required { candidate, stored } => candidate <= stored[node.index()],
        }
    }
}

/// A node that was removed from the store because a new one covers it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Eviction {
    /// The removed node.
    pub node: NodeId,
    /// The new node.
    pub by: NodeId,
}

/// The result of an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Insertion {
    /// The state is stored as this new node.
    New(NodeId),
    /// The state was discarded because this live node covers it.
    CoveredBy(NodeId),
}

/// The set of states that a search has reached, reduced by covering.
///
/// Laws:
/// - The new nodes of successive insertions are numbered 0, 1, 2 and so on.
/// - A state that is not discarded evicts every live node that it covers and may evict.
/// - A live node loads as the state that was inserted; a node is live until it is evicted.
/// - An insertion that fails leaves the set of live nodes as it was.
pub trait PassedStore<S> {
    /// Inserts `state` unless a live node covers it, and reports each node it evicts.
    ///
    /// # Errors
    /// When memory or node numbers run out.
    fn insert<C: Cost>(
        &mut self,
        state: &S,
        dominance: CostDominance<'_, C>,
        evicted: impl FnMut(Eviction),
    ) -> Result<Insertion, StopReason>;
    /// Copies the state of a live node into `into`.
    fn load(&self, node: NodeId, into: &mut S);
    /// Whether `node` was not evicted.
    fn is_live(&self, node: NodeId) -> bool;
    /// The number of live nodes.
    fn len(&self) -> usize;
    /// Whether there are no live nodes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The memory the store holds, in bytes.
    fn bytes(&self) -> usize;
    /// The approximate number of comparisons of the last insertion.
    fn effort(&self) -> usize {
        0
    }
    /// Moves what is seldom needed out of memory, if the store can. Its answers stay the same.
    ///
    /// # Errors
    /// If there is no room for it elsewhere.
    fn spill(&mut self) -> Result<(), StopReason> {
        Ok(())
    }
}

impl<S, St: PassedStore<S>> PassedStore<S> for &mut St {
    fn insert<C: Cost>(
        &mut self,
        state: &S,
        dominance: CostDominance<'_, C>,
        evicted: impl FnMut(Eviction),
    ) -> Result<Insertion, StopReason> {
        (**self).insert(state, dominance, evicted)
    }
    fn load(&self, node: NodeId, into: &mut S) {
        (**self).load(node, into);
    }
    fn is_live(&self, node: NodeId) -> bool {
        (**self).is_live(node)
    }
    fn len(&self) -> usize {
        (**self).len()
    }
    fn bytes(&self) -> usize {
        (**self).bytes()
    }
    fn effort(&self) -> usize {
        (**self).effort()
    }
    fn spill(&mut self) -> Result<(), StopReason> {
        (**self).spill()
    }
}
