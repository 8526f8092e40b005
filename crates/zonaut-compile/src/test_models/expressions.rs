//! Random expressions and functions of every form, over a small storage.

use super::Random;
use zonaut_base::Id;
use zonaut_model::{
    Argument, BinaryOperator, Cell, CellId, CellKind, Clock, ClockId, Condition, ConstantId,
    Expression, ExpressionId, Function, FunctionId, Local, LocalId, Location, LocationKind, Model,
    Parameter, Place, PlaceIndex, Process, QuantifierKind, Range, Statement, Storage,
    UnaryOperator, ValueOf,
};

/// The cells: two numbers, a matrix of two rows and three columns, a truth value, a wide number.
const RANGES: [(i32, i32); 10] = [
    (0, 3),
    (-2, 2),
    (-9, 9),
    (-9, 9),
    (-9, 9),
    (-9, 9),
    (-9, 9),
    (-9, 9),
    (0, 1),
    (-32768, 32767),
];
const MATRIX: usize = 2;
const CLOCKS: usize = 4;
const CONSTANTS: [i32; 4] = [3, -1, 0, 70_000];

/// The local that represents a select variable.
pub(crate) const SELECT: usize = 0;

/// A random model with some functions, and expressions to evaluate.
pub(crate) struct RandomModel {
    pub(crate) model: Model,
    random: Random,
    /// Locals that may be read here.
    readable: Vec<LocalId>,
    /// Locals that may be written here.
    writable: Vec<LocalId>,
}

