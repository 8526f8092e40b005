//! Delays that an urgent synchronisation stops, point by point.

use super::*;
use crate::grid::{Point, active, conjunction, contains, hold, points, zone};
use zonaut_dbm::Narrow;
use zonaut_testkit::random::Random;

/// Whether `end` can be reached by a delay from `arrived` within `invariant` before which no
/// condition holds. Truth values are constant between two points of the grid.
fn is_reached(
    arrived: &Zone,
    conditions: &[Vec<ZoneConstraint<Narrow>>],
    invariant: &[ZoneConstraint<Narrow>],
    end: Point,
) -> bool {
    let stops = |point| conditions.iter().any(|condition| hold(condition, point));
    let mut at = end;
    // A point between grid points represents the open interval around it: a delay to it includes
    // earlier times of that interval.
    let is_between = at[1] % 2 != 0;
    let mut is_first = true;
    while hold(invariant, at) {
        let passes = !is_first || is_between;
        if contains(arrived, at) && (is_first || !stops(at)) {
            return true;
        }
        if passes && stops(at) {
            return false;
        }
        is_first = false;
        at = [0, at[1] - 1, at[2] - 1];
        if at[1] < 0 || at[2] < 0 {
            return false;
        }
    }
    false
}

#[test]
fn time_passes_exactly_until_a_condition_holds() {
    let (active, mut random) = (active(), Random::new(3));
    let mut delayed = 0;
    for round in 0..400 {
        let invariant = conjunction(&mut random, 2);
        let mut arrived = zone(&mut random, &active);
        if constrain(&mut arrived, &active, &invariant).is_err() {
            continue;
        }
        let mut conditions = Vec::new();
        for _ in 0..1 + random.below(3) {
            conditions.push(conjunction(&mut random, 3));
        }
        conditions.retain(|condition| !condition.is_empty());
        let (invariant, active) = (&invariant, &active);
        let wait = Wait { active, conditions: &conditions, invariant, stopped: &[] };
        let stays = delay_until(&arrived, wait, &Meter::default()).unwrap();
        delayed += stays.iter().filter(|stay| stay.delayed).count();
        for point in points() {
            let found = stays.iter().any(|stay| contains(&stay.end.zone, point));
            let expected = is_reached(&arrived, &conditions, invariant, point);
            assert_eq!(
                found, expected,
                "{round}: {point:?} {arrived:?} {conditions:?} {invariant:?}"
            );
            for stay in stays.iter().filter(|stay| contains(&stay.end.zone, point)) {
                assert!(hold(&stay.end.constraints, point));
                assert!(stay.delayed || hold(&stay.arrival, point));
            }
        }
    }
    assert!(delayed > 300, "{delayed}");
}
