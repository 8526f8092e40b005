//! The check that the initial state satisfies the invariants of the initial locations.

use crate::codes;
use crate::lowering::Lowering;
use std::collections::BTreeSet;
use zonaut_base::Span;
use zonaut_model::interpret::{Interpreter, RunTimeError};
use zonaut_model::{ClockConstraint, Condition, Relation};

impl<'a> Lowering<'a> {
    /// Reports invariants that the initial values violate.
    pub(crate) fn check_initial_state(&mut self) {
        let mut problems = Vec::new();
        let mut machine = Interpreter::new(&self.model, self.limits.steps).metered(&self.meter);
        machine.locations = self.model.processes.iter().map(|process| process.initial).collect();
        for (id, process) in self.model.processes.iter_enumerated() {
            let invariant = &process.locations[process.initial].invariant;
            let is_known =
                self.model.is_symbolic(invariant) && self.model.statistical.clock_starts.is_empty();
            if (invariant.data.is_none() && invariant.clocks.is_empty()) || !is_known {
                continue;
            }
            machine.refill(self.limits.steps);
            let reason = match self.is_satisfied(&mut machine, invariant) {
                Ok(true) => continue,
                Ok(false) => format!(
                    "`{}` cannot start: the initial values violate its invariant",
                    process.name
                ),
                Err(error) => {
                    format!("`{}` cannot start: in its invariant, {}", process.name, error.kind)
                }
            };
            let span = self.origin.processes[id].locations[process.initial];
            problems.push((self.invariant_span(invariant).unwrap_or(span), reason));
        }
        // One instance of a template suffices to report its error.
        let mut seen = BTreeSet::new();
        for (span, message) in problems.into_iter().filter(|(span, _)| seen.insert(*span)) {
            let help = "change the initial values or the invariant of the initial location";
            self.error(codes::INITIAL_INVARIANT, span, message, help);
        }
    }

    fn invariant_span(&self, invariant: &Condition) -> Option<Span> {
        let bounds = invariant.clocks.iter().map(|constraint| constraint.bound);
        let mut spans =
            invariant.data.into_iter().chain(bounds).map(|id| self.origin.expressions[id]);
        let first = spans.next()?;
        Some(spans.fold(first, Span::to))
    }

    fn is_satisfied(
        &self,
        machine: &mut Interpreter<'_>,
        invariant: &Condition,
    ) -> Result<bool, RunTimeError> {
        if !machine.data_holds(invariant)? {
            return Ok(false);
        }
        for constraint in &invariant.clocks {
            if !self.holds_initially(machine, constraint)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn holds_initially(
        &self,
        machine: &mut Interpreter<'_>,
        constraint: &ClockConstraint,
    ) -> Result<bool, RunTimeError> {
        if let Some(condition) = constraint.condition
            && !machine.holds(condition)?
        {
            return Ok(true);
        }
        let at = constraint.bound;
        let left = machine.element(at, &constraint.left.indices, constraint.left.root)?;
        let mut value = i64::from(self.model.clocks[left].initial);
        if let Some(right) = &constraint.right {
            let right = machine.element(at, &right.indices, right.root)?;
            value -= i64::from(self.model.clocks[right].initial);
        }
        let bound = i64::from(machine.clock_bound(constraint.bound)?);
        Ok(match constraint.relation {
            Relation::Less => value < bound,
            Relation::LessEqual => value <= bound,
            Relation::Equal => value == bound,
            Relation::GreaterEqual => value >= bound,
            Relation::Greater => value > bound,
        })
    }
}
