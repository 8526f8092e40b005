//! Widening with clock differences.

use super::*;
use crate::grid::{contains, points, zone};
use zonaut_compile::ClockBounds;
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::random::Random;
use zonaut_testkit::replay::goal_of;

/// The bounds of a model that compares x and y, and their difference, with constants.
fn bounds(guards: &str) -> BoundsTable {
    let text = format!(
        "clock x, y; process P() {{ state a; init a; trans a -> a {{ guard {guards}; }}; }} system P;"
    );
    let (model, _) = model_of(&text, &["E<> true"]).unwrap_or_else(|e| panic!("{e:?}"));
    let goal = goal_of(&model.queries[Id::from_index(0)].kind).expect("a goal");
    BoundsTable::new(&model, &goal)
}

/// Checks the parts of random zones; how many zones were split.
fn check_parts(bounds: &BoundsTable) -> usize {
    let frame = Frame::new(bounds, &[0]);
    let mut widening = Widening::new(Abstraction::Maximum, bounds);
    let (mut random, mut parts) = (Random::new(11), Vec::new());
    let mut split = 0;
    for _ in 0..300 {
        let zone = zone(&mut random, &frame);
        assert!(widening.widen(&frame, &mut zone.clone(), &mut parts));
        split += usize::from(parts.len() > 1);
        for point in points().filter(|&point| contains(&zone, point)) {
            assert_eq!(parts.iter().filter(|part| contains(part, point)).count(), 1);
        }
        for part in &parts {
            assert!(part.is_canonical());
            for (x, y, bound) in widening.positions(&frame) {
                let inside = part.intersects_constraint(x, y, bound);
                let outside = part.intersects_constraint(y, x, bound.negated());
                assert!(inside != outside);
            }
        }
    }
    split
}

#[test]
fn split_parts_cover_the_zone_and_lie_on_one_side_each() {
    let bounds = bounds("x - y < 2 && y - x <= 1 && x <= 3 && y <= 3");
    // Where its clocks have smaller constants, a difference is not kept by the extrapolation.
    let smaller = bounds.mapped(|_, b| ClockBounds { lower: 0, upper: 0, ..b });
    for bounds in [bounds, smaller] {
        let split = check_parts(&bounds);
        assert!(split > 50, "{split}");
    }
}

#[test]
fn widening_again_changes_nothing() {
    for guards in ["x - y < 2 && x <= 3", "x >= 1 && y < 3"] {
        let bounds = bounds(guards);
        let frame = Frame::new(&bounds, &[0]);
        for abstraction in
            [Abstraction::Maximum, Abstraction::LowerUpper, Abstraction::LowerUpperPlus]
        {
            if classify(&bounds) == Differences::Split && abstraction != Abstraction::Maximum {
                continue;
            }
            let mut widening = Widening::new(abstraction, &bounds);
            let (mut random, mut parts, mut again) = (Random::new(13), Vec::new(), Vec::new());
            for _ in 0..200 {
                let mut widened = zone(&mut random, &frame);
                if !widening.widen(&frame, &mut widened, &mut parts) {
                    parts = vec![widened];
                }
                for part in &parts {
                    let mut copy = part.clone();
                    if !widening.widen(&frame, &mut copy, &mut again) {
                        again = vec![copy];
                    }
                    assert_eq!(again, std::slice::from_ref(part), "{abstraction:?} {guards}");
                }
            }
        }
    }
}

#[test]
fn the_way_to_respect_differences_follows_from_their_bounds() {
    assert_eq!(classify(&bounds("x < 3")), Differences::Absent);
    assert_eq!(classify(&bounds("x - y < 3")), Differences::Split);
}

#[test]
fn abstractions_have_their_usual_names() {
    assert_eq!(Abstraction::ALL.map(Abstraction::name), ["none", "m", "lu", "lu+", "alu"]);
}

#[test]
fn rows_have_the_names_of_their_clocks() {
    let names = ["x", "y", "z"];
    assert_eq!(zone_names(&[0, 2, 3], |clock| names[clock.index()]), ["0", "y", "z"]);
}
