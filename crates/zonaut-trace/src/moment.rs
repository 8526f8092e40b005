//! Evaluation of formulas at an instant of a run, by the reference interpreter.

use crate::trace::{Rational, TraceState};
use zonaut_base::Id;
use zonaut_model::interpret::{Interpreter, RunTimeError};
use zonaut_model::{ClockConstraint, ClockId, ExpressionId, Formula, Model, Place, Relation};

/// A model in a state, with values of its clocks.
pub(crate) struct Moment<'m> {
    model: &'m Model,
    pub(crate) interpreter: Interpreter<'m>,
    pub(crate) clocks: Vec<Rational>,
}

/// The reason why the value of a formula is unknown.
pub(crate) enum Unknown {
    /// Its evaluation fails.
    Failure(RunTimeError),
    /// It contains `deadlock`, which a single instant does not determine.
    Deadlock,
}

impl From<RunTimeError> for Unknown {
    fn from(error: RunTimeError) -> Self {
        Self::Failure(error)
    }
}

/// A clock constraint with its indices and its bound evaluated.
pub(crate) struct Comparison {
    pub(crate) left: ClockId,
    pub(crate) right: Option<ClockId>,
    pub(crate) relation: Relation,
    pub(crate) bound: i32,
}

impl Comparison {
    /// The left side of the comparison, for values or for rates of the clocks.
    pub(crate) fn difference(&self, clocks: &[Rational]) -> Rational {
        let value =
            |clock: ClockId| clocks.get(clock.index()).copied().unwrap_or(Rational::from(0));
        self.right.map_or(value(self.left), |right| value(self.left) - value(right))
    }

    fn holds(&self, clocks: &[Rational]) -> bool {
        let order = self.difference(clocks).cmp(&Rational::from(self.bound));
        match self.relation {
            Relation::Less => order.is_lt(),
            Relation::LessEqual => order.is_le(),
            Relation::Equal => order.is_eq(),
            Relation::GreaterEqual => order.is_ge(),
            Relation::Greater => order.is_gt(),
        }
    }
}

impl<'m> Moment<'m> {
    /// The model in `state`, with a budget of steps for all evaluations; `None` if it is not a
    /// state of the model.
    pub(crate) fn new(model: &'m Model, state: &TraceState, budget: u64) -> Option<Self> {
        let interpreter = Interpreter::new(model, budget);
        let mut moment = Self { model, interpreter, clocks: Vec::new() };
        moment.enter(state)?;
        Some(moment)
    }

    /// Moves to another state, on arrival.
    pub(crate) fn enter(&mut self, state: &TraceState) -> Option<()> {
        let mut values = state.variables.iter();
        for (cell, declared) in self.model.cells.iter().enumerate() {
            if !declared.meta {
                self.interpreter.cells[cell] = values.next()?.1;
            }
        }
        let places = self.model.processes.iter().zip(&state.locations);
        let location = |(process, place): (&zonaut_model::Process, &String)| {
            let name = place.strip_prefix(process.name.as_str())?.strip_prefix('.')?;
            process.locations.iter_enumerated().find(|(_, it)| it.name == name).map(|(id, _)| id)
        };
        self.interpreter.locations = places.map(location).collect::<Option<_>>()?;
        self.clocks = state.clocks.iter().map(|(_, value)| *value).collect();
        Some(())
    }

    /// Whether a formula holds.
    pub(crate) fn holds(&mut self, formula: &Formula) -> Result<bool, Unknown> {
        match formula {
            Formula::Data(id) => Ok(self.interpreter.holds(*id)?),
            Formula::Clock(constraint) => {
                let comparison = self.comparison(constraint)?;
                Ok(comparison.is_none_or(|comparison| comparison.holds(&self.clocks)))
            }
            Formula::Deadlock => Err(Unknown::Deadlock),
            Formula::Not(inner) => Ok(!self.holds(inner)?),
            Formula::And(parts) => Ok(!self.any_is(parts, false)?),
            Formula::Or(parts) => self.any_is(parts, true),
        }
    }

    fn any_is(&mut self, parts: &[Formula], value: bool) -> Result<bool, Unknown> {
        for part in parts {
            if self.holds(part)? == value {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The comparison of a constraint; `None` if its condition does not hold.
    pub(crate) fn comparison(
        &mut self,
        constraint: &ClockConstraint,
    ) -> Result<Option<Comparison>, RunTimeError> {
        if let Some(condition) = constraint.condition
            && !self.interpreter.holds(condition)?
        {
            return Ok(None);
        }
        let at = constraint.bound;
        let bound = self.interpreter.clock_bound(at)?;
        let left = self.clock(at, &constraint.left)?;
        let right = constraint.right.as_ref().map(|right| self.clock(at, right)).transpose()?;
        Ok(Some(Comparison { left, right, relation: constraint.relation, bound }))
    }

    fn clock(&mut self, at: ExpressionId, place: &Place<ClockId>) -> Result<ClockId, RunTimeError> {
        self.interpreter.element(at, &place.indices, place.root)
    }

    /// The rate of each clock during a delay in this state.
    pub(crate) fn rates(&mut self) -> Result<Vec<Rational>, RunTimeError> {
        let model = self.model;
        let mut rates = vec![Rational::from(1); model.clocks.len()];
        #[cfg(feature = "faults")]
        if crate::faults::Fault::StoppedClocksGo.is_selected() {
            return Ok(rates);
        }
        for (index, process) in model.processes.iter().enumerate() {
            for rate in &process.locations[self.interpreter.locations[index]].rates {
                let applies = rate.condition.map_or(Ok(true), |it| self.interpreter.holds(it))?;
                if applies && self.interpreter.evaluate(rate.rate)? == 0 {
                    rates[self.clock(rate.rate, &rate.clock)?.index()] = Rational::from(0);
                }
            }
        }
        Ok(rates)
    }
}
