//! Which steps of a zone graph are useless.

use super::Guiding;
use crate::quest::NoSearch;
use zonaut_compile::CompiledNetwork;
use zonaut_dbm::Width;
use zonaut_heuristics::{Compared, Participant, Usefulness};
use zonaut_search::Judge;
use zonaut_space::{Arrival, Meter};
use zonaut_strategy::Guide;
use zonaut_zonegraph::{Step, SymbolicState};

/// Judges steps by the relaxation.
pub(crate) struct Judgement<'m> {
    usefulness: Usefulness<'m>,
    network: &'m CompiledNetwork,
    edges: Vec<Participant>,
}

impl<'m> Guiding<'m> {
    /// The judge of steps that belongs to `guide`.
    pub(crate) fn judgement(
        &self,
        guide: &Guide,
        network: &'m CompiledNetwork,
        meter: &Meter,
    ) -> Result<Judgement<'m>, NoSearch> {
        let compared = match guide {
            Guide::Lower { .. } => Compared::Lower,
            _ => Compared::Upper,
        };
        let usefulness = self.relaxation(meter)?.usefulness(compared);
        Ok(Judgement { usefulness, network, edges: Vec::new() })
    }
}

impl<W: Width> Judge<SymbolicState<W>, Step> for Judgement<'_> {
    fn is_useless(&mut self, arrival: Arrival<'_, SymbolicState<W>, Step>, estimate: u32) -> bool {
        let Self { usefulness, network, edges } = self;
        edges.clear();
        network.names().read(arrival.step, |actions| {
            edges.extend(actions.iter().map(|&action| {
                let action = network.action(action);
                Participant { process: action.process, edge: action.edge }
            }));
        });
        usefulness.is_useless(&arrival.parent.values, edges, estimate)
    }
}
