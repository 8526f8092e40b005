//! The regions of a state space, which several processes divide.
//!
//! A step changes few parts of a bucket: the locations of one or two processes of the network, some
//! variables. A region is the set of states that agree in some parts, so that most successors of a
//! state are in its region and do not leave the process that owns it.
//!
//! The parts, and the owners of their regions, are chosen with a sample of the state space: the first
//! states of a breadth-first search. The choice affects the speed alone.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::ControlFlow;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use zonaut_space::{BucketPart, Encoding, Successor, TransitionSystem};

use super::owners::share;
use crate::wire::{Bytes, Malformed, put_u32, put_u64};

/// The most states of a sample.
const SAMPLED: usize = 1 << 13;
/// The most states of a sample with which parts of buckets are compared.
const COMPARED: usize = 1 << 9;
/// The most parts among which those that determine regions are chosen.
const MOST_PARTS: usize = 48;
/// A region has at most this part of the sample, if some parts give such regions: then regions of
/// different sizes even out.
const LEAST_PARTITION: usize = 12;

/// The owners of states among processes: a function of some parts of their buckets.
pub(crate) struct Regions {
    processes: usize,
    /// The number of words of a bucket.
    words: usize,
    /// The bits of a bucket that determine its region.
    parts: Vec<BucketPart>,
    /// The owners of regions, by their hashes; those of others follow from the hash.
    owners: HashMap<u64, u32, FixedState>,
}

impl Regions {
    /// Each bucket is a region.
    pub(crate) fn of_buckets(words: usize, processes: usize) -> Self {
        let parts = parts_of(&vec![u64::MAX; words]);
        Self { processes, words, parts, owners: HashMap::default() }
    }

    /// The regions of a system that suit this number of processes best, as far as a sample tells.
    pub(crate) fn chosen<Ts, E>(system: &Ts, encoding: &E, processes: usize) -> Self
    where
        Ts: TransitionSystem,
        E: Encoding<State = Ts::State, Item: Hash>,
    {
        let parts = encoding.parts();
        if parts.is_empty() {
            return Self::of_buckets(encoding.bucket_words(), processes);
        }
        Sample::new(system, encoding).regions(&parts[..parts.len().min(MOST_PARTS)], processes)
    }

    pub(crate) fn owner(&self, bucket: &[u64]) -> usize {
        let hash = hash_of(bucket, &self.parts);
        match self.owners.get(&hash) {
            Some(&owner) => owner as usize,
            None => share(hash, self.processes),
        }
    }

    pub(crate) fn encode(&self, to: &mut Vec<u8>) {
        put_u64(to, self.parts.len() as u64);
        for BucketPart { word, bits } in &self.parts {
            put_u32(to, *word as u32);
            put_u64(to, *bits);
        }
        put_u64(to, self.owners.len() as u64);
        for (&hash, &owner) in &self.owners {
            put_u64(to, hash);
            put_u32(to, owner);
        }
    }

    /// Reads regions over these, of as many processes and words.
    pub(crate) fn decode(&mut self, from: &mut Bytes<'_>) -> Result<(), Malformed> {
        self.parts.clear();
        for _ in 0..from.count(12)? {
            let (word, bits) = (from.u32()? as usize, from.u64()?);
            if word >= self.words {
                return Err(Malformed);
            }
            self.parts.push(BucketPart { word, bits });
        }
        self.owners.clear();
        for _ in 0..from.count(12)? {
            let (hash, owner) = (from.u64()?, from.u32()?);
            if owner as usize >= self.processes {
                return Err(Malformed);
            }
            self.owners.insert(hash, owner);
        }
        Ok(())
    }
}

/// The parts of a bucket with these bits, word by word.
fn parts_of(bits: &[u64]) -> Vec<BucketPart> {
    let parts = bits.iter().enumerate().map(|(word, &bits)| BucketPart { word, bits });
    parts.filter(|part| part.bits != 0).collect()
}

/// The hash of these parts of a bucket. Its seed is not one of those that divide the states of a
/// process, so that the workers of each have equal shares.
fn hash_of(bucket: &[u64], parts: &[BucketPart]) -> u64 {
    let mut hasher = FixedState::with_seed(0x4e61).build_hasher();
    parts.iter().for_each(|part| hasher.write_u64(bucket[part.word] & part.bits));
    hasher.finish()
}

/// A sample of a state space: some nodes, and their successors.
struct Sample {
    words: usize,
    /// The buckets of the nodes.
    nodes: Vec<u64>,
    /// The buckets of the successors.
    successors: Vec<u64>,
    /// By successor, the node that it is one of.
    parents: Vec<u32>,
}

