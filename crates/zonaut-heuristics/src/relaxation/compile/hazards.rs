//! What may fail at run time besides updates: guards, bounds, channel indices, invariants, goals.

use super::Compiler;
use super::effects::combinations;
use crate::evaluate::{Evaluator, Outcome, ValueSets};
use crate::formula::Bindings;
use crate::interval::{Intervals, clock_limit};
use crate::relaxation::network::{Hazard, HazardStep};
use std::collections::BTreeSet;
use zonaut_base::Id;
use zonaut_model::{ClockConstraint, Condition, Edge, Formula, Location, Model};

/// Evaluates the steps.
pub(in crate::relaxation) fn undergo<S: ValueSets>(
    evaluator: &mut Evaluator<'_>,
    sets: &S,
    steps: &[HazardStep],
) -> Outcome<()> {
    for step in steps {
        match step {
            HazardStep::Requires(id) => {
                if evaluator.evaluate(sets, *id)? == 0 {
                    return Ok(());
                }
            }
            HazardStep::Value(id) => {
                evaluator.evaluate(sets, *id)?;
            }
            HazardStep::Constraint(constraint) => evaluator.constraint(sets, constraint)?,
            HazardStep::Indices(indices) => {
                evaluator.displacement(sets, indices)?;
            }
        }
    }
    Ok(())
}

impl Compiler<'_> {
    /// Everything that may fail.
    pub(super) fn hazards(&mut self, goal: &Formula) -> Vec<Hazard> {
        let mut all = Vec::new();
        let model = self.model;
        for (process, definition) in model.processes.iter_enumerated() {
            let variable = self.facts.variables.process(process);
            for edge in &definition.edges {
                let at = Some(self.facts.dense(variable, edge.source.index() as i32));
                for bindings in combinations(&edge.select) {
                    let steps = steps_of_edge(edge);
                    self.add_hazard(Hazard { at, bindings, steps }, &mut all);
                }
            }
            for (id, location) in definition.locations.iter_enumerated() {
                let at = Some(self.facts.dense(variable, id.index() as i32));
                let steps = steps_of_location(location);
                self.add_hazard(Hazard { at, bindings: Bindings::new(), steps }, &mut all);
            }
        }
        let mut steps = Vec::new();
        steps_of_formula(goal, &mut steps);
        for step in steps {
            let hazard = Hazard { at: None, bindings: Bindings::new(), steps: vec![step] };
            self.add_hazard(hazard, &mut all);
        }
        all
    }

    fn add_hazard(&mut self, hazard: Hazard, all: &mut Vec<Hazard>) {
        if hazard.steps.is_empty() || is_harmless(self.model, &hazard) {
            return;
        }
        let survey = self.survey(&hazard.bindings, BTreeSet::new(), &mut |evaluator, sets| {
            undergo(evaluator, sets, &hazard.steps)
        });
        if survey.may_fail {
            all.push(hazard);
        }
    }
}

/// Whether no step can fail, whatever the others do.
fn is_harmless(model: &Model, hazard: &Hazard) -> bool {
    let intervals = Intervals { model, bindings: &hazard.bindings };
    hazard.steps.iter().all(|step| match step {
        HazardStep::Requires(id) | HazardStep::Value(id) => intervals.never_fails(*id),
        HazardStep::Indices(indices) => intervals.indices(indices, 0).is_some(),
        HazardStep::Constraint(constraint) => {
            let bound = intervals.of(constraint.bound, 0);
            let right = constraint.right.as_ref();
            constraint.condition.is_none_or(|id| intervals.never_fails(id))
                && intervals.indices(&constraint.left.indices, 0).is_some()
                && right.is_none_or(|right| intervals.indices(&right.indices, 0).is_some())
                && bound.is_some_and(|(low, high)| -clock_limit() <= low && high <= clock_limit())
        }
    })
}

fn steps_of_condition(condition: &Condition) -> Vec<HazardStep> {
    let data = condition.data.map(HazardStep::Requires);
    data.into_iter().chain(condition.clocks.iter().map(constraint)).collect()
}

fn steps_of_edge(edge: &Edge) -> Vec<HazardStep> {
    let mut steps = steps_of_condition(&edge.guard);
    if let Some(synchronisation) = &edge.synchronisation
        && !synchronisation.channel.is_fixed()
    {
        steps.push(HazardStep::Indices(synchronisation.channel.indices.clone()));
    }
    steps
}

fn steps_of_location(location: &Location) -> Vec<HazardStep> {
    let mut steps = steps_of_condition(&location.invariant);
    for rate in &location.rates {
        steps.push(HazardStep::Indices(rate.clock.indices.clone()));
        steps.extend(rate.condition.map(HazardStep::Value));
        steps.push(HazardStep::Value(rate.rate));
    }
    steps.extend(location.cost_rate.map(HazardStep::Value));
    steps
}

fn steps_of_formula(formula: &Formula, steps: &mut Vec<HazardStep>) {
    match formula {
        Formula::Data(id) => steps.push(HazardStep::Value(*id)),
        Formula::Clock(clock) => steps.push(constraint(clock)),
        Formula::Deadlock => {}
        Formula::Not(inner) => steps_of_formula(inner, steps),
        Formula::And(parts) | Formula::Or(parts) => {
            parts.iter().for_each(|part| steps_of_formula(part, steps));
        }
    }
}

fn constraint(constraint: &ClockConstraint) -> HazardStep {
    HazardStep::Constraint(constraint.clone())
}