impl RandomModel {
    /// The model of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        let mut model = Model::default();
        for (k, (low, high)) in RANGES.into_iter().enumerate() {
            let kind = CellKind::Integer;
            let range = Range { low, high };
            let (name, owner) = (format!("v{k}"), None);
            model.cells.push(Cell { name, owner, kind, range, initial: 0, meta: k == 1 });
        }
        CONSTANTS.into_iter().for_each(|value| {
            model.constants.push(value);
        });
        for k in 0..CLOCKS {
            model.clocks.push(Clock { name: format!("x{k}"), owner: None, initial: 0 });
        }
        let process = Process {
            name: "P".to_owned(),
            template: "P".to_owned(),
            priority: 0,
            locations: ["a", "b"].into_iter().map(location).collect(),
            initial: Id::from_index(0),
            edges: Vec::new().into(),
        };
        model.processes.push(process);
        let mut this =
            Self { model, random: Random(seed), readable: Vec::new(), writable: Vec::new() };
        this.local(0, 2);
        for _ in 0..this.random.below(4) {
            this.function();
        }
        this.readable.push(Id::from_index(SELECT));
        this
    }

    /// A random expression of at most this depth.
    pub(crate) fn expression(&mut self, depth: u32) -> ExpressionId {
        let form = if depth == 0 { self.random.below(4) } else { self.random.below(22) };
        let expression = match form {
            0 | 1 => Expression::Constant(self.random.choose(&[0, 1, 1, 2, 3, -1, 5, i32::MIN])),
            2 | 3 => Expression::Read(self.place(depth, false)),
            4 => Expression::At(Id::from_index(0), Id::from_index(self.random.below(2))),
            5 => {
                let operator = self.random.choose(&[UnaryOperator::Negate, UnaryOperator::Not]);
                Expression::Unary(operator, self.expression(depth - 1))
            }
            6..=9 => {
                let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
                Expression::Binary(self.random.choose(&BinaryOperator::ALL), left, right)
            }
            10 | 11 => {
                let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
                if form == 10 { Expression::And(left, right) } else { Expression::Or(left, right) }
            }
            12 => {
                let condition = self.expression(depth - 1);
                let (yes, no) = (self.expression(depth - 1), self.expression(depth - 1));
                Expression::Conditional(condition, yes, no)
            }
            13 | 14 => self.quantifier(depth),
            15 | 16 => self.assignment(depth),
            17 => {
                let (left, right) = (self.place_of(2, depth, false), self.place_of(2, depth, true));
                if self.random.chance(50) {
                    Expression::SameContent(right, left, 2)
                } else {
                    Expression::CopyContent(right, left, 2)
                }
            }
            18 => {
                let clock = self.clock(depth);
                Expression::AssignClock(clock, self.expression(depth - 1))
            }
            19 => {
                let (target, source) = (self.clock(depth), self.clock(depth));
                Expression::CopyClock(target, source)
            }
            20 => match self.model.functions.len() {
                0 => Expression::AddCost(self.expression(depth - 1)),
                count => {
                    let function = Id::from_index(self.random.below(count));
                    self.call(function, depth)
                }
            },
            _ => Expression::Sequence(
                (0..1 + self.random.below(3)).map(|_| self.expression(depth - 1)).collect(),
            ),
        };
        self.model.expressions.push(expression)
    }

    fn constant(&mut self, value: i32) -> ExpressionId {
        self.model.expressions.push(Expression::Constant(value))
    }

    fn local(&mut self, low: i32, high: i32) -> LocalId {
        let name = format!("l{}", self.model.locals.len());
        self.model.locals.push(Local { name, range: Range { low, high } })
    }

    fn index(&mut self, size: u32, stride: u32, depth: u32) -> PlaceIndex {
        let low = self.random.between(-1, 1);
        let value = if depth == 0 || self.random.chance(70) {
            let beyond = usize::from(self.random.chance(10));
            let value = low + self.random.below(size as usize + beyond) as i32;
            self.constant(value)
        } else {
            self.expression(depth - 1)
        };
        PlaceIndex { value, low, size, stride }
    }

    /// A place for one number.
    fn place(&mut self, depth: u32, written: bool) -> Place<Storage> {
        let locals = if written { &self.writable } else { &self.readable };
        if !locals.is_empty() && self.random.chance(40) {
            return Place::fixed(Storage::Local(self.random.choose(locals)));
        }
        if self.random.chance(50) {
            let cells = [0, 1, MATRIX, MATRIX + 3, MATRIX + 6, MATRIX + 7];
            return Place::fixed(Storage::Cell(CellId::from_index(self.random.choose(&cells))));
        }
        self.place_of(1, depth, written)
    }

    /// A place for `length` numbers, with computed indices.
    fn place_of(&mut self, length: u32, depth: u32, written: bool) -> Place<Storage> {
        if !written && self.random.chance(20) {
            let root = Storage::Constant(ConstantId::from_index(0));
            return Place { root, indices: vec![self.index(5 - length, 1, depth)] };
        }
        let root = Storage::Cell(CellId::from_index(MATRIX));
        let rows = self.index(2, 3, depth);
        let columns = self.index(4 - length, 1, depth);
        let mut indices = vec![rows, columns];
        if depth > 0 && self.random.chance(15) {
            indices.insert(self.random.below(3), self.idle_index(depth));
        }
        Place { root, indices }
    }

    /// An index that selects nothing and is evaluated for its effect.
    fn idle_index(&mut self, depth: u32) -> PlaceIndex {
        let parts = vec![self.expression(depth - 1), self.constant(0)];
        let value = self.model.expressions.push(Expression::Sequence(parts));
        PlaceIndex { value, low: 0, size: 1, stride: 0 }
    }

    fn clock(&mut self, depth: u32) -> Place<ClockId> {
        if self.random.chance(60) {
            return Place::fixed(ClockId::from_index(self.random.below(CLOCKS)));
        }
        let index = self.index(2, 2, depth);
        Place { root: ClockId::from_index(self.random.below(2)), indices: vec![index] }
    }

    fn quantifier(&mut self, depth: u32) -> Expression {
        let kinds = [QuantifierKind::ForAll, QuantifierKind::Exists, QuantifierKind::Sum];
        let kind = self.random.choose(&kinds);
        let low = self.random.between(-1, 2);
        let high = low + self.random.between(-1, 3);
        let binder = self.local(low, high.max(low));
        self.readable.push(binder);
        let body = self.expression(depth - 1);
        self.readable.pop();
        Expression::Quantifier { kind, binder, low, high, body }
    }

    fn assignment(&mut self, depth: u32) -> Expression {
        let place = self.place(depth, true);
        let operator = self.random.chance(40).then(|| self.random.choose(&BinaryOperator::ALL));
        let result = self.random.choose(&[ValueOf::Before, ValueOf::After]);
        Expression::Assign { place, operator, value: self.expression(depth - 1), result }
    }

    fn call(&mut self, function: FunctionId, depth: u32) -> Expression {
        let parameters = self.model.functions[function].parameters.clone();
        let mut arguments = Vec::new();
        for parameter in parameters {
            arguments.push(match parameter.length {
                1 => Argument::Value(self.expression(depth - 1)),
                length => Argument::Content(self.place_of(length, depth, false)),
            });
        }
        Expression::Call(function, arguments)
    }

    fn parameter(&mut self, length: u32) -> Parameter {
        let (low, high) = self.random.choose(&[(-3, 3), (-100, 100), (i32::MIN, i32::MAX)]);
        let first = self.local(low, high);
        (1..length).for_each(|_| {
            self.local(low, high);
        });
        Parameter { first, length }
    }

    fn function(&mut self) {
        let lengths: Vec<u32> =
            (0..self.random.below(3)).map(|_| self.random.choose(&[1, 1, 2])).collect();
        let parameters: Vec<_> = lengths.into_iter().map(|length| self.parameter(length)).collect();
        let result = match self.random.below(4) {
            0 => None,
            1 => Some(self.parameter(2)),
            _ => Some(self.parameter(1)),
        };
        let variable = self.local(-50, 50);
        self.readable = vec![variable];
        for parameter in &parameters {
            let first = parameter.first.index();
            let all = first..first + parameter.length as usize;
            self.readable.extend(all.map(LocalId::from_index));
        }
        self.writable = self.readable.clone();
        let zero = self.constant(0);
        let start = Expression::Assign {
            place: Place::fixed(Storage::Local(variable)),
            operator: None,
            value: zero,
            result: ValueOf::After,
        };
        let start = self.model.expressions.push(start);
        let mut body = vec![Statement::Expression(start)];
        body.extend(self.statements(2, result));
        if self.random.chance(90) {
            body.push(self.leave(result));
        }
        self.readable.clear();
        self.writable.clear();
        let name = format!("f{}", self.model.functions.len());
        self.model.functions.push(Function { name, parameters, result, body });
    }

    fn leave(&mut self, result: Option<Parameter>) -> Statement {
        match result {
            None if self.random.chance(50) => Statement::Return(None),
            Some(target) if target.length > 1 || self.random.chance(30) => {
                let source = self.place_of(target.length, 1, false);
                Statement::ReturnContent { source, target, at: self.constant(0) }
            }
            _ => Statement::Return(Some(self.expression(2))),
        }
    }

    fn statements(&mut self, depth: u32, result: Option<Parameter>) -> Vec<Statement> {
        (0..self.random.below(3)).map(|_| self.statement(depth, result)).collect()
    }

    fn statement(&mut self, depth: u32, result: Option<Parameter>) -> Statement {
        match if depth == 0 { 0 } else { self.random.below(9) } {
            1 | 2 => {
                let condition = self.expression(1);
                let yes = self.statements(depth - 1, result);
                Statement::If(condition, yes, self.statements(depth - 1, result))
            }
            3 | 4 => self.repetition(depth, result),
            5 => {
                let (low, high) = (self.random.between(-1, 1), self.random.between(-1, 3));
                let binder = self.local(-1, 3);
                self.readable.push(binder);
                let body = self.statements(depth - 1, result);
                self.readable.pop();
                Statement::Iterate { binder, low, high, body }
            }
            6 => Statement::Assert(self.expression(1)),
            7 => self.leave(result),
            _ => Statement::Expression(self.expression(2)),
        }
    }

    /// A loop that counts, so that it ends.
    fn repetition(&mut self, depth: u32, result: Option<Parameter>) -> Statement {
        let counter = Place::fixed(Storage::Local(self.local(0, 1000)));
        let value = self.model.expressions.push(Expression::Read(counter.clone()));
        let last = self.constant(3);
        let less = Expression::Binary(BinaryOperator::Less, value, last);
        let condition = self.model.expressions.push(less);
        let one = self.constant(1);
        let operator = Some(BinaryOperator::Add);
        let step =
            Expression::Assign { place: counter, operator, value: one, result: ValueOf::After };
        let mut body = vec![Statement::Expression(self.model.expressions.push(step))];
        body.extend(self.statements(depth - 1, result));
        if self.random.chance(50) {
            Statement::While(condition, body)
        } else {
            Statement::DoWhile(body, condition)
        }
    }
}

fn location(name: &str) -> Location {
    Location {
        name: name.to_owned(),
        kind: LocationKind::Ordinary,
        invariant: Condition::default(),
        rates: Vec::new(),
        cost_rate: None,
    }
}
