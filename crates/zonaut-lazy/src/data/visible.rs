//! The visible and interval data domains: labels fix needed cells, or their ranges.

use super::conditions::{DataCondition, DataConditions, Precision};
use super::facts::{CellRange, FactDraft, FactTable, Facts, Learnt};
use super::layout::{Bits, meets};
use super::others::Sides;
use super::steps::Profile;
use crate::domain::{
    DataDomain, DraftLabel, Exact, Labelled, LazyDomain, Obstacle, PathSegment, TransitionRecord,
};
use crate::interner::Number;
use zonaut_analysis::normal_form::Literal;
use zonaut_base::Id;
use zonaut_compile::{ActionId, LocationFlags, Machine};
use zonaut_dbm::Width;
use zonaut_model::{ClockConstraint, Expression, ExpressionId, LocationId, Model, ProcessId};
use zonaut_zonegraph::ZoneGraph;

/// Labels fix the values of the cells that were needed, or ranges if these suffice. With the
/// precision by content, ranges occur only to exclude run-time errors. Elements of arrays and
/// fields of structures are cells of their own.
#[derive(Debug)]
pub struct Visible<'m> {
    pub(super) conditions: DataConditions<'m>,
    labels: FactTable,
    pub(super) machine: Machine,
    pub(super) values: Vec<i32>,
    pub(super) sides: Sides,
    /// By action, the channels that it may use.
    pub(super) channels: Vec<Option<(usize, usize)>>,
    /// By action, whether guard and channel can be evaluated in every state.
    pub(super) safe: Vec<bool>,
    /// The draft of the target of a step.
    target: FactDraft,
    learnt: Learnt,
    /// Whether no invariant depends on data.
    has_plain_invariants: bool,
    /// By transition, the profile of its actions, computed on demand.
    profiles: Vec<Option<Number>>,
    /// The facts that the nodes on the path being refined need, the next node last.
    plan: Option<Vec<Bits>>,
}

impl<'m> Visible<'m> {
    /// The domain for states of `graph`, whose network is that of `model`, and a goal with these
    /// literals, negated or not.
    #[must_use]
    pub fn new<W: Width>(
        model: &'m Model,
        graph: &ZoneGraph<'m, W>,
        literals: Vec<(Literal<'m>, bool)>,
        precision: Precision,
    ) -> Self {
        let network = graph.network();
        let conditions = DataConditions::new(model, network, literals, precision);
        let mut labels = FactTable::default();
        labels.intern(Facts { bits: conditions.layout.locations(), ranges: &[] });
        Self {
            conditions,
            labels,
            machine: network.machine(graph.meter()),
            values: Vec::new(),
            sides: Sides::default(),
            channels: Vec::new(),
            safe: Vec::new(),
            target: FactDraft::default(),
            learnt: Learnt::default(),
            has_plain_invariants: has_plain_invariants(model),
            profiles: Vec::new(),
            plan: None,
        }
    }

    /// The facts of a label.
    pub(super) fn facts_of(&self, label: Number) -> Facts<'_> {
        self.labels.get(label)
    }

    /// The profile of the actions of a transition.
    fn profile_of<W: Width>(&mut self, transition: &TransitionRecord<W>) -> Number {
        let index = transition.number as usize;
        if self.profiles.len() <= index {
            self.profiles.resize(index + 1, None);
        }
        let Self { profiles, conditions, .. } = self;
        *profiles[index].get_or_insert_with(|| conditions.profile(&transition.participants))
    }

    /// Strengthens the draft of a state so that it decides the constants of the clock guards of
    /// actions.
    fn decide_guards(&mut self, actions: &[ActionId], key: &[u64], draft: &mut FactDraft) {
        for &action in actions {
            if self.conditions.network.action(action).guard.has_computed_constraints() {
                self.settle(DataCondition::Bounds(action), key, draft);
            }
        }
    }

    /// Strengthens the draft of a state so that it decides the clock effects of actions, and that
    /// they raise no error.
    fn decide_step(&mut self, actions: &[ActionId], key: &[u64], draft: &mut FactDraft) -> Number {
        let profile = self.conditions.profile(actions);
        self.decide_guards(actions, key, draft);
        self.settle(DataCondition::StepSafe(profile), key, draft);
        draft.know(&self.conditions.layout, &self.conditions.profiles.get(profile).effects);
        profile
    }

