//! Extrapolations against their definitions: entries one by one, then a closure from scratch.

use proptest::prelude::*;

use crate::Zone;
use crate::naive::{Limit, Naive};
use crate::operations::{any_operations, run};
use crate::points::all_zones;
use zonaut_dbm::{ALWAYS_EXACT, NO_BOUND, Row};

use Limit::{Finite, Infinite};

/// The value of an extrapolation bound: minus infinity, a number or plus infinity.
fn constant(bound: i32, row: usize) -> f64 {
    match bound {
        _ if row == 0 => 0.0,
        NO_BOUND => f64::NEG_INFINITY,
        ALWAYS_EXACT => f64::INFINITY,
        bound => bound.into(),
    }
}

fn value(limit: Limit) -> f64 {
    match limit {
        Infinite => f64::INFINITY,
        Finite { value, .. } => value as f64,
    }
}

/// `< -bound`, or the weakest bound on the entry if the clock has none.
fn strict_floor(bound: f64, row: usize) -> Limit {
    match (bound.is_finite(), row) {
        (true, _) => Limit::lt(-bound as i64),
        (false, 0) => Limit::ZERO,
        (false, _) => Infinite,
    }
}

fn extrapolated(naive: &Naive, entry: impl Fn(usize, usize) -> Limit) -> Naive {
    let dim = naive.dim();
    let mut widened = naive.clone();
    for i in 0..dim {
        for j in (0..dim).filter(|&j| j != i) {
            widened.rows[i][j] = entry(i, j);
        }
    }
    assert!(widened.close());
    widened
}

pub(crate) fn naive_lu(naive: &Naive, lower: &[i32], upper: &[i32]) -> Naive {
    extrapolated(naive, |i, j| lu_entry(naive.rows[i][j], (i, j), lower, upper))
}

/// The entry `(i, j)` after extrapolation by lower and upper constants.
fn lu_entry(limit: Limit, (i, j): (usize, usize), lower: &[i32], upper: &[i32]) -> Limit {
    let (l, u) = (constant(lower[i], i), constant(upper[j], j));
    if value(limit) > l {
        Infinite
    } else if -value(limit) > u {
        strict_floor(u, i)
    } else {
        limit
    }
}

fn naive_lu_plus(naive: &Naive, lower: &[i32], upper: &[i32]) -> Naive {
    extrapolated(naive, |i, j| {
        let limit = naive.rows[i][j];
        let least = |x: usize| -value(naive.rows[0][x]);
        let (l, u) = (constant(lower[i], i), constant(upper[j], j));
        if value(limit) > l || least(i) > l || (least(j) > u && i != 0) {
            Infinite
        } else if least(j) > u {
            strict_floor(u, 0)
        } else {
            limit
        }
    })
}

fn check(zone: &Zone, lower: &[i32], upper: &[i32]) {
    type Extrapolate = fn(&mut Zone, &[i32], &[i32]) -> bool;
    type Define = fn(&Naive, &[i32], &[i32]) -> Naive;
    let kinds: [(Extrapolate, Define); 3] = [
        (|zone, lower, _| zone.extrapolate_m(lower), |naive, l, _| naive_lu(naive, l, l)),
        (Zone::extrapolate_lu, naive_lu),
        (Zone::extrapolate_lu_plus, naive_lu_plus),
    ];
    let mut results = Vec::new();
    for (extrapolate, define) in kinds {
        let mut widened = zone.clone();
        let is_changed = extrapolate(&mut widened, lower, upper);
        let expected = define(&Naive::from(zone), lower, upper);
        assert!(
            expected.is_same(&widened),
            "{zone:?} by {lower:?} and {upper:?} gives {widened:?} instead of {expected:?}"
        );
        assert!(widened.is_canonical() && widened.includes(zone));
        assert!(is_changed || widened == *zone);
        results.push(widened);
    }
    assert!(results[2].includes(&results[1]), "LU+ is coarser than LU");
}

