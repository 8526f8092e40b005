//! Pseudo-random numbers determined by a seed, the same on every machine.

/// The generator `SplitMix64` of Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators" (OOPSLA 2014, doi 10.1145/2660193.2660195).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The generator that `seed` determines.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    pub fn next_bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`, which is not zero.
    ///
    /// The high half of a wide product; its bias is below 2^-32 for every bound below 2^32.
    pub fn below(&mut self, bound: usize) -> usize {
        debug_assert_ne!(bound, 0);
        ((u128::from(self.next_bits()) * bound as u128) >> 64) as usize
    }

    /// Brings `items` into random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next_bits()).collect();
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn shuffles_reach_every_order() {
        let mut random = Random::new(7);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..500 {
            let mut items = [0, 1, 2, 3];
            random.shuffle(&mut items);
            seen.insert(items);
        }
        assert_eq!(seen.len(), 24);
    }
}
