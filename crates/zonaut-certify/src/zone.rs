//! Zones as difference bound matrices, written for clarity rather than speed.
//!
//! Clock 0 is the constant 0. A zone is a square matrix; the entry in row x and column y is a bound
//! of `x - y`. Matrices are always canonical (no entry exceeds the sum along a detour) and non-empty,
//! so inclusion is a comparison of entries.

use crate::clocks::Clocks;
use crate::refusal::{Trouble, require};

/// A bound `<= c` or `< c`, or no bound. A smaller bound is a stronger one.
///
/// `< c` is encoded as 2c and `<= c` as 2c + 1, so that `< c` comes directly before `<= c`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Bound(i64);

impl Bound {
    pub(crate) const NONE: Self = Self(i64::MAX);
    pub(crate) const ZERO: Self = Self(1);
    /// The largest constant that is accepted.
    pub(crate) const LARGEST: i64 = 1 << 40;

    /// `< value` if `strict`, else `<= value`.
    pub(crate) fn new(value: i64, strict: bool) -> Result<Self, Trouble> {
        if value.unsigned_abs() > Self::LARGEST as u64 {
            return Err(Trouble::undecided("a clock constant is too large"));
        }
        Ok(Self(2 * value + i64::from(!strict)))
    }

    /// The bound as a number; smaller numbers are stronger bounds.
    pub(crate) fn code(self) -> i64 {
        self.0
    }

    /// The bound of a number that [`Bound::code`] returned.
    pub(crate) fn of_code(code: i64) -> Self {
        Self(code)
    }

    pub(crate) fn is_none(self) -> bool {
        self == Self::NONE
    }

    pub(crate) fn is_strict(self) -> bool {
        self.0 & 1 == 0
    }

    pub(crate) fn value(self) -> i64 {
        self.0 >> 1
    }

    /// The bound of a sum: strict if one of the summands is.
    pub(crate) fn plus(self, other: Self) -> Result<Self, Trouble> {
        if self.is_none() || other.is_none() {
            return Ok(Self::NONE);
        }
        let sum = (self.0 - (self.0 & 1)).checked_add(other.0 - (other.0 & 1));
        match sum.filter(|&sum| sum.unsigned_abs() < 1 << 60) {
            Some(sum) => Ok(Self(sum + (self.0 & other.0 & 1))),
            None => Err(Trouble::undecided("a clock bound is too large")),
        }
    }

    /// The bound of the opposite difference where this one fails: `x - y <= c` fails exactly where
    /// `y - x < -c`. An absent bound never fails and has no opposite.
    fn opposite(self) -> Self {
        Self(1 - self.0)
    }
}

/// A constraint `x - y` within a bound, on clocks by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Atom {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) bound: Bound,
}

impl Atom {
    /// The atom that holds exactly where this one does not.
    pub(crate) fn negated(self) -> Self {
        Self { x: self.y, y: self.x, bound: self.bound.opposite() }
    }
}

/// The effect of a transition on a clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Effect {
    /// Sets the clock to a number, which is not negative.
    Set(usize, i64),
    /// Sets the first clock to the value of the second.
    Copy(usize, usize),
    /// Adds a number, which is not negative, to the clock.
    Add(usize, i64),
}

/// The value of each of `size` clocks after `effects`, in order: an old clock plus a number; clock
/// 0 for the number alone.
pub(crate) fn images(size: usize, effects: &[Effect]) -> Vec<(usize, i64)> {
    let mut images: Vec<_> = (0..size).map(|clock| (clock, 0)).collect();
    for &effect in effects {
        match effect {
            Effect::Set(clock, value) => images[clock] = (0, value),
            Effect::Copy(target, source) => images[target] = images[source],
            Effect::Add(clock, value) => images[clock].1 = images[clock].1.saturating_add(value),
        }
    }
    images
}

/// A canonical matrix of bounds of a set of valuations that is not empty.
pub(crate) trait Matrix {
    /// The bound of `x - y`.
    fn bound(&self, x: usize, y: usize) -> Bound;
}

/// A canonical, non-empty set of valuations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Zone {
    /// The number of clocks, including the constant 0.
    pub(crate) size: usize,
    bounds: Vec<Bound>,
}