    /// Strengthens the draft of a state so that it decides the evaluability and the clock
    /// constraints of the invariants of the processes before `end`.
    fn decide_invariants(&mut self, key: &[u64], end: usize, draft: &mut FactDraft) {
        if self.has_plain_invariants {
            return;
        }
        let network = self.conditions.network;
        let mut values = std::mem::take(&mut self.values);
        network.packing.unpack(key, &mut values);
        for process in 0..end {
            if network.location_flags_of(process, &values).include(LocationFlags::INVARIANT) {
                let (process, location) = place(process, &values);
                self.settle(DataCondition::InvariantSafe(process, location), key, draft);
                self.settle(DataCondition::InvariantBounds(process, location), key, draft);
            }
        }
        self.values = values;
    }

    /// Strengthens the draft `into` of the state before a step so that it decides the facts that
    /// the draft of the state after it has learnt.
    fn go_back(
        &mut self,
        profile: Number,
        source: &[u64],
        learnt: &FactDraft,
        into: &mut FactDraft,
    ) {
        if !learnt.is_new() {
            return;
        }
        let mut more = std::mem::take(&mut self.learnt);
        learnt.learnt(&mut more);
        self.go_back_with_ranges(profile, source, &more.ranges, into);
        let DataConditions { layout, profiles, .. } = &self.conditions;
        let written = &profiles.get(profile).writes;
        let is_written = |&cell: &_| Facts { bits: written, ranges: &[] }.knows(layout, cell);
        let computed: Vec<_> = match meets(&more.bits, written) {
            true => layout.cells(&more.bits).filter(is_written).collect(),
            false => Vec::new(),
        };
        more.bits.iter_mut().zip(written).for_each(|(bits, written)| *bits &= !written);
        into.know(layout, &more.bits);
        self.learnt = more;
        #[cfg(feature = "faults")]
        if crate::faults::Fault::ComputedForgotten.is_selected() {
            return;
        }
        for cell in computed {
            self.settle(DataCondition::After(profile, cell), source, into);
        }
    }

    /// The same for ranges.
    fn go_back_with_ranges(
        &mut self,
        profile: Number,
        source: &[u64],
        ranges: &[CellRange],
        into: &mut FactDraft,
    ) {
        for &range in ranges {
            let DataConditions { layout, profiles, .. } = &self.conditions;
            let Profile { reads, writes, .. } = profiles.get(profile);
            let is_touched = |bits: &[u64]| Facts { bits, ranges: &[] }.knows(layout, range.cell);
            // A guard may imply the required fact about a cell.
            if is_touched(writes) || is_touched(reads) {
                #[cfg(feature = "faults")]
                if crate::faults::Fault::RangeNotPropagated.is_selected() {
                    continue;
                }
                let wanted = self.conditions.wanted(range);
                self.settle(DataCondition::Within(profile, wanted), source, into);
            } else {
                into.confine(layout, range);
            }
        }
    }

    /// Starts the draft of the target of a step.
    fn start_target(&mut self) -> FactDraft {
        let mut target = std::mem::take(&mut self.target);
        target.restart(0, self.labels.get(0), self.conditions.precision);
        target
    }

    /// Strengthens the draft `into` of the source of a step so that it decides the facts of the
    /// draft of its target.
    fn finish_target(
        &mut self,
        target: FactDraft,
        profile: Number,
        source: &[u64],
        into: &mut FactDraft,
    ) {
        self.go_back(profile, source, &target, into);
        self.target = target;
    }
}

/// Whether no invariant of a model depends on data.
fn has_plain_invariants(model: &Model) -> bool {
    let is_constant = |id: ExpressionId| matches!(model.expressions[id], Expression::Constant(_));
    let is_plain = |constraint: &ClockConstraint| {
        let mut operands = std::iter::once(&constraint.left).chain(&constraint.right);
        constraint.condition.is_none()
            && is_constant(constraint.bound)
            && operands.all(|place| place.is_fixed())
    };
    let mut locations = model.processes.iter().flat_map(|process| process.locations.iter());
    locations.all(|location| {
        location.invariant.data.is_none() && location.invariant.clocks.iter().all(is_plain)
    })
}

/// The location of a process.
fn place(process: usize, values: &[i32]) -> (ProcessId, LocationId) {
    (ProcessId::from_index(process), LocationId::from_index(values[process] as usize))
}

impl DataDomain for Visible<'_> {
    fn visible(&self, label: u32) -> &[u64] {
        self.labels.get(label).bits
    }

    fn ranges(&self, label: u32) -> &[CellRange] {
        self.labels.get(label).ranges
    }
}

