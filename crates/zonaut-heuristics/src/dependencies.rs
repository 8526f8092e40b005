//! What an evaluation can read and write, found out without running it.

use crate::variables::{VariableId, Variables};
use std::collections::BTreeSet;
use zonaut_base::Id;
use zonaut_model::{
    Argument, Expression, ExpressionId, FunctionId, LocalId, Model, Place, Statement, Storage,
};

/// What an evaluation can touch; more than it does, never less.
#[derive(Clone, Debug, Default)]
pub(crate) struct Footprint {
    pub(crate) reads: BTreeSet<VariableId>,
    pub(crate) writes: BTreeSet<VariableId>,
    /// Working storage that is read or written.
    pub(crate) locals: BTreeSet<LocalId>,
}

/// Computes footprints; each function is looked at once for each of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dependencies<'m> {
    pub(crate) model: &'m Model,
    pub(crate) variables: &'m Variables,
}

impl<'m> Dependencies<'m> {
    /// The footprint of evaluating all `roots`.
    pub(crate) fn footprint(&self, roots: impl IntoIterator<Item = ExpressionId>) -> Footprint {
        let mut walk = Walk {
            dependencies: *self,
            found: Footprint::default(),
            open: roots.into_iter().collect(),
            seen: BTreeSet::new(),
            called: BTreeSet::new(),
        };
        walk.run();
        walk.found
    }
}

struct Walk<'m> {
    dependencies: Dependencies<'m>,
    found: Footprint,
    open: Vec<ExpressionId>,
    seen: BTreeSet<ExpressionId>,
    called: BTreeSet<FunctionId>,
}

impl Walk<'_> {
    fn run(&mut self) {
        while let Some(id) = self.open.pop() {
            if self.seen.insert(id) {
                self.visit(id);
            }
        }
    }

    fn visit(&mut self, id: ExpressionId) {
        let model = self.dependencies.model;
        let expression = &model.expressions[id];
        expression.for_each_child(|child| self.open.push(child));
        match expression {
            Expression::Read(place) => self.touch(place, 1, false),
            Expression::At(process, _) => {
                self.found.reads.insert(self.dependencies.variables.process(*process));
            }
            Expression::SameContent(left, right, length) => {
                self.touch(left, *length, false);
                self.touch(right, *length, false);
            }
            Expression::Assign { place, operator, result, .. } => {
                let reads = operator.is_some() || *result == zonaut_model::ValueOf::Before;
                if reads {
                    self.touch(place, 1, false);
                }
                self.touch(place, 1, true);
            }
            Expression::CopyContent(target, source, length) => {
                self.touch(source, *length, false);
                self.touch(target, *length, true);
            }
            Expression::Call(function, arguments) => self.call(*function, arguments),
            Expression::Quantifier { binder, .. } => {
                self.found.locals.insert(*binder);
            }
            _ => {}
        }
    }

    fn call(&mut self, function: FunctionId, arguments: &[Argument]) {
        let definition = &self.dependencies.model.functions[function];
        for (argument, parameter) in arguments.iter().zip(&definition.parameters) {
            if let Argument::Content(place) = argument {
                self.touch(place, parameter.length, false);
            }
        }
        if self.called.insert(function) {
            self.statements(&definition.body);
        }
    }

    fn statements(&mut self, body: &[Statement]) {
        for statement in body {
            match statement {
                Statement::Expression(id) | Statement::Assert(id) => self.open.push(*id),
                Statement::If(condition, yes, no) => {
                    self.open.push(*condition);
                    self.statements(yes);
                    self.statements(no);
                }
                Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                    self.open.push(*condition);
                    self.statements(body);
                }
                Statement::Iterate { body, .. } => self.statements(body),
                Statement::Return(value) => self.open.extend(value),
                Statement::ReturnContent { source, target, .. } => {
                    self.open.extend(source.indices.iter().map(|index| index.value));
                    self.touch(source, target.length, false);
                }
            }
        }
    }

    fn touch(&mut self, place: &Place<Storage>, length: u32, writes: bool) {
        let reach = place.extent() + length as usize;
        match place.root {
            Storage::Cell(root) => {
                let first = self.dependencies.variables.cell(root).index();
                let set = if writes { &mut self.found.writes } else { &mut self.found.reads };
                set.extend((first..first + reach).map(VariableId::from_index));
            }
            Storage::Local(root) => {
                let first = root.index();
                self.found.locals.extend((first..first + reach).map(LocalId::from_index));
            }
            Storage::Constant(_) => {}
        }
    }
}
