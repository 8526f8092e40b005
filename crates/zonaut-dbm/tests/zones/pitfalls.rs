//! Known bugs of zone libraries, each as the few operations that reveal it.

use crate::points::{O, X, Y};
use crate::{Bound, Zone};
use zonaut_dbm::{Emptied, Row};

#[test]
fn strict_and_weak_bounds_add_up_to_a_strict_bound() {
    // The clock is below 1 and at least 1 at once, through a sum of both kinds of bounds.
    let mut zone = Zone::universe(3);
    zone.constrain(O, Y, Bound::le(-1)).unwrap();
    assert_eq!(zone.constrain(Y, O, Bound::lt(1)), Err(Emptied));
    let mut zone = Zone::universe(3);
    zone.constrain(X, Y, Bound::lt(3)).unwrap();
    zone.constrain(Y, O, Bound::le(2)).unwrap();
    assert_eq!(zone.bound(X, O), Bound::lt(5));
}

#[test]
fn abstracted_lower_bounds_are_strict() {
    // x > 3, x := 0, repeatedly; then y >= 2 holds for y > 2 only.
    let mut zone = Zone::origin(3);
    zone.delay();
    zone.constrain(O, X, Bound::lt(-3)).unwrap();
    zone.reset(X, 0);
    zone.delay();
    assert!(zone.extrapolate_m(&[0, 3, 2]));
    assert_eq!(zone.bound(O, Y), Bound::lt(-2));
    assert!(!zone.intersects_constraint(Y, O, Bound::le(2)));
}

#[test]
fn inclusion_compares_strictness() {
    let mut weak = Zone::origin(2);
    weak.delay();
    let mut strict = weak.clone();
    strict.constrain(O, X, Bound::lt(0)).unwrap();
    assert!(weak.includes(&strict) && !strict.includes(&weak));
}

#[test]
fn inclusion_compares_both_triangles() {
    let mut equal = Zone::origin(3);
    equal.delay();
    let mut ahead = equal.clone();
    ahead.reset(Y, 0);
    ahead.delay();
    assert!(ahead.includes(&equal) && !equal.includes(&ahead));
    let mut behind = equal.clone();
    behind.reset(X, 0);
    behind.delay();
    assert!(behind.includes(&equal) && !equal.includes(&behind));
}

#[test]
fn a_reset_replaces_row_and_column() {
    let mut zone = Zone::origin(3);
    zone.delay();
    zone.constrain(O, X, Bound::lt(-1)).unwrap();
    zone.reset(X, 0);
    assert_eq!([zone.bound(X, O), zone.bound(O, X)], [Bound::ZERO; 2]);
    assert_eq!([zone.bound(X, Y), zone.bound(Y, X)], [Bound::lt(-1), Bound::INFINITY]);
}

#[test]
fn contradicting_differences_are_empty() {
    let mut zone = Zone::universe(3);
    zone.constrain(X, Y, Bound::lt(4)).unwrap();
    assert_eq!(zone.constrain(Y, X, Bound::lt(-5)), Err(Emptied));
}

#[test]
fn a_constraint_of_a_clock_with_itself_is_about_zero() {
    let mut zone = Zone::universe(2);
    assert_eq!(zone.constrain(X, X, Bound::le(0)), Ok(()));
    assert_eq!(zone.constrain(X, X, Bound::lt(0)), Err(Emptied));
}

#[test]
fn infinity_absorbs_every_sum() {
    assert_eq!(Bound::INFINITY + Bound::le(-5), Bound::INFINITY);
    assert!(Bound::INFINITY > Bound::le(Bound::LIMIT));
    assert_eq!(Bound::INFINITY.encoded() % 2, 0);
    let mut zone = Zone::universe(3);
    zone.reset(X, 3);
    assert_eq!([zone.bound(X, Y), zone.bound(Y, X)], [Bound::le(3), Bound::INFINITY]);
    zone.constrain(Y, O, Bound::INFINITY).unwrap();
    assert_eq!(zone.bound(Y, O), Bound::INFINITY);
}

#[test]
fn zones_that_no_two_bounds_separate_can_be_disjoint() {
    // Around the cycle a, b, c, d the bounds of both zones alternate.
    let [a, b, c, d] = [1, 2, 3, 4].map(Row);
    let (mut one, mut two) = (Zone::universe(5), Zone::universe(5));
    one.constrain_all([(a, b, Bound::le(1)), (c, d, Bound::le(1))]).unwrap();
    two.constrain_all([(b, c, Bound::le(-2)), (d, a, Bound::lt(0))]).unwrap();
    assert!(!one.intersects(&two));
    assert_eq!(one.clone().intersect(&two), Err(Emptied));
    let rest = one.subtract(&two);
    assert!(rest.includes_zone(&one) && rest.zones().iter().all(|zone| one.includes(zone)));
}
