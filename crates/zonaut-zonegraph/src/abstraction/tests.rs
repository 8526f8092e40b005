//! Widening with clock differences.

use super::differences::active_differences;
use super::*;
use crate::grid::{contains, points, zone};
use zonaut_base::Id;
use zonaut_compile::ClockBounds;
use zonaut_dbm::{Bound, Row};
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::random::Random;
use zonaut_testkit::replay::goal_of;

/// The bounds of a model that compares x and y, and their difference, with constants.
fn bounds(guards: &str) -> BoundsTable {
    let text = format!(
        "clock x, y; int[-1,2] d; int wide; process P() {{ state a; init a; \
         trans a -> a {{ guard {guards}; assign d = wide, wide++; }}; }} system P;"
    );
    let (model, _) = model_of(&text, &["E<> true"]).unwrap_or_else(|e| panic!("{e:?}"));
    let goal = goal_of(&model.queries[Id::from_index(0)].kind).expect("a goal");
    BoundsTable::new(&model, &goal)
}

/// Checks the parts of random zones; returns the number of split zones.
fn check_parts(bounds: &BoundsTable) -> usize {
    let active = ActiveClocks::new(bounds, &[0]);
    let maximum: Vec<i32> =
        active.lower.iter().zip(&active.upper).map(|(&l, &u)| l.max(u)).collect();
    let mut widening = Maximum::new(bounds);
    let (mut random, mut parts) = (Random::new(11), Vec::new());
    let mut split = 0;
    for _ in 0..300 {
        let zone = zone(&mut random, &active);
        let mut whole = zone.clone();
        whole.extrapolate_m(&maximum);
        if !widening.widen(&active, &mut zone.clone(), &mut parts) {
            assert!(whole == zone && parts.is_empty());
            continue;
        }
        split += usize::from(parts.len() > 1);
        for point in points().filter(|&point| contains(&zone, point)) {
            assert_eq!(parts.iter().filter(|part| contains(part, point)).count(), 1);
        }
        for part in &parts {
            assert!(part.is_canonical());
            check_sides(&widening, &active, part);
        }
    }
    split
}

/// Checks that every difference constraint has the same truth value in all of `part`.
fn check_sides(widening: &Maximum, active: &ActiveClocks, part: &Zone) {
    for difference in active_differences(&widening.differences, active) {
        for constant in difference.bounded.low..=difference.bounded.high {
            let meets = |(x, y, bound)| part.intersects_constraint(x, y, bound);
            assert!(meets(difference.inside(constant)) != meets(difference.outside(constant)));
        }
    }
}

#[test]
fn split_parts_cover_the_zone_and_lie_on_one_side_each() {
    let bounds = bounds("x - y < 2 && y - x <= 1 && x <= 3 && y <= 3");
    assert_eq!(check_parts(&bounds), 0, "nothing is beyond the constants");
    // If its clocks have smaller constants, extrapolation does not preserve a difference.
    for most in [0, 1] {
        let split =
            check_parts(&bounds.mapped(|_, b| ClockBounds { lower: most, upper: most, ..b }));
        assert!(split > 30, "{split}");
    }
}

#[test]
fn zones_are_split_on_all_that_a_computed_bound_can_be() {
    for relation in ["<", "<=", ">=", ">", "=="] {
        let bounds = bounds(&format!("x - y {relation} d && x <= 3 && y <= 3"));
        assert!(bounds.differences().iter().all(|d| (d.low, d.high) == (-1, 2)));
        let smaller = bounds.mapped(|_, b| ClockBounds { lower: 0, upper: 0, ..b });
        let split = check_parts(&smaller);
        assert!(split > 30, "{relation}: {split}");
    }
}

#[test]
fn a_zone_of_too_many_parts_stays_as_it_is() {
    let bounds = bounds("x - y < wide && y - x < wide");
    let bounds = bounds.mapped(|_, b| ClockBounds { lower: 5, upper: 5, ..b });
    let active = ActiveClocks::new(&bounds, &[0]);
    let mut widening = Widening::new(Abstraction::Maximum, &bounds);
    let mut parts = Vec::new();
    let (x, y) = (Row::from_index(1), Row::from_index(2));
    for (most, is_split) in [(3, true), (30_000, false)] {
        let mut zone: Zone = Zone::universe(3);
        zone.constrain(Row::ZERO, y, Bound::le(-7)).expect("large values");
        zone.constrain(x, y, Bound::le(most)).expect("a difference");
        zone.constrain(y, x, Bound::le(0)).expect("a difference");
        let before = zone.clone();
        assert_eq!(widening.widen(&active, &mut zone, &mut parts), is_split);
        assert_eq!(parts.is_empty(), !is_split);
        assert_eq!(zone, before);
    }
}

#[test]
fn widening_again_changes_nothing() {
    for guards in ["x - y < 2 && x <= 3", "x - y == d && x <= 3", "x >= 1 && y < 3"] {
        let bounds = bounds(guards);
        let active = ActiveClocks::new(&bounds, &[0]);
        for abstraction in
            [Abstraction::Maximum, Abstraction::LowerUpper, Abstraction::LowerUpperPlus]
        {
            if !abstraction.respects(Differences::of(&bounds)) {
                continue;
            }
            let mut widening = Widening::new(abstraction, &bounds);
            let (mut random, mut parts, mut again) = (Random::new(13), Vec::new(), Vec::new());
            for _ in 0..200 {
                let mut widened = zone(&mut random, &active);
                if !widening.widen(&active, &mut widened, &mut parts) {
                    parts = vec![widened];
                }
                for part in &parts {
                    let mut copy = part.clone();
                    if !widening.widen(&active, &mut copy, &mut again) {
                        again = vec![copy];
                    }
                    assert_eq!(again, std::slice::from_ref(part), "{abstraction:?} {guards}");
                }
            }
        }
    }
}

#[test]
fn the_treatment_of_differences_follows_from_their_bounds() {
    assert_eq!(Differences::of(&bounds("x < 3")), Differences::Absent);
    assert_eq!(Differences::of(&bounds("x - y < 3")), Differences::Present);
}

#[test]
fn abstractions_have_their_usual_names() {
    assert_eq!(Abstraction::ALL.map(Abstraction::name), ["none", "m", "lu", "lu+", "alu"]);
}

#[test]
fn abstractions_are_found_by_their_names() {
    for abstraction in Abstraction::ALL {
        assert_eq!(Abstraction::named(abstraction.name()), Some(abstraction));
    }
    assert_eq!(Abstraction::named("ALU"), None);
}

#[test]
fn the_coarsest_abstraction_is_one_that_respects_the_differences() {
    let best = |guards| Abstraction::best(&bounds(guards));
    assert_eq!(best("x < 3"), Abstraction::Simulation);
    assert_eq!(best("x - y < 3"), Abstraction::Maximum);
}
