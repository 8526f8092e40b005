//! Widening of zones that keeps the bounds of some clocks.

use crate::closure::close;
use crate::{Row, Width, Zone};

impl<W: Width> Zone<W> {
    /// Widens the zone by `widen`, for instance an extrapolation, and keeps every bound between a
    /// pinned clock and any other clock, the reference clock included. `before` is a buffer.
    ///
    /// The result lies between the zone and its image under `widen`, so a sound abstraction stays
    /// sound; whether it is still finite depends on the pinned clocks. It is the widened zone
    /// intersected with the kept bounds, which are those of a zone inside it, so it is not empty.
    pub fn widen_except(
        &mut self,
        pinned: &[Row],
        before: &mut Zone<W>,
        widen: impl FnOnce(&mut Zone<W>),
    ) {
        if pinned.is_empty() {
            return widen(self);
        }
        before.assign_from(self);
        widen(self);
        let dim = self.dim;
        debug_assert_eq!(dim, before.dim);
        for x in pinned.iter().map(|x| x.index()) {
            for entry in (0..dim).flat_map(|y| [x * dim + y, y * dim + x]) {
                self.bounds[entry] = before.bounds[entry];
            }
        }
        let closed = close(&mut self.bounds, dim);
        debug_assert!(closed.is_ok(), "invariant: the zone before is inside");
        self.check();
    }
}
