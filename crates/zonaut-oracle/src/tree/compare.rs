//! Comparison of single edges before and after lowering.

use super::machine::{Binding, Lvalue, Machine, Names, State, Stop};
use super::network::Action;
use super::value::{Type, Value};
use crate::random::Random;
use std::collections::HashMap;
use std::fmt;
use std::mem::discriminant;
use zonaut_base::Id;
use zonaut_model::interpret::{ClockEffect, DEFAULT_BUDGET, ErrorKind, Interpreter};
use zonaut_model::{Cell, CellId, ClockId, Edge, Model};
use zonaut_syntax::tree::Document;

/// The maximal number of selections of one edge that are compared.
const SELECTIONS: usize = 4;

/// A difference between the syntax tree and the lowered model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The process and the number of its edge.
    pub edge: (String, usize),
    /// Whether the guard differs; otherwise the updates do.
    pub in_guard: bool,
    /// The result of the tree.
    pub written: String,
    /// The result of the model.
    pub lowered: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { edge: (process, number), in_guard, written, lowered } = self;
        let part = if *in_guard { "guard" } else { "updates" };
        write!(f, "the {part} of edge {number} of {process}: {written} by the tree, ")?;
        write!(f, "{lowered} when lowered")
    }
}

/// Compares guards and updates of all edges that leave the locations of these states, in the states
/// and in changed ones.
///
/// # Errors
/// The first difference.
pub fn compare(
    document: &Document,
    model: &Model,
    states: &[State],
    seed: u64,
) -> Result<(), Box<Difference>> {
    let Ok(machine) = Machine::new(document) else { return Ok(()) };
    let mut pair = Pair::new(machine, model);
    for state in states {
        pair.state(state)?;
        let changed = pair.changed(state, seed);
        pair.state(&changed)?;
    }
    Ok(())
}

/// Both evaluators, with the variables that the cells and clocks of the model come from.
struct Pair<'d, 'm> {
    machine: Machine<'d>,
    model: &'m Model,
    interpreter: Interpreter<'m>,
    cells: Vec<(CellId, Lvalue)>,
    clocks: Vec<(ClockId, Lvalue)>,
}

impl<'d, 'm> Pair<'d, 'm> {
    fn new(machine: Machine<'d>, model: &'m Model) -> Self {
        let places = places(&machine);
        let cells = model.cells.iter_enumerated();
        let cells = cells.filter_map(|(id, cell)| Some((id, places.get(&cell.name)?.clone())));
        let clocks = model.clocks.iter_enumerated();
        let clocks = clocks.filter_map(|(id, clock)| Some((id, places.get(&clock.name)?.clone())));
        let (cells, clocks) = (cells.collect(), clocks.collect());
        let interpreter = Interpreter::new(model, DEFAULT_BUDGET);
        Self { machine, model, interpreter, cells, clocks }
    }

    /// The state with other values in some variables.
    fn changed(&mut self, state: &State, seed: u64) -> State {
        self.machine.load(state);
        for (cell, place) in &self.cells {
            let Cell { range, name, .. } = &self.model.cells[*cell];
            // Adding or removing a variable must not change the values of the others; this helps
            // shrinking.
            let name = name.bytes().fold(seed, |seed, byte| seed.rotate_left(7) ^ u64::from(byte));
            let mut random = Random::new(name);
            if random.chance(40) {
                let value = match range.low.checked_add(8).filter(|&high| high < range.high) {
                    Some(high) if random.chance(80) => random.between(range.low, high).max(0),
                    Some(_) => range.high,
                    None => random.between(range.low, range.high),
                };
                // With an injected fault, the lowered range may be wider: the variable then keeps
                // its value.
                let _ = self.machine.write(place, Value::Number(value.into()));
            }
        }
        State { locations: state.locations.clone(), values: self.machine.values() }
    }

    fn state(&mut self, state: &State) -> Result<(), Box<Difference>> {
        for process in 0..state.locations.len() {
            self.machine.load(state);
            let Ok(actions) = self.machine.actions(state, process) else { continue };
            for action in actions.iter().take(4 * SELECTIONS) {
                self.guard(state, action)?;
                self.updates(state, action)?;
            }
        }
        Ok(())
    }

