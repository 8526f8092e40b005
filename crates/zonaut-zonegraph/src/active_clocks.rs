//! Active clocks of location vectors, with their LU bounds.

mod by_bucket;
#[cfg(test)]
mod tests;

#[cfg(feature = "faults")]
use crate::faults;
use hashbrown::HashTable;
use std::sync::Arc;
use zonaut_base::Id;
use zonaut_compile::{BoundsTable, ClockBounds, ClockRow, row_of};
use zonaut_dbm::{NO_BOUND, Row};
use zonaut_model::ClockId;

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
        Self::of_bounds(&dense)
    }

    /// The active clocks for these bounds.
    fn of_bounds(dense: &[(i32, i32)]) -> Self {
        let is_active = |&(lower, upper): &(i32, i32)| ClockBounds::is_active(lower, upper);
        let count = dense.iter().filter(|bounds| is_active(bounds)).count();
        let mut active = Self {
            rows: Vec::with_capacity(count + 1),
            lower: Vec::with_capacity(count + 1),
            upper: Vec::with_capacity(count + 1),
            position: Vec::with_capacity(dense.len() + 1),
            shape: 0,
        };
        active.position.push(Some(Row::ZERO));
        active.push(0, 0, 0);
        for (clock, &(lower, upper)) in dense.iter().enumerate() {
            let has_row = is_active(&(lower, upper));
            active.position.push(has_row.then(|| Row::from_index(active.rows.len())));
            if has_row {
                active.push(clock as ClockRow + 1, lower, upper);
            }
        }
        active
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
/// The greatest number of distinct cached bounds.
const MOST_DISTINCT: usize = 1 << 12;
/// The memory limit for location vectors and for bounds, in bytes each.
const BYTES: usize = 1 << 20;

/// A cache of active clocks. They depend on the location vector alone, and neighbouring states
/// share it, so almost every lookup is one comparison; different location vectors often have equal
/// bounds, and then share the entry.
#[derive(Clone, Debug)]
pub struct ActiveClocksTable {
    processes: usize,
    /// The location vector of every slot, one after the other.
    locations: Vec<i32>,
    slots: Vec<Option<Arc<ActiveClocks>>>,
    most_slots: usize,
    /// The number of misses since the last resize.
    missed: usize,
    made: HashTable<Made>,
    most_made: usize,
    shapes: Shapes,
    /// The bounds that are being looked up.
    dense: DenseBounds,
    #[cfg(feature = "faults")]
    made_before: Option<ActiveClocks>,
}

/// Active clocks with the bounds that they were computed from, and their hash.
#[derive(Clone, Debug)]
struct Made {
    hash: u64,
    dense: DenseBounds,
    active: Arc<ActiveClocks>,
}

/// Ids for lists of bounds. Ids are never reused, so dropping entries is harmless.
#[derive(Clone, Debug, Default)]
struct Shapes {
    /// One representative per id, with the hash of its bounds.
    active_clocks: HashTable<(u64, Arc<ActiveClocks>)>,
    next: u64,
}

impl Shapes {
    /// Assigns active clocks the id of their bounds.
    fn number(&mut self, mut active: ActiveClocks) -> Arc<ActiveClocks> {
        let hash = hash_of(active.lower.iter().zip(&active.upper));
        let has_bounds = |(other, known): &(u64, Arc<ActiveClocks>)| {
            *other == hash && known.lower == active.lower && known.upper == active.upper
        };
        if let Some((_, known)) = self.active_clocks.find(hash, has_bounds) {
            active.shape = known.shape;
            return Arc::new(active);
        }
        active.shape = self.next;
        self.next += 1;
        if self.active_clocks.len() == MOST_DISTINCT {
            self.active_clocks.clear();
        }
        let active = Arc::new(active);
        self.active_clocks.insert_unique(hash, (hash, Arc::clone(&active)), |&(hash, _)| hash);
        active
    }
}

impl ActiveClocksTable {
    /// A cache for states of `processes` processes.
    #[must_use]
    pub fn new(processes: usize) -> Self {
        Self {
            processes,
            locations: Vec::new(),
            slots: Vec::new(),
            most_slots: 0,
            missed: 0,
            made: HashTable::new(),
            most_made: 0,
            shapes: Shapes::default(),
            dense: Vec::new(),
            #[cfg(feature = "faults")]
            made_before: None,
        }
    }

    /// The active clocks of the location vector that `values` begin with.
    pub fn of(&mut self, bounds: &BoundsTable, values: &[i32]) -> Arc<ActiveClocks> {
        let locations = &values[..self.processes];
        if self.slots.is_empty() {
            self.make_room(bounds.clock_count());
        }
        let slot = self.slot(locations);
        if let Some(active) = &self.slots[slot]
            && self.locations[slot * self.processes..][..self.processes] == *locations
        {
            return Arc::clone(active);
        }
        self.missed += 1;
        if self.missed > self.slots.len() && self.slots.len() < self.most_slots {
            self.resize((GROWTH * self.slots.len()).min(self.most_slots));
        }
        let (slot, active) = (self.slot(locations), self.active(bounds, locations));
        self.locations[slot * self.processes..][..self.processes].copy_from_slice(locations);
        Arc::clone(self.slots[slot].insert(active))
    }

    /// The active clocks of the location vector that `values` begin with; equal bounds share an
    /// entry, and the vector is not cached.
    fn computed(&mut self, bounds: &BoundsTable, values: &[i32]) -> Arc<ActiveClocks> {
        if self.most_made == 0 {
            self.limit(bounds.clock_count());
        }
        self.active(bounds, &values[..self.processes])
    }

    /// Resizes the cache to this number of location vectors.
    fn resize(&mut self, slots: usize) {
        let before = std::mem::replace(&mut self.slots, vec![None; slots]);
        let locations = std::mem::replace(&mut self.locations, vec![0; slots * self.processes]);
        self.missed = 0;
        for (slot, active) in before.into_iter().enumerate().filter(|(_, active)| active.is_some())
        {
            let vector = &locations[slot * self.processes..][..self.processes];
            let now = self.slot(vector);
            self.locations[now * self.processes..][..self.processes].copy_from_slice(vector);
            self.slots[now] = active;
        }
    }

    /// Sets the limits of the cache for this number of clocks.
    fn make_room(&mut self, clocks: usize) {
        let slot = size_of::<Option<Arc<ActiveClocks>>>() + 4 * self.processes;
        self.most_slots = ((BYTES / slot).next_power_of_two() / 2).clamp(1, SLOTS);
        self.resize(self.most_slots.min(FEW_SLOTS));
        self.limit(clocks);
    }

    /// Sets the number of distinct bounds that are kept for this number of clocks.
    fn limit(&mut self, clocks: usize) {
        self.most_made =
            (BYTES / (size_of::<ActiveClocks>() + 24 * clocks)).clamp(1, MOST_DISTINCT);
    }

    /// The active clocks of a location vector that is not cached.
    fn active(&mut self, bounds: &BoundsTable, locations: &[i32]) -> Arc<ActiveClocks> {
        collect(bounds, locations, &mut self.dense);
        let hash = hash_of(self.dense.iter().map(|(lower, upper)| (lower, upper)));
        let is_wanted = |made: &Made| made.hash == hash && made.dense == self.dense;
        if let Some(made) = self.made.find(hash, is_wanted) {
            return Arc::clone(&made.active);
        }
        let active = ActiveClocks::of_bounds(&self.dense);
        #[cfg(feature = "faults")]
        let active = faults::keep_bounds(&mut self.made_before, active);
        let active = self.shapes.number(active);
        if self.made.len() == self.most_made {
            self.made.clear();
        }
        let made = Made { hash, dense: self.dense.clone(), active: Arc::clone(&active) };
        self.made.insert_unique(hash, made, |made| made.hash);
        active
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
