//! Random numbers that do not depend on a library's version.

/// The generator SplitMix64 (G. Steele, D. Lea, C. Flood: "Fast splittable pseudorandom number
/// generators", DOI 10.1145/2660193.2660195).
pub(crate) struct SplitMix(u64);

impl SplitMix {
    /// The generator with this seed.
    pub(crate) fn new(seed: u32) -> Self {
        Self(u64::from(seed))
    }

    /// A number from 0 to `count` - 1.
    pub(crate) fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % count
    }

    /// A number from `least` to `greatest`.
    pub(crate) fn between(&mut self, least: u32, greatest: u32) -> u32 {
        least + self.below(u64::from(greatest - least) + 1) as u32
    }
}