impl<W: Width> LazyDomain<W> for Visible<'_> {
    type Label = Number;
    type Draft = FactDraft;

    fn weakest(&mut self, _exact: Exact<'_, W>) -> Number {
        0
    }

    fn draft(&self, node: Labelled<'_, W, Number>, draft: &mut FactDraft) {
        draft.restart(node.label, self.labels.get(node.label), self.conditions.precision);
    }

    fn may_cover(&self, larger: Labelled<'_, W, Number>, smaller: Exact<'_, W>) -> bool {
        let Facts { bits, ranges } = self.labels.get(larger.label);
        #[cfg(feature = "faults")]
        let ranges = match crate::faults::Fault::RangeIgnored.is_selected() {
            true => &[],
            false => ranges,
        };
        let keys = larger.exact.key.iter().zip(smaller.key);
        keys.zip(bits).all(|((one, other), bits)| (one ^ other) & bits == 0)
            && ranges.iter().all(|range| {
                let value = self.conditions.layout.content(smaller.key, range.cell);
                range.low <= value && value <= range.high
            })
    }

    fn strengthen_to_cover(&mut self, larger: Labelled<'_, W, Number>, draft: &mut FactDraft) {
        draft.add(&self.conditions.layout, self.labels.get(larger.label));
    }

    fn strengthen_to_block(
        &mut self,
        exact: Exact<'_, W>,
        obstacle: Obstacle<'_, W>,
        draft: &mut FactDraft,
    ) {
        let key = exact.key;
        match obstacle {
            Obstacle::Others => self.block_others(key, draft),
            Obstacle::Guards(actions) => self.decide_guards(actions, key, draft),
            Obstacle::Transition(actions, target_key) => {
                let profile = self.decide_step(actions, key, draft);
                let mut target = self.start_target();
                let processes = self.conditions.network.process_count();
                self.decide_invariants(target_key, processes, &mut target);
                if self.conditions.network.has_urgent_channels() {
                    self.decide_urgency(target_key, &mut target);
                }
                self.finish_target(target, profile, key, draft);
            }
            Obstacle::Invariant(actions, target_key, process) => {
                let profile = self.decide_step(actions, key, draft);
                let mut target = self.start_target();
                self.decide_invariants(target_key, process.index(), &mut target);
                let mut values = std::mem::take(&mut self.values);
                self.conditions.network.packing.unpack(target_key, &mut values);
                let (process, location) = place(process.index(), &values);
                self.values = values;
                let condition = DataCondition::InvariantFails(process, location);
                self.settle(condition, target_key, &mut target);
                self.finish_target(target, profile, key, draft);
            }
            Obstacle::LiteralFails(literal) => {
                self.settle(DataCondition::LiteralFails(literal), key, draft);
            }
            Obstacle::LiteralIsSafe(literal) => {
                self.settle(DataCondition::LiteralSafe(literal), key, draft);
            }
            Obstacle::LiteralBounds(literal) => {
                self.settle(DataCondition::LiteralBounds(literal), key, draft);
            }
            Obstacle::Clocks(_) | Obstacle::AllClocks => {}
        }
    }

    fn announce_path(&mut self, path: &[PathSegment<'_, W, Number>], learnt: &FactDraft) {
        let mut wanted = std::mem::take(&mut self.learnt);
        learnt.learnt(&mut wanted);
        self.plan = self.look_ahead(path, &wanted);
        self.learnt = wanted;
    }

    fn before(
        &mut self,
        transition: &TransitionRecord<W>,
        [source, _]: [Exact<'_, W>; 2],
        learnt: &FactDraft,
        into: &mut FactDraft,
    ) {
        if !learnt.is_new() {
            return;
        }
        match &mut self.plan {
            Some(plan) => {
                let more = plan.pop().unwrap_or_default();
                into.know(&self.conditions.layout, &more);
            }
            None => {
                let profile = self.profile_of(transition);
                self.go_back(profile, source.key, learnt, into);
            }
        }
    }

    fn label_of(&mut self, draft: &FactDraft) -> DraftLabel<Number> {
        let is_new = draft.is_new();
        let label = if is_new { self.labels.intern(draft.facts()) } else { draft.label() };
        DraftLabel { label, is_new }
    }

    fn still_covered(
        &self,
        larger: Labelled<'_, W, Number>,
        smaller: Labelled<'_, W, Number>,
    ) -> bool {
        let [one, other] = [larger.label, smaller.label].map(|label| self.labels.get(label));
        other.imply(&self.conditions.layout, one)
            && LazyDomain::<W>::may_cover(self, larger, smaller.exact)
    }

    fn bytes(&self) -> usize {
        self.labels.bytes() + self.conditions.bytes()
    }
}
