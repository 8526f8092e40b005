//! Deadlocked parts of zones against points that let time pass step by step.

use super::*;
use crate::grid::{Point, active, conjunction, contains, hold, points, two_clocks, zone};
use zonaut_base::Meter;
use zonaut_compile::CompiledNetwork;
use zonaut_dbm::Narrow;
use zonaut_testkit::random::Random;

type Conjunction = Vec<ZoneConstraint<Narrow>>;

/// More steps than it takes all clocks to exceed all constants.
const STEPS: i64 = 80;

/// Whether a delay from `point` leads to one of `moments` before one of `stops` ends it. Points are
/// on the grid, so every second step is an instant between those at which truth values change; a
/// stop that holds there stops time immediately after the previous instant.
fn comes_to_a_moment(point: Point, moments: &[Conjunction], stops: &[Conjunction]) -> bool {
    for delay in 0..STEPS {
        let now = [0, point[1] + delay, point[2] + delay];
        let is_between = now[1] % 2 == 1;
        let is_stopped = stops.iter().any(|stop| hold(stop, now));
        if is_stopped && is_between && delay > 0 {
            return false;
        }
        if moments.iter().any(|moment| hold(moment, now)) {
            return true;
        }
        if is_stopped {
            return false;
        }
    }
    false
}

fn zones(conjunctions: &[Conjunction], active: &ActiveClocks) -> Vec<Zone> {
    let zone = |conjunction: &Conjunction| {
        let mut zone = Zone::universe(active.rows.len());
        constrain(&mut zone, active, conjunction).ok().map(|()| zone)
    };
    conjunctions.iter().filter_map(zone).collect()
}

#[test]
fn the_remainder_has_no_delay_to_an_enabled_transition() {
    let (active, mut random) = (active(), Random::new(7));
    let network = CompiledNetwork::new(&two_clocks().0, &Meter::default()).expect("few actions");
    let machine = network.machine(&Meter::default());
    let (mut dead, mut alive) = (0, 0);
    for round in 0..400 {
        let zone = zone(&mut random, &active);
        let some = |random: &mut Random| -> Vec<Conjunction> {
            (0..1 + random.below(2)).map(|_| conjunction(random, 3)).collect()
        };
        let moments = some(&mut random);
        let stops: Vec<_> = some(&mut random).into_iter().filter(|c| !c.is_empty()).collect();
        let left = left_before_stops(
            &zone,
            &zones(&moments, &active),
            &stops_of(&stops, &active),
            &machine,
        );
        let left = left.expect("the meter never stops");
        for point in points().filter(|&point| contains(&zone, point)) {
            let is_left = left.iter().any(|zone| contains(zone, point));
            let comes = comes_to_a_moment(point, &moments, &stops);
            assert_eq!(is_left, !comes, "{round}: {point:?} {moments:?} {stops:?}");
            *if is_left { &mut dead } else { &mut alive } += 1;
        }
    }
    assert!(dead > 10_000 && alive > 10_000, "{dead} {alive}");
}

#[test]
fn delays_lead_from_everywhere_exactly_if_bounds_say_so() {
    let (active, mut random) = (active(), Random::new(3));
    let mut outcomes = [0; 2];
    for round in 0..2000 {
        let zone = zone(&mut random, &active);
        let (enabled, invariant) = (conjunction(&mut random, 2), conjunction(&mut random, 1));
        let both = [[&enabled[..], &invariant].concat()];
        let mut inside = points().filter(|&point| contains(&zone, point));
        let expected = inside.all(|point| comes_to_a_moment(point, &both, &[]));
        let found = hold_after_delays(&zone, &active, [&enabled, &invariant]);
        assert_eq!(found, expected, "{round}: {zone:?} {both:?}");
        outcomes[usize::from(found)] += 1;
    }
    assert!(outcomes.iter().all(|&count| count > 200), "{outcomes:?}");
}
