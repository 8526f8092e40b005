//! The interpreter of a network at a single clock valuation.

use super::clocks::Clocks;
use super::offers::Offer;
use super::prepared::{Atom, Prepared, location_of, prepare};
use super::state::State;
use std::fmt;
use zonaut_model::interpret::{DEFAULT_BUDGET, ErrorKind, Interpreter, RunTimeError};
use zonaut_model::{ClockId, ExpressionId, Formula, LocationKind, Model};

/// A reason for which a network cannot be executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// It uses a feature that this transition relation does not support.
    Unsupported(&'static str),
    /// The initial state violates an invariant: an error of the model.
    InitialInvariant,
    /// The evaluation of an expression fails in the initial state.
    Failed(RunTimeError),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(what) => write!(f, "not supported here: {what}"),
            Self::InitialInvariant => f.write_str("the initial state violates an invariant"),
            Self::Failed(error) => write!(f, "in the initial state: {}", error.kind),
        }
    }
}

/// Evaluates a network at one clock valuation at a time.
///
/// Usage: [`Self::look`] at a state, then call [`Self::for_each_step`] and [`Self::time_may_pass`],
/// which refer to the state last looked at.
#[derive(Debug)]
pub struct Machine<'m, C: Clocks> {
    pub(super) model: &'m Model,
    pub(super) prepared: Prepared<'m>,
    /// The representation of clock valuations.
    pub clocks: C,
    pub(super) interpreter: Interpreter<'m>,
    pub(super) offers: Vec<Offer>,
    pub(super) select_values: Vec<i32>,
    pub(super) successor: State<C::Value>,
    pub(super) has_priorities: bool,
    has_meta_cells: bool,
    has_rates: bool,
    /// Whether `deadlock` holds in the state in which formulas are evaluated. It depends on delays,
    /// so the caller must compute it before it evaluates a formula with `deadlock`.
    pub is_deadlocked: bool,
}

