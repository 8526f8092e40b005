//! Read and write accesses of evaluations, including temporary storage.

use zonaut_analysis::footprint::{FootprintWalk, Footprints};
use zonaut_analysis::{IdSet, Symbols};
use zonaut_model::{
    ClockConstraint, Condition, Expression, ExpressionId, Formula, LocalId, Model, Synchronisation,
};

/// The symbols that an evaluation may read, and those it may write; and the temporary storage
/// through which it may exchange values with other code.
#[derive(Clone, Default, Debug)]
pub(crate) struct Access {
    pub(crate) reads: Symbols,
    pub(crate) writes: Symbols,
    /// Temporary storage that may be read before it is written.
    pub(crate) locals_needed: IdSet<LocalId>,
    pub(crate) locals_written: IdSet<LocalId>,
    /// Temporary storage that is certainly written.
    pub(crate) locals_overwritten: IdSet<LocalId>,
}

impl Access {
    pub(crate) fn extend(&mut self, other: &Self) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.locals_needed.extend(&other.locals_needed);
        self.locals_written.extend(&other.locals_written);
        self.locals_overwritten.extend(&other.locals_overwritten);
    }
}

/// The accesses of the code of a model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accesses<'m> {
    model: &'m Model,
}

impl<'m> Accesses<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        Self { model }
    }

    /// The model.
    pub(crate) fn model(&self) -> &'m Model {
        self.model
    }

    /// The accesses of evaluating `id`.
    pub(crate) fn of(&self, id: ExpressionId) -> Access {
        let mut walk = Footprints::walk(self.model);
        let ends = walk.evaluate(id).is_some();
        let overwritten = walk.memory.written_locals().clone();
        let found = walk.domain.found;
        let mut locals_written = found.written_locals;
        // A function that ends without returning fails, and writes no result. Code that reads the
        // result still belongs to the call: alone, it would read the earlier content.
        if let Expression::Call(function, _) = &self.model.expressions[id]
            && let Some(result) = self.model.functions[*function].result
        {
            locals_written.extend(&result.locals().collect());
        }
        Access {
            reads: found.reads,
            writes: found.writes,
            locals_needed: found.needed_locals,
            locals_written,
            locals_overwritten: if ends { overwritten } else { IdSet::default() },
        }
    }

    /// The symbols that a condition reads.
    pub(crate) fn of_condition(&self, condition: &Condition) -> Symbols {
        let mut reads = condition.data.map_or(Symbols::default(), |data| self.of(data).reads);
        for constraint in &condition.clocks {
            reads.extend(&self.of_constraint(constraint));
        }
        reads
    }

    /// The symbols that a clock constraint reads, including its clocks.
    pub(crate) fn of_constraint(&self, constraint: &ClockConstraint) -> Symbols {
        self.reads(|walk| {
            walk.constraint(constraint);
        })
    }

    /// The symbols that determine the channel.
    pub(crate) fn of_channel(&self, synchronisation: &Synchronisation) -> Symbols {
        self.reads(|walk| {
            walk.channel(synchronisation);
        })
    }

    /// The symbols that a state formula reads.
    pub(crate) fn of_formula(&self, formula: &Formula) -> Symbols {
        self.reads(|walk| {
            walk.formula(formula);
        })
    }

    fn reads(&self, evaluate: impl FnOnce(&mut FootprintWalk<'m>)) -> Symbols {
        let mut walk = Footprints::walk(self.model);
        evaluate(&mut walk);
        walk.domain.found.reads
    }
}
