//! The transitions of a part, prepared for pre-images.

use crate::difference::{Difference, Reader};
use crate::table::{Table, TableId, Tabulator, TestTables};
use crate::vocabulary::{DataPredicate, Predicates, relevant};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use zonaut_analysis::Symbols;
use zonaut_analysis::action::{Action, Side};
use zonaut_analysis::footprint::{Footprint, Footprints};
use zonaut_analysis::normal_form::{Bindings, Condition, Test};
use zonaut_base::{Id, IndexVec, Meter, StopReason};
use zonaut_compile::{ClockRow, row_of};
use zonaut_model::interpret::ClockEffect;
use zonaut_model::{ChannelId, Expression, ExpressionId, LocationKind, Model, ProcessId};

/// The move of one participant between locations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    pub(crate) process: u32,
    pub(crate) source: u32,
    pub(crate) target: u32,
}

/// The pre-image of a predicate under the updates of a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Before {
    /// Nothing is known.
    Unknown,
    /// Conditions before the updates: one if the predicate holds after them, one if it does not.
    Tables { holds: TableId, fails: TableId },
}

/// A transition of a part.
#[derive(Clone, Debug)]
pub(crate) struct PartStep {
    pub(crate) moves: Vec<Move>,
    /// Processes that may have joined a broadcast besides, if there are too many receiver sets.
    pub(crate) perhaps: Vec<(u32, Vec<Move>)>,
    /// Data conditions that hold before the transition.
    pub(crate) guards: Vec<TableId>,
    /// Clock differences that hold before the transition.
    pub(crate) differences: Vec<Difference>,
    pub(crate) effects: Vec<ClockEffect>,
    /// Clocks with an unknown value afterwards.
    pub(crate) forgotten: Vec<ClockRow>,
    /// The predicates that updates may change, ascending.
    pub(crate) before: Vec<(u32, Before)>,
    /// Whether some participant may leave a committed location.
    pub(crate) may_commit: bool,
    /// The cost of the transition in the part.
    pub(crate) weight: u32,
    /// The actions of the participants.
    pub(crate) actions: Vec<u32>,
}

impl PartStep {
    /// Whether a clock may change.
    pub(crate) fn touches(&self, row: ClockRow) -> bool {
        self.forgotten.contains(&row)
            || self.effects.iter().any(|effect| match *effect {
                ClockEffect::Set(clock, _) | ClockEffect::Copy(clock, _) => row_of(clock) == row,
            })
    }
}

/// The tables of all transitions, each once.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) all: IndexVec<TableId, Table>,
    known: HashMap<Table, TableId>,
}

impl Tables {
    pub(crate) fn intern(&mut self, table: Table) -> TableId {
        if let Some(&known) = self.known.get(&table) {
            return known;
        }
        let id = self.all.push(table.clone());
        self.known.insert(table, id);
        id
    }
}

/// The maximal number of receiver sets of one broadcast.
const MAX_RECEIVER_SETS: usize = 256;

/// The builder of transitions.
pub(crate) struct Steps<'a, 'm> {
    pub(crate) model: &'m Model,
    pub(crate) actions: &'a [Action],
    pub(crate) predicates: &'a Predicates,
    pub(crate) reader: Reader<'m>,
    pub(crate) tabulator: &'a mut Tabulator<'m>,
    pub(crate) tables: &'a mut Tables,
    /// The tables of tests that were computed before.
    pub(crate) asked: HashMap<Test, Option<TableId>>,
    /// The symbols that each predicate reads.
    pub(crate) reads: Vec<Symbols>,
    pub(crate) meter: &'a Meter,
}

/// The symbols that each predicate reads.
pub(crate) fn read_by(model: &Model, predicates: &Predicates) -> Vec<Symbols> {
    predicates.data.iter().map(|predicate| predicate.reads(model)).collect()
}

