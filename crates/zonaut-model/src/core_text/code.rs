//! Expressions and statements as postfix code.

use crate::{
    Argument, BinaryOperator, Expression, ExpressionId, Function, Model, Place, PlaceIndex,
    QuantifierKind, Statement, Storage, UnaryOperator, ValueOf,
};
use zonaut_base::Id;

/// A writer of postfix code. Its work list replaces the call stack, because chains of operators may
/// be very long.
pub(super) struct Code<'m> {
    model: &'m Model,
    words: String,
}

/// An entry of the work list.
enum Pending<'m> {
    Expression(ExpressionId),
    Displacement(&'m [PlaceIndex]),
    Word(String),
}

impl<'m> Code<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        Self { model, words: String::new() }
    }

    pub(super) fn finish(self) -> String {
        self.words
    }

    fn word(&mut self, word: &str) {
        if !self.words.is_empty() {
            self.words.push(' ');
        }
        self.words.push_str(word);
    }

    /// Writes code that leaves the value of `id` on the stack.
    pub(super) fn expression(&mut self, id: ExpressionId) {
        self.write(Pending::Expression(id));
    }

    /// Writes code that leaves the distance of the chosen element from the root of a place on the
    /// stack.
    pub(super) fn displacement(&mut self, indices: &'m [PlaceIndex]) {
        self.write(Pending::Displacement(indices));
    }

    fn write(&mut self, first: Pending<'m>) {
        let mut pending = vec![first];
        let mut parts = Vec::new();
        while let Some(next) = pending.pop() {
            match next {
                Pending::Word(word) => self.word(&word),
                Pending::Expression(id) => self.parts(id, &mut parts),
                Pending::Displacement(indices) => displacement(indices, &mut parts),
            }
            pending.extend(parts.drain(..).rev());
        }
    }

    /// Appends the code of one expression to `parts`: words, and the subexpressions still to be
    /// written.
    fn parts(&self, id: ExpressionId, parts: &mut Vec<Pending<'m>>) {
        use Pending::{Displacement, Expression as Part};
        let model = self.model;
        match &model.expressions[id] {
            Expression::Constant(value) => parts.push(word(value.to_string())),
            Expression::Read(place) if place.is_fixed() => parts.push(word(root(place))),
            Expression::Read(place) => {
                parts.push(Displacement(&place.indices));
                parts.push(word(format!("load:{}", root(place))));
            }
            Expression::At(process, location) => {
                parts.push(word(format!("at:{}:{}", process.index(), location.index())));
            }
            Expression::Unary(operator, operand) => {
                let name = match operator {
                    UnaryOperator::Negate => "neg",
                    UnaryOperator::Not => "not",
                };
                parts.extend([Part(*operand), word(name)]);
            }
            Expression::Binary(operator, left, right) => {
                parts.extend([Part(*left), Part(*right), word(symbol(*operator))]);
            }
            Expression::And(left, right) => {
                parts.extend([Part(*left), word("and{"), Part(*right), word("}")]);
            }
            Expression::Or(left, right) => {
                parts.extend([Part(*left), word("or{"), Part(*right), word("}")]);
            }
            Expression::Conditional(condition, yes, no) => {
                parts.extend([Part(*condition), word("if{"), Part(*yes), word("}else{")]);
                parts.extend([Part(*no), word("}")]);
            }
            Expression::Quantifier { kind, binder, low, high, body } => {
                let name = match kind {
                    QuantifierKind::ForAll => "forall",
                    QuantifierKind::Exists => "exists",
                    QuantifierKind::Sum => "sum",
                };
                let start = format!("{name}{{:{}:{low}:{high}", binder.index());
                parts.extend([word(start), Part(*body), word("}")]);
            }
            Expression::SameContent(left, right, length) => {
                parts.extend([Displacement(&left.indices), Displacement(&right.indices)]);
                parts.push(word(format!("same:{}:{}:{length}", root(left), root(right))));
            }
            Expression::CopyContent(target, source, length) => {
                parts.extend([Displacement(&target.indices), Displacement(&source.indices)]);
                parts.push(word(format!("copy:{}:{}:{length}", root(target), root(source))));
            }
            Expression::Assign { place, operator, value, result } => {
                let operator = operator.map_or("=", symbol);
                let result = if *result == ValueOf::Before { "old" } else { "new" };
                parts.extend([Displacement(&place.indices), Part(*value)]);
                parts.push(word(format!("store:{}:{operator}:{result}", root(place))));
            }
            Expression::Call(function, arguments) => {
                let parameters = &model.functions[*function].parameters;
                for (argument, parameter) in arguments.iter().zip(parameters) {
                    match argument {
                        Argument::Value(value) => parts.push(Part(*value)),
                        Argument::Content(place) => {
                            let length = parameter.length;
                            parts.push(Displacement(&place.indices));
                            parts.push(word(format!("content:{}:{length}", root(place))));
                        }
                    }
                }
                parts.push(word(format!("call:{}", function.index())));
            }
            Expression::AssignClock(place, value) => {
                parts.extend([Displacement(&place.indices), Part(*value)]);
                parts.push(word(format!("reset:{}", place.root.index() + 1)));
            }
            Expression::CopyClock(target, source) => {
                parts.extend([Displacement(&target.indices), Displacement(&source.indices)]);
                let (target, source) = (target.root.index() + 1, source.root.index() + 1);
                parts.push(word(format!("copy-clock:{target}:{source}")));
            }
            Expression::AddCost(value) => parts.extend([Part(*value), word("cost")]),
            Expression::Sequence(list) => {
                for (position, &part) in list.iter().enumerate() {
                    if position > 0 {
                        parts.push(word("drop"));
                    }
                    parts.push(Part(part));
                }
            }
        }
    }

    /// Writes the body of a function. The code after the last statement runs only without a
    /// `return`.
    pub(super) fn body(&mut self, function: &'m Function) {
        self.statements(&function.body, function);
        match function.result {
            Some(_) => self.word("missing"),
            None => self.word("0 return"),
        }
    }

    /// Writes code that leaves nothing on the stack. Recursion follows the nesting of statements.
    fn statements(&mut self, body: &'m [Statement], function: &'m Function) {
        for statement in body {
            self.statement(statement, function);
        }
    }

    fn statement(&mut self, statement: &'m Statement, function: &'m Function) {
        match statement {
            Statement::Expression(expression) => {
                self.expression(*expression);
                self.word("drop");
            }
            Statement::If(condition, yes, no) => {
                self.expression(*condition);
                self.word("if{");
                self.statements(yes, function);
                self.word("}else{");
                self.statements(no, function);
                self.word("}");
            }
            Statement::While(condition, body) => {
                self.word("loop{");
                self.expression(*condition);
                self.word("while");
                self.statements(body, function);
                self.word("}");
            }
            Statement::DoWhile(body, condition) => {
                self.word("loop{");
                self.statements(body, function);
                self.expression(*condition);
                self.word("while }");
            }
            Statement::Iterate { binder, low, high, body } => {
                self.word(&format!("each{{:{}:{low}:{high}", binder.index()));
                self.statements(body, function);
                self.word("}");
            }
            Statement::Return(value) => self.write_return(*value, function),
            Statement::ReturnContent { source, target, .. } => {
                self.word("0");
                self.displacement(&source.indices);
                let (target, length) = (target.first.index(), target.length);
                self.word(&format!("copy:l{target}:{}:{length} drop 0 return", root(source)));
            }
            Statement::Assert(condition) => {
                self.expression(*condition);
                self.word("assert");
            }
        }
    }

    /// Writes a `return`. A returned number passes through the storage of the result, which checks
    /// its range.
    fn write_return(&mut self, value: Option<ExpressionId>, function: &'m Function) {
        match (value, function.result) {
            (Some(value), Some(result)) if result.length == 1 => {
                self.word("0");
                self.expression(value);
                self.word(&format!("store:l{}:=:new return", result.first.index()));
            }
            (Some(value), _) => {
                self.expression(value);
                self.word("drop 0 return");
            }
            (None, _) => self.word("0 return"),
        }
    }
}

