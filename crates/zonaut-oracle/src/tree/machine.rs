//! The state of the evaluator: variables, names and scopes.

use super::value::{Type, Value};
use crate::random::Random;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use zonaut_model::interpret::ErrorKind;
use zonaut_syntax::tree::{Document, Expressions, Function};

/// The reason for which an evaluation has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A run-time error of the model.
    Failed(ErrorKind),
    /// An unsupported feature, or too many steps.
    Beyond(&'static str),
}

/// The result of an evaluation.
pub(super) type Outcome<T> = Result<T, Stop>;

/// The maximal number of steps of one evaluation.
const STEPS: u32 = 200_000;

/// A variable, constant, clock or channel.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) ty: Type,
    pub(super) value: Value,
}

/// A variable or a part of one: positions of elements and members, from the outside in.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Lvalue {
    pub(super) variable: usize,
    pub(super) path: Vec<usize>,
}

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(super) enum Binding<'d> {
    Lvalue(Lvalue),
    Type(Type),
    /// A function, and the process in which it was declared.
    Function(&'d Function, Option<usize>),
}

/// The names of one block.
pub(super) type Names<'d> = Vec<(Arc<str>, Binding<'d>)>;

/// The scope of an evaluation, apart from global names.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope<'d> {
    /// The process whose names are visible.
    pub(super) process: Option<usize>,
    /// Blocks of the running function, the innermost last.
    pub(super) blocks: Vec<Names<'d>>,
}

/// A process.
#[derive(Clone, Debug)]
pub(super) struct Process<'d> {
    pub(super) name: Arc<str>,
    pub(super) template: usize,
    pub(super) names: Names<'d>,
}

/// A state: the location of each process and the value of each variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The position of the location of each process.
    pub locations: Vec<usize>,
    /// The value of each variable of the model.
    pub values: Vec<Value>,
}

/// A model, evaluated on its syntax tree.
#[derive(Clone, Debug)]
pub struct Machine<'d> {
    pub(super) document: &'d Document,
    /// The expressions of the document or of the query.
    pub(super) source: &'d Expressions,
    /// Variables of the model, then those of running functions.
    pub(super) variables: Vec<Variable>,
    pub(super) globals: Names<'d>,
    pub(super) processes: Vec<Process<'d>>,
    pub(super) scope: Scope<'d>,
    /// The current locations, for queries.
    pub(super) locations: Vec<usize>,
    pub(super) steps_left: u32,
    /// The numbers that clocks were compared with.
    pub(super) compared: RefCell<BTreeSet<i64>>,
    /// The random numbers of a random run, in which clocks are floating-point numbers; without one,
    /// floating point is not supported.
    pub(super) random: Option<Random>,
    /// The differences of both sides of the comparisons of clocks in a random run.
    pub(super) differences: RefCell<Vec<f64>>,
}

impl<'d> Machine<'d> {
    /// Declares everything in the document.
    ///
    /// # Errors
    /// If an initialiser fails, or a feature is not supported.
    pub fn new(document: &'d Document) -> Outcome<Self> {
        Self::declared(document, None)
    }

    /// The same, with random numbers if the model is run at random.
    pub(super) fn declared(document: &'d Document, random: Option<Random>) -> Outcome<Self> {
        let mut machine = Self {
            document,
            source: &document.expressions,
            variables: Vec::new(),
            globals: Vec::new(),
            processes: Vec::new(),
            scope: Scope::default(),
            locations: Vec::new(),
            steps_left: STEPS,
            compared: RefCell::default(),
            random,
            differences: RefCell::default(),
        };
        machine.declare_all()?;
        Ok(machine)
    }

    /// The initial state of the model.
    #[must_use]
    pub fn initial(&self) -> State {
        let locations = self.processes.iter().map(|process| {
            let template = &self.document.templates[process.template];
            template.initial.map_or(0, zonaut_base::Id::index)
        });
        State { locations: locations.collect(), values: self.values() }
    }

    pub(super) fn values(&self) -> Vec<Value> {
        self.variables.iter().map(|variable| variable.value.clone()).collect()
    }

