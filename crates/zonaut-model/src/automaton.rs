//! Processes: locations, edges, and the conditions on them.

use crate::{ChannelId, ClockId, ExpressionId, LocalId, Place};
use zonaut_base::{IndexVec, define_id};

define_id!(
    /// A process, numbered in system order.
    pub struct ProcessId
);
define_id!(
    /// A location, numbered within its process.
    pub struct LocationId
);
define_id!(
    /// An edge, numbered within its process.
    pub struct EdgeId
);

/// A process: an instance of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    /// Its name, such as `Gate` or `Train(3)`.
    pub name: String,
    /// The name of its template.
    pub template: String,
    /// Its priority level; a higher level takes precedence.
    pub priority: u32,
    /// Its locations.
    pub locations: IndexVec<LocationId, Location>,
    /// Its initial location.
    pub initial: LocationId,
    /// Its edges. An edge through a branchpoint is one edge for each branch.
    pub edges: IndexVec<EdgeId, Edge>,
}

/// The urgency of a location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LocationKind {
    /// Time may pass.
    Ordinary,
    /// Time may not pass.
    Urgent,
    /// Time may not pass, and the next step leaves a committed location.
    Committed,
}

/// A location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Its name; `_id7` for an anonymous one.
    pub name: String,
    /// Its urgency.
    pub kind: LocationKind,
    /// Its invariant: holds while the process is here.
    pub invariant: Condition,
    /// Rates of clocks, those of stopwatches included.
    pub rates: Vec<Rate>,
    /// Cost rate of this location.
    pub cost_rate: Option<ExpressionId>,
}

/// The rate of a clock, `x' == e`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rate {
    /// The rate applies only if this holds.
    pub condition: Option<ExpressionId>,
    /// The clock.
    pub clock: Place<ClockId>,
    /// The rate.
    pub rate: ExpressionId,
}

/// A conjunction of a data condition and clock constraints. The data part is evaluated first, and
/// the clock part only if the data part holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Condition {
    /// The data part; absent if it is trivially true.
    pub data: Option<ExpressionId>,
    /// The clock part.
    pub clocks: Vec<ClockConstraint>,
}

/// A constraint `left - right relation bound` on clocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockConstraint {
    /// The constraint applies only if this holds; otherwise the rest of it is not evaluated.
    pub condition: Option<ExpressionId>,
    /// The clock.
    pub left: Place<ClockId>,
    /// The clock that is subtracted, in a clock difference.
    pub right: Option<Place<ClockId>>,
    /// The relation between the two sides.
    pub relation: Relation,
    /// The right side.
    pub bound: ExpressionId,
}

/// The relation between a clock, or a difference of clocks, and its bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `==`
    Equal,
    /// `>=`
    GreaterEqual,
    /// `>`
    Greater,
}

impl Relation {
    /// The relation with the sides exchanged: `a < b` is `b > a`.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            Self::Equal => Self::Equal,
            Self::GreaterEqual => Self::LessEqual,
            Self::Greater => Self::Less,
        }
    }
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Its source location.
    pub source: LocationId,
    /// Its target location.
    pub target: LocationId,
    /// `select` variables, which take every value of their range; outermost first.
    pub select: Vec<Select>,
    /// Its guard.
    pub guard: Condition,
    /// Its synchronisation; absent for an internal edge.
    pub synchronisation: Option<Synchronisation>,
    /// Its updates, in order.
    pub updates: Vec<ExpressionId>,
    /// Whether the system controls the edge; `false` for an edge of the environment (games only).
    pub controllable: bool,
}

impl Edge {
    /// The channels that the edge may synchronise on.
    pub fn channels(&self) -> impl Iterator<Item = ChannelId> + use<> {
        self.synchronisation.as_ref().map(|sync| sync.channel.elements()).into_iter().flatten()
    }
}

/// A `select` variable over `low..=high`, which is empty if `low > high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Select {
    /// Its storage.
    pub binder: LocalId,
    /// The first value.
    pub low: i32,
    /// The last value.
    pub high: i32,
}

/// One side of a synchronisation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Synchronisation {
    /// The channel.
    pub channel: Place<ChannelId>,
    /// The side.
    pub direction: Direction,
}

/// The side of a synchronisation that an edge is on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// `c!`
    Send,
    /// `c?`
    Receive,
}
