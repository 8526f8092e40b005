//! The variables that an evaluation may read and write.

use std::collections::BTreeSet;
use zonaut_analysis::footprint::Footprints;
use zonaut_analysis::normal_form::{Test, TestKind};
use zonaut_analysis::{IdSet, Symbols, VariableId, Variables};
use zonaut_model::{ExpressionId, LocalId, Model};

/// The variables and locals that an evaluation may access: an over-approximation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Footprint {
    pub(crate) reads: BTreeSet<VariableId>,
    pub(crate) writes: BTreeSet<VariableId>,
    /// Local variables of functions that are read or written.
    pub(crate) locals: IdSet<LocalId>,
}

/// Computes footprints.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dependencies<'m> {
    pub(crate) model: &'m Model,
    pub(crate) variables: &'m Variables,
}

impl Dependencies<'_> {
    /// The footprint of evaluating all `roots`.
    pub(crate) fn footprint(&self, roots: impl IntoIterator<Item = ExpressionId>) -> Footprint {
        let mut walk = Footprints::walk(self.model);
        for root in roots {
            walk.evaluate(root);
        }
        let found = walk.domain.found;
        Footprint {
            reads: self.named(&found.reads),
            writes: self.named(&found.writes),
            locals: found.locals,
        }
    }

    fn named(&self, symbols: &Symbols) -> BTreeSet<VariableId> {
        let processes = symbols.processes.iter().map(|process| self.variables.process(process));
        let cells = symbols.cells.iter().map(|cell| self.variables.cell(cell));
        processes.chain(cells).collect()
    }
}

/// The expressions that a test evaluates.
pub(crate) fn roots_of(test: &Test) -> Vec<ExpressionId> {
    match &test.kind {
        TestKind::Holds { expression, .. } => vec![*expression],
        TestKind::Chooses { indices, .. } => indices.iter().map(|index| index.value).collect(),
    }
}
