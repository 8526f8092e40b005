//! Interpolants of zones.
//!
//! For disjoint zones A and B, some constraints of A alone are disjoint from B: those on a negative
//! cycle in the bounds of both. Each constraint of A between two of B on the cycle is kept, one of
//! them weakened as far as the cycle stays negative (T. Tóth, I. Majzik, "Lazy reachability checking
//! for timed automata using interpolants", DOI 10.1007/978-3-319-65765-3_15).

use zonaut_dbm::{Bound, Row, Width, Zone};

/// A bound on the difference of two clocks of a zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Atom<W: Width> {
    pub(crate) x: Row,
    pub(crate) y: Row,
    pub(crate) bound: Bound<W>,
}

/// An edge of a cycle.
#[derive(Clone, Copy, Debug)]
struct Link {
    from: usize,
    to: usize,
    is_first: bool,
}

/// Bounds that hold in `first` and that no valuation of `second` satisfies together; the zones are
/// disjoint.
pub(crate) fn interpolant<W: Width>(first: &Zone<W>, second: &Zone<W>) -> Vec<Atom<W>> {
    if let Some(atom) = single(first, second) {
        return vec![atom];
    }
    let bound = |link: &Link| {
        let (x, y) = (Row::from_index(link.from), Row::from_index(link.to));
        if link.is_first { first.bound(x, y) } else { second.bound(x, y) }
    };
    let cycle = merged(negative_cycle(first, second));
    let weakened = cycle.iter().position(|link| link.is_first);
    let atoms = cycle.iter().enumerate().filter(|(_, link)| link.is_first).map(|(index, link)| {
        let own = bound(link);
        let bound = if Some(index) == weakened {
            let others = cycle.iter().enumerate().filter(|(other, _)| *other != index);
            let rest = others.fold(Bound::ZERO, |sum, (_, link)| sum + bound(link));
            in_range(rest.negated(), own)
        } else {
            own
        };
        Atom { x: Row::from_index(link.from), y: Row::from_index(link.to), bound }
    });
    atoms.collect()
}

/// A single bound that separates the zones, as weak as possible: the one with the greatest slack to
/// the first zone. A bound on a single clock is preferred to one on a difference, unless the latter
/// has more than twice the slack: labels share bounds on single clocks more often. The same applies
/// to a bound without slack, which is a constant of the model.
fn single<W: Width>(first: &Zone<W>, second: &Zone<W>) -> Option<Atom<W>> {
    let clocks = || (0..first.dim()).map(Row::from_index);
    let separates =
        |&(x, y): &(Row, Row)| x != y && first.bound(x, y) + second.bound(y, x) < Bound::ZERO;
    let room = |&(x, y): &(Row, Row)| {
        second.bound(y, x).negated().value().saturating_sub(first.bound(x, y).value())
    };
    let alone = clocks().skip(1).flat_map(|x| [(x, Row::ZERO), (Row::ZERO, x)]);
    let alone = alone.filter(separates).max_by_key(room);
    let pair = || {
        let pairs = clocks().flat_map(|x| clocks().map(move |y| (x, y)));
        pairs.filter(separates).max_by_key(room)
    };
    let (x, y) = match alone {
        Some(alone) if room(&alone) == 0 => alone,
        Some(alone) => pair().filter(|pair| room(pair) > 2 * room(&alone)).unwrap_or(alone),
        None => pair()?,
    };
    let bound = in_range(second.bound(y, x).negated(), first.bound(x, y));
    Some(Atom { x, y, bound })
}

/// The weakened bound, unless it is out of the range of constants; then the original one.
fn in_range<W: Width>(weakened: Bound<W>, original: Bound<W>) -> Bound<W> {
    let is_large = weakened.value().abs() > i64::from(Bound::<W>::MAX_CONSTANT);
    if weakened.is_infinite() || is_large { original } else { weakened }
}

