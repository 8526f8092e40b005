//! LU simulation: lower and upper constants of clocks, and the preorder of valuations that they
//! induce.
//!
//! A valuation w is *above* v (simulates it) if for every clock x with constants L and U: w(x) <
//! v(x) only if w(x) > L, and w(x) > v(x) only if v(x) > U. If the constants are at least those
//! that a clock is compared with, then w satisfies every comparison that v satisfies, and this is
//! preserved by equal delays and by setting the same clock to the same number.

use crate::refusal::Trouble;
use crate::zone::{Atom, Bound, Matrix, Zone};

/// The constant of a clock without comparisons.
pub(crate) const NO_CONSTANT: i64 = -1;
/// The constant of a clock whose values are known to be equal: every comparison is respected.
const EQUAL: i64 = i64::MAX;

/// The constants of one clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Constants {
    pub(crate) lower: i64,
    pub(crate) upper: i64,
}

/// The constants of all clocks; those of clock 0 are 0 and unused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Simulation(pub(crate) Vec<Constants>);

impl Simulation {
    /// The simulation that respects no comparison.
    pub(crate) fn blind(size: usize) -> Self {
        Self(vec![Constants { lower: NO_CONSTANT, upper: NO_CONSTANT }; size])
    }

    /// The simulation of valuations that are equal: it respects every comparison with a number.
    pub(crate) fn equal(size: usize) -> Self {
        Self(vec![Constants { lower: EQUAL, upper: EQUAL }; size])
    }

    /// This simulation, where the values of `clock` are known to be equal.
    pub(crate) fn with_equal(mut self, clock: usize) -> Self {
        self.0[clock] = Constants { lower: EQUAL, upper: EQUAL };
        self
    }

    /// Whether `atom` holds for every valuation above one for which it holds.
    pub(crate) fn respects(&self, atom: Atom) -> bool {
        let Atom { x, y, bound } = atom;
        let value = bound.value();
        match (x, y) {
            _ if x == y => true,
            // `x < 0` is false for both valuations, and `x >= 0` is true for both.
            (_, 0) => value <= self.0[x].upper,
            (0, _) => (value == 0 && !bound.is_strict()) || -value <= self.0[y].lower,
            _ => false,
        }
    }

    /// The constants of the order after each clock has taken the value given by `images`: those of
    /// the clock that a value comes from.
    pub(crate) fn moved(&self, images: &[(usize, i64)]) -> Self {
        let equal = Constants { lower: EQUAL, upper: EQUAL };
        let constants = |&(source, _): &(usize, i64)| match source {
            0 => equal,
            _ => self.0[source],
        };
        Self(images.iter().map(constants).collect())
    }

    /// Whether valuations ordered by these constants are ordered by those of `other`, which are
    /// smaller.
    pub(crate) fn is_finer_than(&self, other: &Self) -> bool {
        let mut pairs = self.0.iter().zip(&other.0).skip(1);
        pairs.all(|(own, other)| own.lower >= other.lower && own.upper >= other.upper)
    }

    /// Whether every valuation of `small` is below some valuation of `large`.
    ///
    /// F. Herbreteau, B. Srivathsan, I. Walukiewicz, "Better abstractions for timed automata" (DOI
    /// 10.1016/j.ic.2016.07.004): it is not if and only if for some clocks x and y, one of which
    /// may be 0, `0 - x` can be as large as -U(x) in `small`, `large` bounds `y - x` more strongly
    /// than `small` does, and the bound of `large` minus L(y) is still stronger than the
    /// bound of `0 - x` in `small`.
    pub(crate) fn covers(&self, large: &impl Matrix, small: &Zone) -> Result<bool, Trouble> {
        for x in 0..small.size {
            let least = small.bound(0, x);
            if x != 0 && (self.0[x].upper < 0 || least < Bound::new(-self.0[x].upper, false)?) {
                continue;
            }
            for y in (0..small.size).filter(|&y| y != x) {
                let lower = if y == 0 { 0 } else { self.0[y].lower };
                if lower < 0 || large.bound(y, x) >= small.bound(y, x) {
                    continue;
                }
                if large.bound(y, x).plus(Bound::new(-lower, true)?)? < least {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