impl<'m, C: Clocks> Machine<'m, C> {
    /// A machine for `model`. Callers that delay must ask which clocks are [`Self::stopped`].
    pub fn new(model: &'m Model, clocks: C) -> Self {
        Self {
            model,
            prepared: prepare(model),
            clocks,
            interpreter: Interpreter::new(model, DEFAULT_BUDGET),
            offers: Vec::new(),
            select_values: Vec::new(),
            successor: State { locations: Vec::new(), cells: Vec::new(), clocks: Vec::new() },
            has_priorities: model.has_priorities(),
            is_deadlocked: false,
            has_meta_cells: model.cells.iter().any(|cell| cell.meta),
            has_rates: model.has_rates(),
        }
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The initial state.
    ///
    /// # Errors
    /// If an invariant does not hold in it.
    pub fn initial(&mut self) -> Result<State<C::Value>, Problem> {
        let values: Vec<i32> = self.model.clocks.iter().map(|clock| clock.initial).collect();
        let mut clocks = Vec::new();
        self.clocks.start(&values, &mut clocks);
        let locations = self.model.processes.iter().map(|process| process.initial).collect();
        let state = State { locations, cells: self.model.initial_cells(), clocks };
        match self.invariant_holds(&state) {
            Ok(true) => Ok(state),
            Ok(false) => Err(Problem::InitialInvariant),
            Err(error) => Err(Problem::Failed(error)),
        }
    }

    /// Whether the invariants of all current locations hold. The data part is evaluated first, and
    /// the bounds of the clock part only if the data part holds.
    ///
    /// # Errors
    /// If an evaluation fails.
    pub fn invariant_holds(&mut self, state: &State<C::Value>) -> Result<bool, RunTimeError> {
        self.load(state);
        let mut all = true;
        for process in self.model.processes.ids() {
            let location = location_of(&state.locations, process);
            let data = self.prepared[process].invariants[location].data;
            if !self.data_holds(data)? {
                return Ok(false);
            }
            for position in 0..self.prepared[process].invariants[location].atoms.len() {
                let atom = self.prepared[process].invariants[location].atoms[position];
                all &= self.atom_holds(&atom, &state.clocks)?;
            }
        }
        if all {
            // Rates are evaluated as soon as a state is entered.
            self.stopped(state)?;
        }
        Ok(all)
    }

    /// The stopped clocks of a state: those that have the rate 0 in some current location.
    ///
    /// # Errors
    /// If an evaluation fails, or a rate is neither 0 nor 1.
    pub fn stopped(&mut self, state: &State<C::Value>) -> Result<Vec<ClockId>, RunTimeError> {
        let mut stopped = Vec::new();
        if !self.has_rates {
            return Ok(stopped);
        }
        self.load(state);
        let model = self.model;
        for (process, definition) in model.processes.iter_enumerated() {
            for rate in &definition.locations[location_of(&state.locations, process)].rates {
                if !self.data_holds(rate.condition)? {
                    continue;
                }
                let (indices, root) = (&rate.clock.indices, rate.clock.root);
                let clock = self.interpreter.element(rate.rate, indices, root)?;
                match self.evaluate(rate.rate)? {
                    0 => stopped.push(clock),
                    1 => {}
                    other => {
                        let range = zonaut_model::Range { low: 0, high: 1 };
                        let kind = ErrorKind::Range(i64::from(other), range);
                        return Err(RunTimeError { kind, expression: rate.rate });
                    }
                }
            }
        }
        Ok(stopped)
    }

    /// Whether a state formula holds. Operands are evaluated from left to right, with short
    /// circuits.
    ///
    /// # Errors
    /// If an evaluation fails.
    pub fn formula_holds(
        &mut self,
        state: &State<C::Value>,
        formula: &'m Formula,
    ) -> Result<bool, RunTimeError> {
        self.load(state);
        self.interpreter.locations.clone_from(&state.locations);
        self.part_holds(state, formula)
    }

    fn part_holds(
        &mut self,
        state: &State<C::Value>,
        formula: &'m Formula,
    ) -> Result<bool, RunTimeError> {
        match formula {
            Formula::Data(expression) => Ok(self.evaluate(*expression)? != 0),
            Formula::Clock(constraint) => {
                self.atom_holds(&Atom::new(self.model, constraint), &state.clocks)
            }
            Formula::Deadlock => Ok(self.is_deadlocked),
            Formula::Not(inner) => Ok(!self.part_holds(state, inner)?),
            Formula::And(parts) => self.first_decides(state, parts, false),
            Formula::Or(parts) => self.first_decides(state, parts, true),
        }
    }

    fn first_decides(
        &mut self,
        state: &State<C::Value>,
        parts: &'m [Formula],
        deciding: bool,
    ) -> Result<bool, RunTimeError> {
        for part in parts {
            if self.part_holds(state, part)? == deciding {
                return Ok(deciding);
            }
        }
        Ok(!deciding)
    }

    /// Whether some current location is of this kind.
    pub(super) fn is_somewhere(&self, state: &State<C::Value>, kind: LocationKind) -> bool {
        let mut processes = self.model.processes.iter_enumerated();
        processes
            .any(|(id, process)| process.locations[location_of(&state.locations, id)].kind == kind)
    }

    pub(super) fn load(&mut self, state: &State<C::Value>) {
        self.interpreter.cells.clone_from(&state.cells);
    }

    pub(super) fn evaluate(&mut self, expression: ExpressionId) -> Result<i32, RunTimeError> {
        self.interpreter.refill(DEFAULT_BUDGET);
        self.interpreter.evaluate(expression)
    }

    pub(super) fn data_holds(&mut self, data: Option<ExpressionId>) -> Result<bool, RunTimeError> {
        data.map_or(Ok(true), |data| Ok(self.evaluate(data)? != 0))
    }

    /// Resets every `meta` cell to its initial value.
    pub(super) fn forget_meta_cells(&mut self) {
        if self.has_meta_cells {
            for (content, cell) in self.interpreter.cells.iter_mut().zip(&self.model.cells) {
                if cell.meta {
                    *content = cell.initial;
                }
            }
        }
    }
}