impl Sample {
    fn new<Ts, E>(system: &Ts, encoding: &E) -> Self
    where
        Ts: TransitionSystem,
        E: Encoding<State = Ts::State, Item: Hash>,
    {
        let words = encoding.bucket_words();
        let mut sample =
            Self { words, nodes: Vec::new(), successors: Vec::new(), parents: Vec::new() };
        let mut seen = HashSet::with_hasher(FixedState::default());
        let mut is_new = |state: &Ts::State| {
            let parts = (encoding.bucket(state), encoding.payload(state));
            seen.insert(FixedState::with_seed(0).hash_one(parts))
        };
        let (mut scratch, mut queue) = (system.scratch(), VecDeque::new());
        let _ = system.for_each_initial(&mut scratch, |state| {
            queue.extend(state.ok().map(|state| state.clone()));
            ControlFlow::Continue(())
        });
        for number in 0..SAMPLED {
            let Some(state) = queue.pop_front() else { break };
            sample.nodes.extend(encoding.bucket(&state));
            let _ = system.for_each_successor(&state, &mut scratch, |successor| {
                if let Successor::State(_, target) = successor {
                    sample.successors.extend(encoding.bucket(target));
                    sample.parents.push(number as u32);
                    if number + queue.len() < SAMPLED && is_new(target) {
                        queue.push_back(target.clone());
                    }
                }
                ControlFlow::Continue(())
            });
        }
        sample.later_half()
    }

    /// The nodes that were found last, which are more like the rest of the state space.
    fn later_half(mut self) -> Self {
        let first = self.len() / 2;
        let links = self.parents.partition_point(|&parent| (parent as usize) < first);
        self.nodes.drain(..first * self.words);
        self.successors.drain(..links * self.words);
        self.parents.drain(..links);
        self.parents.iter_mut().for_each(|parent| *parent -= first as u32);
        self
    }

    /// A part of the nodes, with their successors: enough to compare parts of buckets.
    fn thinned(&self) -> Self {
        let words = self.words;
        let mut few =
            Self { words, nodes: Vec::new(), successors: Vec::new(), parents: Vec::new() };
        let step = self.len() / COMPARED + 1;
        for node in (0..self.len()).step_by(step) {
            few.nodes.extend(&self.nodes[node * words..][..words]);
        }
        for (link, &parent) in self.parents.iter().enumerate() {
            if (parent as usize).is_multiple_of(step) {
                few.successors.extend(&self.successors[link * words..][..words]);
                few.parents.push(parent / step as u32);
            }
        }
        few
    }

    /// Regions by some of these parts.
    ///
    /// Parts are chosen one after the other: the next one divides the sample most, for each successor
    /// by which it increases those in other regions than their nodes.
    fn regions(&self, parts: &[BucketPart], processes: usize) -> Regions {
        let few = self.thinned();
        let mut division = Division::new(&few, vec![0; self.words]);
        while division.largest > few.len() / LEAST_PARTITION {
            let with = |part: &BucketPart| {
                let mut bits = division.bits.clone();
                bits[part.word] |= part.bits;
                Division::new(&few, bits)
            };
            let candidates = parts.iter().map(with);
            let candidates = candidates.filter(|next| next.information > division.information);
            let value = |next: &Division| {
                let left = next.left.saturating_sub(division.left) as f64;
                (next.information - division.information) / (left + 1.0)
            };
            let best = candidates.max_by(|one, two| value(one).total_cmp(&value(two)));
            let Some(best) = best else { break };
            division = best;
        }
        let Division { bits, mut sizes, .. } = Division::new(self, division.bits);
        sizes.sort_unstable_by_key(|&(hash, size)| (Reverse(size), hash));
        let (mut owners, mut loads) = (HashMap::default(), vec![0; processes]);
        for (hash, size) in sizes {
            let owner = (0..processes).min_by_key(|&process| loads[process]).unwrap_or(0);
            loads[owner] += size;
            owners.insert(hash, owner as u32);
        }
        Regions { processes, words: self.words, parts: parts_of(&bits), owners }
    }

    fn len(&self) -> usize {
        self.nodes.len() / self.words.max(1)
    }
}

/// The regions of a sample by some bits.
struct Division {
    bits: Vec<u64>,
    /// The hash of each region, and the number of its nodes.
    sizes: Vec<(u64, usize)>,
    /// The size of the largest region.
    largest: usize,
    /// The number of bits that tell the region of a node in the mean, times the number of nodes.
    information: f64,
    /// The number of successors that leave the region of their node.
    left: usize,
}

