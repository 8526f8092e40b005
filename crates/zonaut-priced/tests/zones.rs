//! Operations of priced zones against enumerated valuations.

use proptest::prelude::*;
use zonaut_dbm::{Bound, Row, Wide, Zone};
use zonaut_priced::{CostFunction, Least, PricedZone};

/// Clocks are below this.
const BOX: i64 = 4;
/// Valuations of results are multiples of one over this.
const PARTS: i64 = 2;
/// Delays, and values that are eliminated, are multiples of one over this: the ends of an interval
/// of such values are multiples of one over [`PARTS`], so that an open one has a value in between.
const FINE: i64 = 2 * PARTS;

const X: Row = Row(1);
const Y: Row = Row(2);

fn any_bound() -> impl Strategy<Value = Option<Bound<Wide>>> {
    let finite = (-BOX..=BOX, any::<bool>())
        .prop_map(|(value, strict)| if strict { Bound::lt(value) } else { Bound::le(value) });
    prop_oneof![1 => Just(None), 2 => finite.prop_map(Some)]
}

/// Zones within the box.
fn any_zone() -> impl Strategy<Value = Zone<Wide>> {
    proptest::collection::vec(any_bound(), 6).prop_filter_map("empty", |bounds| {
        let mut zone = Zone::universe(3);
        let places =
            [(X, Row::ZERO), (Y, Row::ZERO), (Row::ZERO, X), (Row::ZERO, Y), (X, Y), (Y, X)];
        zone.constrain_all([X, Y].map(|x| (x, Row::ZERO, Bound::le(BOX)))).ok()?;
        let wanted = places.into_iter().zip(bounds);
        let wanted = wanted.filter_map(|((x, y), bound)| Some((x, y, bound?)));
        zone.constrain_all(wanted).ok()?;
        Some(zone)
    })
}

/// The zone with all bounds weak.
fn closure(zone: &Zone<Wide>) -> Zone<Wide> {
    let mut closure = Zone::universe(3);
    let rows = || (0..3).map(Row);
    for (x, y) in rows().flat_map(|x| rows().map(move |y| (x, y))) {
        let bound = Bound::le(zone.bound(x, y).value());
        closure.constrain(x, y, bound).expect("larger than the zone");
    }
    closure
}

fn any_cost() -> impl Strategy<Value = CostFunction> {
    (-5..=5_i64, -3..=3_i64, -3..=3_i64, any::<bool>())
        .prop_map(|(constant, x, y, attained)| CostFunction::new(constant, &[x, y], attained))
}

/// A cost in units of one over [`FINE`], and whether it is attained; of equal ones the attained is
/// the less.
type Price = (i64, bool);

fn less(one: Price, other: Price) -> Price {
    if (one.0, !one.1) <= (other.0, !other.1) { one } else { other }
}

