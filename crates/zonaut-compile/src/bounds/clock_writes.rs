//! What the updates of an edge do to clocks: which are set for certain, which may be copied.

use zonaut_base::{Id, IndexVec};
use zonaut_model::{
    ClockId, Edge, Expression, ExpressionId, FunctionId, Model, Place, ProcessId, Statement,
};

/// A copy that may happen: target, then source.
pub(super) type ClockCopy = (ClockId, ClockId);

/// What one edge does to clocks.
#[derive(Default)]
pub(super) struct ClockWrites {
    /// Clocks that are set on every way through the updates, whatever they held before.
    pub(super) killed: Vec<ClockId>,
    /// Copies that may happen.
    pub(super) copies: Vec<ClockCopy>,
}

/// What all edges of a model do to clocks.
pub(super) struct AllClockWrites {
    /// By process, one entry for each edge.
    pub(super) edges: IndexVec<ProcessId, Vec<ClockWrites>>,
    /// Copies in the updates that frame every transition.
    pub(super) hooks: Vec<ClockCopy>,
}

impl AllClockWrites {
    pub(super) fn new(model: &Model) -> Self {
        let mut finder = CopyFinder::new(model);
        let mut edges = IndexVec::new();
        for process in &model.processes {
            edges.push(process.edges.iter().map(|edge| writes(&mut finder, edge)).collect());
        }
        let mut hooks = Vec::new();
        for &update in model.before_update.iter().chain(&model.after_update) {
            finder.collect(update, &mut hooks);
        }
        Self { edges, hooks }
    }

    /// Every copy of the model.
    pub(super) fn copies(&self) -> impl Iterator<Item = ClockCopy> + '_ {
        let edges = self.edges.iter().flatten().flat_map(|writes| &writes.copies);
        edges.chain(&self.hooks).copied()
    }
}

/// The clocks that a place can stand for.
pub(super) fn targets(place: &Place<ClockId>) -> impl Iterator<Item = ClockId> + Clone + use<> {
    let first = place.root.index();
    (first..=first + place.extent()).map(ClockId::from_index)
}

/// The order of updates does not matter: a clock that is copied from before or after it is set
/// keeps the bounds of the copy, which is more than needed at worst.
fn writes(finder: &mut CopyFinder<'_>, edge: &Edge) -> ClockWrites {
    let mut writes = ClockWrites::default();
    for &update in &edge.updates {
        match &finder.model.expressions[update] {
            Expression::AssignClock(place, _) if place.is_fixed() => writes.killed.push(place.root),
            // A copy from an array that the target belongs to may leave it as it is.
            Expression::CopyClock(target, source)
                if target.is_fixed() && !targets(source).any(|y| y == target.root) =>
            {
                writes.killed.push(target.root);
            }
            _ => {}
        }
        finder.collect(update, &mut writes.copies);
    }
    writes
}

/// Finds the copies that expressions may make, those of the functions they call included.
struct CopyFinder<'m> {
    model: &'m Model,
    /// By function; a function comes after those it calls.
    functions: IndexVec<FunctionId, Vec<ClockCopy>>,
    /// Whether the model copies no clock at all.
    is_idle: bool,
}

impl<'m> CopyFinder<'m> {
    fn new(model: &'m Model) -> Self {
        let copies = |expression: &Expression| matches!(expression, Expression::CopyClock(..));
        let is_idle = !model.expressions.iter().any(copies);
        let mut this = Self { model, functions: IndexVec::new(), is_idle };
        for function in &model.functions {
            let mut copies = Vec::new();
            this.collect_from(&function.body, &mut copies);
            copies.sort_unstable();
            copies.dedup();
            this.functions.push(copies);
        }
        this
    }

    fn collect_from(&self, body: &[Statement], into: &mut Vec<ClockCopy>) {
        for statement in body {
            match statement {
                Statement::Expression(id) | Statement::Assert(id) | Statement::Return(Some(id)) => {
                    self.collect(*id, into)
                }
                Statement::If(condition, yes, no) => {
                    self.collect(*condition, into);
                    self.collect_from(yes, into);
                    self.collect_from(no, into);
                }
                Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                    self.collect(*condition, into);
                    self.collect_from(body, into);
                }
                Statement::Iterate { body, .. } => self.collect_from(body, into),
                Statement::ReturnContent { source, .. } => {
                    source.indices.iter().for_each(|index| self.collect(index.value, into));
                }
                Statement::Return(None) => {}
            }
        }
    }

    /// Adds every copy that evaluating `id` may make, wherever in the expression it stands.
    fn collect(&self, id: ExpressionId, into: &mut Vec<ClockCopy>) {
        if self.is_idle {
            return;
        }
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let expression = &self.model.expressions[id];
            match expression {
                Expression::CopyClock(target, source) => {
                    for x in targets(target) {
                        into.extend(targets(source).filter(|&y| x != y).map(|y| (x, y)));
                    }
                }
                Expression::Call(function, _) => into.extend(&self.functions[*function]),
                _ => {}
            }
            expression.for_each_child(|child| open.push(child));
        }
    }
}
