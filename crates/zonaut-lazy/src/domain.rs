//! The interface of a domain of lazy abstraction, and the product of two domains.

use crate::data::CellRange;
use crate::proof::Region;
use zonaut_compile::{ActionId, ClockRow};
use zonaut_dbm::{Bound, Width, alu_includes_slices};
use zonaut_model::ProcessId;
use zonaut_model::interpret::ClockEffect;
use zonaut_zonegraph::ZoneConstraint;

/// The active clocks of a location vector, with their bounds by static analysis.
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
    /// The position of a clock in zones. Static analysis keeps every clock that is read active.
    pub(crate) fn position(&self, row: ClockRow) -> zonaut_dbm::Row {
        let position = self.rows.binary_search(&row);
        zonaut_dbm::Row::from_index(position.expect("invariant: a clock that is read is active"))
    }
}

/// The exact part of a node: a reachable symbolic state.
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
    /// Whether another state of the same search has the same zone, by address: zones are interned.
    pub(crate) fn shares_zone(&self, other: &Self) -> bool {
        std::ptr::eq(self.zone, other.zone)
    }

    /// Whether this state simulates another one with the same data, by the bounds of static
    /// analysis.
    pub(crate) fn simulates(&self, other: &Self) -> bool {
        let ActiveClockBounds { lower, upper, .. } = self.active;
        self.key == other.key
            && (self.shares_zone(other) || alu_includes_slices(self.zone, other.zone, lower, upper))
    }
}

/// A node as domains see it.
#[derive(Clone, Copy, Debug)]
pub struct Labelled<'e, W: Width, L> {
    /// The exact part.
    pub exact: Exact<'e, W>,
    /// The label.
    pub label: L,
}

/// The transition by which a node was reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TransitionRecord<W: Width> {
    /// A unique number.
    pub number: u32,
    /// The actions taken, the sender's first.
    pub participants: Box<[ActionId]>,
    /// Constraints on the valuation before.
    pub before: Box<[ZoneConstraint<W>]>,
    /// The clock effects, in order.
    pub effects: Box<[ClockEffect]>,
    /// Constraints on the valuation on arrival.
    pub arrival: Box<[ZoneConstraint<W>]>,
    /// Whether time may pass then.
    pub delayed: bool,
    /// Constraints on the valuation after the delay.
    pub departure: Box<[ZoneConstraint<W>]>,
}

/// A node on a path, and the transition that leaves it.
#[derive(Clone, Copy, Debug)]
pub struct PathSegment<'w, W: Width, L> {
    /// The node.
    pub from: Labelled<'w, W, L>,
    /// The transition.
    pub transition: &'w TransitionRecord<W>,
}

