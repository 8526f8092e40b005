//! Hazards: evaluations besides updates that may fail at run time, in guards, bounds, channel
//! indices, invariants and goals.

use super::Compiler;
use super::effects::COMBINATIONS;
use crate::relaxation::network::{Hazard, HazardStep};
use std::collections::BTreeSet;
use zonaut_analysis::action::combinations;
use zonaut_analysis::interval::{Declared, Intervals};
use zonaut_analysis::normal_form::Bindings;
use zonaut_analysis::{Domain, Overlay, Truth, Walk};
use zonaut_base::Id;
use zonaut_model::{ClockConstraint, Condition, Edge, ExpressionId, Formula, Location, Model};

/// The expressions that a hazard evaluates.
pub(super) fn roots(hazard: &Hazard) -> Vec<ExpressionId> {
    let mut all = Vec::new();
    for step in &hazard.steps {
        match step {
            HazardStep::Requires(id) | HazardStep::Value(id) => all.push(*id),
            HazardStep::Constraint(constraint) => {
                all.extend(constraint.condition);
                all.push(constraint.bound);
                let places = std::iter::once(&constraint.left).chain(&constraint.right);
                all.extend(places.flat_map(|place| &place.indices).map(|index| index.value));
            }
            HazardStep::Indices(indices) => all.extend(indices.iter().map(|index| index.value)),
        }
    }
    all
}

/// Evaluates the steps in any domain.
pub(in crate::relaxation) fn undergo<D: Domain>(
    walk: &mut Walk<'_, D>,
    steps: &[HazardStep],
) -> Option<()> {
    for step in steps {
        match step {
            HazardStep::Requires(id) => match walk.holds(*id)? {
                Truth::Fails => return Some(()),
                Truth::Holds => {}
                // If it does not hold, nothing more is evaluated.
                Truth::Either => {
                    if walk.assume(*id, true).is_none() {
                        return Some(());
                    }
                }
            },
            HazardStep::Value(id) => {
                walk.evaluate(*id)?;
            }
            HazardStep::Constraint(constraint) => walk.constraint(constraint)?,
            HazardStep::Indices(indices) => {
                walk.displacements(indices)?;
            }
        }
    }
    Some(())
}

/// Whether an evaluation may fail for some values of the declared ranges.
pub(super) fn may_fail<'m>(
    model: &'m Model,
    bindings: &Bindings,
    evaluation: impl FnOnce(&mut Walk<'m, Intervals<'m, Declared<'m>>>) -> Option<()>,
) -> bool {
    let domain = Intervals::new(model, Declared(model));
    let mut walk = Walk::new(model, domain, Overlay::default());
    if walk.bind_all(bindings).is_none() {
        return false;
    }
    evaluation(&mut walk);
    !walk.failures().is_empty()
}

impl Compiler<'_> {
    /// All hazards of the model and the goal.
    pub(super) fn hazards(&mut self, goal: &Formula) -> Vec<Hazard> {
        let mut all = Vec::new();
        let model = self.model;
        for (process, definition) in model.processes.iter_enumerated() {
            let variable = self.facts.variables.process(process);
            for edge in &definition.edges {
                let at = Some(self.facts.dense(variable, edge.source.index() as i32));
                for bindings in combinations(&edge.select, COMBINATIONS) {
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
        let is_harmless = hazard.steps.is_empty()
            || !may_fail(self.model, &hazard.bindings, |walk| undergo(walk, &hazard.steps));
        if is_harmless {
            return;
        }
        let survey = self
            .survey(&hazard.bindings, BTreeSet::new(), &mut |walk| undergo(walk, &hazard.steps));
        if survey.may_fail {
            all.push(hazard);
        }
    }
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
