//! The automata to begin with: processes, and variables with few values.
//!
//! What cannot be said of one component alone is found by value sets: of the component the value is
//! known, of everything else the range. So guards and updates over several variables are looked at
//! as well, and hold, or give any value, where the others matter.

use crate::automaton::{Automaton, Traits, Transition};
use crate::goal::Alternatives;
use crate::label::{FactorId, Label, Labels, Role};
use crate::relation::Relation;
use std::cmp::Reverse;
use zonaut_analysis::action::Action;
use zonaut_analysis::footprint::Footprints;
use zonaut_analysis::normal_form::Condition;
use zonaut_analysis::value_set::{SetContents, ValueSet, ValueSets};
use zonaut_analysis::{IdSet, Overlay, Reachable, Symbols, Walk};
use zonaut_base::{Id, IndexVec, Meter, StopReason};
use zonaut_model::interval::{Interval, of_range, only};
use zonaut_model::{CellId, LocationId, LocationKind, Model, ProcessId, Storage};

/// The most values of a set that are told apart.
const VALUES: usize = 64;

/// The one component of which something is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    /// Where a process is.
    At(ProcessId, LocationId),
    /// What a cell holds.
    Holds(CellId, i32),
}

/// What storage can hold where something is known.
pub(crate) struct Context<'m> {
    model: &'m Model,
    known: Known,
    /// The values that cells can have between transitions; any of their range where it is absent.
    reachable: Option<&'m Reachable<'m>>,
}

/// A walk over the values that are possible.
pub(crate) type Possible<'m> = Walk<'m, ValueSets<'m, Context<'m>>>;

impl SetContents for Context<'_> {
    fn of(&mut self, address: Storage) -> ValueSet {
        let interval = match (address, self.known) {
            (Storage::Cell(cell), Known::Holds(known, value)) if cell == known => only(value),
            (Storage::Cell(cell), _) => match self.reachable {
                Some(reachable) => reachable.cell(cell),
                None => of_range(self.model.cells[cell].range),
            },
            (Storage::Local(local), _) => of_range(self.model.locals[local].range),
            (Storage::Constant(constant), _) => only(self.model.constants[constant]),
        };
        listed(interval)
    }

    fn at(&mut self, process: ProcessId, location: LocationId) -> ValueSet {
        match self.known {
            Known::At(known, place) if known == process => {
                ValueSet::only(i32::from(place == location))
            }
            _ => ValueSet::Few(vec![0, 1]),
        }
    }
}

fn listed((low, high): Interval) -> ValueSet {
    if high - low < VALUES as i64 {
        ValueSet::Few((low..=high).map(|value| value as i32).collect())
    } else {
        ValueSet::Between((low, high))
    }
}

/// A walk in a state between transitions.
pub(crate) fn between<'m>(
    model: &'m Model,
    reachable: &'m Reachable<'m>,
    known: Known,
) -> Possible<'m> {
    let context = Context { model, known, reachable: Some(reachable) };
    Walk::new(model, ValueSets::new(model, context, VALUES), Overlay::default())
}

/// Whether a condition may hold.
pub(crate) fn may_hold(walk: &mut Possible<'_>, condition: &Condition) -> bool {
    match condition {
        Condition::All(parts) => parts.iter().all(|part| may_hold(walk, part)),
        Condition::Any(parts) => parts.iter().any(|part| may_hold(walk, part)),
        Condition::Test(test) => {
            walk.restart(Overlay::default());
            let truth = walk.bind_all(&test.bindings).and_then(|()| walk.test(test));
            truth.is_some_and(|truth| truth.may_hold())
        }
    }
}

/// Makes the automata to begin with.
pub(crate) struct Atoms<'m> {
    pub(crate) model: &'m Model,
    pub(crate) reachable: &'m Reachable<'m>,
    pub(crate) actions: &'m [Action],
    pub(crate) goal: &'m Alternatives,
    pub(crate) labels: Labels,
    pub(crate) meter: &'m Meter,
}

/// An automaton before anything is left out.
pub(crate) struct Raw {
    pub(crate) traits: Vec<Traits>,
    pub(crate) initial: u32,
    pub(crate) transitions: Vec<Transition>,
}

impl<'m> Atoms<'m> {
    fn traits(&self, known: Known, is_committed: bool) -> Traits {
        let goals = self.goal.possible(&mut between(self.model, self.reachable, known));
        Traits { goals, may_commit: is_committed, must_commit: is_committed }
    }

    /// The automaton of a process; its actions have these labels.
    pub(crate) fn process(
        &self,
        process: ProcessId,
        labels: &[Option<crate::label::LabelId>],
    ) -> Raw {
        let definition = &self.model.processes[process];
        let traits = definition.locations.iter_enumerated().map(|(id, location)| {
            let is_committed = location.kind == LocationKind::Committed;
            self.traits(Known::At(process, id), is_committed)
        });
        let mut transitions = Vec::new();
        for (action, label) in self.actions.iter().zip(labels) {
            let (true, Some(label)) = (action.process == process, *label) else { continue };
            let edge = action.edge(self.model);
            let (source, target) = (edge.source.index() as u32, edge.target.index() as u32);
            transitions.push(Transition { source, label, target });
        }
        let initial = definition.initial.index() as u32;
        Raw { traits: traits.collect(), initial, transitions }
    }

