//! The original edges of abstract edges, and the weights of abstract transitions.

use zonaut_base::Id;
use zonaut_heuristics::{Participant, Weights};

/// Maximum number of combinations of edges that are considered separately.
const WAYS: usize = 64;

/// By abstract process and edge, the original edges that it stands for: none for stubs, and for
/// self-loops of processes that do not receive a broadcast.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Origins {
    pub(crate) edges: Vec<Vec<Vec<Participant>>>,
}

impl Origins {
    /// The weight of an abstract transition: no more than that of any original transition that it
    /// stands for. Dropped participants never make an original transition lighter.
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
