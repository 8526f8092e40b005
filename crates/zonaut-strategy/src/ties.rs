//! Tie-breaking between nodes of equal priority.

/// The order of nodes of equal priority.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Age {
    /// The oldest first.
    #[default]
    Fifo,
    /// The newest first.
    Lifo,
    /// Random, determined by the seed.
    Random {
        /// The seed.
        seed: u64,
    },
}

/// The tie breaker between nodes of equal evaluation, before their age.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Second {
    /// The lower estimate first.
    #[default]
    LowEstimate,
    /// The smaller depth first.
    LowDepth,
    /// None: age alone decides.
    Nothing,
}

/// Tie breaking.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Ties {
    /// The first tie breaker.
    pub second: Second,
    /// The second tie breaker: the age.
    pub age: Age,
}