/// A fact that the label of a node must preserve.
#[derive(Clone, Copy, Debug)]
pub enum Obstacle<'o, W: Width> {
    /// The candidates are the only transitions, and their computation raises no error.
    Others,
    /// The clock guards of these actions have the same constraints.
    Guards(&'o [ActionId]),
    /// These actions have the same clock effects and raise no error, and the invariants and urgent
    /// synchronisations of their target, packed here, have the same clock constraints.
    Transition(&'o [ActionId], &'o [u64]),
    /// The invariant of the location that this process enters by these actions is false by the data
    /// of their target, packed here.
    Invariant(&'o [ActionId], &'o [u64], ProcessId),
    /// No valuation satisfies these constraints together.
    Clocks(&'o [ZoneConstraint<W>]),
    /// Clocks decide in a manner that constraints do not describe.
    AllClocks,
    /// The literal of the goal with this number is false.
    LiteralFails(usize),
    /// The literal of the goal with this number can be evaluated.
    LiteralIsSafe(usize),
    /// The clock constraint of the goal with this number has the same constants.
    LiteralBounds(usize),
}

/// A domain of labels.
///
/// A label represents a set of states that contains the exact part of its node; a draft is a label
/// under strengthening. `γ` is that set in the laws.
///
/// # Laws
/// 1. `γ(weakest)` contains every state with the same locations.
/// 2. If `may_cover(larger, smaller)`, the exact part of `smaller` is in `γ(larger)`, or simulated
///    by it. After `strengthen_to_cover` and `label_of`, `still_covered` holds as long as no label
///    changes.
/// 3. `still_covered(larger, smaller)` implies that `γ(larger)` simulates `γ(smaller)`.
/// 4. After `strengthen_to_block`, an obstacle that blocks the exact part blocks every state of the
///    draft.
/// 5. After `before(transition, ...)`, the transition leads from every state of the draft `into` to
///    one of the draft `learnt`.
/// 6. Strengthening never excludes the exact part, and there is no infinite sequence of
///    strengthened labels for one exact part.
pub trait LazyDomain<W: Width>: Send {
    /// The label of a node.
    type Label: Copy + Eq + std::fmt::Debug + Send;
    /// A label under strengthening.
    type Draft: Default + Send;

    /// The weakest label: it fixes locations only.
    fn weakest(&mut self, exact: Exact<'_, W>) -> Self::Label;

    /// Starts a draft from a label.
    fn draft(&self, node: Labelled<'_, W, Self::Label>, draft: &mut Self::Draft);

    /// Whether a node could cover the exact part of another one.
    fn may_cover(&self, larger: Labelled<'_, W, Self::Label>, smaller: Exact<'_, W>) -> bool;

    /// Strengthens the draft of a node so that another one, which could, covers it.
    fn strengthen_to_cover(
        &mut self,
        larger: Labelled<'_, W, Self::Label>,
        draft: &mut Self::Draft,
    );

    /// Strengthens the draft of a node so that it preserves an obstacle.
    fn strengthen_to_block(
        &mut self,
        exact: Exact<'_, W>,
        obstacle: Obstacle<'_, W>,
        draft: &mut Self::Draft,
    );

    /// Prepares the backward refinement of a path from its end, whose draft was strengthened. By
    /// default each step is refined on its own.
    fn announce_path(&mut self, _path: &[PathSegment<'_, W, Self::Label>], _learnt: &Self::Draft) {}

    /// Strengthens the draft `into` of the node before a transition so that it leads to the facts
    /// that the draft `learnt` of the node after it has in addition to its label.
    fn before(
        &mut self,
        transition: &TransitionRecord<W>,
        ends: [Exact<'_, W>; 2],
        learnt: &Self::Draft,
        into: &mut Self::Draft,
    );

    /// The label of a draft.
    fn label_of(&mut self, draft: &Self::Draft) -> DraftLabel<Self::Label>;

    /// Whether the label of one node covers that of another.
    fn still_covered(
        &self,
        larger: Labelled<'_, W, Self::Label>,
        smaller: Labelled<'_, W, Self::Label>,
    ) -> bool;

    /// The memory held, in bytes.
    fn bytes(&self) -> usize;
}

/// A label made from a draft.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DraftLabel<L> {
    /// The label.
    pub label: L,
    /// Whether it is stronger than the label that the draft started from.
    pub is_new: bool,
}

/// A domain for data whose labels are sets of bits of packed states, and ranges of other cells.
pub trait DataDomain: Send {
    /// The bits that a label fixes, those of locations included.
    fn visible(&self, label: u32) -> &[u64];

    /// Whether labels fix all data, so that nodes cover only nodes with the same data.
    fn fixes_all_data(&self) -> bool {
        false
    }

    /// The ranges of a label for other cells, ascending.
    fn ranges(&self, _label: u32) -> &[CellRange] {
        &[]
    }
}

/// A domain for clocks.
pub trait ClockDomain<W: Width>: LazyDomain<W> {
    /// The valuations that a label represents. Either all labels have bounds or none has.
    fn region<'e>(&'e self, node: Labelled<'e, W, Self::Label>) -> Region<'e, W>;
}

/// The product of a data domain and a clock domain.
#[derive(Clone, Debug)]
pub struct Pair<A, B> {
    /// The data domain.
    pub data: A,
    /// The clock domain.
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

    fn weakest(&mut self, exact: Exact<'_, W>) -> Self::Label {
        (self.data.weakest(exact), self.clocks.weakest(exact))
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

    fn strengthen_to_cover(
        &mut self,
        larger: Labelled<'_, W, Self::Label>,
        draft: &mut Self::Draft,
    ) {
        let (data, clocks) = parts(larger);
        self.data.strengthen_to_cover(data, &mut draft.0);
        self.clocks.strengthen_to_cover(clocks, &mut draft.1);
    }

    fn strengthen_to_block(
        &mut self,
        exact: Exact<'_, W>,
        obstacle: Obstacle<'_, W>,
        draft: &mut Self::Draft,
    ) {
        self.data.strengthen_to_block(exact, obstacle, &mut draft.0);
        self.clocks.strengthen_to_block(exact, obstacle, &mut draft.1);
    }

    fn announce_path(&mut self, path: &[PathSegment<'_, W, Self::Label>], learnt: &Self::Draft) {
        let (mut data, mut clocks) = (Vec::new(), Vec::new());
        for &PathSegment { from, transition } in path {
            let (of_data, of_clocks) = parts(from);
            data.push(PathSegment { from: of_data, transition });
            clocks.push(PathSegment { from: of_clocks, transition });
        }
        self.data.announce_path(&data, &learnt.0);
        self.clocks.announce_path(&clocks, &learnt.1);
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

    fn label_of(&mut self, draft: &Self::Draft) -> DraftLabel<Self::Label> {
        let (data, clocks) = (self.data.label_of(&draft.0), self.clocks.label_of(&draft.1));
        DraftLabel { label: (data.label, clocks.label), is_new: data.is_new || clocks.is_new }
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
