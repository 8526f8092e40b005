//! Compilation of edges to actions, and of updates to effects.

use super::hazards::may_fail;
use super::{Compiler, Guards, Part, ProcessLocation, Tuple, tuples};
use crate::dependencies::{Footprint, roots_of};
use crate::relaxation::network::{
    Action, Effect, Input, Leaf, RelaxedActionId, Row, Side, Table, TableInput,
};
use crate::weights::Participant;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use zonaut_analysis::VariableId;
use zonaut_analysis::action::combinations;
use zonaut_analysis::normal_form::{Bindings, Condition, Test, TestKind};
use zonaut_analysis::runs::{Choices, Outcome, RunWalk};
use zonaut_base::Id;
use zonaut_model::{
    ChannelId, Direction, EdgeId, ExpressionId, LocationId, ProcessId, Synchronisation,
};

/// Maximum number of combinations of select values that become separate actions.
pub(super) const COMBINATIONS: u64 = 1024;

/// The context in which the updates of an action run.
struct Setting<'c> {
    bindings: &'c Bindings,
    guard: &'c Condition,
    /// The variables that the same transition may have written before.
    fresh: BTreeSet<VariableId>,
    /// Whether updates may rely on the guard.
    sees_guard: bool,
}

/// Evaluates the filters, then the updates; returns whether the filters hold.
pub(in crate::relaxation) fn perform<S: Choices>(
    walk: &mut RunWalk<'_, '_, S>,
    filters: &[Test],
    updates: &[ExpressionId],
) -> Option<bool> {
    for filter in filters {
        if !walk.satisfies(filter)? {
            return Some(false);
        }
    }
    walk.update(updates)?;
    Some(true)
}