impl Zone {
    /// All valuations of `size` clocks: the only constraints are `0 - x <= 0`.
    pub(crate) fn all(size: usize) -> Self {
        let mut bounds = vec![Bound::NONE; size * size];
        for x in 0..size {
            bounds[x] = Bound::ZERO;
            bounds[x * size + x] = Bound::ZERO;
        }
        Self { size, bounds }
    }

    /// The zone of a canonical matrix that is not empty, row by row.
    pub(crate) fn of_bounds(size: usize, bounds: Vec<Bound>) -> Self {
        Self { size, bounds }
    }

    /// All bounds, row by row.
    pub(crate) fn bounds(&self) -> &[Bound] {
        &self.bounds
    }

    pub(crate) fn bound(&self, x: usize, y: usize) -> Bound {
        self.bounds[x * self.size + y]
    }

    /// The bounds of `x - y`, by `y`.
    pub(crate) fn row(&self, x: usize) -> &[Bound] {
        &self.bounds[x * self.size..(x + 1) * self.size]
    }

    /// The row of `x` to be changed, and that of another clock `y`.
    fn two_rows(&mut self, x: usize, y: usize) -> (&mut [Bound], &[Bound]) {
        let size = self.size;
        let (before, after) = self.bounds.split_at_mut(x.max(y) * size);
        match x < y {
            true => (&mut before[x * size..(x + 1) * size], &after[..size]),
            false => (&mut after[..size], &before[y * size..(y + 1) * size]),
        }
    }

    /// Delays by any time; the clocks `still` are stopped. Removes the upper bounds of running
    /// clocks, also relative to stopped ones; all other bounds stay. A running clock is then
    /// bounded relative to running clocks only, so the matrix stays canonical. The result contains
    /// all valuations reached by delays.
    pub(crate) fn elapse(&mut self, still: &[usize]) {
        for x in (1..self.size).filter(|x| still.binary_search(x).is_err()) {
            self.bounds[x * self.size] = Bound::NONE;
            for &y in still {
                self.bounds[x * self.size + y] = Bound::NONE;
            }
        }
    }

    /// The valuations after each clock has taken the value given by `images`. Differences of new
    /// values are differences of old ones plus constants, so the matrix stays canonical.
    pub(crate) fn moved(&self, images: &[(usize, i64)]) -> Result<Self, Trouble> {
        let mut bounds = Vec::with_capacity(self.bounds.len());
        for &(x, a) in images {
            let row = self.row(x);
            for &(y, b) in images {
                bounds.push(match a == b {
                    true => row[y],
                    false => row[y].plus(Bound::new(a - b, false)?)?,
                });
            }
        }
        Ok(Self { size: self.size, bounds })
    }

    /// Whether every valuation of `other` is in this zone.
    pub(crate) fn includes(&self, other: &Self) -> bool {
        other.is_within(self)
    }

    /// Whether every valuation of this zone is in that of the matrix `large`.
    pub(crate) fn is_within(&self, large: &impl Matrix) -> bool {
        let rows = self.bounds.chunks(self.size).enumerate();
        let mut rows = rows.map(|(x, row)| (x, row.iter().enumerate()));
        rows.all(|(x, mut row)| row.all(|(y, &small)| large.bound(x, y) >= small))
    }

    /// All finite bounds as atoms.
    pub(crate) fn atoms(&self) -> Vec<Atom> {
        let pairs = (0..self.size).flat_map(|x| (0..self.size).map(move |y| (x, y)));
        let atoms =
            pairs.filter(|(x, y)| x != y).map(|(x, y)| Atom { x, y, bound: self.bound(x, y) });
        atoms.filter(|atom| !atom.bound.is_none()).collect()
    }

    /// Whether all valuations satisfy `atom`.
    pub(crate) fn satisfies(&self, atom: Atom) -> bool {
        self.bound(atom.x, atom.y) <= atom.bound
    }

    /// Removes all constraints on a clock.
    pub(crate) fn free(&mut self, clock: usize) {
        self.raise(clock);
        self.lower(clock);
    }

    /// Allows any greater value of a clock.
    pub(crate) fn raise(&mut self, clock: usize) {
        for other in (0..self.size).filter(|&other| other != clock) {
            self.bounds[clock * self.size + other] = Bound::NONE;
        }
    }

    /// Allows any smaller value of a clock. A bound on `other - clock` becomes that of `other`,
    /// since no clock is negative.
    pub(crate) fn lower(&mut self, clock: usize) {
        for other in (0..self.size).filter(|&other| other != clock) {
            self.bounds[other * self.size + clock] = self.bounds[other * self.size];
        }
    }

