//! All zones of two clocks with small constants against point sets.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use crate::naive::Naive;
use crate::points::{O, X, Y, all_zones, bounds, points, points_of, sampled_pairs};
use crate::{Bound, Zone};
use zonaut_dbm::Row;

/// Whether some value of the projected clock, in eighths, puts the point in the zone.
fn exists(side: i64, contains: impl Fn(i64) -> bool) -> bool {
    (0..=8 * side).any(contains)
}

#[test]
fn different_zones_have_different_points() {
    let zones = all_zones(3);
    let distinct: BTreeSet<Vec<bool>> = zones.iter().map(|zone| points_of(zone, 10)).collect();
    assert_eq!(distinct.len(), zones.len());
    assert!(zones.iter().all(Zone::is_canonical));
}

#[test]
fn different_zones_and_bounds_have_different_hashes() {
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    let zones = all_zones(3);
    let hashes: BTreeSet<u64> = zones.iter().map(|zone| hasher.hash_one(zone)).collect();
    assert_eq!(hashes.len(), zones.len());
    let bounds = bounds(-9, 9);
    let hashes: BTreeSet<u64> = bounds.iter().map(|bound| hasher.hash_one(bound)).collect();
    assert_eq!(hashes.len(), bounds.len());
}

#[test]
fn the_reduced_form_regenerates_every_zone_and_is_minimal() {
    for zone in all_zones(3) {
        let constraints = zone.minimal_constraints();
        let regenerate = |left_out: Option<usize>| {
            let mut regenerated = Zone::universe(3);
            let kept = (0..constraints.len()).filter(|&i| Some(i) != left_out);
            regenerated.constrain_all(kept.map(|i| constraints[i])).unwrap();
            regenerated
        };
        assert_eq!(regenerate(None), zone);
        for (i, constraint) in constraints.iter().enumerate() {
            assert_ne!(regenerate(Some(i)), zone, "{constraint:?} is redundant");
        }
    }
}

#[test]
fn a_constraint_keeps_the_points_that_satisfy_it() {
    for zone in all_zones(1) {
        let before = points_of(&zone, 4);
        for (x, y) in [(X, O), (O, X), (Y, O), (O, Y), (X, Y), (Y, X)] {
            for b in bounds(-2, 2) {
                let satisfies = |values: [i64; 3]| {
                    let difference = values[x.index()] - values[y.index()];
                    let is_below =
                        |value| difference < value || difference == value && !b.is_strict();
                    b.is_infinite() || is_below(4 * b.value())
                };
                let satisfied = points(4, |x, y| satisfies([0, x, y]));
                let expected: Vec<bool> =
                    before.iter().zip(satisfied).map(|(&inside, holds)| inside && holds).collect();
                let mut constrained = zone.clone();
                let is_left = constrained.constrain(x, y, b).is_ok();
                assert_eq!(is_left, expected.contains(&true), "{zone:?} with {x:?} - {y:?} {b}");
                assert_eq!(is_left, zone.intersects_constraint(x, y, b));
                if is_left {
                    assert_eq!(points_of(&constrained, 4), expected);
                }
            }
        }
    }
}

#[test]
fn delay_and_past_move_points_along_time() {
    for zone in all_zones(1) {
        let moved = |x: i64, y: i64, eighths: i64| {
            let (x, y) = (2 * x + eighths, 2 * y + eighths);
            x >= 0 && y >= 0 && zone.contains(&[0, x, y], 8)
        };
        let mut delayed = zone.clone();
        delayed.delay();
        let expected = points(3, |x, y| exists(3, |d| moved(x, y, -d)));
        assert_eq!(points_of(&delayed, 3), expected, "delay of {zone:?}");
        let mut past = zone.clone();
        past.past();
        let expected = points(3, |x, y| exists(3, |d| moved(x, y, d)));
        assert_eq!(points_of(&past, 3), expected, "past of {zone:?}");
    }
}

#[test]
fn a_delay_of_one_clock_moves_points_along_it() {
    for zone in all_zones(1) {
        let mut delayed = zone.clone();
        delayed.delay_except(|clock| clock == Y);
        let moved = |x: i64, y: i64, eighths: i64| {
            let x = 2 * x - eighths;
            x >= 0 && zone.contains(&[0, x, 2 * y], 8)
        };
        let expected = points(3, |x, y| exists(3, |d| moved(x, y, d)));
        assert_eq!(points_of(&delayed, 3), expected, "delay of {zone:?} without y");
        let mut both = zone.clone();
        both.delay_except(|_| false);
        let mut expected = zone.clone();
        expected.delay();
        assert_eq!(both, expected);
        let mut neither = zone.clone();
        neither.delay_except(|_| true);
        assert_eq!(neither, zone);
    }
}

