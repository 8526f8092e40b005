//! The index of a clock inside a zone.

/// A row and column of a zone: the reference clock or one of the zone's clocks.
///
/// The index belongs to one zone's choice of clocks; it is not a clock's identity in a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clock(pub u16);

impl Clock {
    /// The reference clock, whose value is always zero.
    pub const ZERO: Clock = Clock(0);

    /// The clock of the given row.
    ///
    /// Zones of more than 65,536 rows do not exist; a larger index is a mistake of the caller.
    #[inline]
    pub const fn from_index(index: usize) -> Clock {
        debug_assert!(index <= u16::MAX as usize);
        Clock(index as u16)
    }

    /// The row of this clock.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
