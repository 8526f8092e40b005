//! Delays with obstacles, and their predecessors, point by point.

use super::past::Obstacles;
use super::*;
use crate::grid::{Point, active, conjunction, contains, hold, points, zone};
use zonaut_testkit::random::Random;

type Conditions = Vec<Vec<ZoneConstraint<Narrow>>>;

fn conditions(random: &mut Random) -> Conditions {
    let count = 1 + random.below(3);
    let all = (0..count).map(|_| conjunction(random, 3));
    all.filter(|condition| !condition.is_empty()).collect()
}

fn any_holds(conditions: &Conditions, point: Point) -> bool {
    conditions.iter().any(|condition| hold(condition, point))
}

/// Whether `end` can be reached by a delay from `landed` within `invariant` that meets none of
/// `meetings`. Truth values are constant between two points of the grid.
fn is_reached(
    landed: &Zone<Narrow>,
    meetings: &Conditions,
    invariant: &[ZoneConstraint<Narrow>],
    end: Point,
) -> bool {
    let mut at = end;
    while hold(invariant, at) && !any_holds(meetings, at) && at[1] >= 0 && at[2] >= 0 {
        if contains(landed, at) {
            return true;
        }
        at = [0, at[1] - 1, at[2] - 1];
    }
    false
}

#[test]
fn time_passes_exactly_until_something_would_be_met() {
    let (active, mut random) = (active(), Random::new(4));
    let mut cut = 0;
    for round in 0..300 {
        let invariant = conjunction(&mut random, 2);
        let mut landed = zone(&mut random, &active);
        if constrain(&mut landed, &active, &invariant).is_err() {
            continue;
        }
        let meetings = conditions(&mut random);
        let (delayed, leaving) = (true, Some(invariant.clone()));
        let transition = Transition { delayed, leaving, ..Transition::default() };
        let stays = stays_before(&landed, &active, &transition, &meetings, &Default::default());
        let stays = stays.expect("the meter never stops");
        cut += usize::from(stays.len() > 1);
        for point in points() {
            let found = stays.iter().any(|stay| contains(&stay.end.zone, point));
            let expected = is_reached(&landed, &meetings, &invariant, point);
            assert_eq!(found, expected, "{round}: {point:?} {landed:?} {meetings:?} {invariant:?}");
        }
    }
    assert!(cut > 50, "{cut}");
}

/// Whether a delay from `start` leads into `goal` before time stops.
fn gets_into(goal: &Zone<Narrow>, stops: &Conditions, start: Point) -> bool {
    let mut at = start;
    loop {
        // A point between grid points represents the open interval around it: its earlier times
        // stop time.
        if at != start && at[1] % 2 != 0 && any_holds(stops, at) {
            return false;
        }
        if contains(goal, at) {
            return true;
        }
        if any_holds(stops, at) || at[1] > 100 || at[2] > 100 {
            return false;
        }
        at = [0, at[1] + 1, at[2] + 1];
    }
}

#[test]
fn predecessors_of_a_goal_reach_it_without_an_obstacle() {
    let (active, mut random) = (active(), Random::new(5));
    let mut inside = 0;
    for round in 0..300 {
        let goal = zone(&mut random, &active);
        let stops = conditions(&mut random);
        let obstacles = Obstacles { active: &active, stops: &stops, avoided: &[] };
        let before = obstacles.past_of(&goal);
        for point in points() {
            let found = before.zones().iter().any(|zone| contains(zone, point));
            let expected = gets_into(&goal, &stops, point);
            assert_eq!(found, expected, "{round}: {point:?} {goal:?} {stops:?}");
            inside += usize::from(found);
        }
    }
    assert!(inside > 1000, "{inside}");
}