#[test]
fn all_small_zones_are_extrapolated_as_defined() {
    let constants = [NO_BOUND, 0, 1, 3, ALWAYS_EXACT];
    for (number, zone) in all_zones(3).iter().enumerate() {
        let choice = |digit: u32| constants[number / 5_usize.pow(digit) % 5];
        check(zone, &[7, choice(0), choice(1)], &[7, choice(2), choice(3)]);
    }
    for zone in all_zones(1) {
        for number in 0..5_usize.pow(4) {
            let choice = |digit: u32| constants[number / 5_usize.pow(digit) % 5];
            check(&zone, &[0, choice(0), choice(1)], &[0, choice(2), choice(3)]);
        }
    }
}

#[test]
fn greater_maximal_constants_change_nothing() {
    for mut zone in all_zones(2) {
        let before = zone.clone();
        assert!(!zone.extrapolate_m(&[0, ALWAYS_EXACT, ALWAYS_EXACT]));
        assert_eq!(zone, before);
    }
}

#[test]
fn clocks_without_constants_are_forgotten() {
    for mut zone in all_zones(2) {
        zone.extrapolate_m(&[0, NO_BOUND, NO_BOUND]);
        assert_eq!(zone, Zone::universe(3));
    }
}

#[test]
fn zones_of_very_many_clocks_are_extrapolated_as_defined() {
    let dim = 133;
    let mut zone = Zone::universe(dim);
    for (x, value) in zone.clocks().zip(0..) {
        zone.reset(x, value % 7);
    }
    zone.delay();
    let lower: Vec<i32> = (0..dim as i32).map(|i| i % 5).collect();
    let upper: Vec<i32> = (0..dim as i32).map(|i| i % 4).collect();
    check(&zone, &lower, &upper);
}

fn any_constant() -> impl Strategy<Value = i32> {
    prop_oneof![6 => 0..8, 1 => Just(NO_BOUND), 1 => Just(ALWAYS_EXACT)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn zones_of_several_clocks_are_extrapolated_as_defined(
        dim in 2..7_usize,
        operations in any_operations(),
        lower in proptest::collection::vec(any_constant(), 6),
        upper in proptest::collection::vec(any_constant(), 6),
    ) {
        check(&run(dim, &operations), &lower[..dim], &upper[..dim]);
    }

    #[test]
    fn pinned_clocks_keep_their_bounds_and_the_others_are_widened_as_defined(
        dim in 2..7_usize,
        operations in any_operations(),
        constants in proptest::collection::vec(any_constant(), 6),
        pinned in any::<u8>(),
    ) {
        let zone = run(dim, &operations);
        let is_pinned = |x: usize| pinned >> x & 1 == 1;
        let clocks: Vec<Row> = zone.clocks().filter(|x| is_pinned(x.index())).collect();
        let maximum = &constants[..dim];
        let (mut widened, mut buffer) = (zone.clone(), Zone::origin(1));
        widened.widen_except(&clocks, &mut buffer, |zone| {
            zone.extrapolate_m(maximum);
        });
        let naive = Naive::from(&zone);
        let expected = extrapolated(&naive, |i, j| {
            let limit = naive.rows[i][j];
            let is_kept = [i, j].into_iter().any(|x| x != 0 && is_pinned(x));
            if is_kept { limit } else { lu_entry(limit, (i, j), maximum, maximum) }
        });
        prop_assert!(expected.is_same(&widened) && widened.is_canonical());
        let mut extrapolated = zone.clone();
        extrapolated.extrapolate_m(maximum);
        prop_assert!(widened.includes(&zone) && extrapolated.includes(&widened));
        for (x, y) in clocks.iter().flat_map(|&x| zone.clocks().map(move |y| (x, y))) {
            prop_assert_eq!(widened.bound(x, y), zone.bound(x, y));
            prop_assert_eq!(widened.bound(y, x), zone.bound(y, x));
        }
    }
}
