//! Federations against point sets and against the laws of sets.

use proptest::prelude::*;

use crate::operations::{any_operations, run};
use crate::points::{O, X, Y, all_zones, points, points_of, sampled_pairs};
use crate::{Bound, Federation, Zone};

const SIDE: i64 = 7;

fn points_of_union(federation: &Federation) -> Vec<bool> {
    points(SIDE, |x, y| federation.contains(&[0, x, y], 4))
}

fn is_disjoint(federation: &Federation) -> bool {
    let zones = federation.zones();
    (0..zones.len()).all(|i| (0..i).all(|j| !zones[i].intersects(&zones[j])))
}

fn difference(one: &Zone, two: &Zone) -> Vec<bool> {
    let both = points_of(one, SIDE).into_iter().zip(points_of(two, SIDE));
    both.map(|(a, b)| a && !b).collect()
}

#[test]
fn subtraction_is_disjoint_and_exact() {
    let zones = all_zones(2);
    for (one, two) in sampled_pairs(&zones, 4_000) {
        let rest = one.subtract(two);
        assert!(is_disjoint(&rest));
        assert_eq!(points_of_union(&rest), difference(one, two), "{one:?} minus {two:?}");
        assert_eq!(rest.is_empty(), two.includes(one));
    }
}

#[test]
fn union_intersection_and_inclusion_are_those_of_the_points() {
    let zones = all_zones(2);
    let mut pairs = sampled_pairs(&zones, 3_000);
    while let (Some((one, two)), Some((three, four))) = (pairs.next(), pairs.next()) {
        let mut union = Federation::from(one.clone());
        union.add(two.clone());
        let either = points(SIDE, |x, y| [one, two].iter().any(|z| z.contains(&[0, x, y], 4)));
        assert_eq!(points_of_union(&union), either);
        let is_covered = points_of(three, SIDE).iter().zip(&either).all(|(&c, &e)| !c || e);
        assert_eq!(union.includes_zone(three), is_covered);
        let mut both = Federation::from(three.clone());
        both.add(four.clone());
        assert_eq!(union.includes(&both), is_covered && union.includes_zone(four));
        union.intersect_zone(three);
        let met = points(SIDE, |x, y| {
            three.contains(&[0, x, y], 4) && [one, two].iter().any(|z| z.contains(&[0, x, y], 4))
        });
        assert_eq!(points_of_union(&union), met);
    }
}

#[test]
fn a_zone_can_be_covered_by_several_zones_together() {
    let half = |x, y, b| {
        let mut zone = Zone::universe(3);
        zone.constrain(x, y, b).unwrap();
        zone
    };
    let mut federation = Federation::empty();
    assert!(federation.is_empty());
    assert!(federation.add(half(X, O, Bound::le(2))));
    assert!(!federation.add(half(X, O, Bound::lt(2))));
    assert!(!federation.includes_zone(&Zone::universe(3)));
    assert!(federation.add(half(O, X, Bound::lt(-2))));
    assert!(federation.includes_zone(&Zone::universe(3)));
    assert!(federation.add(Zone::universe(3)));
    assert_eq!(federation.into_zones(), [Zone::universe(3)]);
}

#[test]
fn delay_past_and_constraints_work_on_every_zone() {
    let mut point = Zone::origin(3);
    let mut federation = Federation::from(point.clone());
    point.reset(X, 4);
    federation.add(point);
    federation.delay();
    assert!(federation.contains(&[0, 3, 3], 1) && federation.contains(&[0, 5, 1], 1));
    assert!(!federation.contains(&[0, 5, 2], 1));
    federation.constrain(X, Y, Bound::lt(4));
    assert_eq!(federation.zones().len(), 1);
    federation.constrain(O, X, Bound::le(-2));
    federation.past();
    assert!(federation.contains(&[0, 1, 1], 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn subtraction_splits_zones_of_several_clocks(
        dim in 2..6_usize,
        one in any_operations(),
        two in any_operations(),
    ) {
        let (one, two) = (run(dim, &one), run(dim, &two));
        let rest = one.subtract(&two);
        prop_assert!(is_disjoint(&rest));
        prop_assert!(rest.zones().iter().all(|z| one.includes(z) && !z.intersects(&two)));
        let mut whole = rest.clone();
        let mut common = one.clone();
        if common.intersect(&two).is_ok() {
            prop_assert_eq!(one.includes(&common), true);
            whole.add(common);
        }
        prop_assert!(whole.includes(&Federation::from(one)));
    }
}
