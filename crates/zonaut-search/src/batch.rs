//! Batches: an expansion in encoded form, on its way from the worker that generates successors to
//! the search that absorbs them.

use std::ops::ControlFlow;

use crate::growth::{bytes_of, refused};
use zonaut_space::{Encoding, NodeId, Pricing, Steps, StopReason, Successor, TransitionSystem};

/// A node to expand, and its successors once an [`Expander`] has generated them.
///
/// It owns everything and contains no ids but that of the node, so that it can leave the thread.
#[derive(Clone, Debug)]
pub struct Batch<Item, Step, E, C = u32> {
    pub(crate) node: NodeId,
    cost: C,
    /// The state of the node, followed by the states of the successors.
    states: EncodedStates<Item>,
    successors: Vec<Generated<Step, C>>,
    /// The step at which the expansion failed, and the error.
    pub(crate) failure: Option<(Step, E)>,
}

/// The batch of a transition system with an encoding and a pricing.
pub type BatchOf<Ts, E, P = Steps> = Batch<
    <E as Encoding>::Item,
    <Ts as TransitionSystem>::Step,
    <Ts as TransitionSystem>::Error,
    <P as Pricing<Ts>>::Cost,
>;

/// A generated state: how it was reached, and at which cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Generated<Step, C> {
    pub(crate) step: Step,
    pub(crate) cost: C,
}

impl<Item: Copy, Step: Copy, E, C: Copy> Batch<Item, Step, E, C> {
    /// The batch of a node with this state and cost.
    pub(crate) fn new<S>(
        node: NodeId,
        cost: C,
        encoding: &impl Encoding<State = S, Item = Item>,
        state: &S,
    ) -> Self {
        let mut states = EncodedStates::default();
        states.push(encoding.bucket(state), encoding.payload(state));
        Self { node, cost, states, successors: Vec::new(), failure: None }
    }

    /// The expanded node.
    #[must_use]
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// The number of successors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.successors.len()
    }

    /// Whether the node has no successors.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.successors.is_empty()
    }

    /// Writes the state of the node over `into`.
    pub(crate) fn load_parent<S>(
        &self,
        encoding: &impl Encoding<State = S, Item = Item>,
        into: &mut S,
    ) {
        self.states.load(0, encoding, into);
    }

    /// The successors in order, each written over `into` before it is visited.
    pub(crate) fn try_for_each_successor<S, T>(
        &self,
        encoding: &impl Encoding<State = S, Item = Item>,
        into: &mut S,
        mut visit: impl FnMut(Generated<Step, C>, &S) -> Result<(), T>,
    ) -> Result<(), T> {
        for (index, &generated) in self.successors.iter().enumerate() {
            self.states.load(index + 1, encoding, into);
            visit(generated, into)?;
        }
        Ok(())
    }
}

/// A state in encoded form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EncodedState<'e, Item> {
    pub(crate) bucket: &'e [u64],
    pub(crate) payload: &'e [Item],
}

/// Buckets and payloads one after the other.
#[derive(Clone, Debug)]
pub(crate) struct EncodedStates<Item> {
    words: Vec<u64>,
    items: Vec<Item>,
    /// The end of each payload.
    item_ends: Vec<usize>,
}

impl<Item> Default for EncodedStates<Item> {
    fn default() -> Self {
        Self { words: Vec::new(), items: Vec::new(), item_ends: Vec::new() }
    }
}

impl<Item: Copy> EncodedStates<Item> {
    fn push(&mut self, bucket: &[u64], payload: &[Item]) {
        self.words.extend_from_slice(bucket);
        self.items.extend_from_slice(payload);
        self.item_ends.push(self.items.len());
    }

    /// Adds a state.
    ///
    /// # Errors
    /// When memory runs out.
    pub(crate) fn try_push(&mut self, bucket: &[u64], payload: &[Item]) -> Result<(), StopReason> {
        self.words.try_reserve(bucket.len()).map_err(refused)?;
        self.items.try_reserve(payload.len()).map_err(refused)?;
        self.item_ends.try_reserve(1).map_err(refused)?;
        self.push(bucket, payload);
        Ok(())
    }

    /// Removes all states, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.items.clear();
        self.item_ends.clear();
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        bytes_of(&self.words) + bytes_of(&self.items) + bytes_of(&self.item_ends)
    }

    /// The state at `index`, whose bucket has this many words.
    pub(crate) fn get(&self, index: usize, words: usize) -> EncodedState<'_, Item> {
        let start = index.checked_sub(1).map_or(0, |before| self.item_ends[before]);
        let payload = &self.items[start..self.item_ends[index]];
        EncodedState { bucket: &self.words[index * words..][..words], payload }
    }

    /// Writes the state at `index` over `into`.
    pub(crate) fn load<S>(
        &self,
        index: usize,
        encoding: &impl Encoding<State = S, Item = Item>,
        into: &mut S,
    ) {
        let EncodedState { bucket, payload } = self.get(index, encoding.bucket_words());
        encoding.load(bucket, payload, into);
    }
}

/// A worker that expands nodes for a search: it has the transition system and working memory of its
/// own, and neither a store nor a frontier.
pub struct Expander<'s, Ts: TransitionSystem, E, P = Steps> {
    system: &'s Ts,
    encoding: E,
    pricing: P,
    state: Ts::State,
    scratch: Ts::Scratch,
}

impl<'s, Ts, E, P> Expander<'s, Ts, E, P>
where
    Ts: TransitionSystem,
    E: Encoding<State = Ts::State>,
    P: Pricing<Ts>,
{
    /// A worker for states of `system`, any of which serves as its `buffer`.
    pub fn new(system: &'s Ts, encoding: E, pricing: P, buffer: Ts::State) -> Self {
        Self { system, encoding, pricing, state: buffer, scratch: system.scratch() }
    }

    /// Generates the successors of the node of `batch`, up to the first error.
    pub fn expand(&mut self, batch: &mut BatchOf<Ts, E, P>) {
        let Self { system, encoding, pricing, state, scratch } = self;
        batch.load_parent(encoding, state);
        let _ = system.for_each_successor(state, scratch, |successor| match successor {
            Successor::State(step, target) => {
                let cost = pricing.after(batch.cost, step, target);
                batch.states.push(encoding.bucket(target), encoding.payload(target));
                batch.successors.push(Generated { step, cost });
                ControlFlow::Continue(())
            }
            Successor::Error(step, error) => {
                batch.failure = Some((step, error));
                ControlFlow::Break(())
            }
        });
    }
}
