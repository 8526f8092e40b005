//! Classes of clock values that the abstraction distinguishes.

use zonaut_model::ClockId;

/// For every clock with an upper bound in some guard, the classes of its least value: two least
/// values are in one class if they satisfy the same upper bounds. Lower classes satisfy more
/// bounds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClockClasses {
    clocks: Vec<(ClockId, Vec<i64>)>,
}

/// The rank of a least value, inclusive or exclusive, among all bounds. A bound `x <= c` admits
/// ranks up to 2 c, and `x < c` those up to 2 c - 1.
pub(super) fn place(least: i64, is_exclusive: bool) -> i64 {
    least.saturating_mul(2).saturating_add(is_exclusive.into())
}

impl ClockClasses {
    /// The classes of clocks with these upper bounds, given as the greatest admitted ranks.
    pub(super) fn new(mut bounds: Vec<(ClockId, i64)>) -> Self {
        bounds.sort_unstable();
        bounds.dedup();
        let of_clock = |group: &[(ClockId, i64)]| {
            (group[0].0, group.iter().map(|&(_, limit)| limit).collect())
        };
        Self { clocks: bounds.chunk_by(|a, b| a.0 == b.0).map(of_clock).collect() }
    }

    /// The number of clocks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.clocks.len()
    }

    /// Whether no clock is distinguished.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.clocks.is_empty()
    }

    /// The clocks, in the order in which heuristics expect their classes.
    pub fn clocks(&self) -> impl Iterator<Item = ClockId> {
        self.clocks.iter().map(|(clock, _)| *clock)
    }

    /// The class of a clock, by index, whose least value is `least`.
    #[must_use]
    pub fn class(&self, clock: usize, least: i64, is_exclusive: bool) -> i32 {
        let place = place(least, is_exclusive || faulty!(BoundsBlurred));
        self.clocks[clock].1.partition_point(|&limit| limit < place) as i32
    }

    /// The number of classes of a clock.
    pub(super) fn count(&self, clock: usize) -> u32 {
        self.clocks[clock].1.len() as u32 + 1
    }

    /// The index of a clock, and the number of its classes that a bound admits.
    pub(super) fn room(&self, clock: ClockId, limit: i64) -> Option<(usize, u32)> {
        let number = self.clocks.binary_search_by_key(&clock, |(clock, _)| *clock).ok()?;
        let limits = &self.clocks[number].1;
        Some((number, limits.partition_point(|&other| other < limit) as u32 + 1))
    }

    /// The index of a clock.
    pub(super) fn number(&self, clock: ClockId) -> Option<usize> {
        self.clocks.binary_search_by_key(&clock, |(clock, _)| *clock).ok()
    }
}
