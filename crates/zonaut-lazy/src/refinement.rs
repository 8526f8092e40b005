//! Strategies of refinement: when labels are strengthened, and in which direction.

/// A strategy of refinement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Refinement {
    /// Whenever a step is disabled, backwards step by step.
    #[default]
    Backward,
    /// Whenever a step is disabled. Data labels are refined forwards: first the facts that the
    /// earliest node needs so that all later steps lead to the learnt facts, then those of the next
    /// node. This is the direction of D. Beyer, S. Löwe, "Explicit-state software model checking
    /// based on CEGAR and interpolation" (FASE 2013).
    Forward,
    /// Backwards, but only along abstract counterexamples: reasons for disabled steps are not
    /// learnt as long as other work is left. A search for a shortest run learns them at once.
    Late,
}

impl Refinement {
    /// All strategies.
    pub const ALL: [Self; 3] = [Self::Backward, Self::Forward, Self::Late];

    /// The name in strategies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Backward => "backward",
            Self::Forward => "forward",
            Self::Late => "late",
        }
    }
}
