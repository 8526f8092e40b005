//! What transitions count on the way to a goal: one each, a price, or a share.

use zonaut_model::{EdgeId, ProcessId};

/// One who takes part in a transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Participant {
    /// The process that moves.
    pub process: ProcessId,
    /// The edge that it takes.
    pub edge: EdgeId,
}

/// What the transitions of a model count. Distances are sums of them, in a unit of the caller's
/// choice; shares are multiples of a small unit.
///
/// Law: whoever joins makes a transition no lighter: what some of its participants count together is
/// not above what all of them do. Guides rely on it where they do not see all who take part.
pub trait Weights {
    /// What a transition of these participants counts, the sender first.
    fn of(&self, participants: &[Participant]) -> u32;

    /// Whether every transition is known to count one.
    fn are_units(&self) -> bool {
        false
    }
}

/// Every transition counts one: distances are numbers of steps.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Units;

impl Weights for Units {
    fn of(&self, _participants: &[Participant]) -> u32 {
        1
    }

    fn are_units(&self) -> bool {
        true
    }
}
