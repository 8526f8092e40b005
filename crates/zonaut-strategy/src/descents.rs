//! Settings of randomised descents.

/// Parameters of randomised descents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Descents {
    /// The seed of all random choices.
    pub seed: u64,
    /// The number of expansions without a lower estimate after which a descent ends.
    pub patience: u32,
    /// One choice in this number takes a random successor instead of the best one; 0 disables it.
    pub perturbation: u32,
}

impl Default for Descents {
    fn default() -> Self {
        Self { seed: 0, patience: 50, perturbation: 20 }
    }
}