impl<'a> Steps<'a, '_> {
    /// All transitions that may be possible.
    pub(crate) fn all(
        &mut self,
        weigh: &dyn Fn(&[&Action]) -> u32,
    ) -> Result<Vec<PartStep>, StopReason> {
        let mut steps = Vec::new();
        for (participants, perhaps) in self.combinations() {
            self.meter.spend(1 << 6)?;
            if let Some(mut step) = self.step(&participants, &perhaps) {
                step.weight = weigh(&[participants.as_slice(), &perhaps].concat());
                let number = |one: &&Action| {
                    self.actions.iter().position(|action| std::ptr::eq(action, *one))
                };
                let numbers = participants.iter().filter_map(number);
                step.actions = numbers.map(|number| number as u32).collect();
                steps.push(step);
            }
        }
        self.meter.poll(0)?;
        Ok(steps)
    }

    /// The sets of participants, in the order of updates, each with the processes that may join
    /// besides.
    fn combinations(&self) -> Vec<(Vec<&'a Action>, Vec<&'a Action>)> {
        let mut others: BTreeMap<(ChannelId, Side), Vec<&'a Action>> = BTreeMap::new();
        for action in self.actions {
            if let Some((channel, side @ (Side::Receive | Side::Join))) = action.channel {
                others.entry((channel, side)).or_default().push(action);
            }
        }
        let mut all = Vec::new();
        for action in self.actions {
            let partners = |channel, side| {
                let found = others.get(&(channel, side)).map_or(&[][..], Vec::as_slice);
                found.iter().copied().filter(|other| other.process != action.process)
            };
            match action.channel {
                None => all.push((vec![action], Vec::new())),
                Some((channel, Side::Send)) => {
                    let pairs = partners(channel, Side::Receive);
                    all.extend(pairs.map(|other| (vec![action, other], Vec::new())));
                }
                Some((channel, Side::Announce)) => {
                    let joining: Vec<&Action> = partners(channel, Side::Join).collect();
                    match joined(action, &joining) {
                        Some(receiver_sets) => all.extend(
                            receiver_sets.into_iter().map(|receivers| (receivers, Vec::new())),
                        ),
                        None => all.push((vec![action], joining)),
                    }
                }
                Some((_, Side::Receive | Side::Join)) => {}
            }
        }
        all
    }

    fn step(&mut self, participants: &[&Action], perhaps: &[&Action]) -> Option<PartStep> {
        let model = self.model;
        let guards = self.guards(participants)?;
        let mut differences = Vec::new();
        for action in participants {
            for constraint in &action.edge(model).guard.clocks {
                differences.extend(self.reader.read(constraint, &action.bindings).differences);
            }
        }
        if faulty!(GuardRemoved) && participants.len() > 1 {
            differences.clear();
        }
        let (effects, forgotten) = self.clock_effects(participants, perhaps);
        let before = self.before(participants, perhaps);
        let is_committed = |action: &&Action| {
            let source = action.edge(model).source;
            model.processes[action.process].locations[source].kind == LocationKind::Committed
        };
        let may_commit = participants.iter().chain(perhaps).any(is_committed);
        let moves = participants.iter().map(|action| move_of(model, action)).collect();
        let mut joining: BTreeMap<ProcessId, Vec<Move>> = BTreeMap::new();
        for action in perhaps {
            joining.entry(action.process).or_default().push(move_of(model, action));
        }
        let perhaps = joining.into_iter().map(|(p, moves)| (p.index() as u32, moves)).collect();
        Some(PartStep {
            moves,
            perhaps,
            guards,
            differences,
            effects,
            forgotten,
            before,
            may_commit,
            weight: 1,
            actions: Vec::new(),
        })
    }

    /// The tables of all guards. Returns `None` if one never holds.
    fn guards(&mut self, participants: &[&Action]) -> Option<Vec<TableId>> {
        let mut guards = BTreeSet::new();
        for action in participants {
            for conjunct in action.guard.conjuncts() {
                let Some(table) = self.condition(conjunct, &action.bindings) else { continue };
                if self.tables.all[table].is_impossible() {
                    return None;
                }
                if !self.tables.all[table].is_trivial() {
                    guards.insert(table);
                }
            }
        }
        if faulty!(GuardRemoved) && participants.len() > 1 {
            guards.clear();
        }
        Some(guards.into_iter().collect())
    }

    /// The table of a condition, if it is known.
    pub(crate) fn condition(
        &mut self,
        condition: &Condition,
        bindings: &Bindings,
    ) -> Option<TableId> {
        if let Condition::Test(test) = condition {
            let test = relevant(self.model, test);
            if let Some(known) = self.asked.get(&test) {
                return *known;
            }
            let both = self.tabulator.ask(&test.bindings, |walk| walk.satisfies(&test));
            let table = both.map(|both| self.tables.intern(both.holds));
            self.asked.insert(test, table);
            return table;
        }
        // Conditions with different bindings cannot be evaluated together.
        if !has_bindings(condition, bindings) {
            return None;
        }
        let both = self.tabulator.ask(bindings, |walk| satisfies(walk, condition))?;
        Some(self.tables.intern(both.holds))
    }

    /// The pre-images of the predicates that the transition may change.
    fn before(&mut self, participants: &[&Action], perhaps: &[&Action]) -> Vec<(u32, Before)> {
        let writes = self.footprint(participants).writes;
        let more = self.footprint(perhaps).writes;
        let movers = |actions: &[&Action], symbols: &Symbols| {
            actions.iter().any(|action| symbols.processes.contains(action.process))
        };
        let mut changed = Vec::new();
        for predicate in 0..self.reads.len() {
            let reads = &self.reads[predicate];
            let is_lost = movers(participants, reads)
                || movers(perhaps, reads)
                || (!perhaps.is_empty() && reads.cells.meets(&more.cells));
            if is_lost {
                changed.push((predicate as u32, Before::Unknown));
            } else if reads.cells.meets(&writes.cells) && !faulty!(UpdatesForgotten) {
                let before = self.undone(participants, predicate).map_or(Before::Unknown, |both| {
                    let holds = self.tables.intern(both.holds);
                    Before::Tables { holds, fails: self.tables.intern(both.fails) }
                });
                changed.push((predicate as u32, before));
            }
        }
        changed
    }

    /// The symbols that a transition may read or write, including updates before and after every
    /// transition.
    fn footprint(&self, actions: &[&Action]) -> Footprint {
        let mut walk = Footprints::walk(self.model);
        if !actions.is_empty() {
            updates(self.model, actions).into_iter().for_each(|update| {
                walk.evaluate(update);
            });
        }
        walk.domain.found
    }

    /// The conditions before the updates under which a predicate holds, or fails, after them.
    fn undone(&mut self, participants: &[&Action], predicate: usize) -> Option<TestTables> {
        let predicate = &self.predicates.data[predicate];
        undone(self.model, participants, predicate, self.tabulator)
    }

    /// The effects on clocks: the known ones, and the clocks whose value becomes unknown.
    fn clock_effects(
        &self,
        participants: &[&Action],
        perhaps: &[&Action],
    ) -> (Vec<ClockEffect>, Vec<ClockRow>) {
        let mut clocks = ClockEffects { effects: Vec::new(), forgotten: BTreeSet::new() };
        let none = Bindings::new();
        for &update in &self.model.before_update {
            self.clock_effect(update, &none, &mut clocks);
        }
        for action in participants {
            for &update in &action.edge(self.model).updates {
                self.clock_effect(update, &action.bindings, &mut clocks);
            }
        }
        for &update in &self.model.after_update {
            self.clock_effect(update, &none, &mut clocks);
        }
        let more = self.footprint(perhaps).writes.clocks;
        clocks.forgotten.extend(more.iter().map(row_of));
        clocks.close();
        (clocks.effects, clocks.forgotten.into_iter().collect())
    }

    fn clock_effect(&self, update: ExpressionId, bindings: &Bindings, into: &mut ClockEffects) {
        let effect = match &self.model.expressions[update] {
            Expression::Sequence(parts) => {
                parts.iter().for_each(|&part| self.clock_effect(part, bindings, into));
                return;
            }
            Expression::AssignClock(place, value) => {
                let setting = self.reader.setting(place, *value, bindings);
                setting.map(|(clock, value)| ClockEffect::Set(clock, value))
            }
            Expression::CopyClock(target, source) => {
                let copying = self.reader.copying(target, source, bindings);
                copying.map(|(target, source)| ClockEffect::Copy(target, source))
            }
            _ => None,
        };
        match effect {
            Some(effect) => into.effects.push(effect),
            None => {
                let mut walk = Footprints::walk(self.model);
                walk.evaluate(update);
                into.forgotten.extend(walk.domain.found.writes.clocks.iter().map(row_of));
            }
        }
    }
}

