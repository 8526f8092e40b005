//! State formulas along runs.

use crate::sampler::{RunError, Sampler};
use zonaut_compile::{CompiledCondition, CompiledQuery, Translation};
use zonaut_model::{Condition, Formula};

/// A compiled state formula.
#[derive(Clone, Debug)]
pub(crate) enum CompiledFormula {
    /// A condition on data, or a clock constraint.
    Atom(Box<CompiledCondition>),
    /// The negation.
    Not(Box<CompiledFormula>),
    /// The conjunction.
    And(Vec<CompiledFormula>),
    /// The disjunction.
    Or(Vec<CompiledFormula>),
}

impl CompiledFormula {
    pub(crate) fn new(translation: &mut Translation<'_>, formula: &Formula) -> Self {
        let mut all = |parts: &[Formula]| {
            parts.iter().map(|part| Self::new(translation, part)).collect::<Vec<_>>()
        };
        match formula {
            Formula::And(parts) => Self::And(all(parts)),
            Formula::Or(parts) => Self::Or(all(parts)),
            Formula::Not(inner) => Self::Not(Box::new(Self::new(translation, inner))),
            Formula::Data(data) => {
                let condition = Condition { data: Some(*data), clocks: Vec::new() };
                Self::Atom(Box::new(translation.condition(&condition)))
            }
            Formula::Clock(constraint) => {
                let condition = Condition { data: None, clocks: vec![constraint.clone()] };
                Self::Atom(Box::new(translation.condition(&condition)))
            }
            // The front end rejects it in statistical queries.
            Formula::Deadlock => Self::Or(Vec::new()),
        }
    }

    /// Whether it depends on clocks by constraints.
    pub(crate) fn constrains_clocks(&self) -> bool {
        self.any(&|atom| atom.constrains_clocks())
    }

    /// Whether it depends on floating point that changes while time passes.
    pub(crate) fn is_timed(&self) -> bool {
        self.any(&|atom| atom.is_timed())
    }

    fn any(&self, fits: &dyn Fn(&CompiledCondition) -> bool) -> bool {
        match self {
            Self::Atom(atom) => fits(atom),
            Self::Not(inner) => inner.any(fits),
            Self::And(parts) | Self::Or(parts) => parts.iter().any(|part| part.any(fits)),
        }
    }

    /// Whether it holds after `time` in the current segment.
    pub(crate) fn holds(
        &self,
        query: &CompiledQuery,
        sampler: &mut Sampler<'_>,
        time: f64,
    ) -> Result<bool, RunError> {
        match self {
            Self::Atom(atom) => sampler.atom_holds(query, atom, time),
            Self::Not(inner) => Ok(!inner.holds(query, sampler, time)?),
            Self::And(parts) => {
                for part in parts {
                    if !part.holds(query, sampler, time)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Self::Or(parts) => {
                for part in parts {
                    if part.holds(query, sampler, time)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// Adds the times within the current segment at which a clock constraint changes.
    pub(crate) fn add_crossings(
        &self,
        query: &CompiledQuery,
        sampler: &mut Sampler<'_>,
        into: &mut Vec<f64>,
    ) -> Result<(), RunError> {
        match self {
            Self::Atom(atom) => sampler.add_crossings(query, atom, into),
            Self::Not(inner) => inner.add_crossings(query, sampler, into),
            Self::And(parts) | Self::Or(parts) => {
                parts.iter().try_for_each(|part| part.add_crossings(query, sampler, into))
            }
        }
    }
}

impl Sampler<'_> {
    fn atom_holds(
        &mut self,
        query: &CompiledQuery,
        atom: &CompiledCondition,
        time: f64,
    ) -> Result<bool, RunError> {
        let mut constraints = std::mem::take(&mut self.constraints);
        let (values, machine) = self.state();
        if !query.data_holds(atom, values, machine)? {
            self.constraints = constraints;
            return Ok(false);
        }
        constraints.clear();
        query.for_each_real_constraint(atom, values, machine, |c| constraints.push(c))?;
        let holds = |constraint| self.motion.holds(&self.discrete.machine, constraint, time);
        let all = constraints.iter().all(holds);
        self.constraints = constraints;
        Ok(all)
    }

    fn add_crossings(
        &mut self,
        query: &CompiledQuery,
        atom: &CompiledCondition,
        into: &mut Vec<f64>,
    ) -> Result<(), RunError> {
        if !atom.constrains_clocks() {
            return Ok(());
        }
        let mut constraints = std::mem::take(&mut self.constraints);
        constraints.clear();
        let (values, machine) = self.state();
        query.for_each_real_constraint(atom, values, machine, |c| constraints.push(c))?;
        let crossing = |constraint| self.motion.crossing(&self.discrete.machine, constraint);
        into.extend(constraints.iter().filter_map(crossing));
        self.constraints = constraints;
        Ok(())
    }
}
