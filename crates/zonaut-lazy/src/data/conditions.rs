//! The cells on which a fact about a state depends.
//!
//! A condition has a truth value in every state; a lookup asks for cells that suffice to decide it.
//! They are found by evaluation over partial valuations: the cells read by the full evaluation
//! suffice, and then one cell after the other is removed as long as the rest suffices. This is
//! interpolation for variable assignments (Algorithm 2 of T. Tóth, I. Majzik, "Lazy reachability
//! checking for timed automata with discrete variables", DOI 10.1007/978-3-319-94111-0_14). If a
//! condition is false for several reasons, each is an alternative.

use super::facts::{CellRange, Facts};
use super::layout::{Bits, Layout, add, meets};
use super::meaning::{Partial, bind, edge_of, is_decided, is_one, take, truth};
use super::memo::{Alternatives, Memo};
use super::steps::{Profile, Profiles};
use crate::interner::{Interner, Number};
use foldhash::fast::FixedState;
use std::collections::HashMap;
use zonaut_analysis::footprint::Footprints;
use zonaut_analysis::known::{Answer, PartialWalk, ask};
use zonaut_analysis::normal_form::{Connective, Literal, operands};
use zonaut_analysis::{Domain, Truth, Walk};
use zonaut_base::Id;
use zonaut_compile::{ActionId, CompiledNetwork};
use zonaut_model::interval::Interval;
use zonaut_model::{CellId, Condition, ExpressionId, LocationId, Model, ProcessId, Storage};

/// A condition that the values of some cells may decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DataCondition {
    /// The data guard of an action is false, and can be evaluated.
    Fails(ActionId),
    /// The data guard of an action holds.
    Holds(ActionId),
    /// Guard and channel of an action can be evaluated.
    Safe(ActionId),
    /// The constants of the clock guard of an action.
    Bounds(ActionId),
    /// The channel of an action.
    Channel(ActionId),
    /// The data part of an invariant is false, and can be evaluated.
    InvariantFails(ProcessId, LocationId),
    /// An invariant can be evaluated.
    InvariantSafe(ProcessId, LocationId),
    /// The constants of the clock part of an invariant.
    InvariantBounds(ProcessId, LocationId),
    /// The actions of a profile raise no run-time error.
    StepSafe(Number),
    /// The value of a cell after the actions of a profile.
    After(Number, CellId),
    /// A cell is in the range with this number after the actions of a profile.
    Within(Number, Number),
    /// A literal of the goal is false, and can be evaluated.
    LiteralFails(usize),
    /// A literal of the goal can be evaluated.
    LiteralSafe(usize),
    /// The constants of a clock constraint of the goal.
    LiteralBounds(usize),
}

impl DataCondition {
    /// A number that identifies the condition.
    fn number(self) -> u64 {
        let (kind, first, second) = match self {
            Self::Fails(id) => (0, id.index(), 0),
            Self::Holds(id) => (1, id.index(), 0),
            Self::Safe(id) => (2, id.index(), 0),
            Self::Bounds(id) => (3, id.index(), 0),
            Self::Channel(id) => (4, id.index(), 0),
            Self::InvariantFails(process, location) => (5, process.index(), location.index()),
            Self::InvariantSafe(process, location) => (6, process.index(), location.index()),
            Self::InvariantBounds(process, location) => (7, process.index(), location.index()),
            Self::StepSafe(profile) => (8, profile as usize, 0),
            Self::After(profile, cell) => (9, profile as usize, cell.index()),
            Self::LiteralFails(literal) => (10, literal, 0),
            Self::LiteralSafe(literal) => (11, literal, 0),
            Self::LiteralBounds(literal) => (12, literal, 0),
            Self::Within(profile, range) => (13, profile as usize, range as usize),
        };
        kind << 60 | (first as u64) << 30 | second as u64
    }

    /// Whether it excludes a run-time error, or propagates a range that does.
    fn excludes_failure(self) -> bool {
        matches!(
            self,
            Self::Safe(_)
                | Self::InvariantSafe(..)
                | Self::StepSafe(_)
                | Self::LiteralSafe(_)
                | Self::Within(..)
        )
    }

    /// Whether it has the same truth value in every state if no cell decides it.
    fn is_timeless(self) -> bool {
        !matches!(
            self,
            Self::Fails(_)
                | Self::Holds(_)
                | Self::InvariantFails(..)
                | Self::After(..)
                | Self::Within(..)
                | Self::LiteralFails(_)
        )
    }
}

