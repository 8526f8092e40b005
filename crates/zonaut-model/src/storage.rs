//! Where values live: cells, locals, constants, clocks and channels.

use crate::{ExpressionId, ProcessId, QueryId};
use std::fmt;
use zonaut_base::define_id;

define_id!(
    /// An integer of the state.
    pub struct CellId
);
define_id!(
    /// An integer of the working storage.
    pub struct LocalId
);
define_id!(
    /// An integer of the constant storage.
    pub struct ConstantId
);
define_id!(
    /// A clock.
    pub struct ClockId
);
define_id!(
    /// A channel.
    pub struct ChannelId
);
define_id!(
    /// A scalar set.
    pub struct ScalarSetId
);

/// A closed interval of values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    /// The smallest value.
    pub low: i32,
    /// The largest value; not below `low`.
    pub high: i32,
}

impl Range {
    /// The range of a plain `int`.
    pub const DEFAULT_INTEGER: Self = Self { low: -32768, high: 32767 };
    /// The range of a `bool`.
    pub const BOOLEAN: Self = Self { low: 0, high: 1 };
    /// Everything that an expression can have as value.
    pub const ALL: Self = Self { low: i32::MIN, high: i32::MAX };

    /// Whether `value` is in the range.
    #[must_use]
    #[inline]
    pub fn contains(self, value: i64) -> bool {
        i64::from(self.low) <= value && value <= i64::from(self.high)
    }

    /// The number of values.
    #[must_use]
    pub fn size(self) -> u64 {
        (i64::from(self.high) - i64::from(self.low) + 1).unsigned_abs()
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{},{}]", self.low, self.high)
    }
}

/// What the values of a cell stand for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CellKind {
    /// Numbers.
    Integer,
    /// Truth values.
    Boolean,
    /// Elements of a scalar set, numbered from 0.
    Scalar(ScalarSetId),
}

/// An integer of the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The full name, such as `Train(2).queue[3].length`.
    pub name: String,
    /// The process it is local to.
    pub owner: Option<ProcessId>,
    /// What its values stand for.
    pub kind: CellKind,
    /// Which values it can hold.
    pub range: Range,
    /// Its first value.
    pub initial: i32,
    /// Whether it is outside the stored state: it has its initial value at the start of every
    /// transition.
    pub meta: bool,
}

/// An integer of the working storage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its name, for people.
    pub name: String,
    /// Which values it can hold; every store checks it.
    pub range: Range,
}

/// The largest number that a clock can be set to, and the largest magnitude of a number that clocks
/// and their differences can be compared with. Up to it, sums of bounds stay in the range in which
/// zones are exact; beyond it, evaluation fails.
pub const CLOCK_LIMIT: i32 = (1 << 30) - 1;

/// A clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    /// The full name, such as `Train(2).x`.
    pub name: String,
    /// The process it is local to.
    pub owner: Option<ProcessId>,
    /// Its first value.
    pub initial: i32,
}

/// A channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// The full name, such as `appr[2]`.
    pub name: String,
    /// Whether every enabled receiver takes part.
    pub broadcast: bool,
    /// Whether time stops while a synchronisation is enabled.
    pub urgent: bool,
    /// Its priority level; higher goes first.
    pub priority: u32,
}

/// A scalar set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScalarSet {
    /// The name of its type, for people.
    pub name: String,
    /// The number of elements.
    pub size: u32,
}

/// Something that a scalar set has a part in. Permuting the elements of a set, wherever they stand in
/// a state and wherever they number something, leads to a state that behaves in the same way, unless
/// some use tells elements apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScalarUse {
    /// The set.
    pub set: ScalarSetId,
    /// What for.
    pub kind: ScalarUseKind,
}

/// What a scalar set is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarUseKind {
    /// Its elements number cells: each has `stride` of them, one element after the other.
    Cells {
        /// The first cell of the first element.
        first: CellId,
        /// The number of cells of an element.
        stride: u32,
    },
    /// Its elements number clocks.
    Clocks {
        /// The first clock of the first element.
        first: ClockId,
        /// The number of clocks of an element.
        stride: u32,
    },
    /// Its elements number processes.
    Processes {
        /// The first process of the first element.
        first: ProcessId,
        /// The number of processes of an element.
        stride: u32,
    },
    /// A `select` variable takes its elements.
    Select(LocalId),
    /// Expressions from `first` up to, but not including, `end` are evaluated for one element after
    /// the other: which of them fails first depends on the order.
    Quantifier {
        /// The first expression.
        first: ExpressionId,
        /// The one after the last.
        end: ExpressionId,
    },
    /// Statements run for one element after the other.
    Iteration,
    /// A constant differs from element to element.
    Constant,
    /// A variable that holds nothing between steps starts with a certain element, or has a value of
    /// its own for each element.
    Start,
    /// A query names an element.
    Query(QueryId),
}

impl ScalarUseKind {
    /// Whether it tells elements apart, whatever else there is.
    #[must_use]
    pub fn tells_apart(self) -> bool {
        matches!(self, Self::Iteration | Self::Constant | Self::Start)
    }
}

/// The address of an integer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Storage {
    /// In the state.
    Cell(CellId),
    /// In the working storage.
    Local(LocalId),
    /// In the constant storage.
    Constant(ConstantId),
}

/// An address plus indices computed at run time: the element `root + sum of
/// (value - low) * stride`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place<Root> {
    /// The element where every index has its lowest value.
    pub root: Root,
    /// The indices, outermost first, evaluated and checked in this order.
    pub indices: Vec<PlaceIndex>,
}

/// One computed index of a [`Place`]. Its value may have effects. An index with a single value and
/// the stride 0 chooses nothing: it is there for what runs when the address is computed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PlaceIndex {
    /// The index.
    pub value: ExpressionId,
    /// Its lowest value.
    pub low: i32,
    /// The number of values.
    pub size: u32,
    /// The distance of neighbouring elements.
    pub stride: u32,
}

impl<Root> Place<Root> {
    /// A place without computed indices.
    pub const fn fixed(root: Root) -> Self {
        Self { root, indices: Vec::new() }
    }

    /// Whether the address is known without running anything.
    pub fn is_fixed(&self) -> bool {
        self.indices.is_empty()
    }

    /// How far the last reachable element is from the root.
    pub fn extent(&self) -> usize {
        let reach = |index: &PlaceIndex| (index.size.max(1) as usize - 1) * index.stride as usize;
        self.indices.iter().map(reach).sum()
    }
}
