//! What code reads and writes.

use crate::symbols::Symbols;
use zonaut_base::{Id, IndexVec};
use zonaut_model::{
    Argument, ClockConstraint, ClockId, Condition, Expression, ExpressionId, Formula, FunctionId,
    Model, Place, Statement, Storage, Synchronisation,
};

/// The symbols that some code may read, and those it may write.
#[derive(Clone, Default, Debug)]
pub(crate) struct Access {
    pub(crate) reads: Symbols,
    pub(crate) writes: Symbols,
}

impl Access {
    pub(crate) fn extend(&mut self, other: &Self) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
    }
}

/// What the code of a model reads and writes, calls included.
#[derive(Clone, Debug)]
pub(crate) struct Accesses<'m> {
    model: &'m Model,
    functions: IndexVec<FunctionId, Access>,
}

impl<'m> Accesses<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        let mut this = Self { model, functions: IndexVec::new() };
        for function in &model.functions {
            // Functions come after those they call, so that those are known.
            let mut access = Access::default();
            let mut expressions = Vec::new();
            this.statements(&function.body, &mut expressions, &mut access);
            this.collect(expressions, &mut access);
            this.functions.push(access);
        }
        this
    }

    /// What the functions read and write.
    pub(crate) fn functions(&self) -> &IndexVec<FunctionId, Access> {
        &self.functions
    }

    /// What an expression does itself, calls included, and what is inside it not.
    pub(crate) fn own(&self, expression: &Expression) -> Access {
        let mut access = Access::default();
        self.add(expression, &mut access);
        access
    }

    /// What evaluating `id` reads and writes.
    pub(crate) fn of(&self, id: ExpressionId) -> Access {
        let mut access = Access::default();
        self.collect(vec![id], &mut access);
        access
    }

    /// What a condition reads.
    pub(crate) fn of_condition(&self, condition: &Condition) -> Symbols {
        let mut reads = Symbols::default();
        if let Some(data) = condition.data {
            reads.extend(&self.of(data).reads);
        }
        for constraint in &condition.clocks {
            reads.extend(&self.of_constraint(constraint));
        }
        reads
    }

    /// What a clock constraint reads, its clocks included.
    pub(crate) fn of_constraint(&self, constraint: &ClockConstraint) -> Symbols {
        let mut access = Access::default();
        let indices = std::iter::once(&constraint.left).chain(&constraint.right);
        let mut open: Vec<ExpressionId> =
            indices.flat_map(|place| place.indices.iter().map(|index| index.value)).collect();
        open.extend(constraint.condition);
        open.push(constraint.bound);
        self.collect(open, &mut access);
        access.reads.clocks.extend(&clocks_of(&constraint.left).collect());
        if let Some(right) = &constraint.right {
            access.reads.clocks.extend(&clocks_of(right).collect());
        }
        access.reads
    }

    /// What choosing the channel reads.
    pub(crate) fn of_channel(&self, synchronisation: &Synchronisation) -> Symbols {
        let mut access = Access::default();
        let indices = &synchronisation.channel.indices;
        self.collect(indices.iter().map(|index| index.value).collect(), &mut access);
        access.reads
    }

    /// What a state formula reads.
    pub(crate) fn of_formula(&self, formula: &Formula) -> Symbols {
        match formula {
            Formula::Data(id) => self.of(*id).reads,
            Formula::Clock(constraint) => self.of_constraint(constraint),
            Formula::Deadlock => Symbols::default(),
            Formula::Not(inner) => self.of_formula(inner),
            Formula::And(parts) | Formula::Or(parts) => {
                let mut reads = Symbols::default();
                for part in parts {
                    reads.extend(&self.of_formula(part));
                }
                reads
            }
        }
    }

    /// Adds what all of `open` and everything inside reads and writes.
    fn collect(&self, mut open: Vec<ExpressionId>, into: &mut Access) {
        while let Some(id) = open.pop() {
            let expression = &self.model.expressions[id];
            self.add(expression, into);
            expression.for_each_child(|child| open.push(child));
        }
    }

    /// Adds what an expression does itself.
    fn add(&self, expression: &Expression, into: &mut Access) {
        let Access { reads, writes } = into;
        match expression {
            Expression::Read(place) => touch(place, 1, reads),
            Expression::At(process, _) => {
                reads.processes.insert(*process);
            }
            Expression::SameContent(left, right, length) => {
                touch(left, *length, reads);
                touch(right, *length, reads);
            }
            Expression::Assign { place, operator, result, .. } => {
                touch(place, 1, writes);
                if operator.is_some() || *result == zonaut_model::ValueOf::Before {
                    touch(place, 1, reads);
                }
            }
            Expression::CopyContent(target, source, length) => {
                touch(target, *length, writes);
                touch(source, *length, reads);
            }
            Expression::Call(function, arguments) => {
                let parameters = &self.model.functions[*function].parameters;
                for (argument, parameter) in arguments.iter().zip(parameters) {
                    if let Argument::Content(place) = argument {
                        touch(place, parameter.length, reads);
                    }
                }
                into.extend(&self.functions[*function]);
            }
            Expression::AssignClock(place, _) => {
                writes.clocks.extend(&clocks_of(place).collect());
            }
            Expression::CopyClock(target, source) => {
                writes.clocks.extend(&clocks_of(target).collect());
                reads.clocks.extend(&clocks_of(source).collect());
            }
            Expression::Constant(_)
            | Expression::Unary(..)
            | Expression::Binary(..)
            | Expression::And(..)
            | Expression::Or(..)
            | Expression::Conditional(..)
            | Expression::Quantifier { .. }
            | Expression::AddCost(_)
            | Expression::Sequence(_) => {}
        }
    }

    /// Adds the expressions of a body to `all`, and what it reads besides.
    fn statements(&self, body: &[Statement], all: &mut Vec<ExpressionId>, into: &mut Access) {
        crate::roots::of_body(body, all);
        for_each_statement(body, &mut |statement| {
            if let Statement::ReturnContent { source, target, .. } = statement {
                touch(source, target.length, &mut into.reads);
            }
        });
    }
}

/// Calls `visit` with every statement of a body, nested ones included.
pub(crate) fn for_each_statement<'b>(body: &'b [Statement], visit: &mut impl FnMut(&'b Statement)) {
    for statement in body {
        visit(statement);
        match statement {
            Statement::If(_, yes, no) => {
                for_each_statement(yes, visit);
                for_each_statement(no, visit);
            }
            Statement::While(_, body)
            | Statement::DoWhile(body, _)
            | Statement::Iterate { body, .. } => for_each_statement(body, visit),
            _ => {}
        }
    }
}

/// Adds every cell that `length` integers from `place` on can be.
fn touch(place: &Place<Storage>, length: u32, into: &mut Symbols) {
    if let Storage::Cell(root) = place.root {
        let last = root.index() + place.extent() + length as usize;
        for cell in root.index()..last {
            into.cells.insert(Id::from_index(cell));
        }
    }
}

/// Every clock that `place` can stand for.
pub(crate) fn clocks_of(place: &Place<ClockId>) -> impl Iterator<Item = ClockId> + use<> {
    elements(place)
}

/// Every element that `place` can stand for.
pub(crate) fn elements<I: Id>(place: &Place<I>) -> impl Iterator<Item = I> + use<I> {
    let first = place.root.index();
    (first..=first + place.extent()).map(I::from_index)
}
