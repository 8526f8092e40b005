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
    /// Its priority level; higher goes first.
    pub priority: u32,
    /// Its locations.
    pub locations: IndexVec<LocationId, Location>,
    /// Where it starts.
    pub initial: LocationId,
    /// Its edges. An edge through a branchpoint is one edge for each branch.
    pub edges: IndexVec<EdgeId, Edge>,
}

/// How urgent a location is.
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
    /// How urgent it is.
    pub kind: LocationKind,
    /// What holds while a process is here.
    pub invariant: Condition,
    /// Clock rates, stopwatches.
    pub rates: Vec<Rate>,
    /// What an hour here costs.
    pub cost_rate: Option<ExpressionId>,
}

/// A rate of a clock, `x' == e`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rate {
    /// The rate is set only where this holds.
    pub condition: Option<ExpressionId>,
    /// The clock.
    pub clock: Place<ClockId>,
    /// The rate.
    pub rate: ExpressionId,
}

/// A conjunction of a condition on data and of clock constraints. The data part is evaluated
/// first, and the clock part only where it holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Condition {
    /// The data part; absent where it is trivial.
    pub data: Option<ExpressionId>,
    /// The clock part.
    pub clocks: Vec<ClockConstraint>,
}

/// A constraint `left - right relation bound` on clocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockConstraint {
    /// The constraint applies only where this holds; the rest is not evaluated elsewhere.
    pub condition: Option<ExpressionId>,
    /// The clock.
    pub left: Place<ClockId>,
    /// The clock that is subtracted, in a clock difference.
    pub right: Option<Place<ClockId>>,
    /// How they compare.
    pub relation: Relation,
    /// With what.
    pub bound: ExpressionId,
}

/// How a clock compares with its bound.
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
    /// The relation of the exchanged sides: `a < b` is `b > a`.
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
    /// Where it starts.
    pub source: LocationId,
    /// Where it leads.
    pub target: LocationId,
    /// Variables that take every value of their range, outermost first.
    pub select: Vec<Select>,
    /// When it can be taken.
    pub guard: Condition,
    /// What it synchronises on.
    pub synchronisation: Option<Synchronisation>,
    /// What it does, in order.
    pub updates: Vec<ExpressionId>,
    /// Whether it is the system's own; `false` for an edge of the environment (games only).
    pub controllable: bool,
}

/// A `select` variable over `low..=high`. Empty where `low > high`.
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

/// Which side of a synchronisation an edge is on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// `c!`
    Send,
    /// `c?`
    Receive,
}
