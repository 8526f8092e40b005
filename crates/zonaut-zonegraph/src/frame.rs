//! Which clocks a location vector keeps, with their bounds.

use zonaut_base::Id;
use zonaut_compile::{BoundsTable, ClockBounds, ClockRow, row_of};
use zonaut_dbm::{Clock, NO_BOUND};

/// The active clocks of one location vector: rows of the zone, their bounds, and the way from a
/// clock of the network to its row in the zone.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// The clocks of the zone, the reference clock first.
    pub(crate) rows: Vec<ClockRow>,
    /// Lower bounds by row of the zone; 0 for the reference clock.
    pub(crate) lower: Vec<i32>,
    /// Upper bounds by row of the zone; 0 for the reference clock.
    pub(crate) upper: Vec<i32>,
    /// By clock of the network, its bounds while a frame is made.
    dense: Vec<(i32, i32)>,
    /// By row over all clocks, the row in the zone, or none.
    position: Vec<Option<Clock>>,
}

impl Frame {
    pub(crate) fn new(clocks: usize) -> Self {
        Self {
            rows: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            dense: vec![(NO_BOUND, NO_BOUND); clocks],
            position: vec![None; clocks + 1],
        }
    }

    /// Becomes the frame of the location vector that `values` begin with.
    pub(crate) fn enter(&mut self, bounds: &BoundsTable, values: &[i32], processes: usize) {
        self.dense.fill((NO_BOUND, NO_BOUND));
        for (process, &location) in values[..processes].iter().enumerate() {
            let location = Id::from_index(location as usize);
            self.raise(bounds.of(Id::from_index(process), location));
        }
        self.raise(bounds.everywhere());
        self.rows.clear();
        self.lower.clear();
        self.upper.clear();
        self.push(0, 0, 0);
        self.position[0] = Some(Clock::ZERO);
        for clock in 0..self.dense.len() {
            let (lower, upper) = self.dense[clock];
            let active = lower != NO_BOUND || upper != NO_BOUND;
            self.position[clock + 1] = active.then(|| Clock::from_index(self.rows.len()));
            if active {
                self.push(clock as ClockRow + 1, lower, upper);
            }
        }
    }

    fn raise(&mut self, bounds: &[ClockBounds]) {
        for b in bounds {
            let (lower, upper) = &mut self.dense[row_of(b.clock) as usize - 1];
            *lower = (*lower).max(b.lower);
            *upper = (*upper).max(b.upper);
        }
    }

    fn push(&mut self, row: ClockRow, lower: i32, upper: i32) {
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
