//! Metamorphic changes of a network: they preserve its answer.

use super::Mistake;
use crate::front_end::model_of;
use crate::random::Random;
use crate::specification::Specification;
use zonaut_model::Model;

/// A change that preserves the answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Change {
    /// Printed, and read by the front end.
    Reread,
    /// With one more clock, which is never read.
    UnusedClock,
    /// With every clock constant multiplied by a factor.
    Scaled(i32),
    /// With the clocks in the opposite order, and so with other names.
    ClocksReversed,
}

impl Change {
    /// All changes.
    pub const ALL: [Self; 5] = [
        Self::Reread,
        Self::UnusedClock,
        Self::Scaled(3),
        Self::Scaled(1_000_003),
        Self::ClocksReversed,
    ];

    /// The change for a seed; three seeds of four have none.
    #[must_use]
    pub fn of(seed: u64) -> Option<Self> {
        Self::ALL.get(Random::new(seed ^ 0xc4a6e).below(4 * Self::ALL.len())).copied()
    }

    /// The changed network; `None` if the change is not applicable.
    ///
    /// # Errors
    /// If the front end refuses the printed network.
    pub(super) fn applied(self, specification: &Specification) -> Result<Option<Model>, Mistake> {
        Ok(match self {
            Self::Reread => {
                let (text, query) = (specification.to_xta(), specification.query_text());
                let read = model_of(&text, &[&query]);
                let messages = |problems: Vec<zonaut_base::Diagnostic>| {
                    Mistake::Unreadable(problems.into_iter().map(|p| p.message).collect())
                };
                Some(read.map_err(messages)?.0)
            }
            Self::UnusedClock => Some(specification.with_unused_clock().to_model()),
            Self::Scaled(factor) => specification.scaled(factor).map(|scaled| scaled.to_model()),
            Self::ClocksReversed => Some(specification.with_clocks_reversed().to_model()),
        })
    }
}
