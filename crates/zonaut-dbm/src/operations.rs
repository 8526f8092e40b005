//! Operations that keep zones canonical: constraints, delay, assignments, intersection.

use crate::closure::{close, tighten};
use crate::{Bound, Emptied, Row, Width, Zone};

impl<W: Width> Zone<W> {
    /// Keeps the valuations with `x - y` below `b`, in O(n²).
    ///
    /// # Errors
    ///
    /// [`Emptied`] if no valuation satisfies it.
    #[inline]
    pub fn constrain(&mut self, x: Row, y: Row, b: Bound<W>) -> Result<(), Emptied> {
        if b >= self.bound(x, y) {
            return Ok(());
        }
        if !self.intersects_constraint(x, y, b) {
            return Err(Emptied);
        }
        tighten(&mut self.bounds, self.dim, x.index(), y.index(), b);
        self.check();
        Ok(())
    }

    /// Keeps the valuations that satisfy every constraint `(x, y, b)`, that is `x - y` below `b`.
    ///
    /// # Errors
    ///
    /// [`Emptied`] if no valuation satisfies all of them.
    pub fn constrain_all(
        &mut self,
        constraints: impl IntoIterator<Item = (Row, Row, Bound<W>)>,
    ) -> Result<(), Emptied> {
        constraints.into_iter().try_for_each(|(x, y, b)| self.constrain(x, y, b))
    }

    /// Whether some valuation has `x - y` below `b`.
    #[inline]
    pub fn intersects_constraint(&self, x: Row, y: Row, b: Bound<W>) -> bool {
        self.bound(y, x) + b >= Bound::ZERO
    }

    /// Adds the valuations reached by letting time pass.
    pub fn delay(&mut self) {
        for upper in self.bounds.iter_mut().step_by(self.dim).skip(1) {
            *upper = Bound::INFINITY;
        }
        self.check();
    }

    /// Adds the valuations reached by letting time pass while each of these clocks stays within its
    /// bound, in O(n) per clock. All valuations of the zone satisfy the bounds already.
    ///
    /// Only upper bounds change: the new set contains the old one, so no lower bound and no
    /// difference becomes tighter, and delay changes neither. The upper bound of a clock becomes
    /// the tightest one implied by a bounded clock and its difference to it.
    pub fn delay_within(&mut self, limits: impl IntoIterator<Item = (Row, Bound<W>)>) {
        for upper in self.bounds.iter_mut().step_by(self.dim).skip(1) {
            *upper = Bound::INFINITY;
        }
        for (x, b) in limits {
            #[cfg(feature = "faults")]
            if crate::faults::limit_delay(self, x, b) {
                continue;
            }
            for row in self.bounds.chunks_exact_mut(self.dim).skip(1) {
                row[0] = row[0].min(row[x.index()] + b);
            }
        }
        self.check();
    }

    /// Adds the valuations from which the zone is reached by letting time pass.
    pub fn past(&mut self) {
        let (lower, rows) = self.bounds.split_at_mut(self.dim);
        lower.fill(Bound::ZERO);
        for row in rows.chunks_exact(self.dim) {
            for (entry, &b) in lower[1..].iter_mut().zip(&row[1..]) {
                *entry = b.min(*entry);
            }
        }
        self.check();
    }

    /// Assigns the constant `value`, between 0 and [`Bound::MAX_CONSTANT`], to the clock `x`.
    pub fn reset(&mut self, x: Row, value: i32) {
        debug_assert!(x != Row::ZERO && (0..=W::MAX_CONSTANT).contains(&value));
        let (dim, x) = (self.dim, x.index());
        let (ahead, behind) = (Bound::le(value), Bound::le(-value));
        for row in self.bounds.chunks_exact_mut(dim) {
            row[x] = row[0] + behind;
        }
        for j in 0..dim {
            self.bounds[x * dim + j] = self.bounds[j] + ahead;
        }
        self.bounds[x * dim + x] = Bound::ZERO;
        self.check();
    }

    /// Assigns the value of the clock `y` to the clock `x`.
    pub fn copy(&mut self, x: Row, y: Row) {
        debug_assert!(x != Row::ZERO);
        let (dim, x, y) = (self.dim, x.index(), y.index());
        if x == y {
            return;
        }
        for row in self.bounds.chunks_exact_mut(dim) {
            row[x] = row[y];
        }
        self.bounds.copy_within(y * dim..(y + 1) * dim, x * dim);
        self.bounds[x * dim + x] = Bound::ZERO;
        self.check();
    }

    /// Removes all constraints on the clock `x`, so that it may have any value.
    pub fn free(&mut self, x: Row) {
        debug_assert!(x != Row::ZERO);
        let (dim, x) = (self.dim, x.index());
        for row in self.bounds.chunks_exact_mut(dim) {
            row[x] = row[0];
        }
        self.bounds[x * dim..(x + 1) * dim].fill(Bound::INFINITY);
        self.bounds[x * dim + x] = Bound::ZERO;
        self.check();
    }

    /// Keeps the valuations that are in `other` too; both zones have the same clocks.
    ///
    /// # Errors
    ///
    /// [`Emptied`] if the zones are disjoint.
    pub fn intersect(&mut self, other: &Zone<W>) -> Result<(), Emptied> {
        debug_assert_eq!(self.dim, other.dim);
        let mut is_changed = false;
        for (entry, &b) in self.bounds.iter_mut().zip(&other.bounds) {
            is_changed |= b < *entry;
            *entry = b.min(*entry);
        }
        if is_changed {
            close(&mut self.bounds, self.dim)?;
        }
        self.check();
        Ok(())
    }
}
