//! Zones of two clocks as sets of points on a grid of quarters, and all small zones.

use std::collections::BTreeSet;

use crate::{Bound, Zone};
use zonaut_dbm::Row;

pub(crate) const O: Row = Row::ZERO;
pub(crate) const X: Row = Row(1);
pub(crate) const Y: Row = Row(2);

/// The points `(x, y)`, in quarters, of the square with the given side.
pub(crate) fn grid(side: i64) -> impl Iterator<Item = (i64, i64)> {
    (0..=4 * side).flat_map(move |x| (0..=4 * side).map(move |y| (x, y)))
}

/// For each point of the grid, whether a set contains it.
pub(crate) fn points(side: i64, contains: impl Fn(i64, i64) -> bool) -> Vec<bool> {
    grid(side).map(|(x, y)| contains(x, y)).collect()
}

/// For each point of the grid, whether a zone contains it.
pub(crate) fn points_of(zone: &Zone, side: i64) -> Vec<bool> {
    points(side, |x, y| zone.contains(&[0, x, y], 4))
}

/// The bounds between the two values, strict ones included, and infinity.
pub(crate) fn bounds(least: i32, most: i32) -> Vec<Bound> {
    let finite = (least..=most).flat_map(|value| [Bound::lt(value), Bound::le(value)]);
    finite.chain([Bound::INFINITY]).collect()
}

/// Every zone of two clocks that constraints with constants up to `greatest` describe.
pub(crate) fn all_zones(greatest: i32) -> Vec<Zone> {
    let kinds = [(O, X), (O, Y), (X, O), (Y, O), (X, Y), (Y, X)];
    let mut zones = BTreeSet::from([encode(&Zone::universe(3))]);
    for (x, y) in kinds {
        for encoded in zones.clone() {
            for b in bounds(-greatest, greatest) {
                let mut zone = decode(&encoded);
                if zone.constrain(x, y, b).is_ok() {
                    zones.insert(encode(&zone));
                }
            }
        }
    }
    zones.iter().map(|encoded| decode(encoded)).collect()
}

fn encode(zone: &Zone) -> Vec<Bound> {
    zone.as_slice().to_vec()
}

fn decode(bounds: &[Bound]) -> Zone {
    Zone::from_slice(3, bounds)
}

/// The fixed pseudo-random sequence of pairs of zones that tests sample.
pub(crate) fn sampled_pairs(zones: &[Zone], count: usize) -> impl Iterator<Item = (&Zone, &Zone)> {
    let mut state: u64 = 1;
    let mut next = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        &zones[(state >> 33) as usize % zones.len()]
    };
    (0..count).map(move |_| (next(), next()))
}
