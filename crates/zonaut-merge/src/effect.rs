//! Tests and writes of variables that are components.
//!
//! # Cases
//! A label describes each variable separately, so a value that flows from one variable to another
//! one, `polled := grant`, and a condition on two of them, `x == y`, would be lost. An action with
//! such dependencies is split into one for each combination of values of the dependent variables:
//! if `grant` is 0 then `polled` becomes 0, and if it is 1 then `polled` becomes 1. In each case
//! all relevant values are known, and the labels of all cases together describe the action.
//!
//! A transition belongs to one of the cases of each of its participants, so dropping impossible
//! cases drops no transition. Guards are evaluated before any write; values flow when the updates
//! of the participant run. The first or only participant then reads the values from before the
//! transition. For the others a case has two conditions, on the values before and on those when the
//! updates begin, and only the first is part of the guard.

use crate::atom::{KnownValues, between_transitions, may_hold, within_transition};
use crate::label::{FactorId, Label, LabelId, LabelTable, Role};
use crate::relation::Relation;
use zonaut_analysis::action::{Action, Side};
use zonaut_analysis::footprint::Footprints;
use zonaut_analysis::normal_form::{Condition, TestKind};
use zonaut_analysis::{IdSet, Reachable};
use zonaut_base::{IndexVec, Meter, StopReason};
use zonaut_model::{CellId, Model, Storage};

/// Maximum number of cases of an action; dependent variables are split as far as this allows.
const CASES: u64 = 64;

/// The constructor of the labels of actions.
pub(crate) struct Effects<'m> {
    pub(crate) model: &'m Model,
    pub(crate) reachable: &'m Reachable<'m>,
    pub(crate) factors: &'m IndexVec<FactorId, CellId>,
    pub(crate) meter: &'m Meter,
}

/// One case of an action.
struct Case {
    /// The known values before the transition.
    before: KnownValues,
    /// The known values when the updates begin.
    then: KnownValues,
}

