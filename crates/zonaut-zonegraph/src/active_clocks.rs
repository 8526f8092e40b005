//! Active clocks of location vectors, with their LU bounds.

mod by_bounds;
mod by_bucket;
#[cfg(test)]
mod tests;

#[cfg(feature = "faults")]
use crate::faults;
use std::sync::Arc;
use zonaut_base::Id;
use zonaut_compile::{BoundsTable, ClockBounds, ClockRow, row_of};
use zonaut_dbm::{NO_BOUND, Row};
use zonaut_model::ClockId;

use by_bounds::{ActiveClocksByBounds, Number};
pub(crate) use by_bucket::ActiveClocksOfBuckets;

/// The active clocks of a location vector: the rows of its zones, their bounds, and the map from
/// clocks of the network to rows of the zone.
#[derive(Clone, Debug, Default)]
pub struct ActiveClocks {
    /// The clocks of the zone, the reference clock first.
    pub(crate) rows: Vec<ClockRow>,
    /// Lower bounds by row of the zone; 0 for the reference clock.
    pub(crate) lower: Vec<i32>,
    /// Upper bounds by row of the zone; 0 for the reference clock.
    pub(crate) upper: Vec<i32>,
    /// The row in the zone for each row over all clocks; `None` for inactive clocks.
    position: Vec<Option<Row>>,
    shape: u64,
}

/// The lower and upper bounds of every clock of the network.
type DenseBounds = Vec<(i32, i32)>;

impl ActiveClocks {
    /// The active clocks of a location vector.
    pub fn new(bounds: &BoundsTable, locations: &[i32]) -> Self {
        let mut dense = DenseBounds::new();
        collect(bounds, locations, &mut dense);
        let mut active = Self::default();
        active.refill(&dense);
        active
    }

    /// Makes these the active clocks for other bounds, in the same memory. They have no shape yet.
    fn refill(&mut self, dense: &[(i32, i32)]) {
        self.rows.clear();
        self.lower.clear();
        self.upper.clear();
        self.position.clear();
        self.shape = 0;
        self.position.push(Some(Row::ZERO));
        self.push(0, 0, 0);
        for (clock, &(lower, upper)) in dense.iter().enumerate() {
            let has_row = ClockBounds::is_active(lower, upper);
            self.position.push(has_row.then(|| Row::from_index(self.rows.len())));
            if has_row {
                self.push(clock as ClockRow + 1, lower, upper);
            }
        }
    }

    fn push(&mut self, row: ClockRow, lower: i32, upper: i32) {
        self.rows.push(row);
        self.lower.push(lower);
        self.upper.push(upper);
    }

    /// The id of the bounds of all rows: within one [`ActiveClocksTable`], equal ids mean equal
    /// bounds.
    pub(crate) fn shape(&self) -> u64 {
        self.shape
    }

    /// The row of the zone for a row over all clocks.
    ///
    /// Static analysis keeps every clock that is read active, so a clock that is read has a row.
    #[inline]
    pub(crate) fn position(&self, row: ClockRow) -> Row {
        self.position[row as usize].expect("invariant: a clock that is read is active")
    }

    /// The clocks of the zone, the reference clock first, the others ascending.
    #[must_use]
    pub fn rows(&self) -> &[ClockRow] {
        &self.rows
    }

    /// Lower bounds by row of the zone; 0 for the reference clock.
    #[must_use]
    pub fn lower(&self) -> &[i32] {
        &self.lower
    }

    /// Upper bounds by row of the zone; 0 for the reference clock.
    #[must_use]
    pub fn upper(&self) -> &[i32] {
        &self.upper
    }

    /// The clocks of the zone with the greatest constants that they are compared with.
    pub fn greatest_constants(&self) -> impl Iterator<Item = (Row, i32)> {
        let greatest = self.lower.iter().zip(&self.upper).map(|(&lower, &upper)| lower.max(upper));
        greatest.enumerate().skip(1).map(|(row, constant)| (Row::from_index(row), constant))
    }

    /// The bounds of a clock.
    #[must_use]
    pub fn bounds_of(&self, clock: ClockId) -> ClockBounds {
        let row = self.position_if_active(row_of(clock)).map(Row::index);
        let bound = |bounds: &[i32]| row.map_or(NO_BOUND, |row| bounds[row]);
        ClockBounds { clock, lower: bound(&self.lower), upper: bound(&self.upper) }
    }

    /// The row of the zone; `None` if the clock is inactive.
    #[inline]
    #[must_use]
    pub fn position_if_active(&self, row: ClockRow) -> Option<Row> {
        self.position[row as usize]
    }
}

