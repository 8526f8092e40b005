//! The aLU inclusion test against the definition of the simulation.

use crate::naive::{Limit, Naive};
use crate::points::{all_zones, grid, sampled_pairs};
use crate::{Bound, Zone};
use zonaut_dbm::{ALWAYS_EXACT, NO_BOUND, row_outside_alu};

const SCALE: i64 = 4;

/// The admitted relations of a clock of the simulating valuation to the simulated value `v`, in
/// quarters: constraints `(upper limit, negated lower limit)` on it.
fn cases(v: i64, lower: i32, upper: i32) -> Vec<(Limit, Limit)> {
    let mut cases = vec![(Limit::le(v), Limit::le(-v))];
    let below_v = match lower {
        NO_BOUND => Some(Limit::le(0)),
        ALWAYS_EXACT => None,
        lower => Some(Limit::lt(-i64::from(lower) * SCALE)),
    };
    cases.extend(below_v.map(|least| (Limit::lt(v), least)));
    let is_above_upper = match upper {
        NO_BOUND => true,
        ALWAYS_EXACT => false,
        upper => v > i64::from(upper) * SCALE,
    };
    if is_above_upper {
        cases.push((Limit::Infinite, Limit::lt(-v)));
    }
    cases
}

/// The zone with its constants multiplied, so that quarters are integers.
fn scaled(zone: &Zone) -> Naive {
    let mut naive = Naive::from(zone);
    for entry in naive.rows.iter_mut().flatten() {
        if let Limit::Finite { value, .. } = entry {
            *value *= i128::from(SCALE);
        }
    }
    naive
}

/// Whether some valuation of the scaled zone simulates the point.
fn is_simulated(point: [i64; 2], zone: &Naive, lower: &[i32], upper: &[i32]) -> bool {
    let [of_x, of_y] = [0, 1].map(|i| cases(point[i], lower[i + 1], upper[i + 1]));
    of_x.iter().any(|&(x_most, x_least)| {
        of_y.iter().any(|&(y_most, y_least)| {
            let mut simulating = zone.clone();
            simulating.constrain(1, 0, x_most)
                && simulating.constrain(0, 1, x_least)
                && simulating.constrain(2, 0, y_most)
                && simulating.constrain(0, 2, y_least)
        })
    })
}

fn check(smaller: &Zone, larger: &Zone, lower: &[i32], upper: &[i32], side: i64) -> bool {
    let scaled = scaled(larger);
    let mut points = grid(side).filter(|&(x, y)| smaller.contains(&[0, x, y], SCALE));
    let expected = points.all(|(x, y)| is_simulated([x, y], &scaled, lower, upper));
    let actual = smaller.included_in_alu(larger, lower, upper);
    assert_eq!(actual, expected, "{smaller:?} in aLU({larger:?}) by {lower:?} and {upper:?}");
    for suspect in 0..5 {
        let (large, small) = (larger.as_slice(), smaller.as_slice());
        let row = row_outside_alu(large, small, lower, upper, suspect);
        assert_eq!(row.is_none(), expected);
        // The returned row refutes inclusion by itself.
        assert!(
            row.is_none_or(|row| row_outside_alu(large, small, lower, upper, row) == Some(row))
        );
    }
    actual
}

#[test]
fn the_test_agrees_with_the_definition_of_the_simulation() {
    let zones = all_zones(2);
    let constants = [NO_BOUND, 0, 1, 2, 3, ALWAYS_EXACT];
    let mut included = 0;
    for (number, (one, two)) in sampled_pairs(&zones, 12_000).enumerate() {
        let choice = |digit: u32| constants[number / 6_usize.pow(digit) % 6];
        let (lower, upper) = ([9, choice(0), choice(1)], [9, choice(2), choice(3)]);
        included += usize::from(check(one, two, &lower, &upper, 7));
    }
    assert!((500..11_500).contains(&included), "both answers are frequent: {included}");
}

#[test]
fn without_forgetting_the_test_is_inclusion() {
    let zones = all_zones(2);
    let exact = [0, ALWAYS_EXACT, ALWAYS_EXACT];
    for (one, two) in sampled_pairs(&zones, 50_000) {
        assert_eq!(one.included_in_alu(two, &exact, &exact), two.includes(one));
        let mut wider = one.clone();
        wider.intersect(two).ok();
        if wider.is_canonical() {
            assert!(wider.included_in_alu(two, &exact, &exact));
        }
    }
}

#[test]
fn extrapolated_zones_are_inside_the_abstraction() {
    for (number, zone) in all_zones(3).iter().enumerate() {
        let constants = [NO_BOUND, 0, 1, 2, 3];
        let choice = |digit: u32| constants[number / 5_usize.pow(digit) % 5];
        let (lower, upper) = ([0, choice(0), choice(1)], [0, choice(2), choice(3)]);
        let mut widened = zone.clone();
        widened.extrapolate_lu_plus(&lower, &upper);
        assert!(widened.included_in_alu(zone, &lower, &upper), "{zone:?} {lower:?} {upper:?}");
    }
}

#[test]
fn the_greatest_constants_are_compared_like_small_ones() {
    let factor = |b: Bound| match b {
        Bound::INFINITY => b,
        b if b.is_strict() => Bound::lt(b.value() * i64::from(Bound::MAX_CONSTANT)),
        b => Bound::le(b.value() * i64::from(Bound::MAX_CONSTANT)),
    };
    let enlarged = |zone: &Zone| {
        let bounds: Vec<Bound> = zone.as_slice().iter().map(|&b| factor(b)).collect();
        Zone::from_slice(3, &bounds)
    };
    let zones = all_zones(1);
    let large: Vec<Zone> = zones.iter().map(enlarged).collect();
    let pairs = sampled_pairs(&zones, 8_000).zip(sampled_pairs(&large, 8_000));
    for (number, ((one, two), (large_one, large_two))) in pairs.enumerate() {
        let choice = |digit: u32| (number >> digit & 1) as i32;
        let (lower, upper) = ([0, choice(0), choice(1)], [0, choice(2), choice(3)]);
        let [large_lower, large_upper] = [lower, upper].map(|b| b.map(|c| c * Bound::MAX_CONSTANT));
        let expected = one.included_in_alu(two, &lower, &upper);
        let found = large_one.included_in_alu(large_two, &large_lower, &large_upper);
        assert_eq!(found, expected, "{one:?} {two:?} {lower:?} {upper:?}");
    }
}