/// The precision with which deciding cells are kept.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Precision {
    /// By their values, except that a run-time error is excluded by a range. A range that would
    /// have to shrink becomes the value, so that a counter is not refined number by number.
    #[default]
    Content,
    /// By a range, each end of which is as wide as the other facts allow.
    Range,
}

/// Facts about a state that are being reduced.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Kept {
    bits: Bits,
    ranges: Vec<CellRange>,
}

impl Kept {
    fn facts(&self) -> Facts<'_> {
        Facts { bits: &self.bits, ranges: &self.ranges }
    }
}

/// The state-independent properties of a condition.
#[derive(Clone, Debug)]
struct Scope {
    /// The cells that it may depend on.
    bits: Bits,
    /// Whether it is decided in every state without any cell.
    is_void: bool,
}

/// All conditions on the data of a model and a goal.
#[derive(Debug)]
pub(crate) struct DataConditions<'m> {
    pub(crate) model: &'m Model,
    pub(crate) network: &'m CompiledNetwork,
    pub(crate) layout: Layout,
    pub(crate) profiles: Profiles,
    literals: Vec<(Literal<'m>, bool)>,
    pub(crate) precision: Precision,
    /// Ranges that conditions refer to.
    wanted: Interner<CellRange>,
    scopes: HashMap<u64, Scope, FixedState>,
    memo: Memo,
    pub(crate) alternatives: Alternatives,
    values: Vec<i32>,
}

impl<'m> DataConditions<'m> {
    /// Conditions of a model, and of a goal with these literals, negated or not.
    pub(crate) fn new(
        model: &'m Model,
        network: &'m CompiledNetwork,
        literals: Vec<(Literal<'m>, bool)>,
        precision: Precision,
    ) -> Self {
        Self {
            model,
            network,
            layout: Layout::new(network),
            profiles: Profiles::default(),
            literals,
            precision,
            wanted: Interner::default(),
            scopes: HashMap::default(),
            memo: Memo::new(),
            alternatives: Alternatives::default(),
            values: Vec::new(),
        }
    }

    /// The number by which conditions refer to a range.
    pub(crate) fn wanted(&mut self, range: CellRange) -> Number {
        self.wanted.intern(&[range])
    }

    /// Lists of facts, each of which decides the condition as in the state; `None` if it is decided
    /// without facts.
    pub(crate) fn needs(&mut self, data_condition: DataCondition, key: &[u64]) -> Option<Number> {
        let number = data_condition.number();
        let asked = match self.scopes.get(&number) {
            Some(Scope { is_void: true, .. }) => return None,
            Some(Scope { bits, .. }) => self.memo.ask(number, key, bits),
            None => {
                let scope = self.scope(data_condition);
                self.scopes.insert(number, scope);
                return self.needs(data_condition, key);
            }
        };
        if asked.is_some() {
            return asked;
        }
        let found = self.find(data_condition, key);
        let list = self.alternatives.intern(found.iter().map(Kept::facts));
        self.memo.learn(list);
        Some(list)
    }

    /// The number of the profile of actions.
    pub(crate) fn profile(&mut self, participants: &[ActionId]) -> Number {
        let Self { model, network, layout, profiles, .. } = self;
        profiles.number(model, network, layout, participants)
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.memo.bytes() + self.alternatives.bytes()
    }

    fn scope(&mut self, data_condition: DataCondition) -> Scope {
        let bits = match data_condition {
            DataCondition::StepSafe(profile) => self.profiles.get(profile).reads.clone(),
            DataCondition::After(profile, _) | DataCondition::Within(profile, _) => {
                let Profile { reads, writes, .. } = self.profiles.get(profile);
                let mut bits = reads.clone();
                // The result of a cell that may keep its value depends on that value, also if it is
                // never read.
                if let Some((word, own)) =
                    self.asked_of(data_condition).and_then(|cell| self.layout.cell(cell))
                {
                    bits[word] |= own;
                }
                // A cell that may keep its value has a range that depends on it.
                if self.precision == Precision::Range {
                    add(&mut bits, writes);
                }
                bits
            }
            _ => {
                let mut walk = Footprints::walk(self.model);
                self.touch(data_condition, &mut walk);
                self.layout.bits_of(&walk.domain.found.reads)
            }
        };
        let reads_locations = meets(&bits, self.layout.locations());
        let nothing = vec![0; self.layout.words()];
        let is_void = data_condition.is_timeless() && !reads_locations && {
            let initial = self.network.initial.clone();
            self.answer(data_condition, &initial, Facts { bits: &nothing, ranges: &[] }).0
        };
        Scope { bits, is_void }
    }

    /// The cell whose value after a step is asked for.
    fn asked_of(&self, data_condition: DataCondition) -> Option<CellId> {
        #[cfg(feature = "faults")]
        if crate::faults::Fault::StayingForgotten.is_selected() {
            return None;
        }
        match data_condition {
            DataCondition::After(_, cell) => Some(cell),
            DataCondition::Within(_, wanted) => {
                self.wanted.get(wanted).first().map(|range| range.cell)
            }
            _ => None,
        }
    }

    /// Evaluates all expressions of a condition.
    fn touch<D: Domain>(&self, data_condition: DataCondition, walk: &mut Walk<'m, D>) {
        let condition = |walk: &mut Walk<'m, D>, condition: &Condition| {
            truth(walk, condition);
            walk_constraints(condition, walk);
        };
        match data_condition {
            DataCondition::Fails(id)
            | DataCondition::Holds(id)
            | DataCondition::Safe(id)
            | DataCondition::Bounds(id)
            | DataCondition::Channel(id) => {
                bind(walk, self.network, id);
                let edge = edge_of(self.model, self.network, id);
                condition(walk, &edge.guard);
                if let Some(synchronisation) = &edge.synchronisation {
                    walk.channel(synchronisation);
                }
            }
            DataCondition::InvariantFails(process, location)
            | DataCondition::InvariantSafe(process, location)
            | DataCondition::InvariantBounds(process, location) => {
                condition(walk, &self.model.processes[process].locations[location].invariant);
            }
            DataCondition::LiteralFails(literal)
            | DataCondition::LiteralSafe(literal)
            | DataCondition::LiteralBounds(literal) => match self.literals[literal].0 {
                Literal::Data(data) => {
                    let _ = walk.evaluate(data);
                }
                Literal::Clock(constraint) => {
                    let _ = walk.constraint(constraint);
                }
                Literal::Deadlock => {}
            },
            DataCondition::StepSafe(_) | DataCondition::After(..) | DataCondition::Within(..) => {}
        }
    }

