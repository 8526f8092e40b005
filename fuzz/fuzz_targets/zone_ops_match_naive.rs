//! Every operation on zones gives what the textbook definition gives, bound by bound.
#![no_main]

#[allow(dead_code, reason = "the tests of the zones use more of the twin than this target does")]
#[path = "../../crates/zonaut-dbm/tests/zones/naive.rs"]
mod naive;

use libfuzzer_sys::fuzz_target;
use naive::{Limit, Naive};
use zonaut_dbm::{Bound, Row, Zone};

/// The constants of constraints and assignments, in the order of interest.
const CONSTANTS: [i32; 16] = [0, 1, 2, 3, -1, -2, -3, 5, -5, 7, -7, 10, -10, 100, -100, 1000];

/// The most operations of one input.
const OPERATIONS: usize = 200;

struct Pair {
    zone: Zone,
    twin: Naive,
    /// Earlier values of the zone.
    earlier: Vec<(Zone, Naive)>,
}

impl Pair {
    fn new(dim: usize, from_origin: bool) -> Self {
        let (zone, twin) = match from_origin {
            true => (Zone::origin(dim), Naive::origin(dim)),
            false => (Zone::universe(dim), Naive::universe(dim)),
        };
        Self { zone, twin, earlier: Vec::new() }
    }

    /// Cuts both with a constraint, unless nothing would be left.
    fn constrain(&mut self, x: usize, y: usize, value: i32, is_strict: bool) {
        let (bound, limit) = match is_strict {
            true => (Bound::lt(value), Limit::lt(value)),
            false => (Bound::le(value), Limit::le(value)),
        };
        let (first, second) = (Row::from_index(x), Row::from_index(y));
        let mut twin = self.twin.clone();
        let is_left = twin.constrain(x, y, limit);
        assert_eq!(self.zone.intersects_constraint(first, second, bound), is_left);
        let mut zone = self.zone.clone();
        assert_eq!(zone.constrain(first, second, bound).is_ok(), is_left);
        if is_left {
            (self.zone, self.twin) = (zone, twin);
        }
    }

    fn intersect(&mut self, which: usize) {
        let Some((other, other_twin)) = self.earlier.get(which) else { return };
        let mut twin = self.twin.clone();
        let is_left = twin.intersect(other_twin);
        assert_eq!(self.zone.intersects(other), is_left);
        let mut zone = self.zone.clone();
        assert_eq!(zone.intersect(other).is_ok(), is_left);
        assert_eq!(other.includes(&self.zone), is_left && twin == self.twin);
        if is_left {
            (self.zone, self.twin) = (zone, twin);
        }
    }

    /// Carries out the operation that three bytes stand for.
    fn operate(&mut self, [what, which, how]: [u8; 3]) {
        let dim = self.zone.dim();
        let (x, y) = (usize::from(which >> 4) % dim, usize::from(which & 15) % dim);
        let (value, is_strict) = (CONSTANTS[usize::from(how >> 4)], how & 1 == 1);
        let (first, second) = (Row::from_index(x), Row::from_index(y));
        match what % 8 {
            0 | 1 if x != y => self.constrain(x, y, value, is_strict),
            2 => {
                self.zone.delay();
                self.twin.delay();
            }
            3 => {
                self.zone.past();
                self.twin.past();
            }
            4 if x != 0 => {
                self.zone.reset(first, value.abs());
                self.twin.reset(x, value.abs().into());
            }
            5 if x != 0 && y != 0 => {
                self.zone.copy(first, second);
                self.twin.copy(x, y);
            }
            6 if x != 0 => {
                self.zone.free(first);
                self.twin.free(x);
            }
            7 if how & 2 == 0 => self.earlier.push((self.zone.clone(), self.twin.clone())),
            7 => self.intersect(usize::from(which)),
            _ => {}
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, rest)) = bytes.split_first() else { return };
    let mut pair = Pair::new(2 + usize::from(first & 3), first & 4 == 0);
    for operation in rest.chunks_exact(3).take(OPERATIONS) {
        pair.operate([operation[0], operation[1], operation[2]]);
        assert_eq!(Naive::from(&pair.zone), pair.twin);
        assert!(pair.zone.is_canonical());
    }
    let mut again = Zone::universe(pair.zone.dim());
    again.constrain_all(pair.zone.minimal_constraints()).expect("invariant: the zone is not empty");
    assert_eq!(again, pair.zone);
});
