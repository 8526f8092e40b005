//! Properties of the steps of a zone graph that frontiers use: usefulness, interference, and the
//! branches of the model that they take.

use super::HeuristicFactory;
use crate::task::NoSearch;
use zonaut_base::Id;
use zonaut_compile::CompiledNetwork;
use zonaut_dbm::Width;
use zonaut_heuristics::{Compared, Interference, Participant, Usefulness};
use zonaut_model::Model;
use zonaut_search::{Branches, Context, UsefulnessTest};
use zonaut_space::{Arrival, Meter};
use zonaut_strategy::HeuristicSpec;
use zonaut_zonegraph::{Step, SymbolicState};

/// Reads the participants of a step.
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

/// The test for useless transitions by the relaxation.
pub(crate) struct RelaxedUsefulness<'m> {
    usefulness: Usefulness<'m>,
    participants: Participants<'m>,
}

impl<'m> HeuristicFactory<'m> {
    /// The test for useless transitions that belongs to `spec`.
    pub(crate) fn usefulness_test(
        &self,
        spec: &HeuristicSpec,
        network: &'m CompiledNetwork,
        meter: &Meter,
    ) -> Result<RelaxedUsefulness<'m>, NoSearch> {
        let compared = match spec {
            HeuristicSpec::Lower { .. } => Compared::Lower,
            _ => Compared::Upper,
        };
        let usefulness = self.relaxation(meter)?.usefulness(compared);
        Ok(RelaxedUsefulness { usefulness, participants: Participants::new(network) })
    }

    /// The interference context of steps.
    pub(crate) fn interference_context(
        &self,
        network: &'m CompiledNetwork,
    ) -> InterferenceContext<'m> {
        let interference = Interference::new(self.model);
        let participants = Participants::new(network);
        InterferenceContext { interference, participants, before: Vec::new() }
    }

    /// The branches of the model that steps take.
    pub(crate) fn model_branches(&self, network: &'m CompiledNetwork) -> ModelBranches<'m> {
        let (mut first_edge, mut first_location, mut end) = (Vec::new(), Vec::new(), 0);
        for process in &self.model.processes {
            first_edge.push(end);
            first_location.push(end + process.edges.len() as u32);
            end += (process.edges.len() + process.locations.len()) as u32;
        }
        let participants = Participants::new(network);
        ModelBranches { model: self.model, participants, first_edge, first_location }
    }
}

impl<W: Width> UsefulnessTest<SymbolicState<W>, Step> for RelaxedUsefulness<'_> {
    fn is_useless(&mut self, arrival: Arrival<'_, SymbolicState<W>, Step>, estimate: u32) -> bool {
        let edges = self.participants.of(arrival.step);
        self.usefulness.is_useless(&arrival.parent.values, edges, estimate)
    }
}

/// The interference of steps.
pub(crate) struct InterferenceContext<'m> {
    interference: Interference,
    participants: Participants<'m>,
    before: Vec<Participant>,
}

impl Context<Step> for InterferenceContext<'_> {
    fn level(&mut self, before: Step, step: Step) -> u32 {
        self.before.clear();
        self.before.extend_from_slice(self.participants.of(before));
        self.interference.level(&self.before, self.participants.of(step))
    }
}

/// The edges that a step takes, and the locations that it enters.
pub(crate) struct ModelBranches<'m> {
    model: &'m Model,
    participants: Participants<'m>,
    /// The index of the first edge of each process, and of its first location.
    first_edge: Vec<u32>,
    first_location: Vec<u32>,
}

impl Branches<Step> for ModelBranches<'_> {
    fn add_branches(&mut self, step: Step, into: &mut Vec<u32>) {
        for &Participant { process, edge } in self.participants.of(step) {
            let target = self.model.processes[process].edges[edge].target;
            into.push(self.first_edge[process.index()] + edge.index() as u32);
            into.push(self.first_location[process.index()] + target.index() as u32);
        }
    }
}
