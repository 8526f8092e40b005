//! What a domain of lazy abstraction has to say, and the product of two of them.

use crate::data::CellRange;
use crate::proof::Region;
use zonaut_compile::{ActionId, ClockRow};
use zonaut_dbm::{Bound, Width, alu_includes_slices};
use zonaut_model::ProcessId;
use zonaut_model::interpret::ClockEffect;
use zonaut_zonegraph::ZoneConstraint;

/// The clocks of a location vector, with their bounds by static analysis.
#[derive(Clone, Debug, Default)]
pub struct ActiveClockBounds {
    /// The clocks of its zones, the reference clock first.
    pub rows: Vec<ClockRow>,
    /// Lower bounds by row.
    pub lower: Vec<i32>,
    /// Upper bounds by row.
    pub upper: Vec<i32>,
}

impl ActiveClockBounds {
    /// The position of a clock in zones. Whoever reads a clock finds it: static analysis keeps it.
    pub(crate) fn position(&self, row: ClockRow) -> zonaut_dbm::Row {
        let position = self.rows.binary_search(&row);
        zonaut_dbm::Row::from_index(position.expect("invariant: a clock that is read is active"))
    }
}

/// The exact part of a node: one symbolic state that can be reached.
#[derive(Clone, Copy, Debug)]
pub struct Exact<'e, W: Width> {
    /// Locations and data, packed.
    pub key: &'e [u64],
    /// The bounds of the zone.
    pub zone: &'e [Bound<W>],
    /// The clocks of the zone.
    pub active: &'e ActiveClockBounds,
}

impl<W: Width> Exact<'_, W> {
    /// Whether another state of the same search has the same zone for certain: zones are kept once.
    pub(crate) fn shares_zone(&self, other: &Self) -> bool {
        std::ptr::eq(self.zone, other.zone)
    }

    /// Whether this state simulates another one with the same data, as far as the bounds of static
    /// analysis tell.
    pub(crate) fn simulates(&self, other: &Self) -> bool {
        let ActiveClockBounds { lower, upper, .. } = self.active;
        self.key == other.key
            && (self.shares_zone(other) || alu_includes_slices(self.zone, other.zone, lower, upper))
    }
}

/// A node as domains see it.
#[derive(Clone, Copy, Debug)]
pub struct Labelled<'e, W: Width, L> {
    /// What it is.
    pub exact: Exact<'e, W>,
    /// What it remembers.
    pub label: L,
}

/// How a node was reached from the one before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TransitionRecord<W: Width> {
    /// A number of its own.
    pub number: u32,
    /// The actions taken, the sender's first.
    pub participants: Box<[ActionId]>,
    /// What the valuation before satisfies.
    pub before: Box<[ZoneConstraint<W>]>,
    /// What happens to clocks, in order.
    pub effects: Box<[ClockEffect]>,
    /// What the valuation satisfies that arrives.
    pub arrival: Box<[ZoneConstraint<W>]>,
    /// Whether time may pass then.
    pub delayed: bool,
    /// What the valuation after the delay satisfies.
    pub departure: Box<[ZoneConstraint<W>]>,
}

/// A node on the way to another one, and the step that is taken from it.
#[derive(Clone, Copy, Debug)]
pub struct PathSegment<'w, W: Width, L> {
    /// The node.
    pub from: Labelled<'w, W, L>,
    /// The step.
    pub transition: &'w TransitionRecord<W>,
}

