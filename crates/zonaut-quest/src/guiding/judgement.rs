//! What frontiers ask about the steps of a zone graph: which are useless, which have to do with each
//! other, and what of the model they take.

use super::Guiding;
use crate::quest::NoSearch;
use zonaut_base::Id;
use zonaut_compile::CompiledNetwork;
use zonaut_dbm::Width;
use zonaut_heuristics::{Compared, Interference, Participant, Usefulness};
use zonaut_model::Model;
use zonaut_search::{Branches, Context, Judge};
use zonaut_space::{Arrival, Meter};
use zonaut_strategy::HeuristicSpec;
use zonaut_zonegraph::{Step, SymbolicState};

/// Reads who takes part in a step.
struct Participants<'m> {
    network: &'m CompiledNetwork,
    edges: Vec<Participant>,
}

impl<'m> Participants<'m> {
    fn new(network: &'m CompiledNetwork) -> Self {
        Self { network, edges: Vec::new() }
    }

    fn of(&mut self, step: Step) -> &[Participant] {
        let Self { network, edges } = self;
        edges.clear();
        network.names().read(step, |actions| {
            edges.extend(actions.iter().map(|&action| {
                let action = network.action(action);
                Participant { process: action.process, edge: action.edge }
            }));
        });
        edges
    }
}

/// Judges steps by the relaxation.
pub(crate) struct Judgement<'m> {
    usefulness: Usefulness<'m>,
    participants: Participants<'m>,
}

impl<'m> Guiding<'m> {
    /// The judge of steps that belongs to `guide`.
    pub(crate) fn judgement(
        &self,
        guide: &HeuristicSpec,
        network: &'m CompiledNetwork,
        meter: &Meter,
    ) -> Result<Judgement<'m>, NoSearch> {
        let compared = match guide {
            HeuristicSpec::Lower { .. } => Compared::Lower,
            _ => Compared::Upper,
        };
        let usefulness = self.relaxation(meter)?.usefulness(compared);
        Ok(Judgement { usefulness, participants: Participants::new(network) })
    }

    /// What steps have to do with each other.
    pub(crate) fn matter(&self, network: &'m CompiledNetwork) -> Matter<'m> {
        let interference = Interference::new(self.model);
        let participants = Participants::new(network);
        Matter { interference, participants, before: Vec::new() }
    }

    /// What steps take of the model.
    pub(crate) fn text(&self, network: &'m CompiledNetwork) -> Text<'m> {
        let (mut first_edge, mut first_location, mut end) = (Vec::new(), Vec::new(), 0);
        for process in &self.model.processes {
            first_edge.push(end);
            first_location.push(end + process.edges.len() as u32);
            end += (process.edges.len() + process.locations.len()) as u32;
        }
        let participants = Participants::new(network);
        Text { model: self.model, participants, first_edge, first_location }
    }
}

impl<W: Width> Judge<SymbolicState<W>, Step> for Judgement<'_> {
    fn is_useless(&mut self, arrival: Arrival<'_, SymbolicState<W>, Step>, estimate: u32) -> bool {
        let edges = self.participants.of(arrival.step);
        self.usefulness.is_useless(&arrival.parent.values, edges, estimate)
    }
}

/// Says what steps have to do with each other.
pub(crate) struct Matter<'m> {
    interference: Interference,
    participants: Participants<'m>,
    before: Vec<Participant>,
}

impl Context<Step> for Matter<'_> {
    fn level(&mut self, before: Step, step: Step) -> u32 {
        self.before.clear();
        self.before.extend_from_slice(self.participants.of(before));
        self.interference.level(&self.before, self.participants.of(step))
    }
}

/// Says which edges a step takes, and which locations it comes to.
pub(crate) struct Text<'m> {
    model: &'m Model,
    participants: Participants<'m>,
    /// The number of the first edge of each process, and of its first location.
    first_edge: Vec<u32>,
    first_location: Vec<u32>,
}

impl Branches<Step> for Text<'_> {
    fn add_branches(&mut self, step: Step, into: &mut Vec<u32>) {
        for &Participant { process, edge } in self.participants.of(step) {
            let target = self.model.processes[process].edges[edge].target;
            into.push(self.first_edge[process.index()] + edge.index() as u32);
            into.push(self.first_location[process.index()] + target.index() as u32);
        }
    }
}
