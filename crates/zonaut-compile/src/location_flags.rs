//! Flags of locations that need special treatment.

use crate::network::CompiledLocation;
use zonaut_model::LocationKind;

/// The flags of a location, in one byte: most locations of a state have none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocationFlags(u8);

impl std::ops::BitOr for LocationFlags {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl LocationFlags {
    /// No flag.
    pub const NONE: Self = Self(0);
    /// The location has an invariant.
    pub const INVARIANT: Self = Self(1);
    /// The location is urgent or committed: time cannot pass.
    pub const URGENT: Self = Self(2);
    /// The location is committed.
    pub const COMMITTED: Self = Self(4);
    /// The location has rates: clocks may be stopped.
    pub const RATES: Self = Self(8);

    /// Whether the sets of flags intersect.
    #[must_use]
    #[inline]
    pub fn include(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    pub(crate) fn of(location: &CompiledLocation) -> Self {
        let all = [
            (Self::INVARIANT, !location.invariant.is_trivial()),
            (Self::URGENT, location.kind != LocationKind::Ordinary),
            (Self::COMMITTED, location.kind == LocationKind::Committed),
            (Self::RATES, !location.rates.is_empty()),
        ];
        let there = all.iter().filter(|(_, is_there)| *is_there);
        Self(there.fold(0, |location_flags, (concern, _)| location_flags | concern.0))
    }
}