/// All updates of a transition, in order.
pub(crate) fn updates(model: &Model, participants: &[&Action]) -> Vec<ExpressionId> {
    let own = participants.iter().flat_map(|action| &action.edge(model).updates);
    model.before_update.iter().chain(own).chain(&model.after_update).copied().collect()
}

/// The conditions before the updates of a transition under which a predicate holds, or fails, after
/// them.
pub(crate) fn undone(
    model: &Model,
    participants: &[&Action],
    predicate: &DataPredicate,
    tabulator: &mut Tabulator<'_>,
) -> Option<TestTables> {
    let mut bindings = predicate.bindings();
    for &(local, binding) in participants.iter().flat_map(|action| &action.bindings) {
        if bindings.iter().any(|&(known, other)| known == local && other != binding) {
            return None;
        }
        bindings.push((local, binding));
    }
    let updates = updates(model, participants);
    let domains = Arc::clone(&tabulator.domains);
    tabulator.ask(&bindings, |walk| {
        walk.update(&updates)?;
        if !faulty!(MetaKept) {
            walk.end_transition();
        }
        predicate.ask(walk, &domains)
    })
}

struct ClockEffects {
    effects: Vec<ClockEffect>,
    forgotten: BTreeSet<ClockRow>,
}

impl ClockEffects {
    /// Drops copies of unknown clocks, and known effects on them.
    fn close(&mut self) {
        let mut before = usize::MAX;
        while before != self.forgotten.len() {
            before = self.forgotten.len();
            for effect in &self.effects {
                if let ClockEffect::Copy(target, source) = *effect
                    && self.forgotten.contains(&row_of(source))
                {
                    self.forgotten.insert(row_of(target));
                }
            }
        }
        self.effects.retain(|effect| match *effect {
            ClockEffect::Set(clock, _) | ClockEffect::Copy(clock, _) => {
                !self.forgotten.contains(&row_of(clock))
            }
        });
    }
}