impl Effects<'_> {
    /// By action, the labels of its cases; empty if it is never enabled.
    pub(crate) fn labels(
        &self,
        actions: &[Action],
        labels: &mut LabelTable,
    ) -> Result<Vec<Vec<LabelId>>, StopReason> {
        actions.iter().map(|action| self.of_action(action, labels)).collect()
    }

    fn of_action(
        &self,
        action: &Action,
        labels: &mut LabelTable,
    ) -> Result<Vec<LabelId>, StopReason> {
        let written = self.written(action);
        let role = action.channel.map_or(Role::Alone, |(channel, side)| Role::On(channel, side));
        let mut all = Vec::new();
        for case in self.cases(action) {
            self.meter.spend(1 << 8)?;
            if !may_hold(
                &mut between_transitions(self.model, self.reachable, case.before.clone()),
                &action.guard,
            ) {
                continue;
            }
            if let Some(relations) = self.relations(action, &case, &written, labels)? {
                all.push(labels.intern(Label { role, relations }));
            }
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// The relations of a case to all variables; `None` if the case is impossible.
    fn relations(
        &self,
        action: &Action,
        case: &Case,
        written: &IdSet<CellId>,
        labels: &mut LabelTable,
    ) -> Result<Option<Vec<(FactorId, crate::relation::RelationId)>>, StopReason> {
        let mut relations = Vec::new();
        for (factor, &cell) in self.factors.iter_enumerated() {
            self.meter.spend(1 << 12)?;
            let relation = self.relation(action, case, cell, written.contains(cell));
            let values = 0..relation.guard.len() as u32;
            let is_possible = if is_first(action) {
                values.into_iter().any(|value| !relation.after(value).is_empty())
            } else {
                relation.guard.contains(&true)
            };
            if !is_possible {
                return Ok(None);
            }
            if !relation.is_trivial() {
                relations.push((factor, labels.relations.intern(relation)));
            }
        }
        Ok(Some(relations))
    }

    /// The relation of a case of an action to a cell.
    fn relation(&self, action: &Action, case: &Case, cell: CellId, is_written: bool) -> Relation {
        let range = self.model.cells[cell].range;
        let values = || range.low..=range.high;
        let guard = values().map(|value| {
            with(&case.before, cell, value).is_some_and(|known| {
                may_hold(&mut between_transitions(self.model, self.reachable, known), &action.guard)
            })
        });
        let guard = guard.collect();
        if !is_written && (is_first(action) || case.then.value(cell).is_none()) {
            return Relation { guard, after: None };
        }
        let after = values().map(|value| match with(&case.then, cell, value) {
            Some(known) => self.after(action, cell, known),
            None => Vec::new(),
        });
        Relation { guard, after: Some(after.collect()) }
    }

    /// The positions of the values that a cell may have after the updates of an action.
    fn after(&self, action: &Action, cell: CellId, known: KnownValues) -> Vec<u32> {
        let mut walk = within_transition(self.model, known);
        let updates = &action.edge(self.model).updates;
        if walk.bind_all(&action.bindings).and_then(|()| walk.update(updates)).is_none() {
            return Vec::new();
        }
        let set = walk.domain.content(&walk.memory, Storage::Cell(cell));
        let range = self.model.cells[cell].range;
        let positions = (range.low..=range.high).zip(0..);
        positions.filter(|(value, _)| set.contains(*value)).map(|(_, position)| position).collect()
    }

    fn written(&self, action: &Action) -> IdSet<CellId> {
        let mut walk = Footprints::walk(self.model);
        action.edge(self.model).updates.iter().for_each(|&update| {
            walk.evaluate(update);
        });
        walk.domain.found.writes.cells
    }

    fn cases(&self, action: &Action) -> Vec<Case> {
        let (tests, flows) = (self.tied_by_tests(action), self.tied_by_flows(action));
        if is_first(action) {
            let mut tied = tests;
            tied.extend(&flows);
            let all = self.combinations(&tied, CASES).into_iter();
            return all.map(|known| Case { before: known.clone(), then: known }).collect();
        }
        let before = self.combinations(&tests, CASES);
        let then = self.combinations(&flows, CASES / before.len() as u64);
        let cases = before.iter().flat_map(|before| {
            then.iter().map(|then| Case { before: before.clone(), then: then.clone() })
        });
        cases.collect()
    }

    /// The variables that a condition of the guard reads together with others.
    fn tied_by_tests(&self, action: &Action) -> IdSet<CellId> {
        let mut tied = IdSet::default();
        for condition in action.guard.conjuncts() {
            let mut walk = Footprints::walk(self.model);
            read(condition, &mut walk);
            let mut together = walk.domain.found.reads.cells;
            together.keep_within(&self.cells());
            if together.len() > 1 {
                tied.extend(&together);
            }
        }
        tied
    }

    /// The variables from which values flow to others.
    fn tied_by_flows(&self, action: &Action) -> IdSet<CellId> {
        let mut walk = Footprints::walk(self.model);
        action.edge(self.model).updates.iter().for_each(|&update| {
            walk.evaluate(update);
        });
        let cells = self.cells();
        let mut tied = IdSet::default();
        for (target, from) in walk.memory.flows().filter(|(target, _)| target.cells.meets(&cells)) {
            for cell in from.cells.iter().filter(|&cell| cells.contains(cell)) {
                if !target.cells.contains(cell) {
                    tied.insert(cell);
                }
            }
        }
        tied
    }

    fn cells(&self) -> IdSet<CellId> {
        let mut all = IdSet::default();
        self.factors.iter().for_each(|&cell| {
            all.insert(cell);
        });
        all
    }

    /// All combinations of values of some cells, as long as their number is at most `most`.
    fn combinations(&self, cells: &IdSet<CellId>, most: u64) -> Vec<KnownValues> {
        let mut all = vec![KnownValues::default()];
        for cell in cells.iter() {
            let range = self.model.cells[cell].range;
            if range.size().saturating_mul(all.len() as u64) > most {
                continue;
            }
            let more = all.iter().flat_map(|known| {
                (range.low..=range.high).filter_map(|value| with(known, cell, value))
            });
            all = more.collect();
        }
        all
    }
}

/// Whether no other participant writes before the updates of an action.
fn is_first(action: &Action) -> bool {
    let is_later = matches!(action.channel, Some((_, Side::Receive | Side::Join)));
    !is_later || faulty!(FlowsTooEarly)
}

/// The known values with a cell fixed in addition; `None` if it has another value.
fn with(known: &KnownValues, cell: CellId, value: i32) -> Option<KnownValues> {
    match known.value(cell) {
        Some(other) => (other == value).then(|| known.clone()),
        None => {
            let mut known = known.clone();
            known.cells.push((cell, value));
            Some(known)
        }
    }
}

/// Records the reads of a condition.
fn read(condition: &Condition, walk: &mut zonaut_analysis::footprint::FootprintWalk<'_>) {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => {
            parts.iter().for_each(|part| read(part, walk));
        }
        Condition::Test(test) => match &test.kind {
            TestKind::Holds { expression, .. } => {
                walk.evaluate(*expression);
            }
            TestKind::Chooses { indices, .. } => indices.iter().for_each(|index| {
                walk.evaluate(index.value);
            }),
        },
    }
}
