//! Which edges of the parent stand behind those of a child, and what transitions of the child count.

use zonaut_base::Id;
use zonaut_heuristics::{Participant, Weights};

/// The most combinations of edges that are told apart.
const WAYS: usize = 64;

/// By process and edge of a child, the edges of the parent that it stands for. There are none where
/// nobody of the parent takes part: for stubs, and for those who stay out of a broadcast.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Origins {
    pub(crate) edges: Vec<Vec<Vec<Participant>>>,
}

impl Origins {
    /// What a transition of the child counts: no more than any transition of the parent that it
    /// stands for. Those who are left out make it no heavier than it is with them.
    pub(crate) fn weight(
        &self,
        weights: &dyn Weights,
        participants: impl Iterator<Item = Participant>,
    ) -> u32 {
        if weights.are_units() {
            return 1;
        }
        let mut ways: Vec<Vec<Participant>> = vec![Vec::new()];
        for participant in participants {
            let origins = &self.edges[participant.process.index()][participant.edge.index()];
            if origins.is_empty() || ways.len() * origins.len() > WAYS {
                continue;
            }
            let with = |way: &Vec<Participant>, origin: &Participant| {
                way.iter().chain([origin]).copied().collect::<Vec<_>>()
            };
            ways = origins.iter().flat_map(|o| ways.iter().map(|way| with(way, o))).collect();
        }
        ways.iter().map(|way| weights.of(way)).min().unwrap_or(0)
    }
}
