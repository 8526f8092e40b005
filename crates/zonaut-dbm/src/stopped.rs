//! Delay with stopwatches: time passes for some clocks while others keep their values.

use crate::{Bound, Row, Width, Zone};

impl<W: Width> Zone<W> {
    /// Adds the valuations reached by letting time pass while the stopped clocks keep their values.
    ///
    /// The result is the smallest zone that contains them. It is exact if no clock is stopped, when
    /// it equals [`Zone::delay`], and if at most one clock runs. Otherwise it may be larger: with
    /// two running clocks `x`, `y` and a stopped one `s` the exact set can have a bound on `x - y -
    /// s`, which no zone can express. Invariants are applied afterwards, by [`Zone::constrain`].
    ///
    /// A running clock loses its upper bounds relative to the reference clock and to stopped
    /// clocks; all other bounds keep their values. Afterwards a running clock has bounds relative
    /// to running clocks only, so no path leads from it to any other clock and the matrix stays
    /// canonical.
    pub fn delay_except(&mut self, is_stopped: impl Fn(Row) -> bool) {
        let is_running = |row: usize| row != 0 && !is_stopped(Row::from_index(row));
        let running_rows = (0..self.dim).filter(|&row| is_running(row));
        for row in running_rows {
            let entries = &mut self.bounds[row * self.dim..][..self.dim];
            for (column, entry) in entries.iter_mut().enumerate() {
                if !is_running(column) {
                    *entry = Bound::INFINITY;
                }
            }
        }
        self.check();
    }
}
