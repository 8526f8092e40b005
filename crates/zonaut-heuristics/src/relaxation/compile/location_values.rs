//! The values of variables at each location of a process.
//!
//! For each location of each process, a set of values for every variable: in any reachable state in
//! which the process is at the location, the variable has one of these values. Initially the sets
//! contain the initial values.
//! * An edge of the process is run for all values at its source that satisfy its guard. The values
//!   it writes are added at its target; a variable that it does not write keeps its values of runs
//!   that satisfy the guard.
//! * A `meta` variable has its initial value at every location, besides the values that updates
//!   leave there for those that follow in the same transition.
//! * The values that any other process writes, and those written around every transition, are added
//!   at all locations, because other processes move while this one stays.
//!
//! *Proof of the invariant.* By induction over a run. A transition changes a variable to a value
//! that one of its participants, or an update around every transition, writes; each of them is run,
//! among others, for the current state: its own location, and values that are in the sets of that
//! location, because values that others write within the same transition were added there, too. If
//! the writer is the process itself, the value is added at its target; if not, everywhere. A
//! variable that changes was written last by one of these. A variable that does not change has the
//! same value in the target as in the source, which is the value that the guard tested unless
//! another participant wrote it, and then the value is in the set in any case.
//!
//! Sets that are too large to be enumerated count as all values.

use super::effects::COMBINATIONS;
use super::{Compiler, ProcessLocation, perform};
use crate::dependencies::roots_of;
use crate::relaxation::network::{FactId, Facts};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use zonaut_analysis::action::combinations;
use zonaut_analysis::normal_form::{Bindings, Condition, Test};
use zonaut_analysis::runs::{Choices, Outcome};
use zonaut_analysis::{Meaning, VariableId};
use zonaut_base::Id;
use zonaut_model::{Direction, ExpressionId, LocationId, ProcessId};

/// Number of rounds after which a set that still grows becomes the set of all values.
const ROUNDS: u32 = 64;
/// Maximum number of bits of all sets together.
const BITS: usize = 1 << 27;

/// The values at all locations.
#[derive(Clone, Debug)]
pub(super) struct LocationValues {
    /// By process and location, one bit for each fact; `None` if no run reaches the location.
    at: Vec<Vec<Option<Vec<u64>>>>,
}

impl LocationValues {
    fn at(&self, here: ProcessLocation) -> Option<&[u64]> {
        self.at[here.process.index()][here.location.index()].as_deref()
    }

    /// Whether no run reaches a location.
    pub(super) fn is_empty(&self, here: ProcessLocation) -> bool {
        self.at(here).is_none()
    }

    /// Whether a variable can have a value at a location.
    pub(super) fn allows(&self, here: ProcessLocation, fact: FactId) -> bool {
        self.at(here).is_some_and(|bits| has(bits, fact.index()))
    }

    /// Whether some variable cannot have all its values at a location.
    pub(super) fn restricts(
        &self,
        here: ProcessLocation,
        facts: &Facts,
        variables: &BTreeSet<VariableId>,
    ) -> bool {
        variables.iter().filter(|&&v| is_tracked(facts, v)).any(|&variable| {
            facts_of(facts, variable).any(|fact| !self.allows(here, FactId::from_index(fact)))
        })
    }
}

fn has(bits: &[u64], fact: usize) -> bool {
    bits[fact / 64] >> (fact % 64) & 1 != 0
}

/// Adds a fact; returns whether it is new.
fn add(bits: &mut [u64], fact: usize) -> bool {
    let is_new = !has(bits, fact);
    bits[fact / 64] |= 1 << (fact % 64);
    is_new
}

fn facts_of(facts: &Facts, variable: VariableId) -> std::ops::Range<usize> {
    facts.first[variable.index()] as usize..facts.first[variable.index() + 1] as usize
}

/// Whether the values of a variable are tracked: those of cells with small ranges are.
pub(super) fn is_tracked(facts: &Facts, variable: VariableId) -> bool {
    facts.is_dense[variable.index()]
        && matches!(facts.variables.meaning(variable), Meaning::Cell(_))
}

/// The values at one location.
struct LocationChoices<'a> {
    facts: &'a Facts,
    bits: &'a [u64],
}

impl Choices for LocationChoices<'_> {
    fn count(&self, variable: VariableId) -> Option<u32> {
        if !is_tracked(self.facts, variable) {
            return None;
        }
        let held = facts_of(self.facts, variable).filter(|&fact| has(self.bits, fact)).count();
        Some(held as u32)
    }

    fn value(&self, variable: VariableId, position: u32) -> i32 {
        let facts = facts_of(self.facts, variable);
        let first = facts.start;
        let mut held = facts.filter(|&fact| has(self.bits, fact));
        let fact = held.nth(position as usize).unwrap_or(first);
        self.facts.low(variable) + (fact - first) as i32
    }
}

