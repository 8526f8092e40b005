//! Random expressions and functions of every form, over a small storage, so that all its contents
//! can be enumerated.

use zonaut_base::Id;
use zonaut_model::{
    Argument, BinaryOperator, CLOCK_LIMIT, Cell, CellId, CellKind, Clock, ClockConstraint, ClockId,
    Condition, ConstantId, Expression, ExpressionId, Formula, Function, FunctionId, Local, LocalId,
    Location, LocationKind, Model, Parameter, Place, PlaceIndex, Process, QuantifierKind, Range,
    Relation, Statement, Storage, UnaryOperator, ValueOf,
};

/// Two numbers, followed by two rows of two.
const RANGES: [(i32, i32); 6] = [(0, 3), (-2, 2), (0, 2), (0, 2), (-1, 1), (0, 2)];
const MATRIX: usize = 2;
const CONSTANTS: [i32; 3] = [2, -1, 1];
const CLOCKS: usize = 3;

/// The local that represents a select variable.
pub(crate) const SELECT: usize = 0;

/// Random numbers that are reproducible on all platforms (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Random(pub u64);

impl Random {
    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * end as u128) >> 64) as usize
    }

    /// A number from `low` to `high`.
    pub(crate) fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as usize) as i32
    }

    /// True in `percent` of a hundred cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`.
    pub(crate) fn choose<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// A random model with some functions, to which expressions are added.
pub(crate) struct Program {
    pub(crate) model: Model,
    pub(crate) random: Random,
    readable: Vec<LocalId>,
    writable: Vec<LocalId>,
    /// Whether the generated function returns an array or struct, possibly of one integer.
    returns_content: bool,
}