    /// Facts that decide a condition in a state.
    fn find(&mut self, data_condition: DataCondition, key: &[u64]) -> Vec<Kept> {
        let mut values = std::mem::take(&mut self.values);
        self.network.packing.unpack(key, &mut values);
        let found = self.find_for(data_condition, &values);
        self.values = values;
        found
    }

    fn find_for(&self, data_condition: DataCondition, values: &[i32]) -> Vec<Kept> {
        let all = Facts { bits: self.layout.all(), ranges: &[] };
        let (is_enough, read) = self.answer(data_condition, values, all);
        if !is_enough {
            // Evaluation was aborted, or the condition does not apply to the state.
            return vec![Kept { bits: self.layout.all().into(), ranges: Vec::new() }];
        }
        let mut sets = vec![self.minimal(data_condition, values, &read)];
        for part in self.parts(data_condition) {
            let read = self.read_by(data_condition, part, values);
            if self.answer(data_condition, values, Facts { bits: &read, ranges: &[] }).0 {
                let set = self.minimal(data_condition, values, &read);
                if !sets.contains(&set) {
                    sets.push(set);
                }
            }
        }
        #[cfg(feature = "faults")]
        crate::faults::forget_a_cell(&self.layout, &mut sets);
        sets.iter().map(|bits| self.widened(data_condition, values, bits)).collect()
    }