/// An edge with the values of its select variables, or updates around every transition.
struct Move {
    /// The moving process, its source and its target.
    mover: Option<(ProcessId, LocationId, LocationId)>,
    /// The tests of the guard over variables that have the same values when the updates run.
    tests: Vec<Test>,
    bindings: Bindings,
    /// Groups of dependent updates, with the variables they may write; the first group is empty and
    /// stands for the guard alone.
    groups: Vec<(Vec<ExpressionId>, BTreeSet<VariableId>)>,
    /// The variables of the tests, if all of them are tracked.
    tested: BTreeSet<VariableId>,
    /// The latest input, with its result.
    last: Option<(Vec<u64>, Option<MoveResult>)>,
}

/// The result of a move for a set of values.
#[derive(Clone, Default)]
struct MoveResult {
    /// The written values, as facts.
    written: BTreeSet<usize>,
    /// The values that a variable, which some run writes or tests, can keep after runs that do not
    /// write it.
    kept: BTreeMap<VariableId, BTreeSet<usize>>,
}

impl Compiler<'_> {
    /// The values at all locations; `None` if the sets are too large.
    pub(super) fn compute_location_values(&mut self) -> Option<LocationValues> {
        let locations = self.model.processes.iter().map(|p| p.locations.len()).sum::<usize>();
        if self.facts.len().saturating_mul(locations) > BITS {
            return None;
        }
        let mut moves = self.moves();
        let mut location_values = self.initial_location_values();
        for round in 0.. {
            let mut is_changed = false;
            for step in &mut moves {
                self.runs.meter().spend(1).ok()?;
                let before = match step.mover {
                    Some((process, source, _)) => {
                        location_values.at[process.index()][source.index()].clone()
                    }
                    None => Some(vec![u64::MAX; self.facts.len().div_ceil(64)]),
                };
                let Some(before) = before else { continue };
                if step.last.as_ref().is_none_or(|(last, _)| *last != before) || round == ROUNDS {
                    let move_result = self.move_result(step, &before, round >= ROUNDS);
                    step.last = Some((before, move_result));
                }
                is_changed |= self.spread(&mut location_values, step);
            }
            if !is_changed {
                break;
            }
        }
        Some(location_values)
    }

    fn initial_location_values(&self) -> LocationValues {
        let mut initial = vec![0; self.facts.len().div_ceil(64)];
        for (cell, value) in self.model.cells.ids().zip(self.model.initial_cells()) {
            let variable = self.facts.variables.cell(cell);
            if is_tracked(&self.facts, variable) {
                add(&mut initial, self.facts.dense(variable, value).index());
            }
        }
        let at = self.model.processes.iter().map(|process| {
            let here = |location| (location == process.initial).then(|| initial.clone());
            process.locations.ids().map(here).collect()
        });
        LocationValues { at: at.collect() }
    }

    /// The values that variables have at the end of each transition, whatever was written: those of
    /// `meta` variables, as a bit set of this many words.
    fn reset_values(&self, words: usize) -> Vec<u64> {
        let mut bits = vec![0; words];
        let cells = self.model.cells.iter_enumerated();
        for (cell, definition) in cells.filter(|(_, cell)| cell.meta && !faulty!(MetaKept)) {
            let variable = self.facts.variables.cell(cell);
            if is_tracked(&self.facts, variable) {
                add(&mut bits, self.facts.dense(variable, definition.initial).index());
            }
        }
        bits
    }

    fn moves(&self) -> Vec<Move> {
        let model = self.model;
        let mut moves = Vec::new();
        for updates in [&model.before_update, &model.after_update] {
            if !updates.is_empty() {
                moves.push(self.movement(None, Vec::new(), updates, Bindings::new()));
            }
        }
        for (process, definition) in model.processes.iter_enumerated() {
            for edge in &definition.edges {
                // A variable that another participant writes before need not have the value that
                // the guard tested.
                let label = edge.synchronisation.as_ref();
                let is_first = label.is_none_or(|label| label.direction == Direction::Send)
                    && model.before_update.is_empty();
                for bindings in combinations(&edge.select, COMBINATIONS) {
                    let guard = match edge.guard.data.filter(|_| is_first) {
                        None => Condition::TRUE,
                        Some(data) => {
                            Condition::of_expression(&model.expressions, data, false, &bindings)
                        }
                    };
                    let mover = Some((process, edge.source, edge.target));
                    let tests = self.tracked_tests(&guard, &bindings);
                    moves.push(self.movement(mover, tests, &edge.updates, bindings));
                }
            }
        }
        moves
    }

    /// The tests of a guard over tracked variables only.
    fn tracked_tests(&self, guard: &Condition, bindings: &Bindings) -> Vec<Test> {
        let tests = guard.conjuncts().into_iter().filter_map(|part| match part {
            Condition::Test(test) if test.bindings == *bindings => Some(test),
            _ => None,
        });
        let is_seen = |test: &&Test| {
            let reads = self.dependencies.footprint(roots_of(test)).reads;
            reads.iter().all(|&variable| is_tracked(&self.facts, variable))
        };
        tests.filter(is_seen).cloned().collect()
    }

    fn movement(
        &self,
        mover: Option<(ProcessId, LocationId, LocationId)>,
        tests: Vec<Test>,
        updates: &[ExpressionId],
        bindings: Bindings,
    ) -> Move {
        let read = |test: &Test| self.dependencies.footprint(roots_of(test)).reads;
        let tested = tests.iter().flat_map(read).collect();
        let mut groups = vec![(Vec::new(), BTreeSet::new())];
        for group in self.clusters(updates) {
            let writes = self.dependencies.footprint(group.iter().copied()).writes;
            groups.push((group, writes));
        }
        Move { mover, tests, bindings, groups, tested, last: None }
    }

    /// The result of a move for these values of variables; `None` if the move is disabled.
    fn move_result(&mut self, step: &Move, before: &[u64], is_late: bool) -> Option<MoveResult> {
        let mut all = MoveResult::default();
        for (number, (updates, writes)) in step.groups.iter().enumerate() {
            let concerned = if number == 0 { &step.tested } else { writes };
            let part = self.group_result(step, updates, concerned, before, is_late)?;
            all.written.extend(part.written);
            // The group that writes a variable is more precise than the guard alone.
            all.kept.extend(part.kept);
        }
        Some(all)
    }

    /// The result of a group of updates for the variables it may write, or of the guard for those
    /// it tests.
    fn group_result(
        &mut self,
        step: &Move,
        updates: &[ExpressionId],
        concerned: &BTreeSet<VariableId>,
        before: &[u64],
        is_late: bool,
    ) -> Option<MoveResult> {
        let facts = &self.facts;
        let concerned = concerned.iter().copied().filter(|&v| is_tracked(facts, v));
        let concerned: Vec<VariableId> = concerned.collect();
        let held = |variable| facts_of(facts, variable).filter(|&fact| has(before, fact));
        let mut move_result = MoveResult::default();
        let mut is_possible = false;
        let at = LocationChoices { facts, bits: before };
        let outcome = self.runs.for_each(&at, &step.bindings, |walk| {
            if !perform(walk, &step.tests, updates)? {
                return Some(ControlFlow::Continue(()));
            }
            is_possible = true;
            let written: BTreeMap<VariableId, i32> = walk.written().collect();
            let chosen: BTreeMap<VariableId, u32> = walk.choices().collect();
            for &variable in &concerned {
                let kept = move_result.kept.entry(variable).or_default();
                match (written.get(&variable), chosen.get(&variable)) {
                    (Some(&value), _) => {
                        move_result.written.insert(facts.dense(variable, value).index());
                    }
                    (None, Some(&position)) => {
                        kept.insert(facts.dense(variable, at.value(variable, position)).index());
                    }
                    (None, None) => kept.extend(held(variable)),
                }
            }
            Some(ControlFlow::Continue(()))
        });
        let is_complete = matches!(outcome, Outcome::Complete { .. });
        if is_complete && !is_possible {
            return None;
        }
        if !is_complete || is_late && !updates.is_empty() {
            for variable in concerned {
                move_result.kept.insert(variable, held(variable).collect());
                if !updates.is_empty() {
                    move_result.written.extend(facts_of(facts, variable));
                }
            }
        }
        Some(move_result)
    }

    /// Adds the result of a move; returns whether any value is new.
    fn spread(&self, location_values: &mut LocationValues, step: &Move) -> bool {
        let Some((before, Some(move_result))) = &step.last else { return false };
        let mut is_changed = false;
        for (process, locations) in location_values.at.iter_mut().enumerate() {
            let is_mover = step.mover.is_some_and(|(mover, ..)| mover.index() == process);
            if is_mover || faulty!(OthersForgotten) {
                continue;
            }
            for bits in locations.iter_mut().flatten() {
                for &fact in &move_result.written {
                    is_changed |= add(bits, fact);
                }
            }
        }
        let Some((process, _, target)) = step.mover else { return is_changed };
        let target = &mut location_values.at[process.index()][target.index()];
        is_changed |= target.is_none();
        let bits = target.get_or_insert_with(|| self.reset_values(before.len()));
        for &fact in &move_result.written {
            is_changed |= add(bits, fact);
        }
        for index in 0..self.facts.variables.len() {
            let variable = VariableId::from_index(index);
            if !is_tracked(&self.facts, variable) {
                continue;
            }
            let kept = move_result.kept.get(&variable);
            let held = facts_of(&self.facts, variable).filter(|&fact| has(before, fact));
            for fact in held.filter(|fact| kept.is_none_or(|kept| kept.contains(fact))) {
                is_changed |= add(bits, fact);
            }
        }
        is_changed
    }
}
