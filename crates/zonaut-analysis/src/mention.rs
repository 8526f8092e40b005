//! The symbols that occur in code, evaluated or not: the text of a model has to declare all of
//! them.
//!
//! The symbols that an evaluation can access are its [footprint](crate::footprint).

use crate::roots;
use crate::symbols::{IdSet, Symbols};
use zonaut_base::{Id, IndexVec};
use zonaut_model::{
    ClockConstraint, Condition, Expression, ExpressionId, Formula, Function, FunctionId, LocalId,
    Model, Place, Statement, Storage, Synchronisation, Usage,
};

/// The symbols that some code may read, and those it may write; and the temporary storage through
/// which it may exchange values with other code.
#[derive(Clone, Default, Debug)]
pub struct Mention {
    /// The symbols that it may read.
    pub reads: Symbols,
    /// The symbols that it may write.
    pub writes: Symbols,
    /// The temporary storage that it may read.
    pub locals_read: IdSet<LocalId>,
    /// The temporary storage that it may write.
    pub locals_written: IdSet<LocalId>,
}

impl Mention {
    /// Adds the symbols of other code.
    pub fn extend(&mut self, other: &Self) {
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
pub struct Mentions<'m> {
    model: &'m Model,
    functions: IndexVec<FunctionId, Mention>,
}

impl<'m> Mentions<'m> {
    /// The symbols in the code of a model.
    #[must_use]
    pub fn new(model: &'m Model) -> Self {
        let mut this = Self { model, functions: IndexVec::new() };
        for function in &model.functions {
            // Functions come after those they call, whose symbols are therefore known.
            let (mut mention, mut expressions) = (Mention::default(), Vec::new());
            Self::statements(function, &mut mention);
            roots::of_function(function, &mut expressions);
            this.collect(expressions, &mut mention);
            this.functions.push(mention);
        }
        this
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The symbols in the functions.
    #[must_use]
    pub fn functions(&self) -> &IndexVec<FunctionId, Mention> {
        &self.functions
    }

    /// The symbols of an expression node itself, including calls, without its operands.
    #[must_use]
    pub fn own(&self, expression: &Expression) -> Mention {
        let mut mention = Mention::default();
        self.add(expression, &mut mention);
        mention
    }

    /// The symbols of an expression node itself, without called functions and without its operands.
    #[must_use]
    pub fn itself(&self, expression: &Expression) -> Mention {
        let mut mention = Mention::default();
        self.add_itself(expression, &mut mention);
        mention
    }

    /// The symbols of `id`, including operands and called functions.
    #[must_use]
    pub fn of(&self, id: ExpressionId) -> Mention {
        let mut mention = Mention::default();
        self.collect(vec![id], &mut mention);
        mention
    }

    /// The symbols of `id`, including operands, without called functions.
    #[must_use]
    pub fn outside_functions(&self, id: ExpressionId) -> Mention {
        let (mut mention, mut open) = (Mention::default(), vec![id]);
        while let Some(id) = open.pop() {
            let expression = &self.model.expressions[id];
            self.add_itself(expression, &mut mention);
            expression.for_each_child(|child| open.push(child));
        }
        mention
    }

    /// The symbols of the body of a function, without the functions that it calls.
    #[must_use]
    pub fn of_body(&self, function: FunctionId) -> Mention {
        let (mut mention, mut expressions) = (Mention::default(), Vec::new());
        let function = &self.model.functions[function];
        Self::statements(function, &mut mention);
        roots::of_function(function, &mut expressions);
        expressions.into_iter().for_each(|id| mention.extend(&self.outside_functions(id)));
        mention
    }

    /// The symbols that a condition reads.
    #[must_use]
    pub fn of_condition(&self, condition: &Condition) -> Symbols {
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
    #[must_use]
    pub fn of_constraint(&self, constraint: &ClockConstraint) -> Symbols {
        let mut mention = Mention::default();
        let indices = std::iter::once(&constraint.left).chain(&constraint.right);
        let mut open: Vec<ExpressionId> =
            indices.flat_map(|place| place.indices.iter().map(|index| index.value)).collect();
        open.extend(constraint.condition);
        open.push(constraint.bound);
        self.collect(open, &mut mention);
        mention.reads.clocks.extend(&constraint.left.elements().collect());
        if let Some(right) = &constraint.right {
            mention.reads.clocks.extend(&right.elements().collect());
        }
        mention.reads
    }

    /// The symbols that determine the channel.
    #[must_use]
    pub fn of_channel(&self, synchronisation: &Synchronisation) -> Symbols {
        let mut mention = Mention::default();
        let indices = &synchronisation.channel.indices;
        self.collect(indices.iter().map(|index| index.value).collect(), &mut mention);
        mention.reads
    }

    /// The symbols that a state formula reads.
    #[must_use]
    pub fn of_formula(&self, formula: &Formula) -> Symbols {
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
            expression.for_each_child(|child| open.push(child));
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
            symbols.clocks.extend(&place.elements().collect());
        });
    }

    /// Adds the symbols of the statements of a function, without those of their expressions.
    fn statements(function: &Function, into: &mut Mention) {
        function.for_each_statement(|statement| {
            if let Statement::ReturnContent { source, target, .. } = statement {
                into.read(source, target.length);
                into.locals_written.extend(&target.locals().collect());
            }
        });
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