    /// The conjuncts each of which makes the condition false by itself.
    fn parts(&self, data_condition: DataCondition) -> Vec<ExpressionId> {
        let chain = |data: Option<ExpressionId>, connective| {
            let parts = data.map(|data| operands(&self.model.expressions, data, connective));
            parts.filter(|parts| parts.len() > 1).unwrap_or_default()
        };
        match data_condition {
            DataCondition::Fails(id) => {
                chain(edge_of(self.model, self.network, id).guard.data, Connective::And)
            }
            DataCondition::InvariantFails(process, location) => {
                let invariant = &self.model.processes[process].locations[location].invariant;
                chain(invariant.data, Connective::And)
            }
            DataCondition::LiteralFails(literal) => match self.literals[literal] {
                (Literal::Data(data), false) => chain(Some(data), Connective::And),
                (Literal::Data(data), true) => chain(Some(data), Connective::Or),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// The cells read to evaluate a part of a condition.
    fn read_by(&self, data_condition: DataCondition, part: ExpressionId, values: &[i32]) -> Bits {
        let facts = Facts { bits: self.layout.all(), ranges: &[] };
        let partial = Partial { layout: &self.layout, values, facts };
        let answer = ask(self.model, partial, |walk| {
            if let DataCondition::Fails(id) = data_condition {
                bind(walk, self.network, id);
            }
            walk.holds(part)
        });
        self.layout.bits_of(&answer.read)
    }

    /// A minimal subset of `read` that suffices.
    fn minimal(&self, data_condition: DataCondition, values: &[i32], read: &[u64]) -> Bits {
        let mut kept: Bits = read.into();
        for cell in self.layout.cells(read) {
            let Some((word, bits)) = self.layout.cell(cell) else { continue };
            kept[word] &= !bits;
            if !self.answer(data_condition, values, Facts { bits: &kept, ranges: &[] }).0 {
                kept[word] |= bits;
            }
        }
        // Locations are always kept.
        kept.iter_mut().zip(self.layout.locations()).for_each(|(kept, l)| *kept &= !l);
        kept
    }

    /// The same with ranges instead of values, as wide as suffices; one cell after the other.
    fn widened(&self, data_condition: DataCondition, values: &[i32], bits: &[u64]) -> Kept {
        let mut kept = Kept { bits: bits.into(), ranges: Vec::new() };
        if self.precision == Precision::Content && !data_condition.excludes_failure() {
            return kept;
        }
        for cell in self.layout.cells(bits) {
            let Some((word, of_cell)) = self.layout.cell(cell) else { continue };
            let (value, range) = (values[self.layout.position(cell)], self.model.cells[cell].range);
            kept.bits[word] &= !of_cell;
            let position = kept.ranges.partition_point(|known| known.cell < cell);
            kept.ranges.insert(position, CellRange { cell, low: value, high: value });
            let low = farthest(value, range.low, |low| {
                kept.ranges[position].low = low;
                self.answer(data_condition, values, kept.facts()).0
            });
            kept.ranges[position].low = low;
            let high = farthest(value, range.high, |high| {
                kept.ranges[position].high = high;
                self.answer(data_condition, values, kept.facts()).0
            });
            kept.ranges[position].high = high;
            if low == high {
                kept.bits[word] |= of_cell;
            }
            if low == high || (low, high) == (range.low, range.high) {
                kept.ranges.remove(position);
            }
        }
        #[cfg(feature = "faults")]
        if crate::faults::Fault::RangeTooWide.is_selected() {
            kept.ranges.iter_mut().for_each(|range| range.high = range.high.saturating_add(1));
        }
        kept
    }

    /// Whether facts about a state decide a condition, and the cells that were read.
    fn answer(
        &self,
        data_condition: DataCondition,
        values: &[i32],
        facts: Facts<'_>,
    ) -> (bool, Bits) {
        let partial = Partial { layout: &self.layout, values, facts };
        let answer = ask(self.model, partial, |walk| Some(self.is_decided(data_condition, walk)));
        let Answer { answer, failures, read } = answer;
        // The value of a cell after a step matters only if the step raises no error.
        let may_fail =
            matches!(data_condition, DataCondition::After(..) | DataCondition::Within(..));
        let is_decided = answer == Some(true) && (may_fail || failures.is_empty());
        (is_decided, self.layout.bits_of(&read))
    }

    fn is_decided(
        &self,
        data_condition: DataCondition,
        walk: &mut PartialWalk<'m, Partial<'_>>,
    ) -> bool {
        match data_condition {
            DataCondition::Fails(id)
            | DataCondition::Holds(id)
            | DataCondition::Safe(id)
            | DataCondition::Bounds(id)
            | DataCondition::Channel(id) => {
                bind(walk, self.network, id);
                self.is_offer_decided(data_condition, id, walk)
            }
            DataCondition::InvariantFails(process, location)
            | DataCondition::InvariantSafe(process, location)
            | DataCondition::InvariantBounds(process, location) => {
                let invariant = &self.model.processes[process].locations[location].invariant;
                is_condition_decided(data_condition, invariant, walk)
            }
            DataCondition::StepSafe(profile) => {
                let participants = &self.profiles.get(profile).participants;
                take(walk, self.network, participants);
                true
            }
            DataCondition::After(profile, cell) => {
                let content = self.content_after(profile, cell, walk);
                // A single value is the exact one: the exact state satisfies the facts.
                content.is_none_or(|(low, high)| low == high)
            }
            DataCondition::Within(profile, wanted) => {
                let [wanted] = self.wanted.get(wanted) else { return false };
                let content = self.content_after(profile, wanted.cell, walk);
                content.is_none_or(|(low, high)| {
                    i64::from(wanted.low) <= low && high <= i64::from(wanted.high)
                })
            }
            DataCondition::LiteralFails(literal)
            | DataCondition::LiteralSafe(literal)
            | DataCondition::LiteralBounds(literal) => {
                let (literal, negated) = self.literals[literal];
                match literal {
                    Literal::Data(data) => {
                        let false_truth = if negated { Truth::Holds } else { Truth::Fails };
                        let truth = walk.holds(data);
                        !matches!(data_condition, DataCondition::LiteralFails(_))
                            || truth == Some(false_truth)
                    }
                    Literal::Clock(constraint) => is_decided(walk, constraint),
                    Literal::Deadlock => false,
                }
            }
        }
    }

    fn is_offer_decided(
        &self,
        data_condition: DataCondition,
        id: ActionId,
        walk: &mut PartialWalk<'m, Partial<'_>>,
    ) -> bool {
        let edge = edge_of(self.model, self.network, id);
        let channel = |walk: &mut PartialWalk<'m, Partial<'_>>| match &edge.synchronisation {
            Some(synchronisation) => is_one(walk.channel(synchronisation).as_ref()),
            None => true,
        };
        match data_condition {
            DataCondition::Safe(_) => {
                if truth(walk, &edge.guard).is_some_and(Truth::may_hold) {
                    walk_constraints(&edge.guard, walk);
                    channel(walk);
                }
                true
            }
            DataCondition::Channel(_) => {
                truth(walk, &edge.guard);
                channel(walk)
            }
            _ => is_condition_decided(data_condition, &edge.guard, walk),
        }
    }

    /// The possible values of a cell after the actions of a profile; `None` if they are never
    /// taken.
    fn content_after(
        &self,
        profile: Number,
        cell: CellId,
        walk: &mut PartialWalk<'m, Partial<'_>>,
    ) -> Option<Interval> {
        let participants = &self.profiles.get(profile).participants;
        take(walk, self.network, participants)?;
        Some(walk.domain.content(&walk.memory, Storage::Cell(cell)))
    }
}

/// The number between `start` and `end` farthest from `start` for which `is_enough`, which holds at
/// the start; found by binary search, so that the result may be another one if `is_enough` is not
/// monotone.
fn farthest(start: i32, end: i32, mut is_enough: impl FnMut(i32) -> bool) -> i32 {
    let next = |from: i32| if end < start { from - 1 } else { from + 1 };
    if start == end || !is_enough(next(start)) {
        return start;
    }
    if is_enough(end) {
        return end;
    }
    let (mut enough, mut too_far) = (i64::from(next(start)), i64::from(end));
    while (enough - too_far).abs() > 1 {
        let middle = i64::midpoint(enough, too_far);
        // Both ends are 32-bit numbers, and so is every number between them.
        if is_enough(middle as i32) { enough = middle } else { too_far = middle }
    }
    enough as i32
}

/// Whether a condition on a guard or invariant is decided.
fn is_condition_decided(
    data_condition: DataCondition,
    condition: &Condition,
    walk: &mut PartialWalk<'_, Partial<'_>>,
) -> bool {
    let truth = truth(walk, condition);
    match data_condition {
        DataCondition::Fails(_) | DataCondition::InvariantFails(..) => truth == Some(Truth::Fails),
        DataCondition::Holds(_) => truth == Some(Truth::Holds),
        DataCondition::Bounds(_) | DataCondition::InvariantBounds(..) => {
            condition.clocks.iter().all(|constraint| is_decided(walk, constraint))
        }
        _ => {
            if truth.is_some_and(Truth::may_hold) {
                walk_constraints(condition, walk);
            }
            true
        }
    }
}

/// Evaluates the constants of the clock part of a condition.
fn walk_constraints<D: Domain>(condition: &Condition, walk: &mut Walk<'_, D>) {
    for constraint in &condition.clocks {
        let _ = walk.constraint(constraint);
    }
}
