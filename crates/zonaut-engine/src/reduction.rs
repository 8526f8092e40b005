//! Symmetry reduction of scalar sets: when it is used, and its description in reports.

use crate::search::ZoneOutcome;
use crate::verify::{SymmetryWish, VerifyOptions};
use zonaut_dbm::Width;
use zonaut_model::{Model, QueryId, ScalarUseKind};
use zonaut_search::{Outcome, ReportOf};
use zonaut_strategy::Strategy;
use zonaut_symmetry::{SymmetricGraph, Symmetry};
use zonaut_zonegraph::ZoneGraph;

/// A model with the symmetry that a search may use.
#[derive(Clone, Copy)]
pub(crate) struct Reduction<'g> {
    model: &'g Model,
    symmetry: &'g Symmetry,
}

impl<'g> Reduction<'g> {
    /// The symmetry reduction of `model`; `None` if it has none or the options exclude it.
    pub(crate) fn new(
        model: &'g Model,
        symmetry: &'g Symmetry,
        options: &VerifyOptions,
    ) -> Option<Self> {
        let is_used = refused_by(options).is_none() && !symmetry.is_trivial();
        is_used.then_some(Self { model, symmetry })
    }

    /// The quotient graph.
    pub(crate) fn graph<'n, W: Width>(
        self,
        graph: &'g ZoneGraph<'n, W>,
    ) -> SymmetricGraph<'g, 'n, W> {
        SymmetricGraph::new(graph, self.symmetry)
    }

    /// The report of a search of the quotient graph, with steps of the zone graph.
    pub(crate) fn unfolded<'n, W: Width>(
        self,
        graph: &ZoneGraph<'n, W>,
        mut report: ReportOf<ZoneGraph<'n, W>>,
    ) -> ReportOf<ZoneGraph<'n, W>> {
        self.unfold(graph, &mut report.outcome);
        report
    }

    /// Replaces the steps of an outcome by those of the zone graph. If there are none, the path has
    /// no run, which the concretisation detects.
    pub(crate) fn unfold<W: Width>(self, graph: &ZoneGraph<'_, W>, outcome: &mut ZoneOutcome) {
        if let Outcome::Reached { steps, .. } | Outcome::Failed { steps, .. } = outcome
            && let Some(unfolded) = self.graph(graph).unfold(self.model, steps)
        {
            *steps = unfolded;
        }
    }
}

/// The reason why the options exclude symmetry reduction.
fn refused_by(options: &VerifyOptions) -> Option<&'static str> {
    match (options.symmetry, &options.strategy) {
        (SymmetryWish::Ignore, _) => Some("disabled by an option"),
        (SymmetryWish::Use, Strategy::Lazy(_)) => Some("lazy abstraction"),
        (SymmetryWish::Use, _) => None,
    }
}

/// The description of the symmetry reduction with these options; `None` if the model has no
/// symmetry.
pub(crate) fn describe(symmetry: &Symmetry, options: &VerifyOptions) -> Option<String> {
    let is_there = !symmetry.is_trivial() || !symmetry.refusals().is_empty();
    is_there.then(|| match refused_by(options) {
        Some(why) => format!("off ({why})"),
        None => symmetry.to_string(),
    })
}

/// The description if searches of this kind do not use it.
pub(crate) fn describe_unused(model: &Model, why: &str) -> Option<String> {
    let symmetry = Symmetry::of(model, &[]);
    let is_there = !symmetry.is_trivial() || !symmetry.refusals().is_empty();
    is_there.then(|| format!("off ({why})"))
}

/// Whether a query names an element of a scalar set.
pub(crate) fn names_an_element(model: &Model, query: QueryId) -> bool {
    model.scalar_uses.iter().any(|use_| use_.kind == ScalarUseKind::Query(query))
}