#[test]
fn a_delay_of_two_clocks_beside_a_stopped_one_holds_the_points_and_may_hold_more() {
    // Before the delay x is at most z; after it, at most z plus the elapsed time, which y bounds.
    let clocks = [1, 2, 3].map(Row);
    let mut zone = Zone::universe(4);
    for x in clocks {
        zone.constrain(x, O, Bound::le(1)).unwrap();
    }
    zone.constrain(X, clocks[2], Bound::le(0)).unwrap();
    let mut delayed = zone.clone();
    delayed.delay_except(|clock| clock == clocks[2]);
    let values = || (0..=12_i64).map(|quarters| quarters * 2);
    let is_reached =
        |[x, y, z]: [i64; 3]| (0..=x.min(y)).any(|d| zone.contains(&[0, x - d, y - d, z], 8));
    let mut added = 0;
    for x in values() {
        for (y, z) in values().flat_map(|y| values().map(move |z| (y, z))) {
            let is_held = delayed.contains(&[0, x, y, z], 8);
            assert!(is_held || !is_reached([x, y, z]), "{x} {y} {z}");
            added += usize::from(is_held && !is_reached([x, y, z]));
        }
    }
    assert!(added > 0);
}

#[test]
fn assignments_replace_the_value_of_one_clock() {
    for zone in all_zones(2) {
        let any_x = |y: i64| exists(6, |x| zone.contains(&[0, x, 2 * y], 8));
        let check = |change: &dyn Fn(&mut Zone), expected: &dyn Fn(i64, i64) -> bool| {
            let mut changed = zone.clone();
            change(&mut changed);
            assert_eq!(points_of(&changed, 3), points(3, expected), "{zone:?}");
        };
        let has_y: Vec<bool> = (0..=12).map(any_x).collect();
        for value in 0..=2 {
            check(&|zone| zone.reset(X, value), &|x, y| {
                x == 4 * i64::from(value) && has_y[y as usize]
            });
        }
        check(&|zone| zone.copy(X, Y), &|x, y| x == y && has_y[y as usize]);
        check(&|zone| zone.free(X), &|_, y| has_y[y as usize]);
        check(&|zone| zone.copy(Y, Y), &|x, y| zone.contains(&[0, x, y], 4));
    }
}

#[test]
fn inclusion_and_intersection_are_those_of_the_points() {
    let zones = all_zones(2);
    for (one, two) in sampled_pairs(&zones, 20_000) {
        let both = points_of(one, 7).into_iter().zip(points_of(two, 7));
        let (is_included, is_met) =
            both.fold((true, false), |(all, any), (a, b)| (all && (!b || a), any || (a && b)));
        assert_eq!(one.includes(two), is_included, "{one:?} includes {two:?}");
        assert_eq!(one.intersects(two), is_met, "{one:?} meets {two:?}");
    }
}

#[test]
fn inclusion_is_that_of_the_points_for_all_pairs_of_tiny_zones() {
    let zones: Vec<(Zone, Vec<bool>)> =
        all_zones(1).into_iter().map(|zone| (zone.clone(), points_of(&zone, 4))).collect();
    for (one, points_of_one) in &zones {
        for (two, points_of_two) in &zones {
            let expected = points_of_two.iter().zip(points_of_one).all(|(&b, &a)| !b || a);
            assert_eq!(one.includes(two), expected, "{one:?} includes {two:?}");
        }
    }
}

#[test]
fn every_operation_agrees_with_the_naive_implementation_on_all_small_zones() {
    type Change = (&'static str, fn(&mut Zone), fn(&mut Naive));
    let changes: [Change; 6] = [
        ("delay", Zone::delay, Naive::delay),
        ("past", Zone::past, Naive::past),
        ("reset", |zone| zone.reset(X, 2), |naive| naive.reset(1, 2)),
        ("copy", |zone| zone.copy(Y, X), |naive| naive.copy(2, 1)),
        ("free", |zone| zone.free(Y), |naive| naive.free(2)),
        ("nothing", |_| (), |naive| assert!(naive.close())),
    ];
    for zone in all_zones(3) {
        for (name, change, change_naive) in changes {
            let (mut changed, mut naive) = (zone.clone(), Naive::from(&zone));
            change(&mut changed);
            change_naive(&mut naive);
            assert!(naive.is_same(&changed), "{name} of {zone:?} gives {changed:?}");
        }
    }
}

#[test]
fn projection_and_remapping_keep_the_bounds_of_the_clocks() {
    let mut out = Zone::origin(1);
    for zone in all_zones(2) {
        zone.remap_into(&[None, Some(Y), None, Some(X), Some(Y)], &mut out);
        assert!(out.is_canonical());
        let mut expected = Zone::universe(5);
        for (x, source) in [(1, Y), (3, X), (4, Y)] {
            for (y, other) in [(0, O), (1, Y), (3, X), (4, Y)] {
                let (x, y) = (Row(x), Row(y));
                expected.constrain(x, y, zone.bound(source, other)).unwrap();
                expected.constrain(y, x, zone.bound(other, source)).unwrap();
            }
        }
        assert_eq!(out, expected);
        out.project(&[Row(3), Row(4)]);
        assert_eq!(out, zone);
        out.project(&[Y]);
        assert_eq!(out.as_slice()[1..3], [zone.bound(O, Y), zone.bound(Y, O)]);
        out.project(&[]);
        assert_eq!(out, Zone::origin(1));
    }
}
