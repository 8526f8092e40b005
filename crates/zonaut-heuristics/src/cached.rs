//! A cache of estimates.
//!
//! Many symbolic states are equal to a heuristic: most heuristics depend on the discrete part only,
//! and of that on the variables of the goal and of the guards. A heuristic [reads](CacheableHeuristic) the
//! values that its estimate depends on; these are the keys of the cache. The whole key is compared,
//! not only its hash: unlike the table of the paper, this one never returns a wrong estimate.

use zonaut_space::{Admissible, Arrival, CacheableHeuristic, Estimate, Heuristic};

/// A heuristic with a direct-mapped table of its latest estimates. A new estimate replaces an old
/// one with the same index, so the table never grows.
#[derive(Clone, Debug)]
pub struct Cached<H> {
    heuristic: H,
    /// The number of entries, which is a power of two, minus one.
    mask: usize,
    keys: Vec<i32>,
    answers: Vec<Answer>,
    hits: u64,
    /// The key of the state that is estimated.
    reading: Vec<i32>,
}

/// An encoded estimate; 0 is an empty entry, because zeroed memory costs nothing until it is
/// written to.
type Answer = u32;

const NONE: Answer = 0;

fn encode(estimate: Estimate<u32>) -> Answer {
    match estimate {
        Estimate::DeadEnd => 1,
        Estimate::Last => 2,
        Estimate::Distance(value) => value.saturating_add(3),
    }
}

fn decode(answer: Answer) -> Estimate<u32> {
    match answer {
        1 => Estimate::DeadEnd,
        2 => Estimate::Last,
        _ => Estimate::Distance(answer.saturating_sub(3)),
    }
}

impl<H: Admissible> Admissible for Cached<H> {}

impl<H> Cached<H> {
    /// The heuristic with a table of at least `places` entries; without a table if `places` is 0.
    #[must_use]
    pub fn new(heuristic: H, places: usize) -> Self {
        let places = if places == 0 { 0 } else { places.next_power_of_two() };
        let mask = places.saturating_sub(1);
        let answers = vec![NONE; places];
        Self { heuristic, mask, keys: Vec::new(), answers, hits: 0, reading: Vec::new() }
    }

    /// The number of cache hits.
    #[must_use]
    pub fn hits(&self) -> u64 {
        self.hits
    }

    /// The size of the table in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<i32>() + self.answers.len() * size_of::<Answer>()
    }
}

impl<S, Step: Copy, H: CacheableHeuristic<S, Step>> Heuristic<S, Step> for Cached<H> {
    fn estimate(&mut self, state: &S, arrival: Option<Arrival<'_, S, Step>>) -> Estimate<u32> {
        if self.answers.is_empty() {
            return self.heuristic.estimate(state, arrival);
        }
        self.heuristic.read(state, arrival, &mut self.reading);
        let length = self.reading.len();
        if self.keys.is_empty() {
            self.keys = vec![0; self.answers.len() * length];
        }
        let place = hash(&self.reading) & self.mask;
        let key = place * length..(place + 1) * length;
        if self.answers[place] != NONE && self.keys[key.clone()] == self.reading {
            self.hits += 1;
            return decode(self.answers[place]);
        }
        let estimate = self.heuristic.estimate(state, arrival);
        self.keys[key].copy_from_slice(&self.reading);
        // An estimate that cannot be encoded is computed anew each time.
        let answer = encode(estimate);
        self.answers[place] = if decode(answer) == estimate { answer } else { NONE };
        estimate
    }

    fn name(&self) -> &'static str {
        self.heuristic.name()
    }
}

/// A hash whose low bits depend on every value.
fn hash(values: &[i32]) -> usize {
    let mixed = values.iter().fold(0x9e37_79b9_7f4a_7c15_u64, |hash, &value| {
        (hash ^ u64::from(value.cast_unsigned()))
            .wrapping_mul(0xff51_afd7_ed55_8ccd)
            .rotate_left(29)
    });
    (mixed ^ (mixed >> 32)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discrete_heuristic::{Discrete, DiscreteHeuristic};
    use zonaut_analysis::VariableId;
    use zonaut_base::Id;
    use zonaut_space::DiscretePart;

    struct State([i32; 3]);

    impl DiscretePart for State {
        fn values(&self) -> &[i32] {
            &self.0
        }
    }

    /// A heuristic that counts its calls and depends on these variables only.
    struct Counting(u32, Vec<VariableId>);

    impl Counting {
        fn new(reads: &[usize]) -> Self {
            Self(0, reads.iter().map(|&index| VariableId::from_index(index)).collect())
        }
    }

    impl DiscreteHeuristic for Counting {
        fn estimate(&mut self, values: &[i32]) -> Estimate<u32> {
            self.0 += 1;
            let seen = self.1.iter().map(|v| values[v.index()] << (4 * v.index()));
            let sum: i32 = seen.sum();
            if sum % 7 == 0 { Estimate::Last } else { Estimate::Distance(sum.unsigned_abs()) }
        }
        fn reads(&self) -> &[VariableId] {
            &self.1
        }
        fn name(&self) -> &'static str {
            "counting"
        }
    }

    fn ask(heuristic: &mut impl Heuristic<State, ()>, state: &State) -> Estimate<u32> {
        heuristic.estimate(state, None)
    }

    /// Estimates all triples of small values twice; returns the number of calls of the heuristic.
    fn check(places: usize, reads: &[usize]) -> u32 {
        let mut cached = Cached::new(Discrete(Counting::new(reads)), places);
        for round in 0..8000 {
            let state = State([round % 16, round / 16 % 16, round / 256 % 16]);
            let truth = Counting::new(reads).estimate(state.values());
            assert_eq!(ask(&mut cached, &state), truth);
        }
        cached.heuristic.0.0
    }

    #[test]
    fn cached_estimates_are_those_of_the_heuristic_for_any_table_size() {
        assert_eq!(check(0, &[0, 1, 2]), 8000);
        assert!(check(1, &[0, 1, 2]) <= 8000);
        assert!(check(64, &[0, 1, 2]) > 4096);
        assert!(check(1 << 16, &[0, 1, 2]) < 4600);
    }

    #[test]
    fn states_with_equal_reads_share_a_cache_entry() {
        assert!(check(1 << 16, &[0, 2]) <= 260);
        assert!(check(1 << 16, &[1]) == 16);
        assert_eq!(check(1 << 16, &[]), 1);
    }

    #[test]
    fn the_table_does_not_grow() {
        let mut cached = Cached::new(Discrete(Counting::new(&[0, 1, 2])), 100);
        ask(&mut cached, &State([0, 0, 0]));
        let before = cached.bytes();
        for value in 0..1000 {
            ask(&mut cached, &State([value, 1, 2]));
        }
        assert_eq!(cached.bytes(), before);
    }
}
