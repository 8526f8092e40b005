//! Specifications as models, without the detour through text.
//!
//! This is a second translation from a specification to a model, which shares nothing with the
//! front end: the model read back from the printed text must behave the same.

use super::{
    Atom, ChannelPriority, Comparison, EdgeSpecification, Function, Operator, ProcessSpecification,
    Specification, Update, Value,
};
use zonaut_base::Id;
use zonaut_model as model;
use zonaut_model::{
    Argument, BinaryOperator, Cell, CellId, CellKind, ClockConstraint, ClockId, Condition,
    Expression, ExpressionId, Formula, FunctionId, Local, LocalId, Model, Place, PlaceIndex,
    Process, ProcessId, QueryKind, Range, Select, Statement, Storage, ValueOf,
};

impl Specification {
    /// The model with its query.
    #[must_use]
    pub fn to_model(&self) -> Model {
        let mut builder =
            Builder { specification: self, model: Model::default(), parts: Parts::default() };
        builder.build();
        builder.model
    }
}

/// The elements of a model that a specification does not list.
#[derive(Default)]
struct Parts {
    array: Option<CellId>,
    selected: Option<LocalId>,
    clip: Option<FunctionId>,
    triangle: Option<FunctionId>,
}

struct Builder<'s> {
    specification: &'s Specification,
    model: Model,
    parts: Parts,
}

