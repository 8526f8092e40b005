//! Weights of transitions: 1, a price, or a share of a cost partitioning.

use zonaut_model::{EdgeId, ProcessId};

/// A participant of a transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Participant {
    /// The process that moves.
    pub process: ProcessId,
    /// The edge that it takes.
    pub edge: EdgeId,
}

/// The weights of the transitions of a model. Distances are sums of weights, in a unit of the
/// caller's choice; shares are multiples of a small unit.
///
/// Law: further participants make a transition no lighter: the weight of a subset of its
/// participants is not above that of all of them. Heuristics that do not consider all participants
/// rely on it.
pub trait Weights {
    /// The weight of a transition of these participants, the sender first.
    fn of(&self, participants: &[Participant]) -> u32;

    /// Whether every transition is known to have weight 1.
    fn are_units(&self) -> bool {
        false
    }
}

/// Unit weights: distances are numbers of steps.
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