/// Computes the greatest bounds of every clock in a location vector.
fn collect(bounds: &BoundsTable, locations: &[i32], dense: &mut DenseBounds) {
    dense.clear();
    dense.resize(bounds.clock_count(), (NO_BOUND, NO_BOUND));
    for (process, &location) in locations.iter().enumerate() {
        let list = bounds.of(Id::from_index(process), Id::from_index(location as usize));
        #[cfg(feature = "faults")]
        if process + 1 == locations.len() {
            raise(dense, &faults::lost(faults::Fault::ActiveClocksWithoutProcess, list));
            continue;
        }
        raise(dense, list);
    }
    let everywhere = bounds.everywhere();
    #[cfg(feature = "faults")]
    let everywhere = &faults::lost(faults::Fault::ActiveClocksWithoutGoal, everywhere);
    raise(dense, everywhere);
    raise(dense, bounds.pinned_in(locations).as_slice());
}

fn raise(dense: &mut [(i32, i32)], bounds: &[ClockBounds]) {
    for b in bounds {
        let (lower, upper) = &mut dense[row_of(b.clock) as usize - 1];
        *lower = (*lower).max(b.lower);
        *upper = (*upper).max(b.upper);
    }
}

/// The initial number of cached location vectors; a power of two. [`SLOTS`] is the maximum.
const FEW_SLOTS: usize = 1 << 8;
const SLOTS: usize = 1 << 15;
/// The growth factor of the cache, applied when the number of misses reaches the number of slots.
const GROWTH: usize = 4;
/// The memory limit for location vectors, in bytes.
const BYTES: usize = 1 << 20;

/// A cache of active clocks. They depend on the location vector alone, and neighbouring states
/// share it, so almost every lookup is one comparison; different location vectors often have equal
/// bounds, and then share the entry.
#[derive(Clone, Debug)]
pub struct ActiveClocksTable {
    processes: usize,
    /// The location vector of every slot, one after the other.
    locations: Vec<i32>,
    slots: Vec<Number>,
    most_slots: usize,
    /// The number of misses since the last resize.
    missed: usize,
    by_bounds: ActiveClocksByBounds,
}

impl ActiveClocksTable {
    /// A cache for states of `processes` processes.
    #[must_use]
    pub fn new(processes: usize) -> Self {
        let slot = size_of::<Number>() + 4 * processes;
        Self {
            processes,
            locations: Vec::new(),
            slots: Vec::new(),
            most_slots: ((BYTES / slot).next_power_of_two() / 2).clamp(1, SLOTS),
            missed: 0,
            by_bounds: ActiveClocksByBounds::default(),
        }
    }

    /// The active clocks of the location vector that `values` begin with.
    pub fn of(&mut self, bounds: &BoundsTable, values: &[i32]) -> Arc<ActiveClocks> {
        let locations = &values[..self.processes];
        if self.slots.is_empty() {
            self.resize(self.most_slots.min(FEW_SLOTS));
        }
        let slot = self.slot(locations);
        if self.locations[slot * self.processes..][..self.processes] == *locations
            && let Some(active) = self.by_bounds.get(self.slots[slot])
        {
            return Arc::clone(active);
        }
        self.missed += 1;
        if self.missed > self.slots.len() && self.slots.len() < self.most_slots {
            self.resize((GROWTH * self.slots.len()).min(self.most_slots));
        }
        let slot = self.slot(locations);
        self.locations[slot * self.processes..][..self.processes].copy_from_slice(locations);
        let (number, active) = self.by_bounds.of(bounds, locations);
        self.slots[slot] = number;
        Arc::clone(active)
    }

    /// Resizes the cache to this number of location vectors.
    fn resize(&mut self, slots: usize) {
        let before = std::mem::replace(&mut self.slots, vec![Number::NONE; slots]);
        let locations = std::mem::replace(&mut self.locations, vec![0; slots * self.processes]);
        self.missed = 0;
        for (slot, number) in before.into_iter().enumerate().filter(|(_, one)| *one != Number::NONE)
        {
            let vector = &locations[slot * self.processes..][..self.processes];
            let now = self.slot(vector);
            self.locations[now * self.processes..][..self.processes].copy_from_slice(vector);
            self.slots[now] = number;
        }
    }

    fn slot(&self, locations: &[i32]) -> usize {
        let hash = locations.iter().map(|&location| location as u64).fold(0, mix);
        (hash >> 32) as usize & (self.slots.len() - 1)
    }
}

/// A hash of pairs of bounds, well mixed in all of its bits.
fn hash_of<'b>(bounds: impl Iterator<Item = (&'b i32, &'b i32)>) -> u64 {
    let words = bounds.map(|(&l, &u)| u64::from(l as u32) << 32 | u64::from(u as u32));
    words.fold(0, mix).rotate_left(32)
}

/// Mixes one more word into a hash; its upper half is well mixed.
#[inline(always)]
pub(crate) fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
