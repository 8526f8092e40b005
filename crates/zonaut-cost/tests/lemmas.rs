//! The lemmas of the paper on uniformly priced timed automata, as properties.

use std::ops::ControlFlow;

use proptest::prelude::*;
use zonaut_base::{Id, Meter};
use zonaut_cost::{Combination, CostOrder, Costing, Infimum, Nothing, OptimizationObserver, Zones};
use zonaut_dbm::{Bound, Row, Wide, Zone, alu_includes_slices};
use zonaut_families::{JobShop, Operation};
use zonaut_model::{QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;
use zonaut_space::{Progress, StopReason};

const X: Row = Row(1);
const Y: Row = Row(2);
const COST: Row = Row(3);

/// An operation on a zone with a cost.
#[derive(Clone, Copy, Debug)]
enum Change {
    Delay,
    Reset(Row),
    Price(i32),
    Upper(Row, i32, bool),
    Lower(Row, i32, bool),
}

fn operation() -> impl Strategy<Value = Change> {
    let clock = prop_oneof![Just(X), Just(Y)];
    prop_oneof![
        Just(Change::Delay),
        clock.clone().prop_map(Change::Reset),
        (0..3i32).prop_map(Change::Price),
        (clock.clone(), 0..4i32, any::<bool>()).prop_map(|(x, c, s)| Change::Upper(x, c, s)),
        (clock, 0..4i32, any::<bool>()).prop_map(|(x, c, s)| Change::Lower(x, c, s)),
    ]
}

/// The zone after some operations, from all clocks at zero and any cost; those that would empty it
/// are left out.
fn zone(operations: &[Change]) -> Zone<Wide> {
    let mut zone: Zone<Wide> = Zone::origin(4);
    zone.free(COST);
    let bound = |value, strict| if strict { Bound::lt(value) } else { Bound::le(value) };
    for &operation in operations {
        let mut next = zone.clone();
        let result = match operation {
            Change::Delay => {
                next.delay();
                Ok(())
            }
            Change::Reset(clock) => {
                next.reset(clock, 0);
                Ok(())
            }
            Change::Price(price) => {
                let sources = [(Row::ZERO, 0), (X, 0), (Y, 0), (COST, price)];
                zone.image_into(&sources, &mut next);
                Ok(())
            }
            Change::Upper(x, c, s) => next.constrain(x, Row::ZERO, bound(c, s)),
            Change::Lower(x, c, s) => next.constrain(Row::ZERO, x, bound(-c, s)),
        };
        if result.is_ok() {
            zone = next;
        }
    }
    zone
}

/// The least cost of a valuation in quarters, in eighths: what is paid, or the next more where that
/// is only approached; nothing outside of the zone.
fn cost(zone: &Zone<Wide>, x: i64, y: i64) -> Option<i64> {
    (0..200).find(|&cost| zone.contains(&[0, 2 * x, 2 * y, cost], 8))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Lemma 4, in the form in which zones are kept: inclusion compares costs.
    #[test]
    fn inclusion_compares_costs(
        one in prop::collection::vec(operation(), 0..10),
        other in prop::collection::vec(operation(), 0..10),
    ) {
        let (one, other) = (zone(&one), zone(&other));
        for clock in [Row::ZERO, X, Y] {
            prop_assert!(one.bound(COST, clock).is_infinite());
        }
        let is_cheaper = (0..28).all(|x| (0..28).all(|y| match cost(&other, x, y) {
            None => true,
            Some(dear) => cost(&one, x, y).is_some_and(|cheap| cheap <= dear),
        }));
        // Half-integer corners of zones with such constants are among the points.
        if one.includes(&other) {
            prop_assert!(is_cheaper);
        } else if is_bounded(&other) {
            prop_assert!(!is_cheaper, "{:?} {:?}", one.as_slice(), other.as_slice());
        }
    }

    /// The simulation with an exact cost never says that a dearer zone simulates a cheaper one.
    #[test]
    fn simulation_respects_the_least_cost(
        one in prop::collection::vec(operation(), 0..10),
        other in prop::collection::vec(operation(), 0..10),
    ) {
        let (one, other) = (zone(&one), zone(&other));
        let bounds = [0, 3, 3, i32::MAX];
        if alu_includes_slices(one.as_slice(), other.as_slice(), &bounds, &bounds) {
            prop_assert!(one.bound(Row::ZERO, COST) >= other.bound(Row::ZERO, COST));
        }
        if one.includes(&other) {
            prop_assert!(alu_includes_slices(one.as_slice(), other.as_slice(), &bounds, &bounds));
        }
    }
}

/// Whether all valuations of the clocks of a zone are in the box that is looked at.
fn is_bounded(zone: &Zone<Wide>) -> bool {
    [X, Y].iter().all(|&clock| zone.bound(clock, Row::ZERO) <= Bound::le(6))
}

/// Remembers the greatest cost of what was expanded when it was asked.
#[derive(Default)]
struct Dearest(u32);

impl OptimizationObserver for Dearest {
    fn progress(&mut self, now: &Progress, _: Infimum) -> ControlFlow<StopReason> {
        self.0 = self.0.max(now.depth);
        ControlFlow::Continue(())
    }
}

/// Lemmas 5 and 6: in the order of least costs nothing is expanded that costs more than the goal, and
/// so no order that knows costs alone expands fewer states, but for those that cost as much.
#[test]
fn the_order_of_least_costs_expands_nothing_dearer_than_the_goal() {
    let operation = |machine, length| Operation { machine, length };
    for lengths in [[1, 4, 2, 3], [5, 1, 1, 6], [2, 2, 3, 3]] {
        let [a, b, c, d] = lengths;
        let jobs = vec![
            vec![operation(0, a), operation(1, b)],
            vec![operation(1, c), operation(0, d)],
            vec![operation(0, b), operation(1, c)],
        ];
        let generated = JobShop { machines: 2, jobs }.generate();
        let (model, _) = model_of(&generated.model, &[&generated.queries[0]]).expect("correct");
        let QueryKind::Possibly(goal) = &model.queries[QueryId::from_index(0)].kind else {
            unreachable!("a goal to reach")
        };
        let costing = Costing::of(&model, Combination::Sum).expect("understood");
        let zones = Zones::new(&model, goal, costing, &Meter::default()).expect("small");
        let mut dearest = Dearest::default();
        let first = zones.optimise(CostOrder::LeastCost, Nothing, &mut dearest).expect("small");
        let least = first.best.expect("a schedule").cost;
        assert!(i64::from(dearest.0) <= least.value());
        for order in CostOrder::ALL {
            let other = zones.optimise(order, Nothing, &mut ()).expect("small");
            assert_eq!(other.best.expect("a schedule").cost, least);
        }
    }
}