impl Builder<'_> {
    fn build(&mut self) {
        self.declare();
        for (position, process) in self.specification.processes.iter().enumerate() {
            let process = self.process(position, process);
            self.model.processes.push(process);
        }
        let kind = self.query();
        let text = self.specification.query_text();
        self.model.queries.push(model::Query { index: 1, text, kind });
    }

    fn declare(&mut self) {
        let specification = self.specification;
        if specification.orders_channels() {
            self.model.default_priority = ChannelPriority::Same as u32;
        }
        for (position, clock) in specification.clocks.iter().enumerate() {
            let name = match clock.owner {
                Some(owner) => format!("P{owner}.x{position}"),
                None => format!("x{position}"),
            };
            let owner = clock.owner.map(ProcessId::from_index);
            self.model.clocks.push(model::Clock { name, owner, initial: 0 });
        }
        for (position, variable) in specification.variables.iter().enumerate() {
            let cell = self.cell(format!("v{position}"), variable.high, variable.initial);
            self.model.cells[cell].meta = variable.meta;
        }
        for (position, channel) in specification.channels.iter().enumerate() {
            for element in 0..channel.size.unwrap_or(1) {
                let name = match channel.size {
                    Some(_) => format!("c{position}[{element}]"),
                    None => format!("c{position}"),
                };
                let (broadcast, urgent) = (channel.broadcast, channel.urgent);
                let orders = specification.orders_channels();
                let priority = if orders { channel.priority as u32 } else { 0 };
                self.model.channels.push(model::Channel { name, broadcast, urgent, priority });
            }
        }
        if specification.uses_array() {
            let elements: Vec<CellId> =
                (0..3).map(|k| self.cell(format!("a[{k}]"), 3, 0)).collect();
            self.parts.array = elements.first().copied();
        }
        for function in specification.functions() {
            match function {
                Function::Clip => self.parts.clip = Some(self.define_clip()),
                Function::Triangle => self.parts.triangle = Some(self.define_triangle()),
            }
        }
        self.parts.selected = Some(self.local("s", Range { low: 0, high: 3 }));
    }

    fn cell(&mut self, name: String, high: i32, initial: i32) -> CellId {
        let range = Range { low: 0, high };
        let kind = CellKind::Integer;
        self.model.cells.push(Cell { name, owner: None, kind, range, initial, meta: false })
    }

    fn local(&mut self, name: &str, range: Range) -> LocalId {
        self.model.locals.push(Local { name: name.to_owned(), range })
    }

    fn push(&mut self, expression: Expression) -> ExpressionId {
        self.model.expressions.push(expression)
    }

    fn constant(&mut self, value: i32) -> ExpressionId {
        self.push(Expression::Constant(value))
    }

    fn read(&mut self, local: LocalId) -> ExpressionId {
        self.push(Expression::Read(Place::fixed(Storage::Local(local))))
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
    ) -> ExpressionId {
        self.push(Expression::Binary(operator, left, right))
    }

    fn assign(&mut self, place: Place<Storage>, value: ExpressionId) -> ExpressionId {
        self.push(Expression::Assign { place, operator: None, value, result: ValueOf::After })
    }

    /// `int clip(int n) { if (n > 2) return 2; return n; }`
    fn define_clip(&mut self) -> FunctionId {
        let n = self.local("n", Range::DEFAULT_INTEGER);
        let result = self.local("clip", Range::DEFAULT_INTEGER);
        let two = self.constant(2);
        let argument = self.read(n);
        let is_large = self.binary(BinaryOperator::Greater, argument, two);
        let body = vec![
            Statement::If(is_large, vec![Statement::Return(Some(two))], Vec::new()),
            Statement::Return(Some(argument)),
        ];
        self.define("clip", n, result, body)
    }

    /// `int triangle(int n) { int total = 0; int i = 0; while (i < n && i < 2) { i++; total += i; }
    /// return total; }`
    fn define_triangle(&mut self) -> FunctionId {
        let [n, result, total, i] =
            ["n", "triangle", "total", "i"].map(|name| self.local(name, Range::DEFAULT_INTEGER));
        let place = |local| Place::fixed(Storage::Local(local));
        let (zero, one, two) = (self.constant(0), self.constant(1), self.constant(2));
        let (read_n, read_i, read_total) = (self.read(n), self.read(i), self.read(total));
        let first = self.assign(place(total), zero);
        let second = self.assign(place(i), zero);
        let below_n = self.binary(BinaryOperator::Less, read_i, read_n);
        let below_two = self.binary(BinaryOperator::Less, read_i, two);
        let test = self.push(Expression::And(below_n, below_two));
        let next = self.binary(BinaryOperator::Add, read_i, one);
        let increment = self.assign(place(i), next);
        let larger = self.binary(BinaryOperator::Add, read_total, read_i);
        let add = self.assign(place(total), larger);
        let body = vec![
            Statement::Expression(first),
            Statement::Expression(second),
            Statement::While(
                test,
                vec![Statement::Expression(increment), Statement::Expression(add)],
            ),
            Statement::Return(Some(read_total)),
        ];
        self.define("triangle", n, result, body)
    }

    fn define(
        &mut self,
        name: &str,
        parameter: LocalId,
        result: LocalId,
        body: Vec<Statement>,
    ) -> FunctionId {
        let single = |first| model::Parameter { first, length: 1 };
        self.model.functions.push(model::Function {
            name: name.to_owned(),
            parameters: vec![single(parameter)],
            result: Some(single(result)),
            body,
        })
    }

    fn process(&mut self, position: usize, process: &ProcessSpecification) -> Process {
        let locations = process.locations.iter().enumerate().map(|(l, location)| model::Location {
            name: format!("l{l}"),
            kind: location.kind,
            invariant: self.condition(location.data.as_ref(), &location.invariant),
            rates: Vec::new(),
            cost_rate: None,
        });
        let locations = locations.collect();
        let name = format!("P{position}");
        let priority = self.specification.process_priorities().nth(position).unwrap_or(0);
        Process {
            template: name.clone(),
            name,
            priority,
            locations,
            initial: model::LocationId::from_index(0),
            edges: process.edges.iter().map(|edge| self.edge(edge)).collect(),
        }
    }

    fn edge(&mut self, edge: &EdgeSpecification) -> model::Edge {
        let binder = self.parts.selected.expect("invariant: declared before the processes");
        let synchronisation = edge.synchronisation.as_ref().map(|label| {
            let before = &self.specification.channels[..label.channel];
            let first: u32 = before.iter().map(|channel| channel.size.unwrap_or(1)).sum();
            let size = self.specification.channels[label.channel].size.unwrap_or(1);
            let indices = match &label.index {
                Some(index) => vec![self.index(index, size)],
                None => Vec::new(),
            };
            let channel = Place { root: model::ChannelId::from_index(first as usize), indices };
            model::Synchronisation { channel, direction: label.direction }
        });
        model::Edge {
            source: model::LocationId::from_index(edge.source),
            target: model::LocationId::from_index(edge.target),
            select: edge.select.map(|high| Select { binder, low: 0, high }).into_iter().collect(),
            guard: self.condition(edge.data.as_ref(), &edge.guard),
            synchronisation,
            updates: edge.updates.iter().map(|update| self.update(update)).collect(),
            controllable: true,
        }
    }

    fn index(&mut self, index: &Value, size: u32) -> PlaceIndex {
        PlaceIndex { value: self.value(index), low: 0, size, stride: 1 }
    }

    fn element(&mut self, index: &Value) -> Place<Storage> {
        let root = self.parts.array.expect("invariant: declared where it is used");
        Place { root: Storage::Cell(root), indices: vec![self.index(index, 3)] }
    }

    fn update(&mut self, update: &Update) -> ExpressionId {
        match update {
            Update::Set(variable, value) => {
                let place = Place::fixed(Storage::Cell(CellId::from_index(*variable)));
                let value = self.value(value);
                self.assign(place, value)
            }
            Update::SetElement(index, value) => {
                let place = self.element(index);
                let value = self.value(value);
                self.assign(place, value)
            }
            Update::Reset(clock, value) => {
                let value = self.value(value);
                self.push(Expression::AssignClock(clock_place(*clock), value))
            }
            Update::Copy(to, from) => {
                self.push(Expression::CopyClock(clock_place(*to), clock_place(*from)))
            }
        }
    }

    fn condition(&mut self, data: Option<&Comparison>, atoms: &[Atom]) -> Condition {
        Condition {
            data: data.map(|data| self.comparison(data)),
            clocks: atoms.iter().map(|atom| self.atom(atom)).collect(),
        }
    }

    fn atom(&mut self, atom: &Atom) -> ClockConstraint {
        ClockConstraint {
            condition: None,
            left: clock_place(atom.left),
            right: atom.right.map(clock_place),
            relation: atom.relation,
            bound: self.value(&atom.bound),
        }
    }

    fn comparison(&mut self, comparison: &Comparison) -> ExpressionId {
        let left = self.value(&comparison.left);
        let right = self.value(&comparison.right);
        let operator = match comparison.operator {
            Operator::Equal => BinaryOperator::Equal,
            Operator::NotEqual => BinaryOperator::NotEqual,
            Operator::LessEqual => BinaryOperator::LessEqual,
            Operator::Greater => BinaryOperator::Greater,
        };
        self.binary(operator, left, right)
    }

    fn value(&mut self, value: &Value) -> ExpressionId {
        let expression = match value {
            Value::Constant(number) => Expression::Constant(*number),
            Value::Variable(variable) => {
                Expression::Read(Place::fixed(Storage::Cell(CellId::from_index(*variable))))
            }
            Value::Selected => {
                let binder = self.parts.selected.expect("invariant: declared before the processes");
                Expression::Read(Place::fixed(Storage::Local(binder)))
            }
            Value::Element(index) => Expression::Read(self.element(index)),
            Value::Sum(left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                Expression::Binary(BinaryOperator::Add, left, right)
            }
            Value::Remainder(number, by) => {
                let (number, by) = (self.value(number), self.constant(*by));
                Expression::Binary(BinaryOperator::Remainder, number, by)
            }
            Value::Call(function, argument) => {
                let function = match function {
                    Function::Clip => self.parts.clip,
                    Function::Triangle => self.parts.triangle,
                };
                let function = function.expect("invariant: defined where it is used");
                Expression::Call(function, vec![Argument::Value(self.value(argument))])
            }
        };
        self.push(expression)
    }

    fn at(&mut self, process: usize, location: usize) -> Formula {
        let process = ProcessId::from_index(process);
        let location = model::LocationId::from_index(location);
        Formula::Data(self.push(Expression::At(process, location)))
    }

    fn query(&mut self) -> QueryKind {
        let query = &self.specification.query;
        let mut parts = Vec::new();
        parts.extend(query.locations.iter().map(|&(process, location)| self.at(process, location)));
        for atom in &query.atoms {
            parts.push(Formula::Clock(self.atom(atom)));
        }
        if let Some(data) = &query.data {
            parts.push(Formula::Data(self.comparison(data)));
        }
        let elsewhere = query.elsewhere.iter();
        parts.extend(
            elsewhere
                .map(|&(process, location)| Formula::Not(Box::new(self.at(process, location)))),
        );
        parts.extend(query.deadlock.map(|is_dead| match is_dead {
            true => Formula::Deadlock,
            false => Formula::Not(Box::new(Formula::Deadlock)),
        }));
        let mut goal = Formula::And(parts);
        if let Some((process, location)) = query.alternative {
            goal = Formula::Or(vec![self.at(process, location), goal]);
        }
        if query.possibly {
            QueryKind::Possibly(goal)
        } else {
            QueryKind::Always(Formula::Not(Box::new(goal)))
        }
    }
}

fn clock_place(clock: usize) -> Place<ClockId> {
    Place::fixed(ClockId::from_index(clock))
}
