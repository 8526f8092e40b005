//! What is cut out, point by point.

use super::*;
use crate::grid::{conjunction, contains, frame, hold, points, zone};
use zonaut_testkit::random::Random;

#[test]
fn what_is_left_after_cutting_out_is_exact_and_disjoint() {
    let (frame, mut random) = (frame(), Random::new(7));
    for _ in 0..300 {
        let zone = zone(&mut random, &frame);
        let constraints = conjunction(&mut random, 3);
        let mut outside = Vec::new();
        let piece = Piece { zone: zone.clone(), constraints: Vec::new() };
        cut_out(piece, &frame, &constraints, &mut outside);
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
    let (frame, mut random) = (frame(), Random::new(8));
    let mut refused = 0;
    for _ in 0..500 {
        let zone = zone(&mut random, &frame);
        let constraints = conjunction(&mut random, 3);
        if !may_hold(&zone, &frame, &constraints) {
            refused += 1;
            assert!(constrain(&mut zone.clone(), &frame, &constraints).is_err());
        }
    }
    assert!(refused > 50, "{refused}");
}
