//! Validation of the structural rules that all stages after the front end rely on.

use crate::statistical::{RealId, RealParts};
use crate::{
    Argument, ClockConstraint, Condition, Edge, Expression, ExpressionId, Extremum, Formula,
    Function, Model, Parameter, Place, Process, QueryKind, Range, Statement, Storage,
};
use std::fmt;
use zonaut_base::Id;

/// A violated rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The element that violates it.
    pub element: String,
    /// A description of the violation.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.element, self.message)
    }
}

impl Model {
    /// Checks that all ids are in range, that children come before parents and called functions
    /// before their callers, that places stay inside storage, and that ranges are not empty and
    /// hold the initial values.
    ///
    /// # Errors
    /// All violated rules.
    pub fn validate(&self) -> Result<(), Vec<Problem>> {
        let mut validator = Validator { model: self, element: String::new(), problems: Vec::new() };
        validator.storage();
        validator.expressions();
        validator.functions();
        for process in &self.processes {
            validator.process(process);
        }
        validator.updates();
        validator.queries();
        validator.chart();
        validator.statistical();
        if validator.problems.is_empty() { Ok(()) } else { Err(validator.problems) }
    }
}

struct Validator<'m> {
    model: &'m Model,
    element: String,
    problems: Vec<Problem>,
}

