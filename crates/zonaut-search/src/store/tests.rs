//! The store against a reference implementation.

use proptest::prelude::*;

use super::*;
use crate::spill::in_memory::{InMemory, spilling};

/// States of plain words and numbers.
struct Plain {
    bucket_words: usize,
}

type State = (Vec<u64>, Vec<i32>);

impl Encoding for Plain {
    type Item = i32;
    type State = State;

    fn bucket_words(&self) -> usize {
        self.bucket_words
    }
    fn bucket<'s>(&self, state: &'s State) -> &'s [u64] {
        &state.0
    }
    fn payload<'s>(&self, state: &'s State) -> &'s [i32] {
        &state.1
    }
    fn load(&self, bucket: &[u64], payload: &[i32], into: &mut State) {
        *into = (bucket.to_vec(), payload.to_vec());
    }
}

/// Compares numbers one by one, and checks that the bucket was announced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pointwise {
    Equal,
    AtLeast,
    /// With summaries of this many words.
    Summarised(usize),
}

impl Pointwise {
    fn compares(self, larger: &[i32], smaller: &[i32]) -> bool {
        match self {
            Self::Equal => larger == smaller,
            Self::AtLeast | Self::Summarised(_) => {
                larger.iter().zip(smaller).all(|(large, small)| large >= small)
            }
        }
    }
}

impl Covering for Pointwise {
    type Item = i32;
    /// The bucket in focus.
    type Scratch = Option<Vec<u64>>;

    fn scratch(&self) -> Option<Vec<u64>> {
        None
    }
    fn is_equality(&self) -> bool {
        *self == Self::Equal
    }
    fn focus(&self, bucket: &[u64], focused: &mut Option<Vec<u64>>) {
        *focused = Some(bucket.to_vec());
    }
    fn covers(
        &self,
        larger: Member<'_, i32>,
        smaller: Member<'_, i32>,
        focused: &mut Option<Vec<u64>>,
    ) -> bool {
        assert_eq!(larger.payload.len(), smaller.payload.len());
        assert!(focused.is_some() && larger.node != smaller.node);
        self.compares(larger.payload, smaller.payload)
    }
    fn summary_words(&self, _payload_len: usize) -> usize {
        match *self {
            Self::Summarised(words) => words,
            Self::Equal | Self::AtLeast => 0,
        }
    }
    fn summarise(
        &self,
        bucket: &[u64],
        payload: &[i32],
        focused: &mut Option<Vec<u64>>,
        summary: &mut [SummaryWord],
    ) {
        assert_eq!(focused.as_deref(), Some(bucket));
        for (place, word) in summary.iter_mut().enumerate() {
            let mut numbers = [0; SummaryWord::NUMBERS];
            // Later words are more precise, so that all of them are needed.
            for (item, &value) in payload.iter().enumerate().take(place + 1) {
                numbers[item % SummaryWord::NUMBERS] += value as u8;
            }
            *word = SummaryWord::new(numbers);
        }
    }
}

const NOTHING: CostDominance<'static, u32> = CostDominance::Ignored;

/// A list of all inserted states.
struct Naive {
    covering: Pointwise,
    nodes: Vec<(State, bool)>,
}

impl Naive {
    fn covers(&self, larger: &State, smaller: &State) -> bool {
        larger.0 == smaller.0 && self.covering.compares(&larger.1, &smaller.1)
    }

    /// The nodes that cover `state` and are admitted, and those that it evicts if none covers it.
    fn insert(
        &mut self,
        state: &State,
        dominance: CostDominance<'_, u32>,
    ) -> (Vec<NodeId>, Vec<NodeId>) {
        let ids = || (0..self.nodes.len()).map(NodeId::from_index);
        let live = |node: &NodeId| self.nodes[node.index()].1;
        let coverers: Vec<NodeId> = ids()
            .filter(live)
            .filter(|&node| dominance.allows_discarding_for(node))
            .filter(|&node| self.covers(&self.nodes[node.index()].0, state))
            .collect();
        if !coverers.is_empty() {
            return (coverers, Vec::new());
        }
        let evicted: Vec<NodeId> = ids()
            .filter(live)
            .filter(|&node| dominance.allows_evicting(node))
            .filter(|&node| self.covers(state, &self.nodes[node.index()].0))
            .collect();
        for node in &evicted {
            self.nodes[node.index()].1 = false;
        }
        self.nodes.push((state.clone(), true));
        (coverers, evicted)
    }
}

