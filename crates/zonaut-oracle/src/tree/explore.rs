//! An explorer of models before lowering, with integer time.
//!
//! Models with closed bounds and without clock differences are decided by integer delays (T.
//! Henzinger, Z. Manna, A. Pnueli, *What good are digital clocks?*, ICALP 1992,
//! doi:10.1007/3-540-55719-9_103), and a clock above all numbers that clocks are compared with may
//! stay there. With a single clock it suffices to stop at those numbers and directly after them,
//! however large they are.

use super::machine::{Machine, Outcome, State, Stop};
use super::value::{Type, Value};

use std::collections::{BTreeSet, HashSet};
use zonaut_model::interpret::ErrorKind;
use zonaut_syntax::tree::{Document, ExpressionId, LocationKind, Queries, Query};

/// With several clocks, the maximal constant that time is counted up to in single units.
const COUNTED: i64 = 40;

/// The result of an exploration.
#[derive(Clone, Debug)]
pub struct Explored {
    /// The minimal number of actions to a state that decides the query.
    pub goal: Option<u32>,
    /// The number of actions to the first run-time error found, and its kind.
    pub failure: Option<(u32, ErrorKind)>,
    /// The states, in order of the number of actions.
    pub states: Vec<State>,
}

/// Explores a model for its first query, up to a number of states.
///
/// # Errors
/// If there are more states, or a feature is not supported.
pub fn explore(
    document: &Document,
    queries: &Queries,
    limit: usize,
) -> Result<Explored, &'static str> {
    let mut machine = Machine::new(document).map_err(|stop| match stop {
        Stop::Failed(_) => "an initialiser that fails",
        Stop::Beyond(what) => what,
    })?;
    let initial = machine.initial();
    let (formula, wanted) = match queries.entries.first().and_then(|entry| entry.query.as_deref()) {
        Some(Query::Possibly(formula)) => (*formula, true),
        Some(Query::Always(formula)) => (*formula, false),
        _ => return Err("such a query"),
    };
    loop {
        let known = machine.compared.borrow().clone();
        let mut search = Search {
            queries,
            formula,
            wanted,
            seen: HashSet::new(),
            found: Explored { goal: None, failure: None, states: Vec::new() },
            known,
        };
        search.run(&mut machine, &initial, limit)?;
        if search.known == *machine.compared.borrow() {
            return Ok(search.found);
        }
    }
}

struct Search<'d> {
    queries: &'d Queries,
    formula: ExpressionId,
    wanted: bool,
    seen: HashSet<State>,
    found: Explored,
    /// The numbers that clocks are compared with, as known at the start of the search.
    known: BTreeSet<i64>,
}

impl<'d> Search<'d> {
    fn run(
        &mut self,
        machine: &mut Machine<'d>,
        initial: &State,
        limit: usize,
    ) -> Result<(), &'static str> {
        match machine.invariant_holds(initial) {
            Ok(true) => {}
            Ok(false) => return Err("an initial state that is impossible"),
            Err(Stop::Failed(_)) => return Err("an invariant that fails in the initial state"),
            Err(Stop::Beyond(what)) => return Err(what),
        }
        let mut layer = vec![initial.clone()];
        let mut actions = 0;
        while !layer.is_empty() {
            let mut next = Vec::new();
            while let Some(mut state) = layer.pop() {
                self.cut(machine, &mut state);
                if !self.seen.insert(state.clone()) {
                    continue;
                }
                if self.seen.len() > limit {
                    return Err("too many states");
                }
                self.found.states.push(state.clone());
                self.visit(machine, &state, actions, &mut next)?;
                if let Some(later) = self.delayed(machine, &state, actions)? {
                    layer.push(later);
                }
            }
            layer = next;
            actions += 1;
        }
        Ok(())
    }

    /// The value of an outcome; `None` if the model fails there, which is recorded.
    fn noted<T>(&mut self, outcome: Outcome<T>, actions: u32) -> Result<Option<T>, &'static str> {
        match outcome {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Beyond(what)) => Err(what),
            Err(Stop::Failed(kind)) => {
                self.found.failure.get_or_insert((actions, kind));
                Ok(None)
            }
        }
    }

    fn visit(
        &mut self,
        machine: &mut Machine<'d>,
        state: &State,
        actions: u32,
        next: &mut Vec<State>,
    ) -> Result<(), &'static str> {
        machine.load(state);
        machine.source = &self.queries.expressions;
        let holds = machine.holds(self.formula);
        if self.noted(holds, actions)? == Some(self.wanted) {
            self.found.goal.get_or_insert(actions);
        }
        let steps = machine.steps(state);
        for step in self.noted(steps, actions)?.into_iter().flatten() {
            next.extend(self.noted(step, actions)?.flatten());
        }
        Ok(())
    }

    /// The state after the next relevant delay, if there is one.
    fn delayed(
        &mut self,
        machine: &mut Machine<'d>,
        state: &State,
        actions: u32,
    ) -> Result<Option<State>, &'static str> {
        let stands = [LocationKind::Urgent, LocationKind::Committed];
        if stands.into_iter().any(|kind| machine.is_somewhere(state, kind)) {
            return Ok(None);
        }
        let mut values = Vec::new();
        for_each_clock(machine, &mut state.clone(), &mut |value| values.push(*value));
        let most = self.known.last().copied().unwrap_or(0).max(0);
        let by = match values[..] {
            [] => return Ok(None),
            [value] => {
                let stops = self.known.iter().flat_map(|&number| [number, number + 1]);
                match stops.filter(|&stop| stop > value).min() {
                    Some(stop) => stop - value,
                    None => return Ok(None),
                }
            }
            _ if most > COUNTED => return Err("large numbers for several clocks"),
            _ => 1,
        };
        let mut later = state.clone();
        for_each_clock(machine, &mut later, &mut |value| *value += by);
        self.cut(machine, &mut later);
        if later == *state {
            return Ok(None);
        }
        let holds = machine.invariant_holds(&later);
        Ok(self.noted(holds, actions)?.unwrap_or(false).then_some(later))
    }

    /// Cuts clocks off one above all numbers that they are compared with.
    fn cut(&self, machine: &Machine<'d>, state: &mut State) {
        let above = self.known.last().copied().unwrap_or(0).max(0) + 1;
        for_each_clock(machine, state, &mut |value| *value = above.min(*value));
    }
}

/// Calls `visit` with the value of each clock of a state.
fn for_each_clock(machine: &Machine<'_>, state: &mut State, visit: &mut impl FnMut(&mut i64)) {
    fn inside(ty: &Type, value: &mut Value, visit: &mut impl FnMut(&mut i64)) {
        match (ty, value) {
            (Type::Clock, Value::Number(number)) => visit(number),
            (Type::Array { element, .. }, Value::Array(parts)) => {
                parts.iter_mut().for_each(|part| inside(element, part, visit));
            }
            _ => {}
        }
    }
    for (variable, value) in machine.variables.iter().zip(&mut state.values) {
        inside(&variable.ty, value, visit);
    }
}
