//! Random networks from a 64-bit seed.
//!
//! Random structure alone misses rare mistakes, so some networks are known hard cases with random
//! constants that are then mutated ([`pattern`]). Each seed belongs to a [`Stratum`], so that every
//! feature gets its share.

mod knobs;
mod meta;
mod mutate;
pub mod pattern;
mod structure;
mod theme;

use crate::random::Random;
use crate::specification::Specification;
use knobs::Knobs;
pub use theme::{Theme, varied};

/// A family of networks that share a feature.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stratum {
    /// Only non-strict bounds.
    Closed,
    /// Strict bounds, too.
    Open,
    /// Clocks set to numbers, to computed numbers and to other clocks.
    Updates,
    /// Broadcast channels, with clock guards of receivers.
    Broadcast,
    /// Urgent and committed locations.
    Committed,
    /// Urgent channels, with and without clock guards.
    UrgentChannels,
    /// Integer variables in guards, bounds and invariants.
    Data,
    /// Clock differences.
    Diagonal,
    /// Selections, arrays, functions, arrays of channels.
    Language,
    /// A known hard case, mutated.
    Pattern,
}

impl Stratum {
    /// All strata.
    pub const ALL: [Self; 10] = [
        Self::Closed,
        Self::Open,
        Self::Updates,
        Self::Broadcast,
        Self::Committed,
        Self::UrgentChannels,
        Self::Data,
        Self::Diagonal,
        Self::Language,
        Self::Pattern,
    ];

    /// The stratum of a seed.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        Self::ALL[Random::new(seed).below(Self::ALL.len())]
    }
}

/// The network of a seed.
#[must_use]
pub fn generate(seed: u64) -> Specification {
    generate_in(Stratum::of(seed), seed)
}

/// A network that differs from another one by one to three small changes.
#[must_use]
pub fn changed(original: &Specification, random: &mut Random) -> Specification {
    let mut changed = original.clone();
    for _ in 0..random.between(1, 3) {
        match random.below(8) {
            0 => meta::change_variable(&mut changed, random),
            _ => mutate::mutate(&mut changed, random),
        }
    }
    changed
}

/// The network of a seed within a stratum.
#[must_use]
pub fn generate_in(stratum: Stratum, seed: u64) -> Specification {
    let mut random = Random::new(seed ^ 0x5eed);
    if stratum == Stratum::Pattern {
        let mut specification = pattern::random(&mut random);
        for _ in 0..random.between(0, 3) {
            mutate::mutate(&mut specification, &mut random);
        }
        return specification;
    }
    let mut knobs = Knobs::of(stratum, &mut random);
    // A few networks combine features of several strata: data that matters beside clocks and
    // channels.
    if Random::new(seed ^ 0x3177).chance(15) {
        knobs.add_data();
    }
    structure::network(&knobs, &mut random)
}