    /// The valuations of this zone, and those from which a delay leads into it.
    ///
    /// From an earlier valuation, a delay can only violate upper bounds, and differences stay. A
    /// delay that satisfies all upper bounds and reaches all lower ones exists, since no difference
    /// is larger than the distance between an upper and a lower bound. So lower bounds are removed,
    /// except for those of zero.
    pub(crate) fn past(&self) -> Result<Self, Trouble> {
        let mut past = self.clone();
        past.bounds[1..self.size].fill(Bound::NONE);
        for x in 1..self.size {
            let is_left = past.meet(Atom { x: 0, y: x, bound: Bound::ZERO })?;
            require(is_left, "a valuation is not negative")?;
        }
        Ok(past)
    }

    /// Whether the zone constrains clock `x` only by its own bounds: it is independent of all
    /// others.
    pub(crate) fn is_independent(&self, x: usize) -> Result<bool, Trouble> {
        for y in (1..self.size).filter(|&y| y != x) {
            let are_implied = self.bound(x, y) == self.bound(x, 0).plus(self.bound(0, y))?
                && self.bound(y, x) == self.bound(y, 0).plus(self.bound(0, x))?;
            if !are_implied {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The valuations strictly later than some valuation of this zone, where the clocks `still`,
    /// which are independent of all others, are stopped.
    ///
    /// Going back in time from a later valuation can only violate lower bounds `x >= c`. So a
    /// valuation is strictly later than one of the zone exactly if it is reached from one by a
    /// delay, and is not on a lower bound.
    pub(crate) fn later(&self, still: &[usize]) -> Result<Self, Trouble> {
        let mut later = self.clone();
        later.elapse(still);
        for x in (1..self.size).filter(|x| still.binary_search(x).is_err()) {
            let bound = Bound(self.bound(0, x).0 & !1);
            let is_left = later.meet(Atom { x: 0, y: x, bound })?;
            require(is_left, "a zone without upper bounds has no later part")?;
        }
        Ok(later)
    }
}

/// Lowers the bounds of a row to the sums of `first`, which is finite, and the bounds of the row
/// `via`; returns whether all sums have an acceptable size.
fn shorten(row: &mut [Bound], first: Bound, via: &[Bound]) -> bool {
    let mut is_small = true;
    for (entry, &second) in row.iter_mut().zip(via) {
        if !second.is_none() {
            // Finite bounds are below 2^60, so that their sum does not overflow.
            let sum = (first.0 & !1) + (second.0 & !1) + (first.0 & second.0 & 1);
            is_small &= sum.unsigned_abs() < 1 << 60;
            *entry = Bound(sum.min(entry.0));
        }
    }
    is_small
}

impl Matrix for Zone {
    fn bound(&self, x: usize, y: usize) -> Bound {
        self.bounds[x * self.size + y]
    }
}

impl Clocks for Zone {
    fn may_meet(&self, atom: Atom) -> bool {
        let Atom { x, y, bound } = atom;
        self.bound(y, x).plus(bound).map_or(true, |sum| sum >= Bound::ZERO)
    }

    /// In a canonical matrix a stronger entry shortens only paths through it, once: from every x to
    /// the start of the atom, over it, and on to every y.
    fn meet(&mut self, atom: Atom) -> Result<bool, Trouble> {
        let Atom { x, y, bound } = atom;
        if bound >= self.bound(x, y) {
            return Ok(true);
        }
        if self.bound(y, x).plus(bound)? < Bound::ZERO {
            return Ok(false);
        }
        // The path from y to x and over the atom is not negative: the row of y stays.
        for from in (0..self.size).filter(|&from| from != y) {
            let first = self.bound(from, x).plus(bound)?;
            if first.is_none() {
                continue;
            }
            let (row, via) = self.two_rows(from, y);
            if !shorten(row, first, via) {
                return Err(Trouble::undecided("a clock bound is too large"));
            }
        }
        Ok(true)
    }

    fn outside_zone(self, zone: &Zone) -> Result<Vec<Self>, Trouble> {
        self.outside(&zone.atoms())
    }

    fn require_both(&self, _: &[Atom]) -> Result<(), Trouble> {
        Ok(())
    }
}

// These tests need access to private items of the crate.
#[cfg(test)]
#[path = "../tests/differential/zones.rs"]
mod tests;