impl Program {
    /// The program of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        let mut model = Model::default();
        for (k, (low, high)) in RANGES.into_iter().enumerate() {
            let (name, range) = (format!("v{k}"), Range { low, high });
            let cell =
                Cell { name, owner: None, kind: CellKind::Integer, range, initial: 0, meta: false };
            model.cells.push(cell);
        }
        CONSTANTS.into_iter().for_each(|value| {
            model.constants.push(value);
        });
        for k in 0..CLOCKS {
            model.clocks.push(Clock { name: format!("x{k}"), owner: None, initial: 0 });
        }
        model.processes.push(Process {
            name: "P".to_owned(),
            template: "P".to_owned(),
            priority: 0,
            locations: ["a", "b"].into_iter().map(location).collect(),
            initial: Id::from_index(0),
            edges: Vec::new().into(),
        });
        let (readable, writable) = (Vec::new(), Vec::new());
        let random = Random(seed);
        let mut this = Self { model, random, readable, writable, returns_content: false };
        this.local((0, 2));
        for _ in 0..this.random.below(4) {
            this.function();
        }
        this.readable.push(Id::from_index(SELECT));
        this
    }

    /// A random expression of at most this depth.
    pub(crate) fn expression(&mut self, depth: u32) -> ExpressionId {
        let form = if depth == 0 { self.random.below(4) } else { self.random.below(23) };
        let expression = match form {
            0 => {
                let numbers = [0, 1, 1, 2, 3, -1, 5, i32::MAX, CLOCK_LIMIT, CLOCK_LIMIT + 1];
                Expression::Constant(self.random.choose(&numbers))
            }
            1..=3 => Expression::Read(self.place(depth, false)),
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
            13 => self.quantifier(depth),
            14..=16 => self.assignment(depth),
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
            20 | 21 => match self.model.functions.len() {
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

    /// A random formula of at most this depth.
    pub(crate) fn formula(&mut self, depth: u32) -> Formula {
        match if depth == 0 { self.random.below(3) } else { self.random.below(7) } {
            0 | 1 => Formula::Data(self.expression(2)),
            2 => Formula::Clock(ClockConstraint {
                condition: None,
                left: Place::fixed(ClockId::from_index(self.random.below(CLOCKS))),
                right: None,
                relation: self.random.choose(&[Relation::Less, Relation::GreaterEqual]),
                bound: self.constant(1),
            }),
            3 | 4 => Formula::Not(Box::new(self.formula(depth - 1))),
            form => {
                let parts = (0..self.random.below(4)).map(|_| self.formula(depth - 1)).collect();
                if form == 5 { Formula::And(parts) } else { Formula::Or(parts) }
            }
        }
    }

    fn constant(&mut self, value: i32) -> ExpressionId {
        self.model.expressions.push(Expression::Constant(value))
    }

    fn local(&mut self, (low, high): (i32, i32)) -> LocalId {
        let name = format!("l{}", self.model.locals.len());
        self.model.locals.push(Local { name, range: Range { low, high } })
    }

    fn index(&mut self, size: u32, stride: u32, depth: u32) -> PlaceIndex {
        let low = self.random.between(-1, 1);
        let value = if depth == 0 || self.random.chance(40) {
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
        if self.random.chance(60) {
            let cell = self.random.below(RANGES.len());
            return Place::fixed(Storage::Cell(CellId::from_index(cell)));
        }
        self.place_of(1, depth, written)
    }

    /// A place for `length` numbers, with computed indices.
    fn place_of(&mut self, length: u32, depth: u32, written: bool) -> Place<Storage> {
        if !written && self.random.chance(15) {
            let root = Storage::Constant(ConstantId::from_index(0));
            return Place { root, indices: vec![self.index(4 - length, 1, depth)] };
        }
        let root = Storage::Cell(CellId::from_index(MATRIX));
        let rows = self.index(2, 2, depth);
        let columns = self.index(3 - length, 1, depth);
        let mut indices = vec![rows, columns];
        if depth > 0 && self.random.chance(20) {
            // It selects nothing, and is evaluated for its effect.
            let (effect, zero) = (self.expression(depth - 1), self.constant(0));
            let value = self.model.expressions.push(Expression::Sequence(vec![effect, zero]));
            indices.insert(0, PlaceIndex { value, low: 0, size: 1, stride: 0 });
        }
        Place { root, indices }
    }

    fn clock(&mut self, depth: u32) -> Place<ClockId> {
        if self.random.chance(60) {
            return Place::fixed(ClockId::from_index(self.random.below(CLOCKS)));
        }
        let index = self.index(2, 1, depth);
        Place { root: ClockId::from_index(self.random.below(2)), indices: vec![index] }
    }

    fn quantifier(&mut self, depth: u32) -> Expression {
        let kinds = [QuantifierKind::ForAll, QuantifierKind::Exists, QuantifierKind::Sum];
        let kind = self.random.choose(&kinds);
        let low = self.random.between(-1, 2);
        // Some have more instances than domains unroll.
        let more = self.random.choose(&[-1, 0, 1, 2, 3, 600]);
        let high = low + more;
        let binder = self.local((low, high.max(low)));
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
        let range = self.random.choose(&[(-3, 3), (0, 100), (i32::MIN, i32::MAX)]);
        let first = self.local(range);
        (1..length).for_each(|_| {
            self.local(range);
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
        let is_long = result.is_some_and(|result| result.length > 1);
        self.returns_content = is_long || self.random.chance(20);
        let variable = self.local((-50, 50));
        self.readable = vec![variable];
        for parameter in &parameters {
            let first = parameter.first.index();
            let all = first..first + parameter.length as usize;
            self.readable.extend(all.map(LocalId::from_index));
        }
        self.writable = self.readable.clone();
        let mut body = vec![self.set(variable, 0)];
        body.extend(self.statements(2, result));
        if self.random.chance(90) {
            body.push(self.leave(result));
        }
        self.readable.clear();
        self.writable.clear();
        let name = format!("f{}", self.model.functions.len());
        self.model.functions.push(Function { name, parameters, result, body });
    }

    fn set(&mut self, local: LocalId, value: i32) -> Statement {
        let value = self.constant(value);
        let place = Place::fixed(Storage::Local(local));
        let set = Expression::Assign { place, operator: None, value, result: ValueOf::After };
        Statement::Expression(self.model.expressions.push(set))
    }

    fn leave(&mut self, result: Option<Parameter>) -> Statement {
        match result {
            None if self.random.chance(50) => Statement::Return(None),
            Some(target) if self.returns_content => {
                let source = self.place_of(target.length, 1, false);
                Statement::ReturnContent { source, target, at: self.constant(0) }
            }
            _ => Statement::Return(Some(self.expression(2))),
        }
    }

    fn statements(&mut self, depth: u32, result: Option<Parameter>) -> Vec<Statement> {
        let mut all = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            self.statement(depth, result, &mut all);
        }
        all
    }

    fn statement(&mut self, depth: u32, result: Option<Parameter>, all: &mut Vec<Statement>) {
        let statement = match if depth == 0 { 0 } else { self.random.below(10) } {
            1 | 2 => {
                let condition = self.expression(1);
                let yes = self.statements(depth - 1, result);
                Statement::If(condition, yes, self.statements(depth - 1, result))
            }
            3..=5 => self.repetition(depth, result, all),
            6 => {
                let low = self.random.between(-1, 1);
                let high = self.random.choose(&[-1, 1, 2, 700]);
                let binder = self.local((-1, 700));
                self.readable.push(binder);
                let body = self.statements(depth - 1, result);
                self.readable.pop();
                Statement::Iterate { binder, low, high, body }
            }
            7 => Statement::Assert(self.expression(1)),
            8 => self.leave(result),
            _ => Statement::Expression(self.expression(2)),
        };
        all.push(statement);
    }

    /// A loop that counts up to the value of an expression; some never end.
    fn repetition(
        &mut self,
        depth: u32,
        result: Option<Parameter>,
        all: &mut Vec<Statement>,
    ) -> Statement {
        let counter = self.local((0, 1000));
        all.push(self.set(counter, 0));
        let counter = Place::fixed(Storage::Local(counter));
        let value = self.model.expressions.push(Expression::Read(counter.clone()));
        let last = if self.random.chance(50) { self.constant(3) } else { self.expression(0) };
        let less = Expression::Binary(BinaryOperator::Less, value, last);
        let condition = self.model.expressions.push(less);
        let by = self.random.choose(&[1, 1, 1, 2, 0]);
        let (operator, value) = (Some(BinaryOperator::Add), self.constant(by));
        let step = Expression::Assign { place: counter, operator, value, result: ValueOf::After };
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
