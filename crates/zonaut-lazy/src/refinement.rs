//! When labels are strengthened, and how what a node learns is taken to the nodes before it.

/// A strategy of refinement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Refinement {
    /// Whenever a step is impossible, and step by step back.
    #[default]
    Backward,
    /// Whenever a step is impossible. What is learnt of data is found from the front: first what the
    /// earliest node has to remember so that all steps after it lead there, then the next. This is
    /// the direction of D. Beyer, S. Löwe, "Explicit-state software model checking based on CEGAR and
    /// interpolation" (FASE 2013).
    Forward,
    /// Back, but only along abstract counterexamples: that a step is impossible is not learnt as long
    /// as anything else can be done. A shortest run needs it at once.
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
