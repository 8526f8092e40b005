//! The quotient of a zone graph under the symmetry of its model.

use crate::finished::ZoneOutcome;
use zonaut_dbm::Width;
use zonaut_model::Model;
use zonaut_search::Outcome;
use zonaut_symmetry::{SymmetricGraph, Symmetry};
use zonaut_zonegraph::ZoneGraph;

/// The graph of representatives, and the model by whose symmetry paths are unfolded.
pub struct Quotient<'g, W: Width> {
    pub(crate) graph: SymmetricGraph<'g, ZoneGraph<'g, W>>,
    model: &'g Model,
}

impl<'g, W: Width> Quotient<'g, W> {
    /// The quotient of `graph` under a symmetry of its model.
    #[must_use]
    pub fn new(graph: &'g ZoneGraph<'g, W>, model: &'g Model, symmetry: &'g Symmetry) -> Self {
        Self { graph: SymmetricGraph::new(graph, symmetry), model }
    }

    /// Replaces the steps of an outcome by those of the zone graph. If there are none, the path has
    /// no run, which the concretisation detects.
    pub fn unfold(&self, outcome: &mut ZoneOutcome) {
        if let Outcome::Reached { steps, .. } | Outcome::Failed { steps, .. } = outcome
            && let Some(unfolded) = self.graph.unfold(self.model, steps)
        {
            *steps = unfolded;
        }
    }
}