fn recounted_bytes(store: &ArenaStore<Plain, Pointwise>) -> usize {
    store.buckets.recounted_bytes()
        + store.payloads.iter().map(Pool::recounted_bytes).sum::<usize>()
        + store.payloads.capacity() * size_of::<Pool<i32>>()
        + store.groups.capacity() * 8
        + store.places.capacity() * 12
        + store.summarised_buckets.capacity() * size_of::<SummarisedBucket>()
        + store.summarised_buckets.iter().map(SummarisedBucket::bytes).sum::<usize>()
        + store.probe.summary.capacity() * 8
        + store.probe.spilled.capacity() * 4
        + store.table.allocation_size()
}

/// Inserts the states, each with its depth, into both stores and compares everything.
fn check(bucket_words: usize, covering: Pointwise, respects_depth: bool, inputs: &[(State, u32)]) {
    check_with_spills(bucket_words, covering, respects_depth, inputs, &[]);
}

/// The same, and the store spills after the insertions with these numbers.
fn check_with_spills(
    bucket_words: usize,
    covering: Pointwise,
    respects_depth: bool,
    inputs: &[(State, u32)],
    spills: &[usize],
) {
    let files = InMemory::within(usize::MAX, usize::MAX);
    let mut store = ArenaStore::new(Plain { bucket_words }, covering).spilling(&spilling(&files));
    // Small enough for summarised buckets to occur.
    store.longest_chain = 8;
    let mut naive = Naive { covering, nodes: Vec::new() };
    let mut depths = Vec::new();
    for (number, (state, depth)) in inputs.iter().enumerate() {
        let dominance = match respects_depth {
            true => CostDominance::Required { candidate: *depth, stored: &depths },
            false => CostDominance::Ignored,
        };
        let mut evicted = Vec::new();
        let insertion = store.insert(state, dominance, |eviction| {
            assert_eq!(eviction.by.index(), depths.len());
            evicted.push(eviction.node);
        });
        evicted.sort();
        let (coverers, expected_evicted) = naive.insert(state, dominance);
        match insertion.expect("memory") {
            Insertion::New(node) => {
                assert!(coverers.is_empty(), "{state:?} should be covered by {coverers:?}");
                assert_eq!(node.index(), depths.len());
                depths.push(*depth);
            }
            Insertion::CoveredBy(node) => assert_eq!(Some(&node), coverers.last(), "{state:?}"),
        }
        assert_eq!(evicted, expected_evicted);
        if spills.contains(&number) {
            assert_eq!(store.spill(), Ok(()));
        }
        assert_eq!(store.bytes(), recounted_bytes(&store));
    }
    let mut loaded = State::default();
    for (node, (state, live)) in naive.nodes.iter().enumerate() {
        let node = NodeId::from_index(node);
        assert_eq!(store.is_live(node), *live);
        assert_eq!(store.bucket(node), state.0);
        if *live {
            store.load(node, &mut loaded);
            assert_eq!(&loaded, state);
            assert_eq!(*store.payload(node), *state.1);
        }
    }
    let live: Vec<NodeId> = store.live_nodes().collect();
    assert_eq!(live.len(), store.len());
    assert!(live.iter().all(|&node| store.is_live(node)));
    assert_eq!(live.len(), naive.nodes.iter().filter(|(_, live)| *live).count());
}

/// States of few buckets and few values, so that covering is frequent; the length of the payload
/// depends on the bucket.
fn states(values: i32) -> impl Strategy<Value = Vec<(State, u32)>> {
    let state = (0..6u64, prop::collection::vec(0..values, 6), 0..5u32);
    let state = state.prop_map(|(bucket, mut payload, depth)| {
        payload.truncate(bucket as usize % 4);
        ((vec![bucket, 7 * bucket], payload), depth)
    });
    prop::collection::vec(state, 0..300)
}