    fn load(&mut self, state: &State, action: &Action) -> &'m Edge {
        self.machine.load(state);
        for (cell, place) in &self.cells {
            self.interpreter.cells[cell.index()] = number(&self.machine, place);
        }
        self.interpreter.clock_effects.clear();
        self.interpreter.refill(DEFAULT_BUDGET);
        let process = &self.model.processes[Id::from_index(action.process)];
        let edge = &process.edges[Id::from_index(action.path)];
        for (select, &value) in edge.select.iter().zip(&action.select) {
            self.interpreter.set_local(select.binder, value as i32);
        }
        edge
    }

    fn guard(&mut self, state: &State, action: &Action) -> Result<(), Box<Difference>> {
        let edge = self.load(state, action);
        let written = self.machine.data_guard_holds(action);
        let lowered = self.interpreter.data_holds(&edge.guard);
        let lowered = lowered.map_err(|error| error.kind);
        let is_same = match (&written, &lowered) {
            (Err(Stop::Beyond(_)), _) | (_, Err(ErrorKind::Budget)) => true,
            (Ok(written), Ok(lowered)) => written == lowered,
            (Err(Stop::Failed(a)), Err(b)) => is_alike(a, b),
            _ => false,
        };
        if is_same {
            return Ok(());
        }
        Err(self.difference(action, true, format!("{written:?}"), format!("{lowered:?}")))
    }

    fn updates(&mut self, state: &State, action: &Action) -> Result<(), Box<Difference>> {
        let edge = self.load(state, action);
        let written = self.machine.update(action);
        let mut updates = edge.updates.iter();
        let lowered = updates.try_for_each(|update| self.interpreter.evaluate(*update).map(drop));
        let lowered = lowered.map_err(|error| error.kind);
        match (&written, &lowered) {
            (Err(Stop::Beyond(_)), _) | (_, Err(ErrorKind::Budget)) => return Ok(()),
            (Err(Stop::Failed(a)), Err(b)) if is_alike(a, b) => return Ok(()),
            (Ok(()), Ok(())) => {}
            _ => {
                let texts = (format!("{written:?}"), format!("{lowered:?}"));
                return Err(self.difference(action, false, texts.0, texts.1));
            }
        }
        for (cell, place) in &self.cells {
            let (tree, cells) = (number(&self.machine, place), &self.interpreter.cells);
            if tree != cells[cell.index()] {
                let name = &self.model.cells[*cell].name;
                let texts = (format!("{name} = {tree}"), format!("{}", cells[cell.index()]));
                return Err(self.difference(action, false, texts.0, texts.1));
            }
        }
        self.clocks(state, action)
    }

    fn clocks(&self, state: &State, action: &Action) -> Result<(), Box<Difference>> {
        let mut before = self.machine.clone();
        before.load(state);
        let mut values: HashMap<ClockId, i32> = HashMap::new();
        for (clock, place) in &self.clocks {
            values.insert(*clock, number(&before, place));
        }
        for effect in &self.interpreter.clock_effects {
            match *effect {
                ClockEffect::Set(clock, value) => values.insert(clock, value),
                ClockEffect::Copy(to, from) => {
                    let value = values.get(&from).copied().unwrap_or_default();
                    values.insert(to, value)
                }
            };
        }
        for (clock, place) in &self.clocks {
            let tree = number(&self.machine, place);
            if values[clock] != tree {
                let name = &self.model.clocks[*clock].name;
                let texts = (format!("{name} = {tree}"), format!("{}", values[clock]));
                return Err(self.difference(action, false, texts.0, texts.1));
            }
        }
        Ok(())
    }

    fn difference(
        &self,
        action: &Action,
        in_guard: bool,
        written: String,
        lowered: String,
    ) -> Box<Difference> {
        let process = self.model.processes[Id::from_index(action.process)].name.clone();
        Box::new(Difference { edge: (process, action.path), in_guard, written, lowered })
    }
}

/// Whether two failures are of one kind. The index of a reference argument is a hidden argument,
/// which is checked like a value.
fn is_alike(a: &ErrorKind, b: &ErrorKind) -> bool {
    let is_range = |kind: &ErrorKind| matches!(kind, ErrorKind::Range(..) | ErrorKind::Index(..));
    discriminant(a) == discriminant(b) || (is_range(a) && is_range(b))
}

fn number(machine: &Machine<'_>, place: &Lvalue) -> i32 {
    match machine.read(place) {
        Value::Number(number) => number as i32,
        Value::Real(_) | Value::Array(_) | Value::Struct(_) => 0,
    }
}

/// The lvalues of all numbers and clocks, by their names in the model.
fn places(machine: &Machine<'_>) -> HashMap<String, Lvalue> {
    let mut places = HashMap::new();
    let mut add = |prefix: &str, names: &Names<'_>| {
        for (name, binding) in names {
            if let Binding::Lvalue(place) = binding {
                let ty = machine.type_at(place);
                add_places(ty, format!("{prefix}{name}"), place.clone(), &mut places);
            }
        }
    };
    add("", &machine.globals);
    for process in &machine.processes {
        add(&format!("{}.", process.name), &process.names);
    }
    places
}

fn add_places(ty: &Type, name: String, place: Lvalue, places: &mut HashMap<String, Lvalue>) {
    let part = |position: usize| {
        let mut part = place.clone();
        part.path.push(position);
        part
    };
    match ty {
        Type::Array { low, size, element } => {
            for position in 0..*size {
                let name = format!("{name}[{}]", low + position as i64);
                add_places(element, name, part(position), places);
            }
        }
        Type::Struct(members) => {
            for (position, (member, ty)) in members.iter().enumerate() {
                add_places(ty, format!("{name}.{member}"), part(position), places);
            }
        }
        _ => {
            places.insert(name, place);
        }
    }
}