impl Validator<'_> {
    fn require(&mut self, holds: bool, message: &str) {
        if !holds {
            let element = self.element.clone();
            self.problems.push(Problem { element, message: message.to_owned() });
        }
    }

    fn storage(&mut self) {
        let model = self.model;
        for cell in &model.cells {
            self.element = format!("cell {}", cell.name);
            self.range(cell.range);
            self.require(cell.range.contains(cell.initial.into()), "its initial value is no value");
            self.require(
                cell.owner.is_none_or(|owner| model.processes.get(owner).is_some()),
                "its process does not exist",
            );
            if let crate::CellKind::Scalar(set) = cell.kind {
                self.require(model.scalar_sets.get(set).is_some(), "its set does not exist");
            }
        }
        for local in &model.locals {
            self.element = format!("local {}", local.name);
            self.range(local.range);
        }
        for clock in &model.clocks {
            self.element = format!("clock {}", clock.name);
            self.require(clock.initial >= 0, "it starts below 0");
            self.require(
                clock.owner.is_none_or(|owner| model.processes.get(owner).is_some()),
                "its process does not exist",
            );
        }
    }

    fn statistical(&mut self) {
        let (model, statistical) = (self.model, &self.model.statistical);
        for (id, expression) in statistical.expressions.iter_enumerated() {
            self.element = format!("floating-point expression {}", id.index());
            let parts = expression.parts();
            self.require(parts.reals.iter().all(|child| *child < id), "a child comes after it");
            self.real_parts(&parts);
        }
        for (id, meaning) in &statistical.uses {
            self.element = format!("stand-in {}", id.index());
            self.require(model.expressions.get(*id).is_some(), "it does not exist");
            self.real_parts(&meaning.parts());
        }
        for cell in &statistical.cells {
            self.element = format!("floating-point cell {}", cell.name);
            self.reals(cell.initial.as_slice());
        }
        for (id, arguments) in &statistical.arguments {
            self.element = format!("arguments of {}", id.index());
            let is_call = matches!(model.expressions.get(*id), Some(Expression::Call(..)));
            self.require(is_call, "they belong to no call");
            for argument in arguments {
                self.real_parts(&argument.parts());
            }
        }
        for (&(process, location), rate) in &statistical.exponential_rates {
            self.element = "an exponential rate".to_owned();
            let found = model.processes.get(process);
            let found = found.is_some_and(|found| found.locations.get(location).is_some());
            self.require(found, "its location does not exist");
            self.reals(&[rate.rate]);
            self.reals(rate.scale.as_slice());
        }
        for (&(process, edge), weight) in &statistical.weights {
            self.element = "a weight".to_owned();
            let found = model.processes.get(process);
            let found = found.is_some_and(|found| found.edges.get(edge).is_some());
            self.require(found, "its edge does not exist");
            self.reals(&[weight.value]);
        }
        for rate in &statistical.rates {
            self.element = "the rate of a hybrid clock".to_owned();
            let found = model.processes.get(rate.process);
            let found = found.is_some_and(|found| found.locations.get(rate.location).is_some());
            self.require(found, "its location does not exist");
            self.reals(&[rate.rate]);
            let last = rate.clock.root.index() + rate.clock.extent();
            self.require(last < statistical.cells.len(), "its clock does not exist");
        }
    }

    fn reals(&mut self, reals: &[RealId]) {
        let known = self.model.statistical.expressions.len();
        self.require(reals.iter().all(|id| id.index() < known), "an operand does not exist");
    }

    fn real_parts(&mut self, parts: &RealParts) {
        self.reals(&parts.reals);
        let (integers, cells) = (self.model.expressions.len(), self.model.statistical.cells.len());
        let exist = parts.integers.iter().all(|id| id.index() < integers);
        self.require(exist, "an integer operand does not exist");
        self.require(parts.cells_end <= cells, "a place leaves the storage");
    }

    fn range(&mut self, range: Range) {
        self.require(range.low <= range.high, "its range is empty");
    }

    fn expressions(&mut self) {
        for (id, expression) in self.model.expressions.iter_enumerated() {
            self.element = format!("expression {}", id.index());
            let mut children = Vec::new();
            expression.for_each_child(|child| children.push(child));
            self.require(children.iter().all(|child| *child < id), "a child comes after it");
            self.expression(expression);
        }
    }

    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Read(place) => self.place(place, 1),
            Expression::At(process, location) => {
                let found = self.model.processes.get(*process);
                let found = found.is_some_and(|found| found.locations.get(*location).is_some());
                self.require(found, "its location does not exist");
            }
            Expression::Quantifier { binder, low, high, .. } => {
                let local = self.model.locals.get(*binder);
                let fits = local.is_some_and(|local| {
                    low > high
                        || (local.range.contains((*low).into())
                            && local.range.contains((*high).into()))
                });
                self.require(fits, "its variable does not exist or cannot hold its values");
            }
            Expression::SameContent(left, right, length)
            | Expression::CopyContent(left, right, length) => {
                self.place(left, *length);
                self.place(right, *length);
            }
            Expression::Assign { place, .. } => {
                self.place(place, 1);
                let is_constant = matches!(place.root, Storage::Constant(_));
                self.require(!is_constant, "it assigns a constant");
            }
            Expression::Call(function, arguments) => match self.model.functions.get(*function) {
                None => self.require(false, "its function does not exist"),
                Some(function) => self.arguments(function, arguments),
            },
            Expression::AssignClock(clock, _) => self.clocks(clock),
            Expression::CopyClock(target, source) => {
                self.clocks(target);
                self.clocks(source);
            }
            Expression::Sequence(parts) => self.require(!parts.is_empty(), "it is empty"),
            // All other expressions have only children, which are checked above.
            _ => {}
        }
    }

    fn arguments(&mut self, function: &Function, arguments: &[Argument]) {
        self.require(function.parameters.len() == arguments.len(), "arguments are missing");
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            match argument {
                Argument::Value(_) => self.require(parameter.length == 1, "a number is no array"),
                Argument::Content(place) => self.place(place, parameter.length),
            }
        }
    }

    fn place(&mut self, place: &Place<Storage>, length: u32) {
        let (start, end) = match place.root {
            Storage::Cell(cell) => (cell.index(), self.model.cells.len()),
            Storage::Local(local) => (local.index(), self.model.locals.len()),
            Storage::Constant(constant) => (constant.index(), self.model.constants.len()),
        };
        let last = start + place.extent() + length as usize;
        self.require(last <= end, "a place reaches beyond its storage");
    }

    fn clocks(&mut self, place: &Place<crate::ClockId>) {
        let last = place.root.index() + place.extent();
        self.require(last < self.model.clocks.len(), "a clock does not exist");
    }

    fn id(&mut self, id: ExpressionId) {
        self.require(self.model.expressions.get(id).is_some(), "an expression does not exist");
    }

    fn functions(&mut self) {
        for (id, function) in self.model.functions.iter_enumerated() {
            self.element = format!("function {}", function.name);
            for parameter in function.parameters.iter().chain(&function.result) {
                self.parameter(*parameter);
            }
            let mut open = Vec::new();
            self.statements(&function.body, &mut open);
            let mut seen = std::collections::BTreeSet::new();
            while let Some(expression) = open.pop() {
                if !seen.insert(expression) {
                    continue;
                }
                self.id(expression);
                let Some(expression) = self.model.expressions.get(expression) else { continue };
                if let Expression::Call(callee, _) = expression {
                    self.require(*callee < id, "it calls a function that comes after it");
                }
                expression.for_each_child(|child| open.push(child));
            }
        }
    }

    fn parameter(&mut self, parameter: Parameter) {
        let last = parameter.first.index() + parameter.length as usize;
        self.require(last <= self.model.locals.len(), "a parameter has no storage");
    }

    fn statements(&mut self, body: &[Statement], all: &mut Vec<ExpressionId>) {
        for statement in body {
            match statement {
                Statement::Expression(id) | Statement::Assert(id) => all.push(*id),
                Statement::If(condition, yes, no) => {
                    all.push(*condition);
                    self.statements(yes, all);
                    self.statements(no, all);
                }
                Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                    all.push(*condition);
                    self.statements(body, all);
                }
                Statement::Iterate { binder, body, .. } => {
                    let exists = self.model.locals.get(*binder).is_some();
                    self.require(exists, "a bound variable has no storage");
                    self.statements(body, all);
                }
                Statement::Return(value) => all.extend(value),
                Statement::ReturnContent { source, target, at } => {
                    self.place(source, target.length);
                    self.parameter(*target);
                    all.push(*at);
                }
            }
        }
    }

    fn process(&mut self, process: &Process) {
        self.element = format!("process {}", process.name);
        let exists = process.locations.get(process.initial).is_some();
        self.require(exists, "its initial location does not exist");
        for location in &process.locations {
            self.element = format!("location {}.{}", process.name, location.name);
            self.condition(&location.invariant);
            for rate in &location.rates {
                self.clocks(&rate.clock);
                self.id(rate.rate);
                rate.condition.into_iter().for_each(|id| self.id(id));
            }
            location.cost_rate.into_iter().for_each(|id| self.id(id));
        }
        for (id, edge) in process.edges.iter_enumerated() {
            self.element = format!("edge {} of {}", id.index(), process.name);
            self.edge(process, edge);
        }
    }

    fn edge(&mut self, process: &Process, edge: &Edge) {
        for location in [edge.source, edge.target] {
            let exists = process.locations.get(location).is_some();
            self.require(exists, "one of its locations does not exist");
        }
        for select in &edge.select {
            let exists = self.model.locals.get(select.binder).is_some();
            self.require(exists, "a select variable has no storage");
        }
        self.condition(&edge.guard);
        if let Some(synchronisation) = &edge.synchronisation {
            let channel = &synchronisation.channel;
            let last = channel.root.index() + channel.extent();
            self.require(last < self.model.channels.len(), "its channel does not exist");
        }
        edge.updates.iter().for_each(|id| self.id(*id));
    }

    fn condition(&mut self, condition: &Condition) {
        condition.data.into_iter().for_each(|id| self.id(id));
        for constraint in &condition.clocks {
            self.constraint(constraint);
        }
    }

    fn constraint(&mut self, constraint: &ClockConstraint) {
        constraint.condition.into_iter().for_each(|id| self.id(id));
        self.id(constraint.bound);
        self.clocks(&constraint.left);
        constraint.right.iter().for_each(|right| self.clocks(right));
    }

    fn updates(&mut self) {
        let model = self.model;
        self.element = "global updates".to_owned();
        model.before_update.iter().chain(&model.after_update).for_each(|id| self.id(*id));
    }

    fn queries(&mut self) {
        for query in &self.model.queries {
            self.element = format!("query {}", query.text);
            match &query.kind {
                QueryKind::Possibly(p)
                | QueryKind::Always(p)
                | QueryKind::PossiblyAlways(p)
                | QueryKind::Eventually(p) => self.formula(p),
                QueryKind::LeadsTo(p, q) => {
                    self.formula(p);
                    self.formula(q);
                }
                QueryKind::Supremum(p, list)
                | QueryKind::Infimum(p, list)
                | QueryKind::Bounds(p, list) => {
                    self.formula(p);
                    for extremum in list {
                        match extremum {
                            Extremum::Integer(id) => self.id(*id),
                            Extremum::Clock(place) => self.clocks(place),
                            Extremum::Cost => {}
                        }
                    }
                }
                QueryKind::Statistical(query) => {
                    query.formulas().into_iter().for_each(|formula| self.formula(formula));
                    query.bounds().for_each(|bound| self.id(bound.at));
                    self.reals(&query.numbers());
                }
                QueryKind::Unsupported(_) | QueryKind::Damaged => {}
            }
        }
    }

    fn chart(&mut self) {
        for row in &self.model.chart {
            self.element = format!("row {}", row.name);
            for bar in &row.bars {
                self.formula(&bar.condition);
                self.id(bar.colour);
                self.require(!bar.condition.mentions_deadlock(), "it asks for deadlocks");
            }
        }
    }

    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::Data(id) => self.id(*id),
            Formula::Clock(constraint) => self.constraint(constraint),
            Formula::Deadlock => {}
            Formula::Not(inner) => self.formula(inner),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| self.formula(part));
            }
        }
    }
}
