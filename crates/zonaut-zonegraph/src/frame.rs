//! Which clocks a location vector keeps, with their bounds.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::rc::Rc;
use zonaut_base::Id;
use zonaut_compile::{BoundsTable, ClockBounds, ClockRow, row_of};
use zonaut_dbm::{Clock, NO_BOUND};

/// The active clocks of one location vector: rows of the zone, their bounds, and the way from a
/// clock of the network to its row in the zone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// The location vector.
    locations: Vec<i32>,
    /// The clocks of the zone, the reference clock first.
    pub(crate) rows: Vec<ClockRow>,
    /// Lower bounds by row of the zone; 0 for the reference clock.
    pub(crate) lower: Vec<i32>,
    /// Upper bounds by row of the zone; 0 for the reference clock.
    pub(crate) upper: Vec<i32>,
    /// By row over all clocks, the row in the zone, or none.
    position: Vec<Option<Clock>>,
    shape: u64,
}

impl Frame {
    /// The frame of a location vector.
    pub(crate) fn new(bounds: &BoundsTable, locations: &[i32]) -> Self {
        let mut frame = Self::default();
        frame.enter(bounds, locations, &mut Vec::new());
        frame
    }

    /// Becomes the frame of a location vector, in the same buffers; `dense` is another one.
    fn enter(&mut self, bounds: &BoundsTable, locations: &[i32], dense: &mut Vec<(i32, i32)>) {
        dense.clear();
        dense.resize(bounds.clock_count(), (NO_BOUND, NO_BOUND));
        for (process, &location) in locations.iter().enumerate() {
            let location = Id::from_index(location as usize);
            raise(dense, bounds.of(Id::from_index(process), location));
        }
        raise(dense, bounds.everywhere());
        self.clear(locations, dense.len());
        self.position.push(Some(Clock::ZERO));
        self.push(0, (0, 0));
        for (clock, &(lower, upper)) in dense.iter().enumerate() {
            let active = lower != NO_BOUND || upper != NO_BOUND;
            self.position.push(active.then(|| Clock::from_index(self.rows.len())));
            if active {
                self.push(clock as ClockRow + 1, (lower, upper));
            }
        }
    }

    /// Forgets everything but the location vector, and makes room for all clocks.
    fn clear(&mut self, locations: &[i32], clocks: usize) {
        self.locations.clear();
        self.locations.extend_from_slice(locations);
        self.rows.clear();
        self.lower.clear();
        self.upper.clear();
        self.position.clear();
        self.rows.reserve_exact(clocks + 1);
        self.lower.reserve_exact(clocks + 1);
        self.upper.reserve_exact(clocks + 1);
        self.position.reserve_exact(clocks + 1);
    }

    fn push(&mut self, row: ClockRow, (lower, upper): (i32, i32)) {
        self.rows.push(row);
        self.lower.push(lower);
        self.upper.push(upper);
    }

    /// A number for the bounds of all rows: of the frames of one [`Frames`], those with the same
    /// number have the same bounds.
    pub(crate) fn shape(&self) -> u64 {
        self.shape
    }

    /// The row of the zone for a row over all clocks.
    ///
    /// Static analysis keeps every clock that is read, so whoever reads a clock finds it.
    #[inline]
    pub(crate) fn position(&self, row: ClockRow) -> Clock {
        self.position[row as usize].expect("invariant: a clock that is read is active")
    }

    /// The row of the zone, if the clock is active.
    #[inline]
    pub(crate) fn position_if_active(&self, row: ClockRow) -> Option<Clock> {
        self.position[row as usize]
    }
}

fn raise(dense: &mut [(i32, i32)], bounds: &[ClockBounds]) {
    for b in bounds {
        let (lower, upper) = &mut dense[row_of(b.clock) as usize - 1];
        *lower = (*lower).max(b.lower);
        *upper = (*upper).max(b.upper);
    }
}

/// The most frames that are remembered; a power of two.
const SLOTS: usize = 1 << 13;
/// The memory that frames may take, in bytes.
const BYTES: usize = 1 << 21;

/// Frames that were needed lately. A frame depends on the location vector alone, and neighbouring
/// states share theirs, so almost every question is answered by one comparison.
#[derive(Clone, Debug)]
pub(crate) struct Frames {
    processes: usize,
    slots: Vec<Option<Rc<Frame>>>,
    shapes: Shapes,
    /// By clock of the network, its bounds, while a frame is made.
    dense: Vec<(i32, i32)>,
    hasher: foldhash::fast::FixedState,
}

/// Numbers for lists of bounds. Numbers are never used again, so that forgetting is harmless.
#[derive(Clone, Debug, Default)]
struct Shapes {
    numbers: HashMap<Vec<i32>, u64, foldhash::fast::FixedState>,
    asked: Vec<i32>,
    next: u64,
}

/// The most lists of bounds that are remembered.
const SHAPES: usize = 1 << 12;

impl Shapes {
    fn number(&mut self, lower: &[i32], upper: &[i32]) -> u64 {
        self.asked.clear();
        self.asked.extend(lower);
        self.asked.extend(upper);
        if let Some(&number) = self.numbers.get(&self.asked) {
            return number;
        }
        if self.numbers.len() == SHAPES {
            self.numbers.clear();
        }
        self.next += 1;
        self.numbers.insert(self.asked.clone(), self.next);
        self.next
    }
}

impl Frames {
    /// Frames for states of `processes` processes.
    pub(crate) fn new(processes: usize) -> Self {
        let hasher = foldhash::fast::FixedState::with_seed(0);
        Self { processes, slots: Vec::new(), shapes: Shapes::default(), dense: Vec::new(), hasher }
    }

    /// The frame of the location vector that `values` begin with.
    pub(crate) fn of(&mut self, bounds: &BoundsTable, values: &[i32]) -> Rc<Frame> {
        let locations = &values[..self.processes];
        if self.slots.is_empty() {
            let frame = size_of::<Frame>() + 4 * self.processes + 16 * bounds.clock_count();
            let slots = (BYTES / frame).next_power_of_two() / 2;
            self.slots.resize(slots.clamp(1, SLOTS), None);
        }
        let slot = self.slot(locations);
        let slot = &mut self.slots[slot];
        if let Some(frame) = slot
            && frame.locations == locations
        {
            return Rc::clone(frame);
        }
        let mut frame = slot.take().unwrap_or_default();
        // A frame that is still in use stays as it is.
        if Rc::get_mut(&mut frame).is_none() {
            frame = Rc::default();
        }
        let entered = Rc::get_mut(&mut frame).expect("invariant: nobody else has it");
        entered.enter(bounds, locations, &mut self.dense);
        entered.shape = self.shapes.number(&entered.lower, &entered.upper);
        Rc::clone(slot.insert(frame))
    }

    fn slot(&self, locations: &[i32]) -> usize {
        let mut hasher = self.hasher.build_hasher();
        for pair in locations.chunks(2) {
            let high = pair.get(1).map_or(0, |&location| location as u64) << 32;
            hasher.write_u64(pair[0] as u64 | high);
        }
        hasher.finish() as usize & (self.slots.len() - 1)
    }
}
