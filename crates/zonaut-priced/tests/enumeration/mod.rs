//! Priced zones of two clocks, compared with enumerated valuations.

use std::collections::BTreeMap;
use zonaut_dbm::{Bound, Row, Wide, Zone};
use zonaut_priced::{CostFunction, Least, PricedZone};

/// Clocks of zones are at most this.
pub(crate) const BOX: i64 = 4;
/// Valuations of results are multiples of one over this.
const PARTS: i64 = 2;
/// Delays, and values that are eliminated, are multiples of one over this: the ends of an interval
/// of such values are multiples of one over [`PARTS`], so that an open one has a value in between.
const FINE: i64 = 2 * PARTS;

/// The first clock.
pub(crate) const X: Row = Row(1);
/// The second clock.
pub(crate) const Y: Row = Row(2);

/// A cost in units of one over [`FINE`], and whether it is attained; of equal ones the attained is
/// the less.
type Price = (i64, bool);

fn less(one: Price, other: Price) -> Price {
    if (one.0, !one.1) <= (other.0, !other.1) { one } else { other }
}

/// The zone within the box that satisfies these bounds on x, y, -x, -y, x - y and y - x; `None` if
/// it is empty.
pub(crate) fn zone_of(bounds: [Option<Bound<Wide>>; 6]) -> Option<Zone<Wide>> {
    let mut zone = Zone::universe(3);
    let places = [(X, Row::ZERO), (Y, Row::ZERO), (Row::ZERO, X), (Row::ZERO, Y), (X, Y), (Y, X)];
    zone.constrain_all([X, Y].map(|x| (x, Row::ZERO, Bound::le(BOX)))).ok()?;
    let wanted = places.into_iter().zip(bounds);
    zone.constrain_all(wanted.filter_map(|((x, y), bound)| Some((x, y, bound?)))).ok()?;
    Some(zone)
}

/// The zone with all bounds weak.
pub(crate) fn closure(zone: &Zone<Wide>) -> Zone<Wide> {
    let mut closure = Zone::universe(3);
    let rows = || (0..3).map(Row);
    for (x, y) in rows().flat_map(|x| rows().map(move |y| (x, y))) {
        let bound = Bound::le(zone.bound(x, y).value());
        closure.constrain(x, y, bound).expect("larger than the zone");
    }
    closure
}

/// The cost at a point, both in units of one over `parts`.
fn value(cost: &CostFunction, point: [i64; 3], parts: i64) -> i64 {
    cost.constant() * parts + (1..3).map(|row| cost.slopes()[row] * point[row]).sum::<i64>()
}

fn at(cost: &CostFunction, point: [i64; 3]) -> i64 {
    value(cost, point, FINE)
}

/// The least cost of a point among priced zones.
fn among(parts: &[PricedZone], point: [i64; 3]) -> Option<Price> {
    let inside = parts.iter().filter(|part| part.zone.contains(&point, FINE));
    inside.map(|part| (at(&part.cost, point), part.cost.is_attained())).reduce(less)
}

/// The least value of a function that is affine in k, over those k for which the point is inside.
fn along(
    zone: &PricedZone,
    point: impl Fn(i64) -> [i64; 3],
    price: impl Fn(i64) -> i64,
) -> Option<Price> {
    let inside = (0..=2 * BOX * FINE).filter(|&k| zone.zone.contains(&point(k), FINE));
    let inside: Vec<i64> = inside.collect();
    let (first, last) = (*inside.first()?, *inside.last()?);
    // An end that is no multiple of one over `PARTS` is open: the interval ends next to it.
    let is_open = |k: i64| k % (FINE / PARTS) != 0;
    let ends = [(first, -1), (last, 1)].map(|(k, step)| match is_open(k) {
        true => (price(k + step), price(first) == price(last) && price(k + step) == price(k)),
        false => (price(k), true),
    });
    let best = less(ends[0], ends[1]);
    Some((best.0, best.1 && zone.cost.is_attained()))
}