/// What a node must not lose sight of.
#[derive(Clone, Copy, Debug)]
pub enum Obstacle<'o, W: Width> {
    /// Nothing happens but the candidates, and looking for them does not fail.
    Others,
    /// The clock guards of these actions are what they are.
    Guards(&'o [ActionId]),
    /// These actions do to clocks what they do and do not fail, and the invariants and urgent
    /// synchronisations of the state that they lead to, packed here, bound clocks as they do.
    Transition(&'o [ActionId], &'o [u64]),
    /// The invariant of the location that this process comes to by these actions is false by the
    /// data of the state, packed here, that they lead to.
    Invariant(&'o [ActionId], &'o [u64], ProcessId),
    /// Nothing in the zone satisfies these constraints together.
    Clocks(&'o [ZoneConstraint<W>]),
    /// Clocks decide in a way that is not described by constraints.
    AllClocks,
    /// The literal of the goal with this number is false.
    LiteralFails(usize),
    /// The literal of the goal with this number can be evaluated.
    LiteralIsSafe(usize),
    /// The clock constraint of the goal with this number is what it is.
    LiteralBounds(usize),
}

/// A domain: how nodes remember some of what they are.
///
/// A label stands for a set of states that holds the exact part of its node; a draft is a label
/// that is being strengthened. `γ` is that set in the laws.
///
/// # Laws
/// 1. `γ(nothing)` holds every state with the same locations.
/// 2. If `may_cover(larger, smaller)`, the exact part of `smaller` is in `γ(larger)`, or simulated by
///    it. After `needed_to_cover` and `remember`, `still_covered` holds as long as no label changes.
/// 3. `still_covered(larger, smaller)` implies that `γ(larger)` simulates `γ(smaller)`.
/// 4. After `needed_to_block`, what blocks the exact part blocks every state of the draft.
/// 5. After `before(transition, ...)`, the passage leads from every state of the draft `into` to one of
///    the draft `learnt`.
/// 6. Strengthening never loses the exact part, and there is no endless sequence of strengthened
///    labels for one exact part.
pub trait LazyDomain<W: Width> {
    /// What a node remembers.
    type Label: Copy + Eq + std::fmt::Debug;
    /// A label that is being strengthened.
    type Draft: Default;

    /// The label that remembers nothing but locations.
    fn nothing(&mut self, exact: Exact<'_, W>) -> Self::Label;

    /// Starts a draft with what a label remembers.
    fn draft(&self, node: Labelled<'_, W, Self::Label>, draft: &mut Self::Draft);

    /// Whether a node could cover what another one is.
    fn may_cover(&self, larger: Labelled<'_, W, Self::Label>, smaller: Exact<'_, W>) -> bool;

    /// Strengthens the draft of a node so far that another one covers it, as it could.
    fn needed_to_cover(&mut self, larger: Labelled<'_, W, Self::Label>, draft: &mut Self::Draft);

    /// Strengthens the draft of a node so far that it has an obstacle in sight.
    fn needed_to_block(
        &mut self,
        exact: Exact<'_, W>,
        obstacle: Obstacle<'_, W>,
        draft: &mut Self::Draft,
    );

    /// Prepares for going back a way from its end, whose draft has learnt something. Who does not may
    /// look at one step at a time.
    fn survey(&mut self, _way: &[PathSegment<'_, W, Self::Label>], _learnt: &Self::Draft) {}

    /// Strengthens the draft `into` of the node before a passage so far that it leads to what the
    /// draft `learnt` of the node after it has in addition to its label.
    fn before(
        &mut self,
        transition: &TransitionRecord<W>,
        ends: [Exact<'_, W>; 2],
        learnt: &Self::Draft,
        into: &mut Self::Draft,
    );

    /// The label of a draft.
    fn remember(&mut self, draft: &Self::Draft) -> Remembered<Self::Label>;

    /// Whether the label of one node covers that of another.
    fn still_covered(
        &self,
        larger: Labelled<'_, W, Self::Label>,
        smaller: Labelled<'_, W, Self::Label>,
    ) -> bool;

    /// The memory held, in bytes.
    fn bytes(&self) -> usize;
}

/// The label of a draft.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Remembered<L> {
    /// The label.
    pub label: L,
    /// Whether it is stronger than the one that the draft started with.
    pub is_new: bool,
}

/// A domain for data whose labels are sets of bits of packed states, and ranges of other cells.
pub trait DataDomain {
    /// The bits that a label remembers, those of locations included.
    fn visible(&self, label: u32) -> &[u64];

    /// Whether all data is remembered, so that nodes cover others with the same data only.
    fn remembers_all(&self) -> bool {
        false
    }

    /// The ranges that a label remembers of other cells, ascending.
    fn ranges(&self, _label: u32) -> &[CellRange] {
        &[]
    }
}

/// A domain for clocks.
pub trait ClockDomain<W: Width>: LazyDomain<W> {
    /// What a label stands for. If one has bounds, all have.
    fn region<'e>(&'e self, node: Labelled<'e, W, Self::Label>) -> Region<'e, W>;
}

/// Data and clocks: a node remembers something of both.
#[derive(Clone, Debug)]
pub struct Pair<A, B> {
    /// What is remembered of data.
    pub data: A,
    /// What is remembered of clocks.
    pub clocks: B,
}

/// The parts of a labelled pair.
fn parts<W: Width, A, B>(
    Labelled { exact, label: (a, b) }: Labelled<'_, W, (A, B)>,
) -> (Labelled<'_, W, A>, Labelled<'_, W, B>) {
    (Labelled { exact, label: a }, Labelled { exact, label: b })
}

impl<W: Width, A: LazyDomain<W>, B: LazyDomain<W>> LazyDomain<W> for Pair<A, B> {
    type Label = (A::Label, B::Label);
    type Draft = (A::Draft, B::Draft);

    fn nothing(&mut self, exact: Exact<'_, W>) -> Self::Label {
        (self.data.nothing(exact), self.clocks.nothing(exact))
    }

    fn draft(&self, node: Labelled<'_, W, Self::Label>, draft: &mut Self::Draft) {
        let (data, clocks) = parts(node);
        self.data.draft(data, &mut draft.0);
        self.clocks.draft(clocks, &mut draft.1);
    }

    fn may_cover(&self, larger: Labelled<'_, W, Self::Label>, smaller: Exact<'_, W>) -> bool {
        let (data, clocks) = parts(larger);
        self.data.may_cover(data, smaller) && self.clocks.may_cover(clocks, smaller)
    }

    fn needed_to_cover(&mut self, larger: Labelled<'_, W, Self::Label>, draft: &mut Self::Draft) {
        let (data, clocks) = parts(larger);
        self.data.needed_to_cover(data, &mut draft.0);
        self.clocks.needed_to_cover(clocks, &mut draft.1);
    }

    fn needed_to_block(
        &mut self,
        exact: Exact<'_, W>,
        obstacle: Obstacle<'_, W>,
        draft: &mut Self::Draft,
    ) {
        self.data.needed_to_block(exact, obstacle, &mut draft.0);
        self.clocks.needed_to_block(exact, obstacle, &mut draft.1);
    }

    fn survey(&mut self, path: &[PathSegment<'_, W, Self::Label>], learnt: &Self::Draft) {
        let (mut data, mut clocks) = (Vec::new(), Vec::new());
        for &PathSegment { from, transition } in path {
            let (of_data, of_clocks) = parts(from);
            data.push(PathSegment { from: of_data, transition });
            clocks.push(PathSegment { from: of_clocks, transition });
        }
        self.data.survey(&data, &learnt.0);
        self.clocks.survey(&clocks, &learnt.1);
    }

    fn before(
        &mut self,
        transition: &TransitionRecord<W>,
        ends: [Exact<'_, W>; 2],
        learnt: &Self::Draft,
        into: &mut Self::Draft,
    ) {
        self.data.before(transition, ends, &learnt.0, &mut into.0);
        self.clocks.before(transition, ends, &learnt.1, &mut into.1);
    }

    fn remember(&mut self, draft: &Self::Draft) -> Remembered<Self::Label> {
        let (data, clocks) = (self.data.remember(&draft.0), self.clocks.remember(&draft.1));
        Remembered { label: (data.label, clocks.label), is_new: data.is_new || clocks.is_new }
    }

    fn still_covered(
        &self,
        larger: Labelled<'_, W, Self::Label>,
        smaller: Labelled<'_, W, Self::Label>,
    ) -> bool {
        let ((data, clocks), (smaller_data, smaller_clocks)) = (parts(larger), parts(smaller));
        self.data.still_covered(data, smaller_data)
            && self.clocks.still_covered(clocks, smaller_clocks)
    }

    fn bytes(&self) -> usize {
        self.data.bytes() + self.clocks.bytes()
    }
}
