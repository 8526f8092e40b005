//! The symbols that occur in code, evaluated or not: the text of a model has to declare all of
//! them.
//!
//! The symbols that an evaluation can access are in `access.rs`.

use zonaut_analysis::{IdSet, Symbols};
use zonaut_base::{Id, IndexVec};
use zonaut_model::{
    ClockConstraint, ClockId, Condition, Expression, ExpressionId, Formula, FunctionId, LocalId,
    Model, Parameter, Place, Statement, Storage, Synchronisation, Usage,
};

/// The symbols that some code may read, and those it may write; and the temporary storage through
/// which it may exchange values with other code.
#[derive(Clone, Default, Debug)]
pub(crate) struct Mention {
    pub(crate) reads: Symbols,
    pub(crate) writes: Symbols,
    pub(crate) locals_read: IdSet<LocalId>,
    pub(crate) locals_written: IdSet<LocalId>,
}

impl Mention {
    pub(crate) fn extend(&mut self, other: &Self) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.locals_read.extend(&other.locals_read);
        self.locals_written.extend(&other.locals_written);
    }

    /// Adds every integer that `length` integers from `place` on can denote, as read.
    fn read(&mut self, place: &Place<Storage>, length: u32) {
        touch(place, length, &mut self.reads, &mut self.locals_read);
    }

    /// Adds every integer that `length` integers from `place` on can denote, as written.
    fn write(&mut self, place: &Place<Storage>, length: u32) {
        touch(place, length, &mut self.writes, &mut self.locals_written);
    }
}

/// The symbols in the code of a model, including calls.
#[derive(Clone, Debug)]
pub(crate) struct Mentions<'m> {
    model: &'m Model,
    functions: IndexVec<FunctionId, Mention>,
}

