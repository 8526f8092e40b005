//! A cache of the distances of layers to the goal.
//!
//! *Claim.* The successors of a layer depend only on the watched facts in it: those that make a
//! test true, and those of variables that are inputs of a test or an effect. For a test becomes
//! true by facts that it watches, an action by tests, and an effect adds values that it computes
//! from its inputs, in a fixed order. So if two layers have the same watched facts, so have their
//! successors, one by one, and the goal holds in the first of them after the same number of steps.
//!
//! States differ in few values, and layers only grow: after some steps the layers of most states
//! coincide with earlier ones. Layers that lead to no goal are not cached, because possible
//! failures must be known for them.

use crate::relaxation::network::{Leaf, Network};
use crate::relaxation::sets::Sets;
use zonaut_base::Id;

/// Maximum size of the cache in bytes.
const BYTES: usize = 1 << 20;
/// Networks with fewer words of facts (of 64 bits) have as many entries as those with this number.
const FEW_WORDS: usize = 4;

/// Layers with the number of steps left to the goal. A new entry replaces an old one, so the table
/// never grows.
#[derive(Clone, Debug)]
pub(super) struct LayerCache {
    /// The watched facts.
    watched: Vec<u64>,
    /// The number of entries, which is a power of two, minus one.
    mask: usize,
    keys: Vec<u64>,
    /// The number of steps that are left, plus one; 0 for an empty entry.
    left: Vec<u32>,
    /// The watched facts of the layers that were looked up since the last answer.
    passed: Vec<u64>,
}

impl LayerCache {
    /// A cache for a network; `None` if values of large ranges are watched, whose facts do not
    /// determine the values.
    pub(super) fn new(network: &Network) -> Option<Self> {
        let facts = &network.facts;
        let mut watched = vec![0_u64; facts.len().div_ceil(64)];
        let mut watch = |fact: usize| watched[fact / 64] |= 1 << (fact % 64);
        (0..facts.len())
            .filter(|&fact| !network.leaves_of_fact.of(fact).is_empty())
            .for_each(&mut watch);
        let tested = network.leaves.iter().flat_map(|leaf| match leaf {
            Leaf::Facts => Vec::new(),
            Leaf::Table(table) => table.inputs.iter().map(|input| input.variable).collect(),
            Leaf::Evaluated { inputs, .. } => inputs.clone(),
        });
        let inputs = network.effects.iter().flat_map(|effect| effect.inputs.iter());
        let inputs = inputs.filter(|_| !faulty!(InputsUnwatched));
        for variable in tested.chain(inputs.map(|input| input.variable)) {
            if !facts.is_dense[variable.index()] {
                return None;
            }
            let first = |index: usize| facts.first[index] as usize;
            (first(variable.index())..first(variable.index() + 1)).for_each(&mut watch);
        }
        let places = (BYTES / (8 * watched.len().max(FEW_WORDS))).max(1).next_power_of_two();
        let keys = vec![0; places * watched.len()];
        Some(Self { watched, mask: places - 1, keys, left: vec![0; places], passed: Vec::new() })
    }

    /// Clears the list of layers that were looked up.
    pub(super) fn begin(&mut self) {
        self.passed.clear();
    }

    /// The number of steps left from a layer, if it is cached.
    pub(super) fn left(&mut self, sets: &Sets) -> Option<u32> {
        let start = self.passed.len();
        self.passed
            .extend(sets.members().iter().zip(&self.watched).map(|(&has, &watched)| has & watched));
        let key = &self.passed[start..];
        let place = hash(key) & self.mask;
        let known = &self.keys[place * key.len()..(place + 1) * key.len()];
        self.left[place].checked_sub(1).filter(|_| known == key)
    }

    /// Caches the layers that were looked up; from the last of them, `left` steps are left.
    pub(super) fn learn(&mut self, left: u32) {
        let length = self.watched.len();
        for (key, steps) in self.passed.chunks_exact(length).rev().zip(left..) {
            let place = hash(key) & self.mask;
            self.keys[place * length..(place + 1) * length].copy_from_slice(key);
            self.left[place] = steps.saturating_add(1);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        (self.keys.len() + self.passed.capacity()) * size_of::<u64>()
            + self.left.len() * size_of::<u32>()
    }
}

/// A hash whose low bits depend on every word.
fn hash(words: &[u64]) -> usize {
    let mixed = words.iter().fold(0x9e37_79b9_7f4a_7c15_u64, |hash, &word| {
        (hash ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
    });
    (mixed ^ (mixed >> 32)) as usize
}
