//! The bridge: four people cross in 60 minutes, and not sooner.

use zonaut_base::{Id, Meter};
use zonaut_cost::{Combination, CostOrder, Costing, Infimum, Nothing, OptimizationOutcome, Zones};
use zonaut_model::{QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;

const BRIDGE: &str = "chan take, release; int[0,1] side; \
    process Person(const int delay) { clock y; state unsafe, over, safe, back; init unsafe; trans \
        unsafe -> over { guard side == 0; sync take!; assign y = 0; }, \
        over -> safe { guard y >= delay; sync release!; }, \
        safe -> back { guard side == 1; sync take!; assign y = 0; }, \
        back -> unsafe { guard y >= delay; sync release!; }; } \
    process Torch() { state free, one, two, again; urgent again; init free; trans \
        free -> again { sync take?; }, again -> two { sync take?; }, again -> one { }, \
        two -> one { sync release?; }, one -> free { sync release?; assign side = 1 - side; }; } \
    A = Person(5); B = Person(10); C = Person(20); D = Person(25); T = Torch(); \
    system A, B, C, D, T;";

#[test]
fn four_people_cross_in_an_hour_in_every_order() {
    let (model, _) =
        model_of(BRIDGE, &["E<> A.safe && B.safe && C.safe && D.safe"]).expect("a correct model");
    let QueryKind::Possibly(goal) = &model.queries[QueryId::from_index(0)].kind else {
        unreachable!("a goal to reach")
    };
    let costing = Costing::of(&model, Combination::Sum).expect("understood");
    let zones = Zones::new(&model, goal, costing, &Meter::default()).expect("small");
    for order in CostOrder::ALL {
        let found = zones.optimise(order, Nothing, &mut ()).expect("small constants");
        assert_eq!(found.ending, OptimizationOutcome::Optimal);
        let cost = found.best.map(|solution| solution.cost);
        assert_eq!(cost, Some(Infimum::attained(60)), "{order:?}");
        if order == CostOrder::LeastCost {
            assert!(found.statistics.explored <= 400, "{}", found.statistics.explored);
        }
    }
}