/// A negative cycle of bounds of both zones.
fn negative_cycle<W: Width>(first: &Zone<W>, second: &Zone<W>) -> Vec<Link> {
    let dim = first.dim();
    let mut sums: Vec<Bound<W>> =
        first.as_slice().iter().zip(second.as_slice()).map(|(&a, &b)| a.min(b)).collect();
    let is_first: Vec<bool> =
        first.as_slice().iter().zip(second.as_slice()).map(|(a, b)| a < b).collect();
    // By pair, the middle row of the shortest path, unless it is the direct edge.
    let mut middles: Vec<Option<usize>> = vec![None; dim * dim];
    for middle in 0..dim {
        for from in 0..dim {
            for to in 0..dim {
                let path = sums[from * dim + middle] + sums[middle * dim + to];
                if path < sums[from * dim + to] {
                    sums[from * dim + to] = path;
                    middles[from * dim + to] = Some(middle);
                    if from == to {
                        return unfold(&middles, &is_first, dim, from);
                    }
                }
            }
        }
    }
    Vec::new()
}

/// The edges of the shortest path from a row to itself.
fn unfold(middles: &[Option<usize>], is_first: &[bool], dim: usize, row: usize) -> Vec<Link> {
    let mut cycle = Vec::new();
    let mut open = vec![(row, row)];
    while let Some((from, to)) = open.pop() {
        match middles[from * dim + to] {
            Some(middle) if (from, to) != (middle, to) && (from, to) != (from, middle) => {
                open.push((middle, to));
                open.push((from, middle));
            }
            _ => cycle.push(Link { from, to, is_first: is_first[from * dim + to] }),
        }
    }
    cycle
}

/// The cycle with adjacent edges of one zone merged into one: its bounds are canonical.
fn merged(cycle: Vec<Link>) -> Vec<Link> {
    let mut all: Vec<Link> = Vec::new();
    for link in cycle {
        match all.last_mut() {
            Some(last) if last.is_first == link.is_first => last.to = link.to,
            _ => all.push(link),
        }
    }
    if let [first, .., last] = all.as_mut_slice()
        && first.is_first == last.is_first
    {
        first.from = last.from;
        all.pop();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_dbm::Narrow;

    fn below(random: &mut u64, limit: u64) -> u64 {
        *random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*random >> 33) % limit
    }

    fn zone(random: &mut u64, dim: usize) -> Zone<Narrow> {
        let mut zone = Zone::universe(dim);
        for _ in 0..below(random, 6) {
            let row = |random: &mut u64| Row::from_index(below(random, dim as u64) as usize);
            let (x, y) = (row(random), row(random));
            let value = below(random, 9) as i32 - 3;
            let bound = if below(random, 2) == 0 { Bound::le(value) } else { Bound::lt(value) };
            let mut smaller = zone.clone();
            if x != y && smaller.constrain(x, y, bound).is_ok() {
                zone = smaller;
            }
        }
        zone
    }

    #[test]
    fn an_interpolant_holds_the_first_zone_and_nothing_of_the_second() {
        let (mut single, mut several) = (0, 0);
        for seed in 0..40_000 {
            let mut random = seed;
            let dim = 3 + seed as usize % 3;
            let (first, second) = (zone(&mut random, dim), zone(&mut random, dim));
            if first.intersects(&second) {
                continue;
            }
            let atoms = interpolant(&first, &second);
            let (mut inside, mut outside) = (first.clone(), second.clone());
            let all = || atoms.iter().map(|atom| (atom.x, atom.y, atom.bound));
            assert!(inside.constrain_all(all()).is_ok());
            assert_eq!(inside, first, "{atoms:?}");
            assert!(outside.constrain_all(all()).is_err(), "{first:?} {second:?} {atoms:?}");
            if atoms.len() == 1 { single += 1 } else { several += 1 }
        }
        assert!(single > 1000 && several > 1, "{single} {several}");
    }

    #[test]
    fn zones_apart_by_several_bounds_only_keep_all_of_them_but_one_as_they_are() {
        let zone = |bounds: [(usize, usize, i32); 2]| {
            let mut zone = Zone::<Narrow>::universe(5);
            for (x, y, value) in bounds {
                let (x, y) = (Row::from_index(x), Row::from_index(y));
                zone.constrain(x, y, Bound::le(value)).expect("not empty");
            }
            zone
        };
        let (first, second) = (zone([(1, 2, -3), (3, 4, -1)]), zone([(2, 3, 0), (4, 1, 1)]));
        let mut atoms = interpolant(&first, &second);
        atoms.sort_by_key(|atom| atom.x.index());
        let values: Vec<i64> = atoms.iter().map(|atom| atom.bound.value()).collect();
        // The sum of the first zone's bounds may be weakened up to less than -1.
        assert!(values == [-3, 2] || values == [0, -1], "{atoms:?}");
    }
}