/// The cost at a point in units of one over [`FINE`].
fn at(cost: &CostFunction, point: [i64; 3]) -> i64 {
    cost.constant() * FINE + (1..3).map(|row| cost.slopes()[row] * point[row]).sum::<i64>()
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
    let inside: Vec<i64> =
        (0..=2 * BOX * FINE).filter(|&k| zone.zone.contains(&point(k), FINE)).collect();
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

/// All points of a box in multiples of one over [`PARTS`].
fn points(most: i64) -> impl Iterator<Item = [i64; 3]> {
    let values = move || (0..=most * PARTS).map(|k| k * (FINE / PARTS));
    values().flat_map(move |x| values().map(move |y| [0, x, y]))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_delay_reaches_valuations_at_their_least_cost(
        zone in any_zone(), cost in any_cost(), rate in 0..8_i64,
    ) {
        let zone = PricedZone { zone, cost };
        let mut parts = Vec::new();
        prop_assert_eq!(zone.delay_into(rate, &mut parts), Ok(()));
        for point @ [_, x, y] in points(BOX + 2) {
            let before = |k: i64| [0, x - k, y - k];
            let price = |k: i64| at(&zone.cost, before(k)) + rate * k;
            prop_assert_eq!(among(&parts, point), along(&zone, before, price), "{:?}", point);
        }
    }

    #[test]
    fn a_clock_is_forgotten_at_the_least_cost(zone in any_zone(), cost in any_cost(), is_x in any::<bool>()) {
        let zone = PricedZone { zone, cost };
        let (mut parts, x) = (Vec::new(), if is_x { X } else { Y });
        prop_assert_eq!(zone.forget_into(x, &mut parts), Ok(()));
        for point in points(BOX) {
            let with = |k: i64| {
                let mut point = point;
                point[x.index()] = k;
                point
            };
            let price = |k: i64| at(&zone.cost, with(k));
            prop_assert_eq!(among(&parts, point), along(&zone, with, price), "{:?}", point);
        }
    }

    #[test]
    fn an_image_has_the_least_cost_of_its_sources(
        zone in any_zone().prop_map(|zone| closure(&zone)),
        cost in any_cost(),
        sources in proptest::collection::vec((0..3_u16, 0..3_i32), 2),
    ) {
        let zone = PricedZone { zone, cost };
        let sources: Vec<(Row, i32)> =
            [(Row::ZERO, 0)].into_iter().chain(sources.iter().map(|&(row, value)| (Row(row), value))).collect();
        let mut parts = Vec::new();
        prop_assert_eq!(zone.image_into(&sources, &mut parts), Ok(()));
        // Elimination of each clock is tested above; here values are whole, where costs of closed
        // zones are exact.
        let mut expected = std::collections::BTreeMap::new();
        for point in points(BOX).filter(|point| point.iter().all(|k| k % FINE == 0)) {
            if zone.zone.contains(&point, FINE) {
                let image = |row: usize| point[sources[row].0.index()] + i64::from(sources[row].1) * FINE;
                let price = (at(&zone.cost, point), zone.cost.is_attained());
                let known = expected.entry([0, image(1), image(2)]).or_insert(price);
                *known = less(*known, price);
            }
        }
        for point in points(BOX + 2).filter(|point| point.iter().all(|k| k % FINE == 0)) {
            prop_assert_eq!(among(&parts, point), expected.get(&point).copied(), "{:?}", point);
        }
    }

    #[test]
    fn the_infimum_is_at_a_vertex(zone in any_zone(), cost in any_cost()) {
        let zone = PricedZone { zone, cost };
        let closure = closure(&zone.zone);
        let whole = points(BOX).filter(|point| closure.contains(point, FINE));
        let least = whole.map(|point| at(&zone.cost, point)).min().expect("a vertex");
        // Faces of zones with two clocks have points that are multiples of a quarter.
        let fine = (0..=BOX * FINE).flat_map(|x| (0..=BOX * FINE).map(move |y| [0, x, y]));
        let mut inside = fine.filter(|point| zone.zone.contains(point, FINE));
        let is_attained = zone.cost.is_attained() && inside.any(|point| at(&zone.cost, point) == least);
        let value = least / FINE;
        prop_assert_eq!(zone.least(), Some(Least { value, is_attained }));
    }

    #[test]
    fn covering_compares_all_valuations(
        zone in any_zone(), cost in any_cost(), other in any_cost(), constant in -3..=3_i64,
    ) {
        let other = CostFunction::new(constant, &other.slopes()[1..], other.is_attained());
        // At this resolution a valuation near a vertex shows a difference of one at it.
        const PARTS: i64 = 32;
        let value = |cost: &CostFunction, point: [i64; 3]| {
            cost.constant() * PARTS + (1..3).map(|row| cost.slopes()[row] * point[row]).sum::<i64>()
        };
        let all = (0..=BOX * PARTS).flat_map(|x| (0..=BOX * PARTS).map(move |y| [0, x, y]));
        let mut inside = all.filter(|point| zone.contains(point, PARTS));
        let is_covered = inside.all(|point| {
            (value(&other, point), !other.is_attained()) <= (value(&cost, point), !cost.is_attained())
        });
        prop_assert_eq!(cost.is_at_least(&other, &zone), is_covered);
    }
}
