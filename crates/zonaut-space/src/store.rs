//! How states are stored, compared and found again.

use zonaut_base::Id;

use crate::{NodeId, StopReason, SummaryWord};

/// How the states of a system are written into a store.
///
/// A state is a *key*, its discrete part packed into words, and a *payload*, the rest (for a zone
/// graph the matrix of bounds). Only states of equal keys are ever compared.
///
/// Laws:
/// - All keys have [`key_words`](Self::key_words) words.
/// - Equal keys have payloads of equal length.
/// - Loading the key and the payload of a state into any other state gives a state with the same
///   key, payload, successors and goals.
pub trait Encoding {
    /// The states that are written.
    type State;
    /// What payloads are made of.
    type Item: Copy + Eq + std::hash::Hash;

    /// The number of words in a key.
    fn key_words(&self) -> usize;
    /// The discrete part of `state`.
    fn key<'s>(&self, state: &'s Self::State) -> &'s [u64];
    /// The rest of `state`.
    fn payload<'s>(&self, state: &'s Self::State) -> &'s [Self::Item];
    /// Writes the state with this key and payload over `into`.
    fn load(&self, key: &[u64], payload: &[Self::Item], into: &mut Self::State);
}

/// When one state makes another of the same key redundant.
///
/// Laws:
/// - It is a preorder on the payloads of each key.
/// - It is a simulation: if `larger` covers `smaller`, every step of `smaller` has a step of
///   `larger` that leads to a state covering its target (of the same key), and a goal that holds in
///   `smaller` holds in `larger`. For priced systems the cost is no greater either.
/// - Summaries grow with payloads: if `larger` covers `smaller`, every word of its summary
///   [is at least](SummaryWord::is_at_least) that of `smaller`.
pub trait Covering {
    /// What payloads are made of.
    type Item;
    /// The working memory of one worker.
    type Scratch;

    /// Fresh working memory.
    fn scratch(&self) -> Self::Scratch;

    /// Whether covering is equality of payloads; then the store can hash whole states.
    fn is_equality(&self) -> bool {
        false
    }

    /// Announces the key of the comparisons that follow, so that what depends on the
    /// key alone is computed once. Called once for each insertion that compares anything.
    fn focus(&self, key: &[u64], scratch: &mut Self::Scratch) {
        let _ = (key, scratch);
    }

    /// Whether `larger` makes `smaller` redundant. The innermost question of a search.
    fn covers(
        &self,
        larger: &[Self::Item],
        smaller: &[Self::Item],
        scratch: &mut Self::Scratch,
    ) -> bool;

    /// The number of words that summarise a payload of this length; without any, all payloads of a
    /// key are compared.
    fn summary_words(&self, payload_len: usize) -> usize {
        let _ = payload_len;
        0
    }

    /// Writes the summary of `payload` over `summary`, which has as many words as were promised.
    /// Asked only where many payloads have one key, which is in focus.
    fn summarise(
        &self,
        key: &[u64],
        payload: &[Self::Item],
        scratch: &mut Self::Scratch,
        summary: &mut [SummaryWord],
    ) {
        let _ = (key, payload, scratch, summary);
    }
}

/// What covering must not lose besides reachability.
#[derive(Clone, Copy, Debug)]
pub enum Respect<'d> {
    /// Any covering state will do.
    Nothing,
    /// The number of steps: a state is discarded only for one that covers it at no greater depth,
    /// and evicts only those it covers at no smaller depth.
    Depth {
        /// The depth of the state to insert.
        candidate: u32,
        /// The depths of the nodes inserted before, by their ids.
        stored: &'d [u32],
    },
}

impl Respect<'_> {
    /// Whether the state to insert may be discarded for `node`, if that covers it.
    #[inline]
    #[must_use]
    pub fn allows_discarding_for(&self, node: NodeId) -> bool {
        match *self {
            Self::Nothing => true,
            Self::Depth { candidate, stored } => stored[node.index()] <= candidate,
        }
    }

    /// Whether the state to insert may evict `node`, if it covers it.
    #[inline]
    #[must_use]
    pub fn allows_evicting(&self, node: NodeId) -> bool {
        match *self {
            Self::Nothing => true,
            Self::Depth { candidate, stored } => candidate <= stored[node.index()],
        }
    }
}

/// What an insertion did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Insertion {
    /// The state is stored as this new node.
    New(NodeId),
    /// The state was discarded because this live node covers it.
    CoveredBy(NodeId),
}

/// The set of states a search has seen, reduced by covering.
///
/// Laws:
/// - The new nodes of successive insertions are numbered 0, 1, 2 and so on.
/// - A state that is not discarded evicts every live node that it covers and may evict.
/// - A live node loads as the state that was inserted; a node is live until it is evicted.
/// - An insertion that fails leaves the set of live nodes as it was.
pub trait PassedStore<S> {
    /// Inserts `state` unless a live node covers it, and reports each node it evicts together with
    /// its own.
    ///
    /// # Errors
    /// When memory or node numbers run out.
    fn insert(
        &mut self,
        state: &S,
        respect: Respect<'_>,
        evicted: impl FnMut(NodeId, NodeId),
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
    /// How many numbers the last insertion compared, about.
    fn effort(&self) -> usize {
        0
    }
}
