//! The rows of a zone.

/// A row and column of a zone: the reference clock or one of the zone's clocks.
///
/// The index belongs to one zone's choice of clocks; it is not a clock's identity in a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row(pub u16);

impl Row {
    /// The row of the reference clock, whose value is always zero.
    pub const ZERO: Row = Row(0);

    /// The row with this index.
    ///
    /// Zones have at most 65,536 rows; a larger index is a bug of the caller.
    #[inline]
    pub const fn from_index(index: usize) -> Row {
        debug_assert!(index <= u16::MAX as usize);
        Row(index as u16)
    }

    /// The index of the row.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
