//! Storage: cells, locals, constants, clocks, channels, scalar sets, and places in them.

use crate::{ExpressionId, ProcessId, QueryId};
use std::fmt;
use zonaut_base::{Id, define_id};

define_id!(
    /// An integer cell of the discrete state.
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
    /// The range of all values of expressions.
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

/// The interpretation of a cell's values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CellKind {
    /// Numbers.
    Integer,
    /// Truth values.
    Boolean,
    /// Elements of a scalar set, numbered from 0.
    Scalar(ScalarSetId),
}

/// An integer cell of the discrete state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The full name, such as `Train(2).queue[3].length`.
    pub name: String,
    /// The process that it is local to.
    pub owner: Option<ProcessId>,
    /// The interpretation of its values.
    pub kind: CellKind,
    /// The values that it can hold.
    pub range: Range,
    /// Its initial value.
    pub initial: i32,
    /// Whether it is outside the stored state: every transition starts with its initial value.
    pub meta: bool,
}

/// An integer of the working storage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its display name.
    pub name: String,
    /// The values that it can hold; every store checks them.
    pub range: Range,
}

/// The largest value that a clock can be set to, and the largest magnitude of a value that clocks
/// and their differences can be compared with. Within it, sums of bounds stay in the range in which
/// zones are exact; beyond it, evaluation fails.
pub const CLOCK_LIMIT: i32 = (1 << 30) - 1;

/// A clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    /// The full name, such as `Train(2).x`.
    pub name: String,
    /// The process that it is local to.
    pub owner: Option<ProcessId>,
    /// Its initial value.
    pub initial: i32,
}

/// A channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// The full name, such as `appr[2]`.
    pub name: String,
    /// Whether every enabled receiver takes part in a synchronisation.
    pub broadcast: bool,
    /// Whether no delay is possible while a synchronisation is enabled.
    pub urgent: bool,
    /// Its priority level; a higher level takes precedence.
    pub priority: u32,
}

/// A scalar set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScalarSet {
    /// The display name of its type.
    pub name: String,
    /// The number of elements.
    pub size: u32,
}

/// A use of a scalar set. A permutation of the set's elements, applied to their occurrences in a
/// state and to all that they index, leads to an equivalent state, unless some use breaks the
/// symmetry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScalarUse {
    /// The set.
    pub set: ScalarSetId,
    /// The kind of use.
    pub kind: ScalarUseKind,
}

/// The kind of a use of a scalar set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarUseKind {
    /// Its elements index cells: `stride` consecutive cells per element.
    Cells {
        /// The first cell of the first element.
        first: CellId,
        /// The number of cells of an element.
        stride: u32,
    },
    /// Its elements index clocks: `stride` consecutive clocks per element.
    Clocks {
        /// The first clock of the first element.
        first: ClockId,
        /// The number of clocks of an element.
        stride: u32,
    },
    /// Its elements index processes: `stride` consecutive processes per element.
    Processes {
        /// The first process of the first element.
        first: ProcessId,
        /// The number of processes of an element.
        stride: u32,
    },
    /// The domain of a `select` variable.
    Select(LocalId),
    /// The expressions in `first..end` are evaluated for the elements in ascending order, which
    /// determines the first one that fails.
    Quantifier {
        /// The first expression.
        first: ExpressionId,
        /// The expression after the last.
        end: ExpressionId,
    },
    /// A loop runs over the elements in ascending order.
    Iteration,
    /// A constant has different values for different elements.
    Constant,
    /// A variable that does not outlive a transition is initialised with a fixed element, or with a
    /// value of its own for each element.
    Start,
    /// A query names an element.
    Query(QueryId),
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

/// An address with indices that are computed at run time: the element
/// `root + sum of (value - low) * stride`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place<Root> {
    /// The element at which every index has its lowest value.
    pub root: Root,
    /// The indices, outermost first; they are evaluated and checked in this order.
    pub indices: Vec<PlaceIndex>,
}

/// A computed index of a [`Place`]. Its evaluation may have effects. An index with a single value
/// and stride 0 selects nothing: it is present for the effects of its evaluation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PlaceIndex {
    /// The index.
    pub value: ExpressionId,
    /// Its lowest value.
    pub low: i32,
    /// The number of values.
    pub size: u32,
    /// The distance between neighbouring elements.
    pub stride: u32,
}

impl<Root> Place<Root> {
    /// A place without computed indices.
    pub const fn fixed(root: Root) -> Self {
        Self { root, indices: Vec::new() }
    }

    /// Whether the address has no computed indices.
    pub fn is_fixed(&self) -> bool {
        self.indices.is_empty()
    }

    /// The distance of the last reachable element from the root.
    pub fn extent(&self) -> usize {
        let reach = |index: &PlaceIndex| (index.size.max(1) as usize - 1) * index.stride as usize;
        self.indices.iter().map(reach).sum()
    }
}

impl<I: Id> Place<I> {
    /// Every element that the place can denote.
    pub fn elements(&self) -> impl Iterator<Item = I> + use<I> {
        let first = self.root.index();
        (first..=first + self.extent()).map(I::from_index)
    }
}
