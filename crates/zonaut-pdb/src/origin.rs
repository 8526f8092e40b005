//! The original edges of abstract edges, and the weights of abstract transitions.

use zonaut_base::Id;
use zonaut_heuristics::{Participant, Weights};

/// Maximum number of combinations of edges that are considered separately.
const MOST_COMBINATIONS: usize = 64;

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
        let mut combinations: Vec<Vec<Participant>> = vec![Vec::new()];
        for participant in participants {
            let origins = &self.edges[participant.process.index()][participant.edge.index()];
            if origins.is_empty() || combinations.len() * origins.len() > MOST_COMBINATIONS {
                continue;
            }
            let with = |combination: &Vec<Participant>, origin: &Participant| {
                combination.iter().chain([origin]).copied().collect::<Vec<_>>()
            };
            combinations = origins
                .iter()
                .flat_map(|o| combinations.iter().map(|combination| with(combination, o)))
                .collect();
        }
        combinations.iter().map(|combination| weights.of(combination)).min().unwrap_or(0)
    }
}