impl<'m> Mentions<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        let mut this = Self { model, functions: IndexVec::new() };
        for function in &model.functions {
            // Functions come after those they call, whose symbols are therefore known.
            let mut mention = Mention::default();
            let mut expressions = Vec::new();
            this.statements(&function.body, &mut expressions, &mut mention);
            this.collect(expressions, &mut mention);
            this.functions.push(mention);
        }
        this
    }

    /// The model.
    pub(crate) fn model(&self) -> &'m Model {
        self.model
    }

    /// The symbols in the functions.
    pub(crate) fn functions(&self) -> &IndexVec<FunctionId, Mention> {
        &self.functions
    }

    /// The symbols of an expression node itself, including calls, without its operands.
    pub(crate) fn own(&self, expression: &Expression) -> Mention {
        let mut mention = Mention::default();
        self.add(expression, &mut mention);
        mention
    }

    /// The symbols of an expression node itself, without called functions and without its operands.
    pub(crate) fn itself(&self, expression: &Expression) -> Mention {
        let mut mention = Mention::default();
        self.add_itself(expression, &mut mention);
        mention
    }

    /// The symbols of `id`, including operands and called functions.
    pub(crate) fn of(&self, id: ExpressionId) -> Mention {
        let mut mention = Mention::default();
        self.collect(vec![id], &mut mention);
        mention
    }

    /// The symbols of `id`, including operands, without called functions.
    pub(crate) fn outside_functions(&self, id: ExpressionId) -> Mention {
        let (mut mention, mut open) = (Mention::default(), vec![id]);
        while let Some(id) = open.pop() {
            let expression = &self.model.expressions[id];
            self.add_itself(expression, &mut mention);
            expression.for_each_child(|abstract_model| open.push(abstract_model));
        }
        mention
    }

    /// The symbols of the body of a function, without the functions that it calls.
    pub(crate) fn of_body(&self, function: FunctionId) -> Mention {
        let (mut mention, mut expressions) = (Mention::default(), Vec::new());
        let body = &self.model.functions[function].body;
        self.statements(body, &mut expressions, &mut mention);
        expressions.into_iter().for_each(|id| mention.extend(&self.outside_functions(id)));
        mention
    }

    /// The symbols that a condition reads.
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

    /// The symbols that a clock constraint reads, including its clocks.
    pub(crate) fn of_constraint(&self, constraint: &ClockConstraint) -> Symbols {
        let mut mention = Mention::default();
        let indices = std::iter::once(&constraint.left).chain(&constraint.right);
        let mut open: Vec<ExpressionId> =
            indices.flat_map(|place| place.indices.iter().map(|index| index.value)).collect();
        open.extend(constraint.condition);
        open.push(constraint.bound);
        self.collect(open, &mut mention);
        mention.reads.clocks.extend(&clocks_of(&constraint.left).collect());
        if let Some(right) = &constraint.right {
            mention.reads.clocks.extend(&clocks_of(right).collect());
        }
        mention.reads
    }

    /// The symbols that determine the channel.
    pub(crate) fn of_channel(&self, synchronisation: &Synchronisation) -> Symbols {
        let mut mention = Mention::default();
        let indices = &synchronisation.channel.indices;
        self.collect(indices.iter().map(|index| index.value).collect(), &mut mention);
        mention.reads
    }

    /// The symbols that a state formula reads.
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

    /// Adds the symbols of all of `open` and of their operands.
    fn collect(&self, mut open: Vec<ExpressionId>, into: &mut Mention) {
        while let Some(id) = open.pop() {
            let expression = &self.model.expressions[id];
            self.add(expression, into);
            expression.for_each_child(|abstract_model| open.push(abstract_model));
        }
    }

    /// Adds the symbols of an expression node, including calls.
    fn add(&self, expression: &Expression, into: &mut Mention) {
        self.add_itself(expression, into);
        if let Expression::Call(function, _) = expression {
            into.extend(&self.functions[*function]);
        }
    }

    /// Adds the symbols of an expression node, without those of a called function.
    fn add_itself(&self, expression: &Expression, into: &mut Mention) {
        if let Expression::At(process, _) = expression {
            into.reads.processes.insert(*process);
        }
        expression.for_each_place(|place, usage| match usage {
            Usage::Read(length) => into.read(place, length),
            Usage::Written(length) => into.write(place, length),
            // Parameters are local to the function, which fills them itself.
            Usage::Argument(function, number) => {
                into.read(place, self.model.functions[function].parameters[number].length);
            }
        });
        expression.for_each_clock_place(|place, is_written| {
            let symbols = if is_written { &mut into.writes } else { &mut into.reads };
            symbols.clocks.extend(&clocks_of(place).collect());
        });
    }

    /// Adds the expressions of a body to `all`, and the symbols of its statements.
    fn statements(&self, body: &[Statement], all: &mut Vec<ExpressionId>, into: &mut Mention) {
        crate::roots::of_body(body, all);
        for_each_statement(body, &mut |statement| {
            if let Statement::ReturnContent { source, target, .. } = statement {
                into.read(source, target.length);
                into.locals_written.extend(&locals_of(*target).collect());
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

/// Adds every integer that `length` integers from `place` on can denote.
fn touch(place: &Place<Storage>, length: u32, symbols: &mut Symbols, locals: &mut IdSet<LocalId>) {
    let reach = place.extent() + length as usize;
    match place.root {
        Storage::Cell(root) => {
            (0..reach).for_each(|k| {
                symbols.cells.insert(Id::from_index(root.index() + k));
            });
        }
        Storage::Local(root) => {
            (0..reach).for_each(|k| {
                locals.insert(Id::from_index(root.index() + k));
            });
        }
        Storage::Constant(_) => {}
    }
}

/// The temporary storage of a parameter or a result.
pub(crate) fn locals_of(storage: Parameter) -> impl Iterator<Item = LocalId> {
    let first = storage.first.index();
    (first..first + storage.length as usize).map(LocalId::from_index)
}

/// Every clock that `place` can denote.
pub(crate) fn clocks_of(place: &Place<ClockId>) -> impl Iterator<Item = ClockId> + use<> {
    elements(place)
}

/// Every element that `place` can denote.
pub(crate) fn elements<I: Id>(place: &Place<I>) -> impl Iterator<Item = I> + use<I> {
    let first = place.root.index();
    (first..=first + place.extent()).map(I::from_index)
}