/// All points of a box in multiples of one over `parts`, in units of one over [`FINE`].
fn points(most: i64, parts: i64) -> impl Iterator<Item = [i64; 3]> {
    let values = move || (0..=most * parts).map(move |k| k * (FINE / parts));
    values().flat_map(move |x| values().map(move |y| [0, x, y]))
}

/// Whether priced zones give each point its expected cost.
fn agree(
    parts: &[PricedZone],
    mut points: impl Iterator<Item = [i64; 3]>,
    expected: impl Fn([i64; 3]) -> Option<Price>,
) -> bool {
    points.all(|point| among(parts, point) == expected(point))
}

/// Whether a delay reaches all valuations at their least costs.
pub(crate) fn delay_is_exact(zone: &PricedZone, rate: i64) -> bool {
    let mut parts = Vec::new();
    zone.delay_into(rate, &mut parts).expect("small costs");
    agree(&parts, points(BOX + 2, PARTS), |[_, x, y]| {
        let before = |k: i64| [0, x - k, y - k];
        along(zone, before, |k| at(&zone.cost, before(k)) + rate * k)
    })
}

/// Whether a clock is forgotten at the least cost of its values.
pub(crate) fn elimination_is_exact(zone: &PricedZone, x: Row) -> bool {
    let mut parts = Vec::new();
    zone.forget_into(x, &mut parts).expect("small costs");
    agree(&parts, points(BOX, PARTS), |point| {
        let with = |k: i64| {
            let mut point = point;
            point[x.index()] = k;
            point
        };
        along(zone, with, |k| at(&zone.cost, with(k)))
    })
}

/// Whether the image of a closed zone has the least costs of its sources, at whole values.
pub(crate) fn image_is_exact(zone: &PricedZone, sources: [(Row, i32); 2]) -> bool {
    let sources = [(Row::ZERO, 0), sources[0], sources[1]];
    let mut parts = Vec::new();
    zone.image_into(&sources, &mut parts).expect("small costs");
    let mut expected = BTreeMap::new();
    for point in points(BOX, 1).filter(|point| zone.zone.contains(point, FINE)) {
        let image = sources.map(|(source, value)| point[source.index()] + i64::from(value) * FINE);
        let price = (at(&zone.cost, point), zone.cost.is_attained());
        let known = expected.entry(image).or_insert(price);
        *known = less(*known, price);
    }
    agree(&parts, points(BOX + 2, 1), |point| expected.get(&point).copied())
}

/// Whether the infimum is the least value at a vertex, and attained if a valuation has it.
pub(crate) fn infimum_is_exact(zone: &PricedZone) -> bool {
    let closure = closure(&zone.zone);
    let whole = points(BOX, 1).filter(|point| closure.contains(point, FINE));
    let least = whole.map(|point| at(&zone.cost, point)).min().expect("a vertex");
    // Faces of zones with two clocks have points that are multiples of a quarter.
    let mut inside = points(BOX, FINE).filter(|point| zone.zone.contains(point, FINE));
    let is_attained = zone.cost.is_attained() && inside.any(|point| at(&zone.cost, point) == least);
    zone.least() == Some(Least { value: least / FINE, is_attained })
}

/// Whether the comparison of two costs on a zone is that of all its valuations.
pub(crate) fn comparison_is_exact(
    zone: &Zone<Wide>,
    cost: &CostFunction,
    other: &CostFunction,
) -> bool {
    // At this resolution a valuation near a vertex shows a difference of one at it.
    const PARTS: i64 = 32;
    let all = (0..=BOX * PARTS).flat_map(|x| (0..=BOX * PARTS).map(move |y| [0, x, y]));
    let price = |cost: &CostFunction, point| (value(cost, point, PARTS), !cost.is_attained());
    let mut inside = all.filter(|point| zone.contains(point, PARTS));
    let is_covered = inside.all(|point| price(other, point) <= price(cost, point));
    cost.is_at_least(other, zone) == is_covered
}