    /// Loads a state, and resets the step budget.
    pub(super) fn load(&mut self, state: &State) {
        self.variables.truncate(state.values.len());
        for (variable, value) in self.variables.iter_mut().zip(&state.values) {
            variable.value.clone_from(value);
        }
        self.locations.clone_from(&state.locations);
        self.scope = Scope::default();
        self.source = &self.document.expressions;
        self.steps_left = STEPS;
    }

    pub(super) fn step(&mut self) -> Outcome<()> {
        self.steps_left = self.steps_left.checked_sub(1).ok_or(Stop::Beyond("too many steps"))?;
        Ok(())
    }

    /// The meaning of a name.
    pub(super) fn find(&self, name: &str) -> Outcome<Binding<'d>> {
        let process = self.scope.process.map(|process| &self.processes[process].names);
        let blocks = self.scope.blocks.iter().rev().chain(process).chain([&self.globals]);
        let mut names = blocks.flat_map(|block| block.iter().rev());
        let found = names.find(|(candidate, _)| **candidate == *name);
        found.map(|(_, binding)| binding.clone()).ok_or(Stop::Beyond("an unknown name"))
    }

    /// A new variable.
    pub(super) fn add(&mut self, ty: Type, value: Value) -> Lvalue {
        self.variables.push(Variable { ty, value });
        Lvalue { variable: self.variables.len() - 1, path: Vec::new() }
    }

    /// Binds a name in the innermost block.
    pub(super) fn bind(&mut self, name: &Arc<str>, binding: Binding<'d>) {
        let process = self.scope.process;
        let block = match (self.scope.blocks.last_mut(), process) {
            (Some(block), _) => block,
            (None, Some(process)) => &mut self.processes[process].names,
            (None, None) => &mut self.globals,
        };
        block.push((name.clone(), binding));
    }

    /// Runs `work` in a block of its own, and removes its variables afterwards.
    pub(super) fn in_block<T>(&mut self, work: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        let before = self.variables.len();
        self.scope.blocks.push(Vec::new());
        let result = work(self);
        self.scope.blocks.pop();
        self.variables.truncate(before);
        result
    }

    /// The value of an lvalue.
    pub(super) fn read(&self, place: &Lvalue) -> Value {
        let mut value = &self.variables[place.variable].value;
        for &position in &place.path {
            match value {
                Value::Array(parts) | Value::Struct(parts) => value = &parts[position],
                Value::Number(_) | Value::Real(_) => {}
            }
        }
        value.clone()
    }

    /// The type of an lvalue.
    pub(super) fn type_at(&self, place: &Lvalue) -> &Type {
        let mut ty = &self.variables[place.variable].ty;
        for &position in &place.path {
            match ty {
                Type::Array { element, .. } => ty = element,
                Type::Struct(members) => ty = &members[position].1,
                _ => {}
            }
        }
        ty
    }

    /// Stores a value, if it is in range.
    pub(super) fn write(&mut self, place: &Lvalue, value: Value) -> Outcome<()> {
        check(self.type_at(place), &value)?;
        let mut target = &mut self.variables[place.variable].value;
        for &position in &place.path {
            match target {
                Value::Array(parts) | Value::Struct(parts) => target = &mut parts[position],
                Value::Number(_) | Value::Real(_) => {
                    return Err(Stop::Beyond("a path into a number"));
                }
            }
        }
        *target = value;
        Ok(())
    }
}

/// Whether every number of a value is in the range of its type.
pub(super) fn check(ty: &Type, value: &Value) -> Outcome<()> {
    match (ty, value) {
        (Type::Number { low, high }, Value::Number(number)) => in_range(*number, *low, *high),
        (Type::Boolean, Value::Number(number)) => in_range(*number, 0, 1),
        (Type::Array { element, .. }, Value::Array(parts)) => {
            parts.iter().try_for_each(|part| check(element, part))
        }
        (Type::Struct(members), Value::Struct(parts)) => {
            members.iter().zip(parts).try_for_each(|((_, member), part)| check(member, part))
        }
        _ => Ok(()),
    }
}

fn in_range(number: i64, low: i64, high: i64) -> Outcome<()> {
    if (low..=high).contains(&number) {
        return Ok(());
    }
    let range = zonaut_model::Range { low: low as i32, high: high as i32 };
    Err(Stop::Failed(ErrorKind::Range(number, range)))
}
