//! Weights of transitions for tests.

use zonaut_base::Id;
use zonaut_heuristics::{Participant, Weights};

/// Equal weights of all transitions, not declared as units.
pub(crate) struct Same(pub(crate) u32);

impl Weights for Same {
    fn of(&self, _participants: &[Participant]) -> u32 {
        self.0
    }
}

/// Arbitrary weights.
#[derive(Debug)]
pub(crate) struct SomeWeights {
    seed: usize,
    /// An upper bound, exclusive, of the weight of an edge.
    end: usize,
    /// Whether a transition has the sum of the weights of its participants, or their maximum.
    adds: bool,
}

impl SomeWeights {
    pub(crate) const ALL: [Self; 4] = [
        Self { seed: 3, end: 2, adds: true },
        Self { seed: 5, end: 8, adds: true },
        Self { seed: 7, end: 3, adds: false },
        Self { seed: 11, end: 1000, adds: false },
    ];

    fn of_one(&self, participant: Participant) -> u32 {
        let Participant { process, edge } = participant;
        let mixed = (process.index() * 31 + edge.index() * 17 + 1) * self.seed * 2_654_435_761;
        ((mixed >> 7) % self.end) as u32
    }
}

impl Weights for SomeWeights {
    fn of(&self, participants: &[Participant]) -> u32 {
        let each = participants.iter().map(|&participant| self.of_one(participant));
        if self.adds { each.sum() } else { each.max().unwrap_or(0) }
    }
}
