//! The initial automata: processes, and variables with few values.
//!
//! Conditions that involve several components are evaluated on value sets: the component has a
//! known value, everything else any value of its range. So guards and updates over several
//! variables are evaluated too; they may hold, or may give any value, if the result depends on the
//! others.

use crate::automaton::{Automaton, Traits, Transition};
use crate::goal::Alternatives;
use crate::label::{FactorId, LabelId};
use std::cmp::Reverse;
use zonaut_analysis::action::Action;
use zonaut_analysis::footprint::Footprints;
use zonaut_analysis::normal_form::Condition;
use zonaut_analysis::value_set::{SetContents, ValueSet, ValueSets};
use zonaut_analysis::{IdSet, Overlay, Reachable, Symbols, Walk};
use zonaut_base::{Id, IndexVec};
use zonaut_model::interval::{Interval, of_range, only};
use zonaut_model::{CellId, LocationId, LocationKind, Model, ProcessId, Storage};

/// Maximum number of values of a set that are distinguished.
const VALUES: usize = 64;

/// The known components of a state.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct KnownValues {
    /// The location of a process.
    pub(crate) place: Option<(ProcessId, LocationId)>,
    /// The values of cells.
    pub(crate) cells: Vec<(CellId, i32)>,
}

impl KnownValues {
    pub(crate) fn at(process: ProcessId, location: LocationId) -> Self {
        Self { place: Some((process, location)), cells: Vec::new() }
    }

    pub(crate) fn holds(cell: CellId, value: i32) -> Self {
        Self { place: None, cells: vec![(cell, value)] }
    }

    /// The known value of a cell.
    pub(crate) fn value(&self, cell: CellId) -> Option<i32> {
        self.cells.iter().find(|(known, _)| *known == cell).map(|&(_, value)| value)
    }
}

/// The possible values of storage, given known components.
pub(crate) struct Context<'m> {
    model: &'m Model,
    known: KnownValues,
    /// The values that cells can have between transitions; `None` for all values of their ranges.
    reachable: Option<&'m Reachable<'m>>,
}

/// A walk over the possible values.
pub(crate) type Possible<'m> = Walk<'m, ValueSets<'m, Context<'m>>>;

impl SetContents for Context<'_> {
    fn of(&mut self, address: Storage) -> ValueSet {
        let interval = match address {
            Storage::Cell(cell) => match (self.known.value(cell), self.reachable) {
                (Some(value), _) => only(value),
                (None, Some(reachable)) => reachable.cell(cell),
                (None, None) => of_range(self.model.cells[cell].range),
            },
            Storage::Local(local) => of_range(self.model.locals[local].range),
            Storage::Constant(constant) => only(self.model.constants[constant]),
        };
        listed(interval)
    }

    fn at(&mut self, process: ProcessId, location: LocationId) -> ValueSet {
        match self.known.place {
            Some((known, place)) if known == process => {
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

/// A walk within a transition: other participants may have written before, so that unknown cells
/// have any value of their ranges.
pub(crate) fn within_transition(model: &Model, known: KnownValues) -> Possible<'_> {
    let context = Context { model, known, reachable: None };
    Walk::new(model, ValueSets::new(model, context, VALUES), Overlay::default())
}

/// A walk in a state between transitions.
pub(crate) fn between_transitions<'m>(
    model: &'m Model,
    reachable: &'m Reachable<'m>,
    known: KnownValues,
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

/// The constructor of the initial automata.
pub(crate) struct Atoms<'m> {
    pub(crate) model: &'m Model,
    pub(crate) reachable: &'m Reachable<'m>,
    pub(crate) actions: &'m [Action],
    pub(crate) goal: &'m Alternatives,
}

/// An automaton before unreachable states and dead ends are removed.
pub(crate) struct UnreducedAutomaton {
    pub(crate) traits: Vec<Traits>,
    pub(crate) initial: u32,
    pub(crate) transitions: Vec<Transition>,
}

impl<'m> Atoms<'m> {
    fn traits(&self, known: KnownValues, is_committed: bool) -> Traits {
        let goals = self.goal.possible(&mut between_transitions(self.model, self.reachable, known));
        Traits { goals, may_commit: is_committed, must_commit: is_committed }
    }

    /// The automaton of a process; its actions have these labels, one for each case.
    pub(crate) fn process(
        &self,
        process: ProcessId,
        labels: &[Vec<LabelId>],
    ) -> UnreducedAutomaton {
        let definition = &self.model.processes[process];
        let traits = definition.locations.iter_enumerated().map(|(id, location)| {
            let is_committed = location.kind == LocationKind::Committed;
            self.traits(KnownValues::at(process, id), is_committed)
        });
        let mut transitions = Vec::new();
        let own = self.actions.iter().zip(labels).filter(|(action, _)| action.process == process);
        for (action, labels) in own {
            let edge = action.edge(self.model);
            let (source, target) = (edge.source.index() as u32, edge.target.index() as u32);
            transitions.extend(labels.iter().map(|&label| Transition { source, label, target }));
        }
        let initial = definition.initial.index() as u32;
        UnreducedAutomaton { traits: traits.collect(), initial, transitions }
    }

    /// The automaton of a variable. It has no transitions of its own.
    pub(crate) fn variable(&self, factor: FactorId, cell: CellId) -> Automaton {
        let definition = &self.model.cells[cell];
        let (low, high) = (definition.range.low, definition.range.high);
        let traits: Vec<Traits> =
            (low..=high).map(|value| self.traits(KnownValues::holds(cell, value), false)).collect();
        // Without the others, one transition may lead to any value.
        let distances = traits.iter().map(|t| u32::from(t.goals == 0)).collect();
        let initial = Some(definition.initial.wrapping_sub(low).cast_unsigned());
        Automaton { traits, initial, transitions: Vec::new(), distances, factor: Some(factor) }
    }
}

/// A variable becomes a component only if its number of values, multiplied by this, is at most the
/// number of locations of an automaton: to keep a product with more values small, shrinking would
/// lose more than the variable contributes.
const PART: u64 = 4;

/// The cells that become components, for automata with this number of locations: of those with few
/// values, the `count` cells that occur in the goal and in most guards.
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