fn move_of(model: &Model, action: &Action) -> Move {
    let edge = action.edge(model);
    Move {
        process: action.process.index() as u32,
        source: edge.source.index() as u32,
        target: edge.target.index() as u32,
    }
}

/// The receiver sets of a broadcast, receivers in the order of processes. Returns `None` if there
/// are too many.
fn joined<'a>(sender: &'a Action, joining: &[&'a Action]) -> Option<Vec<Vec<&'a Action>>> {
    let mut receiver_sets = vec![vec![sender]];
    if faulty!(NoReceiverJoins) {
        return Some(receiver_sets);
    }
    for receivers in joining.chunk_by(|a, b| a.process == b.process) {
        let with = |set: &Vec<&'a Action>| {
            let set = set.clone();
            receivers.iter().map(move |&receiver| [set.as_slice(), &[receiver]].concat())
        };
        let more: Vec<Vec<&Action>> = receiver_sets.iter().flat_map(with).collect();
        receiver_sets.extend(more);
        if receiver_sets.len() > MAX_RECEIVER_SETS {
            return None;
        }
    }
    Some(receiver_sets)
}

/// Whether every test has exactly these bindings.
fn has_bindings(condition: &Condition, bindings: &Bindings) -> bool {
    match condition {
        Condition::Test(test) => test.bindings == *bindings,
        Condition::All(parts) | Condition::Any(parts) => {
            parts.iter().all(|part| has_bindings(part, bindings))
        }
    }
}

/// Whether a condition holds in a run.
fn satisfies<S: zonaut_analysis::runs::Choices>(
    walk: &mut zonaut_analysis::runs::RunWalk<'_, '_, S>,
    condition: &Condition,
) -> Option<bool> {
    match condition {
        Condition::Test(test) => walk.satisfies(test),
        Condition::All(parts) => {
            for part in parts {
                if !satisfies(walk, part)? {
                    return Some(false);
                }
            }
            Some(true)
        }
        Condition::Any(parts) => {
            for part in parts {
                if satisfies(walk, part)? {
                    return Some(true);
                }
            }
            Some(false)
        }
    }
}
