//! Summaries never reject a zone that includes or simulates another.

use crate::operations::any_bound;
use crate::points::{all_zones, sampled_pairs};
use crate::{Bound, Zone};
use proptest::prelude::*;
use zonaut_dbm::{ALWAYS_EXACT, NO_BOUND, Row, SummaryOf};

fn is_at_least(larger: &[u8], smaller: &[u8]) -> bool {
    larger.iter().zip(smaller).all(|(large, small)| large >= small)
}

/// Checks both comparisons, and counts compared pairs, covering pairs, and pairs not rejected.
fn check(larger: &Zone, smaller: &Zone, lower: &[i32], upper: &[i32], counts: &mut [usize; 3]) {
    for of in [SummaryOf::Inclusion, SummaryOf::Simulation] {
        let covers = match of {
            SummaryOf::Inclusion => larger.includes(smaller),
            SummaryOf::Simulation => smaller.included_in_alu(larger, lower, upper),
        };
        let [large, small] = [larger, smaller].map(|zone| zone.summary(of, lower, upper));
        assert!(large.iter().chain(&small).all(|&number| number < 128));
        let may_cover = is_at_least(&large, &small);
        assert!(may_cover || !covers, "{of:?} of {smaller:?} by {larger:?}, {lower:?}, {upper:?}");
        counts[0] += 1;
        counts[1] += usize::from(covers);
        counts[2] += usize::from(may_cover);
    }
}

#[test]
fn no_covering_is_rejected_and_most_others_are() {
    let zones = all_zones(2);
    let constants = [NO_BOUND, 0, 1, 2, 3, ALWAYS_EXACT];
    let mut counts = [0; 3];
    for (number, (one, two)) in sampled_pairs(&zones, 60_000).enumerate() {
        let choice = |digit: u32| constants[number / 6_usize.pow(digit) % 6];
        let (lower, upper) = ([0, choice(0), choice(1)], [0, choice(2), choice(3)]);
        check(one, two, &lower, &upper, &mut counts);
    }
    let [compared, covering, kept] = counts;
    assert!(covering > compared / 50, "{counts:?}");
    assert!(kept - covering < (compared - covering) / 3, "{counts:?}");
}

fn any_constants() -> impl Strategy<Value = Vec<i32>> {
    let constant = prop_oneof![Just(NO_BOUND), 0..6, Just(ALWAYS_EXACT)];
    prop::collection::vec(constant, MOST_ROWS)
}

/// Large enough for sums of several rows and columns in one number.
const MOST_ROWS: usize = 36;

/// An operation on the clocks of some rows.
#[derive(Clone, Debug)]
enum Event {
    Delay,
    Reset(usize),
    Constrain(usize, usize, Bound),
}

fn any_events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        2 => Just(Event::Delay),
        2 => (0..MOST_ROWS).prop_map(Event::Reset),
        1 => (0..MOST_ROWS, 0..MOST_ROWS, any_bound(6))
            .prop_map(|(x, y, bound)| Event::Constrain(x, y, bound)),
    ];
    prop::collection::vec(event, 0..40)
}

/// The zone after the events; events that would empty it are skipped.
fn zone_after(dim: usize, events: &[Event]) -> Zone {
    let mut zone = Zone::origin(dim);
    for event in events {
        let mut changed = zone.clone();
        let row = |x: usize| Row::from_index(x % dim);
        match *event {
            Event::Delay => changed.delay(),
            Event::Reset(x) => changed.reset(Row::from_index(1 + x % (dim - 1)), 0),
            Event::Constrain(x, y, _) if row(x) == row(y) => {}
            Event::Constrain(x, y, bound) => {
                if changed.constrain(row(x), row(y), bound).is_err() {
                    continue;
                }
            }
        }
        zone = changed;
    }
    zone
}

proptest! {
    #[test]
    fn no_covering_of_larger_zones_is_rejected(
        dim in prop_oneof![2..12_usize, Just(20), Just(MOST_ROWS)],
        events in [any_events(), any_events()],
        constants in [any_constants(), any_constants()],
    ) {
        let [one, two] = events.map(|events| zone_after(dim, &events));
        let [lower, upper] = constants.map(|mut constants| {
            constants[0] = 0;
            constants.truncate(dim);
            constants
        });
        let mut both = one.clone();
        let mut pairs = vec![(&one, &two)];
        if both.intersect(&two).is_ok() {
            pairs.extend([(&one, &both), (&two, &both)]);
        }
        let mut widened = one.clone();
        if lower.iter().chain(&upper).all(|&constant| constant != ALWAYS_EXACT) {
            widened.extrapolate_lu_plus(&lower, &upper);
            pairs.extend([(&one, &widened), (&two, &widened)]);
        }
        for (larger, smaller) in pairs {
            check(larger, smaller, &lower, &upper, &mut [0; 3]);
        }
    }
}

/// A zone of clocks that were reset in this order, with some time before each.
fn reset_in_order(order: &[usize]) -> Zone {
    let mut zone = Zone::origin(order.len() + 1);
    for &clock in order {
        zone.delay();
        zone.reset(Row::from_index(clock + 1), 0);
    }
    zone.delay();
    zone
}

#[test]
fn every_order_of_clocks_has_its_own_summary() {
    for clocks in [4, 7, 12, 20] {
        let constants: Vec<i32> = (0..=clocks).map(|row| if row == 0 { 0 } else { 10 }).collect();
        let rotated =
            |by: usize| -> Vec<usize> { (0..clocks).map(|c| (c + by) % clocks).collect() };
        let mut orders: Vec<Vec<usize>> = (0..clocks).map(rotated).collect();
        for place in 1..clocks {
            let mut swapped = rotated(0);
            swapped.swap(place - 1, place);
            orders.push(swapped);
        }
        orders.sort();
        orders.dedup();
        let mut kept = [0; 3];
        for one in &orders {
            for two in orders.iter().filter(|&two| two != one) {
                let zones = [one, two].map(|order| reset_in_order(order));
                check(&zones[0], &zones[1], &constants, &constants, &mut kept);
            }
        }
        assert_eq!(kept[1..], [0, 0], "{clocks} clocks");
    }
}