impl Division {
    fn new(sample: &Sample, bits: Vec<u64>) -> Self {
        let parts = parts_of(&bits);
        let hashes = |words: &[u64]| -> Vec<u64> {
            words.chunks_exact(bits.len().max(1)).map(|bucket| hash_of(bucket, &parts)).collect()
        };
        let (nodes, successors) = (hashes(&sample.nodes), hashes(&sample.successors));
        let mut sizes: HashMap<u64, usize, FixedState> = HashMap::default();
        nodes.iter().for_each(|&hash| *sizes.entry(hash).or_default() += 1);
        let links = sample.parents.iter().zip(&successors);
        let left = links.filter(|&(&parent, &to)| nodes[parent as usize] != to).count();
        let all = nodes.len() as f64;
        let information = sizes.values().map(|&size| size as f64 * (all / size as f64).log2());
        let information = information.sum();
        let largest = sizes.values().max().copied().unwrap_or(0);
        let sizes = sizes.into_iter().collect();
        Self { bits, sizes, largest, information, left }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// Counters of 16 values, of which a step increments one: the first one always, the others if the
    /// first one becomes 0. A word has the bits of all.
    struct Counters(u32);

    impl TransitionSystem for Counters {
        type State = u64;
        type Step = u32;
        type Error = Infallible;
        type Scratch = ();

        fn scratch(&self) {}

        fn for_each_initial(
            &self,
            (): &mut (),
            mut visit: impl FnMut(Result<&mut u64, Infallible>) -> ControlFlow<()>,
        ) -> ControlFlow<()> {
            visit(Ok(&mut 0))
        }

        fn for_each_successor(
            &self,
            state: &u64,
            (): &mut (),
            mut visit: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
        ) -> ControlFlow<()> {
            let enabled = if state & 15 == 0 { self.0 } else { 1 };
            for counter in 0..enabled {
                let value = (state >> (4 * counter) & 15) + 1;
                let mut next = state & !(15 << (4 * counter)) | (value & 15) << (4 * counter);
                visit(Successor::State(counter, &mut next))?;
            }
            ControlFlow::Continue(())
        }
    }

    struct InOneWord(u32);

    impl Encoding for InOneWord {
        type State = u64;
        type Item = u8;

        fn bucket_words(&self) -> usize {
            1
        }
        fn bucket<'s>(&self, state: &'s u64) -> &'s [u64] {
            std::slice::from_ref(state)
        }
        fn payload<'s>(&self, _: &'s u64) -> &'s [u8] {
            &[]
        }
        fn load(&self, bucket: &[u64], _: &[u8], into: &mut u64) {
            *into = bucket[0];
        }
        fn parts(&self) -> Vec<BucketPart> {
            (0..self.0).map(|counter| BucketPart { word: 0, bits: 15 << (4 * counter) }).collect()
        }
    }

    #[test]
    fn regions_are_of_parts_that_change_seldom_and_have_equal_shares() {
        for processes in 2..5 {
            let regions = Regions::chosen(&Counters(3), &InOneWord(3), processes);
            let is_slow = |part: &BucketPart| part.bits & 15 == 0;
            assert!(regions.parts.iter().all(is_slow), "the first counter changes with each step");
            let mut shares = vec![0_usize; processes];
            (0..1_u64 << 12).for_each(|state| shares[regions.owner(&[state])] += 1);
            let mean = (1 << 12) / processes;
            assert!(shares.iter().all(|share| share.abs_diff(mean) < mean / 2), "{shares:?}");
        }
    }

    #[test]
    fn few_states_are_divided_among_processes() {
        let regions = Regions::chosen(&Counters(1), &InOneWord(1), 2);
        let owners: Vec<usize> = (0..16).map(|state| regions.owner(&[state])).collect();
        assert!((0..2).all(|process| owners.contains(&process)), "{owners:?}");
    }

    #[test]
    fn another_process_reads_the_same_regions() {
        let regions = Regions::chosen(&Counters(3), &InOneWord(3), 3);
        let mut bytes = Vec::new();
        regions.encode(&mut bytes);
        let mut read = Regions::of_buckets(1, 3);
        read.decode(&mut Bytes::new(&bytes)).expect("regions");
        for state in 0..1_u64 << 12 {
            assert_eq!(read.owner(&[state]), regions.owner(&[state]));
        }
        let mut fewer = Regions::of_buckets(1, 2);
        assert_eq!(fewer.decode(&mut Bytes::new(&bytes)), Err(Malformed), "an owner too many");
        for len in 0..bytes.len() {
            assert_eq!(read.decode(&mut Bytes::new(&bytes[..len])), Err(Malformed));
        }
    }
}
