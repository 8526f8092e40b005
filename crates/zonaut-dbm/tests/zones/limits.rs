//! Constants at the limits of the documented range, and beyond.

use proptest::prelude::*;

use crate::extrapolation::naive_lu;
use crate::operations::{ComparedZones, Operation};
use crate::points::{O, X, Y};
use crate::{Bound, Zone};
use zonaut_dbm::NO_BOUND;

/// The greatest constant.
const MAX: i32 = Bound::MAX_CONSTANT;

/// The greatest bound of a zone from which a step is exact.
const RANGE: i64 = Bound::RANGE;

/// The dimension of the zones in random steps.
const DIM: usize = 5;

fn large_constant(most: i64) -> impl Strategy<Value = i64> {
    prop_oneof![Just(0), Just(1), Just(most - 1), Just(most), 0..=most]
}

/// Constraints that compare single clocks with constants.
fn guards(most: i64) -> impl Strategy<Value = Vec<Operation>> {
    let guard = (1..DIM, any::<bool>(), large_constant(most), any::<bool>());
    let guard = guard.prop_map(|(x, is_upper, value, is_strict)| {
        let value = if is_upper { value } else { -value };
        let b = if is_strict { Bound::lt(value) } else { Bound::le(value) };
        if is_upper { Operation::Constrain(x, 0, b) } else { Operation::Constrain(0, x, b) }
    });
    proptest::collection::vec(guard, 0..6)
}

/// Steps of an automaton: guard, resets, invariant, delay, invariant. Clocks are set to constants.
fn steps(most: i64) -> impl Strategy<Value = Vec<Vec<Operation>>> {
    let reset = (0..DIM, large_constant(most.min(MAX.into())));
    let reset = reset.prop_map(|(x, value)| Operation::Reset(x, value as i32));
    let resets = proptest::collection::vec(reset, 0..3);
    let parts = (guards(most), resets, guards(most), guards(most));
    let step = parts.prop_map(|(guard, resets, invariant, later)| {
        [guard, resets, invariant, vec![Operation::Delay], later].concat()
    });
    proptest::collection::vec(step, 1..12)
}

fn apply(twins: &mut ComparedZones, step: &[Operation]) {
    for operation in step {
        twins.apply(operation);
        twins.assert_same();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn steps_from_zones_in_the_range_are_exact(steps in steps(RANGE)) {
        let mut twins = ComparedZones::new(DIM);
        for step in steps {
            apply(&mut twins, &step);
            if !twins.zone.is_within_range() {
                twins = ComparedZones::new(DIM);
            }
        }
    }

    #[test]
    fn steps_from_extrapolated_zones_are_exact(
        steps in steps(Bound::max_extrapolated_constant(DIM).into()),
    ) {
        let mut twins = ComparedZones::new(DIM);
        for step in steps {
            apply(&mut twins, &step);
            let maximum = [Bound::max_extrapolated_constant(DIM); DIM];
            twins.naive = naive_lu(&twins.naive, &maximum, &maximum);
            twins.zone.extrapolate_m(&maximum);
            twins.assert_same();
        }
    }
}

/// Delays until `x` has a value and resets it, repeatedly, so that `y` grows.
fn grow(value: i64, steps: usize, mut between: impl FnMut(usize, &mut Zone)) -> Zone {
    let mut zone = Zone::origin(3);
    for step in 1..=steps {
        zone.delay();
        let is_at_constant = [(O, X, Bound::le(-value)), (X, O, Bound::le(value))];
        assert_eq!(zone.constrain_all(is_at_constant), Ok(()));
        zone.reset(X, 0);
        between(step, &mut zone);
    }
    zone
}

#[test]
fn sums_that_leave_the_range_are_seen_before_they_are_wrong() {
    let mut wrong_from = None;
    let zone = grow(RANGE, 40, |step, zone| {
        let exact = i128::from(RANGE) * step as i128;
        let is_exact = i128::from(zone.bound(O, Y).value()) == -exact;
        assert_eq!(zone.is_within_range(), step == 1);
        if !is_exact && wrong_from.is_none() {
            wrong_from = Some(step);
        }
        if let Ok(exact) = i64::try_from(exact) {
            assert!(zone.contains(&[0, 0, exact], 1), "a saturated zone only grows");
        }
    });
    assert_eq!(wrong_from, Some(9));
    assert!(zone.bound(Y, O).is_infinite());
}

#[test]
fn extrapolated_sums_stay_in_the_range() {
    let zone = grow(MAX.into(), 40, |_, zone| {
        zone.extrapolate_m(&[0, MAX, MAX]);
        assert!(zone.is_within_range());
    });
    assert_eq!(zone.bound(O, Y), Bound::lt(-MAX));
    let zone = grow(MAX.into(), 40, |_, zone| {
        zone.extrapolate_lu_plus(&[0, MAX, NO_BOUND], &[0; 3]);
    });
    assert_eq!(zone.bound(Y, O), Bound::INFINITY);
}

#[test]
fn saturation_neither_wraps_nor_panics() {
    let mut zone = Zone::universe(5);
    let rows: Vec<_> = std::iter::once(O).chain(zone.clocks()).collect();
    for round in 0..6 {
        for pair in rows.windows(2) {
            zone.constrain(pair[0], pair[1], Bound::le(-RANGE)).unwrap();
            zone.reset(pair[1], if round % 2 == 0 { MAX } else { 0 });
            zone.delay();
        }
    }
    assert!(zone.as_slice().iter().all(|b| Bound::try_from_encoded(b.encoded()).is_some()));
}
