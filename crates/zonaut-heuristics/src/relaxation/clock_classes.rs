//! What is told apart of the values of clocks.

use zonaut_model::ClockId;

/// For every clock that some guard bounds from above, the classes of its least value: two least values
/// are in one class if the same bounds leave room for them. Lower classes leave room for more.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClockClasses {
    clocks: Vec<(ClockId, Vec<i64>)>,
}

/// The place of a least value, inclusive or exclusive, between all bounds. A bound `x <= c` leaves room
/// for places up to 2 c, and `x < c` for those up to 2 c - 1.
pub(super) fn place(least: i64, is_exclusive: bool) -> i64 {
    least.saturating_mul(2).saturating_add(is_exclusive.into())
}

impl ClockClasses {
    /// The classes of clocks that are compared with these bounds, as the last places with room.
    pub(super) fn new(mut bounds: Vec<(ClockId, i64)>) -> Self {
        bounds.sort_unstable();
        bounds.dedup();
        let of_clock = |group: &[(ClockId, i64)]| {
            (group[0].0, group.iter().map(|&(_, limit)| limit).collect())
        };
        Self { clocks: bounds.chunk_by(|a, b| a.0 == b.0).map(of_clock).collect() }
    }

    /// How many clocks there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.clocks.len()
    }

    /// Whether nothing is told apart.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.clocks.is_empty()
    }

    /// The clocks, in the order in which guides want their classes.
    pub fn clocks(&self) -> impl Iterator<Item = ClockId> {
        self.clocks.iter().map(|(clock, _)| *clock)
    }

    /// The class of a clock, by its number, that is at least so large, or larger.
    #[must_use]
    pub fn class(&self, clock: usize, least: i64, is_exclusive: bool) -> i32 {
        let place = place(least, is_exclusive || faulty!(BoundsBlurred));
        self.clocks[clock].1.partition_point(|&limit| limit < place) as i32
    }

    /// How many classes a clock has.
    pub(super) fn count(&self, clock: usize) -> u32 {
        self.clocks[clock].1.len() as u32 + 1
    }

    /// The number of a clock, and how many of its classes leave room below a bound.
    pub(super) fn room(&self, clock: ClockId, limit: i64) -> Option<(usize, u32)> {
        let number = self.clocks.binary_search_by_key(&clock, |(clock, _)| *clock).ok()?;
        let limits = &self.clocks[number].1;
        Some((number, limits.partition_point(|&other| other < limit) as u32 + 1))
    }

    /// The number of a clock.
    pub(super) fn number(&self, clock: ClockId) -> Option<usize> {
        self.clocks.binary_search_by_key(&clock, |(clock, _)| *clock).ok()
    }
}