/// States of two buckets with many payloads, most of which cover none of the others.
fn summarised_buckets() -> impl Strategy<Value = Vec<(State, u32)>> {
    let state = (0..2u64, prop::collection::vec(0..6, 5), 0..3u32);
    let state = state.prop_map(|(bucket, payload, depth)| ((vec![bucket], payload), depth));
    prop::collection::vec(state, 0..300)
}

proptest! {
    #[test]
    fn summaries_change_nothing(inputs in summarised_buckets(), words in 1..5usize, respects_depth: bool) {
        check(1, Pointwise::Summarised(words), respects_depth, &inputs);
    }

    #[test]
    fn spilled_records_are_compared_like_others(
        inputs in summarised_buckets(),
        others in states(40),
        respects_depth: bool,
        spills in prop::collection::vec(0..300_usize, 0..40),
    ) {
        check_with_spills(1, Pointwise::Summarised(2), respects_depth, &inputs, &spills);
        for covering in [Pointwise::AtLeast, Pointwise::Equal] {
            check_with_spills(2, covering, respects_depth, &others, &spills);
        }
    }

    #[test]
    fn the_store_agrees_with_a_plain_list(inputs in states(4), respects_depth: bool) {
        check(2, Pointwise::AtLeast, respects_depth, &inputs);
        check(2, Pointwise::Summarised(1), respects_depth, &inputs);
        check(2, Pointwise::Equal, respects_depth, &inputs);
    }
}

#[test]
fn keys_of_no_words_are_all_equal() {
    let inputs: Vec<(State, u32)> = (0..50).map(|n| ((vec![], vec![n % 7, -n]), 0)).collect();
    check(0, Pointwise::AtLeast, false, &inputs);
    check(0, Pointwise::Equal, false, &inputs);
}

#[test]
fn evicted_payloads_are_reused() {
    let mut store = ArenaStore::new(Plain { bucket_words: 1 }, Pointwise::AtLeast);
    let mut bytes = 0;
    for level in 0..20_000 {
        store.insert(&(vec![3], vec![level; 50]), NOTHING, |_| ()).expect("memory");
        if level == 10 {
            bytes = store.bytes() - store.places.capacity() * 12;
        }
    }
    assert_eq!(store.len(), 1);
    assert_eq!(store.bytes() - store.places.capacity() * 12, bytes);
}

#[test]
fn equal_payloads_are_stored_once_until_no_node_refers_to_them() {
    let mut store = ArenaStore::new(Plain { bucket_words: 1 }, Pointwise::AtLeast);
    let insert = |store: &mut ArenaStore<_, _>, bucket, level| {
        store.insert(&(vec![bucket], vec![level; 50]), NOTHING, |_| ()).expect("memory");
    };
    (0..1_000).for_each(|bucket| insert(&mut store, bucket, 1));
    let shared = store.payloads.iter().map(Pool::bytes).sum::<usize>();
    assert!(shared < 2_000, "{shared}");
    // One bucket after the other gets a larger payload; the remaining ones keep theirs.
    for bucket in 0..1_000 {
        insert(&mut store, bucket, 2);
        for node in store.live_nodes().take(5) {
            let expected = if store.bucket(node)[0] <= bucket { 2 } else { 1 };
            assert_eq!(*store.payload(node), [expected; 50]);
        }
    }
    assert_eq!((store.len(), store.inserted()), (1_000, 2_000));
    assert!(store.payloads.iter().map(Pool::bytes).sum::<usize>() < 2_000);
}

#[test]
fn many_keys_and_chunks_are_found_again() {
    let inputs: Vec<(State, u32)> = (0..3_000u64)
        .map(|n| ((vec![n % 1_500], vec![n as i32; n as usize % 1_500 % 5]), 0))
        .collect();
    let mut store = ArenaStore::new(Plain { bucket_words: 1 }, Pointwise::Equal);
    for (state, _) in inputs.iter().chain(&inputs) {
        store.insert(state, NOTHING, |_| ()).expect("memory");
    }
    assert_eq!(store.buckets(), 3_000 - 300, "the states without payload come twice");
    assert_eq!((store.len(), store.inserted()), (2_700, 2_700));
    assert_eq!(store.bytes(), recounted_bytes(&store));
}