fn displacement<'m>(indices: &'m [PlaceIndex], parts: &mut Vec<Pending<'m>>) {
    parts.push(word("0"));
    for index in indices {
        parts.push(Pending::Expression(index.value));
        parts.push(word(format!("index:{}:{}:{}", index.low, index.size, index.stride)));
    }
}

fn word<'m>(text: impl Into<String>) -> Pending<'m> {
    Pending::Word(text.into())
}

fn root(place: &Place<Storage>) -> String {
    match place.root {
        Storage::Cell(id) => format!("c{}", id.index()),
        Storage::Local(id) => format!("l{}", id.index()),
        Storage::Constant(id) => format!("k{}", id.index()),
    }
}

fn symbol(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Remainder => "%",
        BinaryOperator::Power => "**",
        BinaryOperator::ShiftLeft => "<<",
        BinaryOperator::ShiftRight => ">>",
        BinaryOperator::Minimum => "<?",
        BinaryOperator::Maximum => ">?",
        BinaryOperator::BitAnd => "&",
        BinaryOperator::BitOr => "|",
        BinaryOperator::BitXor => "^",
        BinaryOperator::Less => "<",
        BinaryOperator::LessEqual => "<=",
        BinaryOperator::Equal => "==",
        BinaryOperator::NotEqual => "!=",
        BinaryOperator::GreaterEqual => ">=",
        BinaryOperator::Greater => ">",
    }
}
