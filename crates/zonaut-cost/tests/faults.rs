//! Every fault that can be injected is noticed by what compares least costs.

#![cfg(feature = "faults")]

use zonaut_base::{Id, Meter};
use zonaut_cost::faults::{Fault, select};
use zonaut_cost::{Combination, Costing, Estimates, Guide, Infimum, Nothing, Order, Points, Zones};
use zonaut_families::{JobShop, Operation};
use zonaut_model::{QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;
use zonaut_oracle::random::Random;
use zonaut_priced::shops::random_shop;

/// The least costs of a model by zones and, where it is a network of tasks, by points.
fn costs(text: &str, query: &str) -> Vec<Option<Infimum>> {
    let (model, _) = model_of(text, &[query]).expect("a correct model");
    let QueryKind::Possibly(goal) = &model.queries[QueryId::from_index(0)].kind else {
        unreachable!("a goal to reach")
    };
    let costing = Costing::of(&model, Combination::Sum).expect("understood");
    let meter = Meter::default();
    let mut found = Vec::new();
    let zones = Zones::new(&model, goal, costing, &meter).expect("small");
    let by_zones = zones.optimise(Order::LeastCost, Nothing, &mut ()).expect("small");
    found.push(by_zones.best.map(|best| best.cost));
    let guided = zones.optimise_with((&model, goal), Order::LeastTotal, Estimates::ALL, &mut ());
    found.push(guided.expect("small").best.map(|best| best.cost));
    if let Ok(points) = Points::new(&model, goal, costing, &meter).expect("small") {
        for order in [Order::LeastTotal, Order::BestDepthFirst] {
            let by_points = points.optimise(order, Guide::Automatic, &mut ());
            found.push(by_points.best.map(|best| best.cost));
        }
        found.push(points.schedule(2, &mut ()).best.map(|best| best.cost));
    }
    found
}

/// What is found in all models that faults are to be noticed by.
fn everything() -> Vec<Vec<Option<Infimum>>> {
    let mut found = Vec::new();
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut operation = || Operation {
            machine: random.below(3),
            length: u32::try_from(random.between(1, 6)).expect("positive"),
        };
        let jobs = (0..3).map(|_| (0..3).map(|_| operation()).collect()).collect();
        let generated = JobShop { machines: 3, jobs }.generate();
        found.push(costs(&generated.model, &generated.queries[0]));
    }
    let process = |edges: &str| {
        format!("clock x; process P() {{ state a, b, c; init a; trans {edges}; }} system P;")
    };
    found.push(costs(&process("a -> b { guard x > 4; }"), "E<> P.b"));
    let prices = "a -> b { assign cost += 2; }, b -> c { assign cost += 2; }, \
        a -> c { assign cost += 3; }";
    found.push(costs(&process(prices), "E<> P.c"));
    // The dearer way to b is found first, and the cheaper one is not covered by it.
    let later = "a -> b { assign cost += 9; }, a -> c { }, c -> b { assign cost += 1; }";
    found.push(costs(&process(later), "E<> P.b && x >= 2"));
    let waits = "a -> b { guard x >= 5; assign x = 0; }, a -> c { guard x >= 9; assign x = 0; }, \
        b -> c { guard x >= 2; }";
    found.push(costs(&process(waits), "E<> P.c"));
    // Shops whose things are kept by processes and semaphores, with mistakes.
    for seed in 0..200 {
        let (text, query) = random_shop(seed);
        found.push(costs(&text, &query));
    }
    found
}

#[test]
fn every_fault_is_noticed() {
    select(None);
    let right = everything();
    for &fault in Fault::ALL {
        select(Some(fault));
        let wrong = everything();
        select(None);
        assert_ne!(right, wrong, "{fault:?}");
    }
}
