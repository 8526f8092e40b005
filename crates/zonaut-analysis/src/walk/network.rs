//! Guards, invariants, synchronisations and goals.

use super::{Displacements, Walk, clock_limit};
use crate::domain::{Domain, Truth};
use crate::failure::FailureKind;
use crate::normal_form::{Binding, Bindings, Test, TestKind};
use zonaut_model::{
    ClockConstraint, Condition, ExpressionId, Formula, PlaceIndex, Range, Select, Storage,
    Synchronisation,
};

impl<D: Domain> Walk<'_, D> {
    /// Sets select variables to any of their values; `None` if one has an empty range.
    pub fn select(&mut self, select: &[Select]) -> Option<()> {
        for variable in select {
            if variable.low > variable.high {
                return None;
            }
            let value = self.domain.between(variable.low, variable.high)?;
            self.domain.store(&mut self.memory, Storage::Local(variable.binder), value);
        }
        Some(())
    }

    /// Sets bound variables to their values; `None` if one has none.
    pub fn bind_all(&mut self, bindings: &Bindings) -> Option<()> {
        for &(local, binding) in bindings {
            let (low, high) = match binding {
                Binding::Value(value) => (value, value),
                Binding::Any(low, high) => (low, high),
            };
            self.select(&[Select { binder: local, low, high }])?;
        }
        Some(())
    }

    /// Whether a test holds, with its variables bound; `None` if evaluation never succeeds.
    pub fn test(&mut self, test: &Test) -> Option<Truth> {
        match &test.kind {
            TestKind::Holds { expression, negated } => {
                let truth = self.holds(*expression)?;
                Some(if *negated { truth.negated() } else { truth })
            }
            TestKind::Chooses { indices, displacement } => {
                let wanted = *displacement as usize;
                let chosen = self.displacements(indices)?;
                Some(match chosen.as_slice() {
                    [only] if *only == wanted => Truth::Holds,
                    several if several.contains(&wanted) => Truth::Either,
                    _ => Truth::Fails,
                })
            }
        }
    }

    /// Evaluates updates in order; `None` if their end is never reached.
    pub fn update(&mut self, updates: &[ExpressionId]) -> Option<()> {
        updates.iter().try_for_each(|&update| self.evaluate(update).map(|_| ()))
    }

    /// Whether an expression holds; `None` if its evaluation never succeeds.
    pub fn holds(&mut self, id: ExpressionId) -> Option<Truth> {
        let value = self.evaluate(id)?;
        Some(self.domain.truth(&value))
    }

    /// Whether the data part of a condition holds; `None` if evaluation never succeeds. The clock
    /// part is evaluated if the data part may hold.
    pub fn condition(&mut self, condition: &Condition) -> Option<Truth> {
        let truth = match condition.data {
            Some(data) => self.holds(data)?,
            None => Truth::Holds,
        };
        if truth.may_hold() {
            for constraint in &condition.clocks {
                if self.constraint(constraint).is_none() && truth == Truth::Holds {
                    return None;
                }
            }
        }
        Some(truth)
    }

    /// Evaluates the expressions of a clock constraint; `None` if that never succeeds.
    pub fn constraint(&mut self, constraint: &ClockConstraint) -> Option<()> {
        let applies = match constraint.condition {
            Some(condition) => self.holds(condition)?,
            None => Truth::Holds,
        };
        if applies == Truth::Fails {
            return Some(());
        }
        self.compared(constraint).or_else(|| (applies == Truth::Either).then_some(()))
    }

    /// The clocks and the bound of a constraint that applies.
    fn compared(&mut self, constraint: &ClockConstraint) -> Option<()> {
        self.begin();
        for place in std::iter::once(&constraint.left).chain(&constraint.right) {
            for clock in self.chosen(constraint.bound, place)?.elements(0) {
                self.domain.read_clock(&self.memory, clock);
            }
        }
        let bound = self.evaluate(constraint.bound)?;
        let limits = Range { low: -clock_limit(), high: clock_limit() };
        self.limit(constraint.bound, &bound, limits, FailureKind::ClockLimit).map(|_| ())
    }

    /// The elements that indices may select, by their offset from the first; `None` if evaluation
    /// never succeeds.
    pub fn displacements(&mut self, indices: &[PlaceIndex]) -> Option<Displacements> {
        let Some(first) = indices.first() else { return Some(Displacements::One(0)) };
        self.begin();
        Some(self.displacement(first.value, indices)?.0)
    }

    /// The channels that a synchronisation may use, by their offset from the first; `None` if
    /// evaluation never succeeds.
    pub fn channel(&mut self, synchronisation: &Synchronisation) -> Option<Displacements> {
        self.displacements(&synchronisation.channel.indices)
    }

    /// Whether a goal holds, as far as data and locations decide. Everything in it is evaluated,
    /// because the order of evaluation of a formula is not specified.
    pub fn formula(&mut self, formula: &Formula) -> Truth {
        match formula {
            Formula::Data(data) => self.holds(*data).unwrap_or(Truth::Either),
            Formula::Clock(constraint) => {
                self.constraint(constraint);
                Truth::Either
            }
            Formula::Deadlock => Truth::Either,
            Formula::Not(inner) => self.formula(inner).negated(),
            Formula::And(parts) => {
                parts.iter().fold(Truth::Holds, |all, part| all.and(self.formula(part)))
            }
            Formula::Or(parts) => parts.iter().fold(Truth::Fails, |any, part| {
                any.negated().and(self.formula(part).negated()).negated()
            }),
        }
    }
}
