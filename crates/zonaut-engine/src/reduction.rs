//! Reduction by the symmetry of scalar sets: where it is done, and what is said of it.

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
    /// The reduction of `model`, if there is any to use with these options.
    pub(crate) fn new(
        model: &'g Model,
        symmetry: &'g Symmetry,
        options: &VerifyOptions,
    ) -> Option<Self> {
        let is_used = refused_by(options).is_none() && !symmetry.is_trivial();
        is_used.then_some(Self { model, symmetry })
    }

    /// The graph of representatives.
    pub(crate) fn graph<'n, W: Width>(
        self,
        graph: &'g ZoneGraph<'n, W>,
    ) -> SymmetricGraph<'g, 'n, W> {
        SymmetricGraph::new(graph, self.symmetry)
    }

    /// The report of a search among representatives, with steps of the zone graph.
    pub(crate) fn unfolded<'n, W: Width>(
        self,
        graph: &ZoneGraph<'n, W>,
        mut report: ReportOf<ZoneGraph<'n, W>>,
    ) -> ReportOf<ZoneGraph<'n, W>> {
        self.unfold(graph, &mut report.outcome);
        report
    }

    /// Replaces the steps of an outcome by those of the zone graph. Where there are none, the path has
    /// no run, which is noticed by whoever looks for it.
    pub(crate) fn unfold<W: Width>(self, graph: &ZoneGraph<'_, W>, outcome: &mut ZoneOutcome) {
        if let Outcome::Reached { steps, .. } | Outcome::Failed { steps, .. } = outcome
            && let Some(unfolded) = self.graph(graph).unfold(self.model, steps)
        {
            *steps = unfolded;
        }
    }
}

/// Why options keep a search from using symmetry.
fn refused_by(options: &VerifyOptions) -> Option<&'static str> {
    match (options.symmetry, &options.strategy) {
        (SymmetryWish::Ignore, _) => Some("disabled by an option"),
        (SymmetryWish::Use, Strategy::Lazy(_)) => Some("lazy abstraction"),
        (SymmetryWish::Use, _) => None,
    }
}

/// What is said of the symmetry of a search with these options; nothing of a model without any.
pub(crate) fn describe(symmetry: &Symmetry, options: &VerifyOptions) -> Option<String> {
    let is_there = !symmetry.is_trivial() || !symmetry.refusals().is_empty();
    is_there.then(|| match refused_by(options) {
        Some(why) => format!("off ({why})"),
        None => symmetry.to_string(),
    })
}

/// The same where searches of this kind do not use it.
pub(crate) fn describe_unused(model: &Model, why: &str) -> Option<String> {
    let symmetry = Symmetry::of(model, &[]);
    let is_there = !symmetry.is_trivial() || !symmetry.refusals().is_empty();
    is_there.then(|| format!("off ({why})"))
}

/// Whether a query names an element of a scalar set.
pub(crate) fn names_an_element(model: &Model, query: QueryId) -> bool {
    model.scalar_uses.iter().any(|use_| use_.kind == ScalarUseKind::Query(query))
}
