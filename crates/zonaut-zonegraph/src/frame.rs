//! Which clocks a location vector keeps, with their bounds.

#[cfg(test)]
mod tests;

use std::hash::{BuildHasher, Hasher};
use std::rc::Rc;
use zonaut_base::Id;
use zonaut_compile::{BoundsTable, ClockBounds, ClockRow, row_of};
use zonaut_dbm::{Clock, NO_BOUND};

/// The active clocks of one location vector: rows of the zone, their bounds, and the way from a
/// clock of the network to its row in the zone.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// The location vector.
    locations: Vec<i32>,
    /// The clocks of the zone, the reference clock first.
    pub(crate) rows: Vec<ClockRow>,
    /// Lower bounds by row of the zone; 0 for the reference clock.
    pub(crate) lower: Vec<i32>,
    /// Upper bounds by row of the zone; 0 for the reference clock.
    pub(crate) upper: Vec<i32>,
    /// By clock of the network, its bounds.
    dense: Vec<(i32, i32)>,
    /// By row over all clocks, the row in the zone, or none.
    position: Vec<Option<Clock>>,
}

impl Frame {
    /// The frame of a location vector.
    pub(crate) fn new(bounds: &BoundsTable, locations: &[i32]) -> Self {
        let mut frame = Self {
            locations: Vec::new(),
            rows: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            dense: Vec::new(),
            position: Vec::new(),
        };
        frame.enter(bounds, locations);
        frame
    }

    /// Becomes the frame of a location vector, in the same buffers.
    fn enter(&mut self, bounds: &BoundsTable, locations: &[i32]) {
        self.locations.clear();
        self.locations.extend_from_slice(locations);
        self.dense.clear();
        self.dense.resize(bounds.clock_count(), (NO_BOUND, NO_BOUND));
        for (process, &location) in locations.iter().enumerate() {
            let location = Id::from_index(location as usize);
            raise(&mut self.dense, bounds.of(Id::from_index(process), location));
        }
        raise(&mut self.dense, bounds.everywhere());
        self.rows.clear();
        self.lower.clear();
        self.upper.clear();
        self.position.clear();
        self.position.push(Some(Clock::ZERO));
        self.push(0, (0, 0));
        for clock in 0..self.dense.len() {
            let (lower, upper) = self.dense[clock];
            let active = lower != NO_BOUND || upper != NO_BOUND;
            self.position.push(active.then(|| Clock::from_index(self.rows.len())));
            if active {
                self.push(clock as ClockRow + 1, (lower, upper));
            }
        }
    }

    fn push(&mut self, row: ClockRow, (lower, upper): (i32, i32)) {
        self.rows.push(row);
        self.lower.push(lower);
        self.upper.push(upper);
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
const SLOTS: usize = 1 << 15;
/// The memory that frames may take, in bytes.
const BYTES: usize = 1 << 23;

/// Frames that were needed lately. A frame depends on the location vector alone, and neighbouring
/// states share theirs, so almost every question is answered by one comparison.
#[derive(Clone, Debug)]
pub(crate) struct Frames {
    processes: usize,
    slots: Vec<Option<Rc<Frame>>>,
    hasher: foldhash::fast::FixedState,
}

impl Frames {
    /// Frames for states of `processes` processes.
    pub(crate) fn new(processes: usize) -> Self {
        let hasher = foldhash::fast::FixedState::with_seed(0);
        Self { processes, slots: Vec::new(), hasher }
    }

    /// The frame of the location vector that `values` begin with.
    pub(crate) fn of(&mut self, bounds: &BoundsTable, values: &[i32]) -> Rc<Frame> {
        let locations = &values[..self.processes];
        if self.slots.is_empty() {
            let frame = size_of::<Frame>() + 4 * self.processes + 28 * bounds.clock_count();
            let slots = (BYTES / frame).next_power_of_two() / 2;
            self.slots.resize(slots.clamp(1, SLOTS), None);
        }
        let slot = self.slot(locations);
        let slot = &mut self.slots[slot];
        match slot.as_mut().map(|frame| (frame.locations == locations, Rc::get_mut(frame))) {
            Some((true, _)) => {}
            Some((false, Some(unused))) => unused.enter(bounds, locations),
            Some((false, None)) | None => *slot = Some(Rc::new(Frame::new(bounds, locations))),
        }
        Rc::clone(slot.as_ref().expect("invariant: just filled"))
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
