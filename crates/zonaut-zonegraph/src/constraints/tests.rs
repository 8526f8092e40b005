//! Subtraction, point by point.

use super::*;
use crate::grid::{active, conjunction, contains, hold, points, zone};
use zonaut_testkit::random::Random;

#[test]
fn cutting_out_leaves_exact_and_disjoint_pieces() {
    let (active, mut random) = (active(), Random::new(7));
    for _ in 0..300 {
        let zone = zone(&mut random, &active);
        let constraints = conjunction(&mut random, 3);
        let mut outside = Vec::new();
        let piece = Piece { zone: zone.clone(), constraints: Vec::new() };
        cut_out(piece, &active, &constraints, &mut outside);
        for point in points() {
            let found = outside.iter().filter(|piece| contains(&piece.zone, point)).count();
            let expected = contains(&zone, point) && !hold(&constraints, point);
            assert_eq!(found, usize::from(expected), "{point:?}");
            for piece in outside.iter().filter(|piece| contains(&piece.zone, point)) {
                assert!(hold(&piece.constraints, point));
            }
        }
    }
}

#[test]
fn a_cheap_test_that_fails_is_right() {
    let (active, mut random) = (active(), Random::new(8));
    let mut refused = 0;
    for _ in 0..500 {
        let zone = zone(&mut random, &active);
        let constraints = conjunction(&mut random, 3);
        if !may_hold(&zone, &active, &constraints) {
            refused += 1;
            assert!(constrain(&mut zone.clone(), &active, &constraints).is_err());
        }
    }
    assert!(refused > 50, "{refused}");
}