    /// The automaton of a variable. It has no transitions of its own.
    pub(crate) fn variable(&self, factor: FactorId, cell: CellId) -> Automaton {
        let definition = &self.model.cells[cell];
        let (low, high) = (definition.range.low, definition.range.high);
        let traits: Vec<Traits> =
            (low..=high).map(|value| self.traits(Known::Holds(cell, value), false)).collect();
        // Without the others, one transition may lead to any value.
        let distances = traits.iter().map(|t| u32::from(t.goals == 0)).collect();
        let initial = Some(definition.initial.wrapping_sub(low).cast_unsigned());
        Automaton { traits, initial, transitions: Vec::new(), distances, factor: Some(factor) }
    }

    /// By action, its label; absent where it is never possible.
    pub(crate) fn action_labels(
        &mut self,
        factors: &IndexVec<FactorId, CellId>,
    ) -> Result<Vec<Option<crate::label::LabelId>>, StopReason> {
        let actions = self.actions;
        actions.iter().map(|action| self.action_label(action, factors)).collect()
    }

    fn action_label(
        &mut self,
        action: &Action,
        factors: &IndexVec<FactorId, CellId>,
    ) -> Result<Option<crate::label::LabelId>, StopReason> {
        self.meter.spend(1 << 8)?;
        let at = Known::At(action.process, action.edge(self.model).source);
        if !may_hold(&mut between(self.model, self.reachable, at), &action.guard) {
            return Ok(None);
        }
        let mut relations = Vec::new();
        for (factor, &cell) in factors.iter_enumerated() {
            self.meter.spend(1 << 12)?;
            let relation = self.relation(action, cell);
            if !relation.guard.contains(&true) {
                return Ok(None);
            }
            if !relation.is_trivial() {
                relations.push((factor, self.labels.relations.intern(relation)));
            }
        }
        let role = action.channel.map_or(Role::Alone, |(channel, side)| Role::On(channel, side));
        Ok(Some(self.labels.intern(Label { role, relations })))
    }

    /// What an action demands of a cell, and does to it.
    fn relation(&self, action: &Action, cell: CellId) -> Relation {
        let range = self.model.cells[cell].range;
        let guard = (range.low..=range.high).map(|value| {
            let known = Known::Holds(cell, value);
            may_hold(&mut between(self.model, self.reachable, known), &action.guard)
        });
        let guard = guard.collect();
        let updates = &action.edge(self.model).updates;
        let mut footprint = Footprints::walk(self.model);
        updates.iter().for_each(|&update| {
            footprint.evaluate(update);
        });
        if !footprint.domain.found.writes.cells.contains(cell) {
            return Relation { guard, after: None };
        }
        let after = (range.low..=range.high).map(|value| self.after(action, cell, value));
        Relation { guard, after: Some(after.collect()) }
    }

    /// The positions of the values that a cell may have after the updates of an action. Others may
    /// have written before, so that nothing is known but ranges.
    fn after(&self, action: &Action, cell: CellId, value: i32) -> Vec<u32> {
        let model = self.model;
        let context = Context { model, known: Known::Holds(cell, value), reachable: None };
        let mut walk = Walk::new(model, ValueSets::new(model, context, VALUES), Overlay::default());
        let updates = &action.edge(model).updates;
        if walk.bind_all(&action.bindings).and_then(|()| walk.update(updates)).is_none() {
            return Vec::new();
        }
        let set = walk.domain.content(&walk.memory, Storage::Cell(cell));
        let range = model.cells[cell].range;
        let positions = (range.low..=range.high).zip(0..);
        positions.filter(|(value, _)| set.contains(*value)).map(|(_, position)| position).collect()
    }
}

/// The part of the locations of an automaton that a variable may have values at most: a product with
/// one of many values is made small again by forgetting more than the variable tells.
const PART: u64 = 4;

/// The cells that become components, where automata keep so many locations: of those with few
/// values, `count` that the goal and the most guards speak of.
pub(crate) fn chosen_cells(
    model: &Model,
    goal: &Alternatives,
    count: usize,
    locations: usize,
) -> IndexVec<FactorId, CellId> {
    let reads = |roots: &mut dyn Iterator<Item = zonaut_model::ExpressionId>| -> Symbols {
        let mut walk = Footprints::walk(model);
        roots.for_each(|root| {
            walk.evaluate(root);
        });
        walk.domain.found.reads
    };
    let hooks = model.before_update.iter().chain(&model.after_update).copied();
    let mut walk = Footprints::walk(model);
    hooks.for_each(|update| {
        walk.evaluate(update);
    });
    let touched: IdSet<CellId> = walk.domain.found.writes.cells;
    let wanted = reads(&mut goal.expressions());
    let guards = model.processes.iter().flat_map(|process| &process.edges);
    let guards: Vec<Symbols> =
        guards.filter_map(|edge| edge.guard.data).map(|g| reads(&mut [g].into_iter())).collect();
    let fits = |cell: &CellId| {
        let definition = &model.cells[*cell];
        let values = definition.range.size();
        let are_few = values <= 2 || values.saturating_mul(PART) <= locations as u64;
        !definition.meta && are_few && !touched.contains(*cell)
    };
    let mut candidates: Vec<_> = model
        .cells
        .ids()
        .filter(fits)
        .map(|cell| {
            let readers = guards.iter().filter(|reads| reads.cells.contains(cell)).count();
            (Reverse(wanted.cells.contains(cell)), Reverse(readers), cell)
        })
        .filter(|(wanted, readers, _)| wanted.0 || readers.0 > 0)
        .collect();
    candidates.sort_unstable();
    candidates.into_iter().take(count).map(|(.., cell)| cell).collect()
}
