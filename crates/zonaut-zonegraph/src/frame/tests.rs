//! Frames of location vectors.

use super::*;
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::replay::goal_of;

const TEXT: &str = "clock x, y, z; \
    process P() { state a { x <= 4 }, b; init a; trans a -> b { guard y >= 2; }, b -> a { assign x = 0; }; } \
    process Q() { state c, d { y < 7 }; init c; trans c -> d { assign y = 0; }; } system P, Q;";

fn bounds() -> BoundsTable {
    let (model, _) = model_of(TEXT, &["E<> z > 1"]).unwrap_or_else(|e| panic!("{e:?}"));
    let goal = goal_of(&model.queries[Id::from_index(0)].kind).expect("a goal");
    BoundsTable::new(&model, &goal)
}

/// Rows, lower and upper bounds of one location vector.
fn check(locations: &[i32], rows: &[ClockRow], lower: &[i32], upper: &[i32]) {
    let frame = Frame::new(&bounds(), locations);
    assert_eq!((&*frame.rows, &*frame.lower, &*frame.upper), (rows, lower, upper));
    for row in 0..4 {
        let position = frame.rows.iter().position(|&r| r == row);
        assert_eq!(frame.position_if_active(row).map(Clock::index), position);
    }
}

#[test]
fn a_frame_has_the_greatest_bounds_of_its_processes_and_the_goal() {
    check(&[0, 0], &[0, 1, 2, 3], &[0, NO_BOUND, 2, 1], &[0, 4, NO_BOUND, NO_BOUND]);
    check(&[0, 1], &[0, 1, 2, 3], &[0, NO_BOUND, 2, 1], &[0, 4, 7, NO_BOUND]);
    check(&[1, 0], &[0, 2, 3], &[0, 2, 1], &[0, NO_BOUND, NO_BOUND]);
}

#[test]
fn remembered_frames_are_those_made_afresh() {
    let bounds = bounds();
    let mut frames = Frames::new(2);
    for round in 0..3 {
        for locations in [[0, 0], [1, 1], [0, 1], [1, 0], [0, 0]] {
            // Cells behind the locations do not matter.
            let values = [locations[0], locations[1], round];
            let (found, fresh) = (frames.of(&bounds, &values), Frame::new(&bounds, &locations));
            assert_eq!((&found.rows, &found.lower), (&fresh.rows, &fresh.lower));
            assert_eq!((&found.upper, &found.position), (&fresh.upper, &fresh.position));
        }
    }
}
