//! Every fault that can be injected is noticed.

#![cfg(feature = "faults")]

mod enumeration;
mod landing_problems;
mod least_cost;
mod symmetric_models;

use enumeration::{
    BOX, X, Y, closure, comparison_is_exact, delay_is_exact, elimination_is_exact, image_is_exact,
    infimum_is_exact, zone_of,
};
use least_cost::{BETWEEN, CYCLES, TWO_RATES, least_cost};
use std::panic::catch_unwind;
use zonaut_cost::{CostOrder, Infimum};
use zonaut_dbm::{Bound, Row, Wide};
use zonaut_oracle::random::Random;
use zonaut_priced::faults::{Fault, select};
use zonaut_priced::{CostFunction, PricedZone};

fn random_bound(random: &mut Random) -> Option<Bound<Wide>> {
    let value = random.between(-BOX as i32, BOX as i32);
    let bound = if random.chance(50) { Bound::lt(value) } else { Bound::le(value) };
    random.chance(60).then_some(bound)
}

fn random_cost(random: &mut Random) -> CostFunction {
    let slopes = [0; 2].map(|_| i64::from(random.between(-3, 3)));
    CostFunction::new(random.between(-5, 5).into(), &slopes, random.chance(50))
}

/// Whether all operations on the random zone of a seed are exact.
fn operations_are_exact(seed: u64) -> bool {
    let mut random = Random::new(seed);
    let Some(zone) = zone_of([0; 6].map(|_| random_bound(&mut random))) else { return true };
    let (cost, other) = (random_cost(&mut random), random_cost(&mut random));
    let is_compared = comparison_is_exact(&zone, &cost, &other);
    let rate = i64::from(random.between(0, 8));
    let zone = PricedZone { zone, cost };
    let closed = PricedZone { zone: closure(&zone.zone), cost: zone.cost.clone() };
    let sources = [0; 2].map(|_| (Row(random.below(3) as u16), random.between(0, 2)));
    is_compared
        && image_is_exact(&closed, sources)
        && delay_is_exact(&zone, rate)
        && elimination_is_exact(&zone, X)
        && elimination_is_exact(&zone, Y)
        && infimum_is_exact(&zone)
}

/// Whether searches find the least costs.
fn searches_are_exact() -> bool {
    let cost = |text, query| least_cost(text, query, CostOrder::LeastCost);
    cost(TWO_RATES, "E<> P.R") == Some(Infimum::approached(14))
        && cost(CYCLES, "E<> P.c && y == 5 && x >= 1") == Some(Infimum::attained(1))
        && cost(LONG, "E<> P.c") == Some(Infimum::attained(15))
        && cost(BETWEEN, "E<> C.done") == Some(Infimum::attained(10))
}

/// The clock y is above its bound while it has a slope.
const LONG: &str = "clock y, x; process P() {
    state a { cost' == 3 }, b { cost' == 1 }, c;
    init a;
    trans a -> b { guard y > 1 && x >= 5; }, b -> b { guard y > 1; assign x = 0; },
          b -> c { guard y > 1; };
    } system P;";

fn is_right() -> bool {
    // A fault may also violate an assertion.
    let examined = catch_unwind(|| {
        searches_are_exact()
            && (0..400).all(operations_are_exact)
            && (0..60).all(landing_problems::is_exact)
            && symmetric_models::compare_seeds(0..60)
                .is_ok_and(|all| all.iter().any(|one| one.is_reachable && one.reduced < one.plain))
    });
    matches!(examined, Ok(true))
}

#[test]
fn every_fault_is_noticed() {
    select(None);
    assert!(is_right());
    for &fault in Fault::ALL {
        select(Some(fault));
        let is_noticed = !is_right();
        select(None);
        assert!(is_noticed, "{fault:?}");
    }
}