impl Compiler<'_> {
    /// The updates before and after every transition, as actions that are always enabled.
    pub(super) fn surrounding_updates(&mut self) {
        let bindings = Bindings::new();
        let guard = Condition::TRUE;
        let last = self.writers.before_last().clone();
        let model = self.model;
        for (updates, fresh) in
            [(&model.before_update, BTreeSet::new()), (&model.after_update, last)]
        {
            if !updates.is_empty() {
                let setting =
                    Setting { bindings: &bindings, guard: &guard, fresh, sees_guard: false };
                let action = self.action(Vec::new(), updates, &setting);
                self.always.push(action);
            }
        }
    }

    /// The actions of an edge: one for each combination of select values and each channel.
    pub(super) fn edge(&mut self, process: ProcessId, id: EdgeId) {
        let model = self.model;
        let edge = &model.processes[process].edges[id];
        for bindings in combinations(&edge.select, COMBINATIONS) {
            if !self.may_go_on() {
                return;
            }
            let guard = match edge.guard.data {
                None => Condition::TRUE,
                Some(data) => Condition::of_expression(&model.expressions, data, false, &bindings),
            };
            let Some(synchronisation) = &edge.synchronisation else {
                self.instance(Participant { process, edge: id }, None, &guard, &bindings);
                continue;
            };
            for (channel, condition) in self.channels(synchronisation, &bindings) {
                let side = match synchronisation.direction {
                    Direction::Receive => Side::Receive,
                    Direction::Send if model.channels[channel].broadcast => Side::Announce,
                    Direction::Send => Side::Send,
                };
                let guard = Condition::All(vec![guard.clone(), condition]);
                let participant = Participant { process, edge: id };
                self.instance(participant, Some((channel, side)), &guard, &bindings);
            }
        }
    }

    fn instance(
        &mut self,
        participant: Participant,
        channel: Option<(ChannelId, Side)>,
        guard: &Condition,
        bindings: &Bindings,
    ) {
        let Participant { process, edge: id } = participant;
        let edge = &self.model.processes[process].edges[id];
        let here = ProcessLocation { process, location: edge.source };
        if self
            .location_values
            .as_ref()
            .is_some_and(|location_values| location_values.is_empty(here))
        {
            return;
        }
        self.here = Some(here);
        let mut parts = vec![self.at(process, edge.source)];
        let mut needed: Vec<Part> =
            guard.conjuncts().into_iter().map(|conjunct| self.node(conjunct)).collect();
        needed.extend(self.clock_parts(process, id));
        if needed.contains(&Part::False) {
            return;
        }
        parts.extend(needed.into_iter().filter(|part| *part != Part::True));
        let fresh = self.writers.before_edge(process, channel);
        let receives = matches!(channel, Some((_, Side::Receive)));
        let is_first = !receives && self.model.before_update.is_empty();
        let sees_guard = self.guards == Guards::SeenByAll || is_first;
        let setting = Setting { bindings, guard, fresh, sees_guard };
        let action = self.action(parts, &edge.updates, &setting);
        let variable = self.facts.variables.process(process);
        let target = self.facts.constant(variable, edge.target.index() as i32);
        let action = &mut self.actions[action.index()];
        action.participant = Some(participant);
        action.channel = channel;
        action.constants.insert(0, target);
    }

    /// The channels that a label may denote, each with the condition under which it does.
    fn channels(
        &mut self,
        label: &Synchronisation,
        bindings: &Bindings,
    ) -> Vec<(ChannelId, Condition)> {
        let place = &label.channel;
        if place.is_fixed() {
            return vec![(place.root, Condition::TRUE)];
        }
        let mut found = BTreeSet::new();
        let survey = self.survey(bindings, BTreeSet::new(), &mut |walk| {
            found.insert(walk.displacement_of(&place.indices)?);
            Some(())
        });
        if !survey.is_complete {
            found.extend(0..=place.extent());
        }
        // A channel index that depends on nothing needs no test.
        let is_certain = survey.is_complete && found.len() == 1 && !survey.may_fail;
        let meaning = |displacement: usize| {
            let channel = ChannelId::from_index(place.root.index() + displacement);
            if is_certain {
                return (channel, Condition::TRUE);
            }
            let indices = place.indices.clone();
            let kind = TestKind::Chooses { indices, displacement: displacement as u32 };
            (channel, Condition::Test(Test { kind, bindings: bindings.clone() }))
        };
        found.into_iter().map(meaning).collect()
    }

    /// The leaf "the process can be at the location".
    pub(super) fn at(&mut self, process: ProcessId, location: LocationId) -> Part {
        let variable = self.facts.variables.process(process);
        let fact = self.facts.dense(variable, location.index() as i32);
        let number = self.leaves.len() as u32;
        let part = *self.location_leaves.entry(fact).or_insert(Part::Leaf(number));
        if part == Part::Leaf(number) {
            self.leaves.push(Leaf::Facts);
            self.fact_leaves.push((fact.index() as u32, number));
        }
        part
    }

    fn action(
        &mut self,
        parts: Vec<Part>,
        updates: &[ExpressionId],
        setting: &Setting<'_>,
    ) -> RelaxedActionId {
        let action = RelaxedActionId::from_index(self.actions.len());
        let first = self.effects.len() as u32;
        let (mut constants, mut fails) = (Vec::new(), false);
        for cluster in self.clusters(updates) {
            let effect = self.effect(action, cluster, setting);
            if effect.inputs.is_empty()
                && let Some(table) = &effect.table
            {
                // Without inputs the table has one row.
                let written = table.rows[0].written.iter();
                constants.extend(written.map(|&(v, value)| self.facts.constant(v, value)));
                fails |= table.rows[0].fails;
            } else if !effect.outputs.is_empty() || effect.may_fail {
                self.effects.push(effect);
            }
        }
        constants.extend(self.clocks_set(updates));
        let effects = first..self.effects.len() as u32;
        self.actions.push(Action {
            participant: None,
            channel: None,
            weight: 1,
            constants,
            effects,
            fails,
        });
        self.action_parts.push(parts);
        action
    }

    /// Groups updates so that no group reads or writes a variable that another one writes.
    pub(super) fn clusters(&self, updates: &[ExpressionId]) -> Vec<Vec<ExpressionId>> {
        let mut clusters: Vec<(Vec<usize>, BTreeSet<VariableId>, BTreeSet<VariableId>)> =
            Vec::new();
        for (position, update) in updates.iter().enumerate() {
            let footprint = self.dependencies.footprint([*update]);
            let mut merged = (vec![position], footprint.reads, footprint.writes);
            // A merged group has grown, so groups that were independent of it may now be connected.
            let mut size = 0;
            while size != merged.0.len() {
                size = merged.0.len();
                clusters.retain(|(positions, reads, writes)| {
                    let linked = !writes.is_disjoint(&merged.1)
                        || !writes.is_disjoint(&merged.2)
                        || !reads.is_disjoint(&merged.2);
                    if linked {
                        merged.0.extend(positions);
                        merged.1.extend(reads);
                        merged.2.extend(writes);
                    }
                    !linked
                });
            }
            clusters.push(merged);
        }
        let sorted = clusters.into_iter().map(|(mut positions, ..)| {
            positions.sort_unstable();
            positions.into_iter().map(|position| updates[position]).collect()
        });
        sorted.collect()
    }

    fn effect(
        &mut self,
        action: RelaxedActionId,
        updates: Vec<ExpressionId>,
        setting: &Setting<'_>,
    ) -> Effect {
        let footprint = self.dependencies.footprint(updates.iter().copied());
        let filters = self.filters(&footprint, setting);
        let mut locals = footprint.locals;
        for filter in &filters {
            locals.extend(&self.dependencies.footprint(roots_of(filter)).locals);
        }
        let mut bindings = setting.bindings.clone();
        bindings.retain(|(local, _)| locals.contains(*local));
        let survey = self.survey(&bindings, footprint.reads, &mut |walk| {
            perform(walk, &filters, &updates).map(|_| ())
        });
        let may_fail = survey.may_fail
            && (survey.is_complete
                || may_fail(self.model, &bindings, |walk| walk.update(&updates)));
        let variables: Vec<VariableId> = survey.inputs.into_iter().collect();
        let input = |&variable: &VariableId| {
            let fresh = setting.fresh.contains(&variable);
            Input { variable, fresh }
        };
        let mut effect = Effect {
            action,
            inputs: variables.iter().map(input).collect(),
            filters,
            updates,
            bindings,
            outputs: footprint.writes.into_iter().collect(),
            may_fail,
            table: None,
        };
        if survey.is_complete {
            effect.table = self.table_inputs(&variables).and_then(|i| self.table(&effect, i));
        }
        effect
    }

    /// The tests of the guard that contain only variables that the updates read or write, and no
    /// variable that another part of the transition may have changed before the updates run: guards
    /// are evaluated in the old state.
    ///
    /// A test that shares no variable with the inputs of the updates, nor with another test,
    /// excludes no tuple: it holds for some of its values once the action is enabled, independent
    /// of the tuple. As a filter it would turn a constant effect into one with an input.
    fn filters(&self, updates: &Footprint, setting: &Setting<'_>) -> Vec<Test> {
        if !setting.sees_guard {
            return Vec::new();
        }
        let touches = |seen: &BTreeSet<VariableId>| {
            seen.iter().all(|v| updates.reads.contains(v) || updates.writes.contains(v))
        };
        let mut tests = Vec::new();
        for part in setting.guard.conjuncts() {
            let Condition::Test(test) = part else { continue };
            let seen = self.dependencies.footprint(roots_of(test)).reads;
            if !seen.is_empty()
                && touches(&seen)
                && seen.is_disjoint(&setting.fresh)
                && test.bindings == *setting.bindings
            {
                tests.push((test, seen));
            }
        }
        let mut seen: Vec<&BTreeSet<VariableId>> = tests.iter().map(|(_, seen)| seen).collect();
        seen.push(&updates.reads);
        let says_something = |position: &usize| {
            let mut others = seen.iter().enumerate().filter(|(other, _)| other != position);
            others.any(|(_, other)| !other.is_disjoint(seen[*position]))
        };
        let kept = (0..tests.len()).filter(says_something);
        kept.map(|position| tests[position].0.clone()).collect()
    }

    fn table(&mut self, effect: &Effect, inputs: Vec<TableInput>) -> Option<Table<Row>> {
        let mut rows = Vec::new();
        for values in tuples(&self.facts.variables, &inputs) {
            if !self.allows(self.here, &inputs, &values) {
                rows.push(Row::default());
                continue;
            }
            let tuple = Tuple { inputs: &inputs, values: &values };
            let mut row = Row::default();
            let outcome = self.runs.for_each(&tuple, &effect.bindings, |walk| {
                if perform(walk, &effect.filters, &effect.updates)? {
                    row.written.extend(walk.written());
                }
                Some(ControlFlow::Continue(()))
            });
            match outcome {
                Outcome::Complete { failed } => row.fails = failed,
                Outcome::Stopped | Outcome::Unknown => return None,
            }
            self.rows += size_of::<Row>() + row.written.len() * size_of::<(VariableId, i32)>();
            row.written.sort_unstable();
            row.written.dedup();
            rows.push(row);
        }
        Some(Table { inputs, rows })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CompileInput, compile};
    use super::*;
    use crate::weights::Units;
    use zonaut_base::Meter;
    use zonaut_model::builder::{NetworkBuilder, Term, Update, Variable};
    use zonaut_model::{Formula, Range};
    use zonaut_strategy::Precision;

    /// The numbers of inputs and filters of the non-constant effects of an edge.
    fn effects_of(
        guard: fn(Variable, Variable) -> Term,
        update: fn(Variable, Variable) -> Update,
    ) -> Vec<(usize, usize)> {
        let mut network = NetworkBuilder::new();
        let range = Range { low: 0, high: 5 };
        let (a, b) = (network.integer("a", range, 0), network.integer("b", range, 0));
        let process = network.process("P");
        let only = network.location(process, "l");
        network.edge(process, only, only).guard(guard(a, b)).update(update(a, b));
        let model = network.finish().expect("a valid network");
        let (goal, guards, precision) = (Formula::truth(), Guards::SeenByAll, Precision::default());
        let input = CompileInput { model: &model, goal: &goal, guards, weights: &Units, precision };
        let network = compile(input, &Meter::default()).expect("the default meter never stops");
        let effects = network.effects.iter();
        effects.map(|effect| (effect.inputs.len(), effect.filters.len())).collect()
    }

    #[test]
    fn a_tested_variable_is_an_input_only_if_it_excludes_tuples() {
        let none: [(usize, usize); 0] = [];
        // A variable that is overwritten independent of its value.
        assert_eq!(effects_of(|a, _| a.term().equals(3), |a, _| a.set(1)), none);
        // Each of two tests holds for some value, but no value satisfies both.
        let between = |a: Variable, _: Variable| a.term().less(4).and(Term::from(2).less(a));
        assert_eq!(effects_of(between, |a, _| a.set(1)), [(1, 2)]);
        // The written value depends on the one that is compared with it.
        assert_eq!(effects_of(|a, b| a.term().less(b), |a, b| a.set(b)), [(2, 1)]);
        assert_eq!(effects_of(|a, _| a.term().less(3), |a, _| a.set(a + 1)), [(1, 1)]);
    }
}
