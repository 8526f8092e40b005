//! Time that passes for some clocks and not for others.

use crate::{Bound, Row, Width, Zone};

impl<W: Width> Zone<W> {
    /// Adds the valuations reached by letting time pass while the stopped clocks keep their values.
    ///
    /// The result is the smallest zone that has them all. It is exact if no clock is stopped, when
    /// it is [`Zone::delay`], and if at most one clock runs. Otherwise it may be larger: with two
    /// running clocks `x`, `y` and a stopped one `s` the exact set can have a bound on `x - y - s`,
    /// which no zone has. Invariants are applied afterwards, by [`Zone::constrain`].
    ///
    /// Only what a running clock is ahead of the reference clock or of a stopped one loses its
    /// bound: everything else is greatest at once. A running clock has a bound towards running
    /// clocks only then, so no path leads from it to any other and the matrix stays canonical.
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
