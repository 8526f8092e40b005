//! Every fault that can be injected is noticed by what compares least costs.

#![cfg(feature = "faults")]

use zonaut_base::{Id, Meter};
use zonaut_cost::faults::{Fault, select};
use zonaut_cost::{Combination, CostOrder, Costing, Estimates, Infimum, Nothing, Zones};
use zonaut_model::{QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;
use zonaut_testkit::priced::shops::random_shop;

/// The least costs of a model by zones, with and without estimates.
fn costs(text: &str, query: &str) -> Vec<Option<Infimum>> {
    let (model, _) = model_of(text, &[query]).expect("a correct model");
    let QueryKind::Possibly(goal) = &model.queries[QueryId::from_index(0)].kind else {
        unreachable!("a goal to reach")
    };
    let costing = Costing::of(&model, Combination::Sum).expect("understood");
    let meter = Meter::default();
    let mut found = Vec::new();
    let zones = Zones::new(&model, goal, costing, &meter).expect("small");
    let by_zones = zones.optimise(CostOrder::LeastCost, Nothing, &mut ()).expect("small");
    found.push(by_zones.best.map(|best| best.cost));
    for estimates in [Estimates::ALL, Estimates { smaller: true, ..Estimates::NONE }] {
        let guided = zones.optimise_with(&model, goal, CostOrder::LeastTotal, estimates, &mut ());
        let guided = guided.expect("small").best;
        // Along the cheapest run, no estimated total exceeds its cost.
        let is_believed = guided.as_ref().is_none_or(|best| {
            let totals = zones.totals_along(&model, goal, estimates, &best.steps);
            let is_true = |total: &Option<Infimum>| total.is_some_and(|total| total <= best.cost);
            totals.expect("small").iter().all(is_true)
        });
        found.push(guided.map(|best| best.cost).filter(|_| is_believed));
    }
    // Time is searched whatever edges cost.
    let zones = Zones::new(&model, goal, Costing::TIME, &meter).expect("small");
    let order = CostOrder::LeastTotal;
    let timed = zones.optimise_with(&model, goal, order, Estimates::ALL, &mut ());
    found.push(timed.expect("small").best.map(|best| best.cost));
    found
}

/// Networks that were once answered wrongly by estimates that were no lower bounds.
const PITFALLS: [(&str, &str); 2] = [
    (
        "clock x; process P() { state a { cost' == 1000 }, w { cost' == 1000 }, \
         b { cost' == 1000 }, c { cost' == 1000 }; init a; trans a -> w { assign x = 0; }, \
         w -> b { guard x >= 1000000; assign x = 0, cost += 5; }, \
         b -> c { guard x >= 1000000; }; } system P;",
        "E<> P.c",
    ),
    (
        "clock x; process P() { state a, b, c; init a; \
         trans a -> c { guard x >= 500; assign cost += 1000; }, a -> b { }, \
         b -> c { guard x >= 1; assign cost += 1000; }; } system P;",
        "E<> P.c",
    ),
];

/// The models, with their queries, that faults are to be noticed by.
fn models() -> Vec<(String, String)> {
    let mut models = Vec::new();
    let process = |edges: &str| {
        format!("clock x; process P() {{ state a, b, c; init a; trans {edges}; }} system P;")
    };
    let mut add = |text: String, query: &str| models.push((text, query.to_owned()));
    add(process("a -> b { guard x > 4; }"), "E<> P.b");
    let prices = "a -> b { assign cost += 2; }, b -> c { assign cost += 2; }, \
        a -> c { assign cost += 3; }";
    add(process(prices), "E<> P.c");
    // The dearer way to b is found first, and the cheaper one is not covered by it.
    let later = "a -> b { assign cost += 9; }, a -> c { }, c -> b { assign cost += 1; }";
    add(process(later), "E<> P.b && x >= 2");
    let waits = "a -> b { guard x >= 5; assign x = 0; }, a -> c { guard x >= 9; assign x = 0; }, \
        b -> c { guard x >= 2; }";
    add(process(waits), "E<> P.c");
    for (text, query) in PITFALLS {
        add(text.to_owned(), query);
    }
    // Two of two workers are enough for two tasks at once.
    let task = "clock x; state a, b, c; init a; trans a -> b { guard n < 2; assign n++, x = 0; }, \
        b -> c { guard x >= 5; assign n--; };";
    let crew = format!("int n; process P() {{ {task} }} process Q() {{ {task} }} system P, Q;");
    add(crew, "E<> P.c && Q.c");
    // Resources that exclude no process: one is never tested, one is released by another process, and
    // one has two units.
    for (keeper, keepers, take, give) in [
        ("int[0,1] s;", "", "assign s = 1, x = 0;", "assign s = 0;"),
        (
            "chan c, d; process K() { state i, t; init i; trans i -> t { sync c?; }, \
             t -> i { sync d?; }; } process L() { state l; init l; trans l -> l { sync d!; }; }",
            ", K, L",
            "sync c!; assign x = 0;",
            "",
        ),
        (
            "chan c; process K() { state i, t; init i; trans i -> t { sync c?; }, \
             t -> t { sync c?; }; }",
            ", K",
            "sync c!; assign x = 0;",
            "",
        ),
    ] {
        let text = format!(
            "{keeper} process J(const int d) {{ clock x; state a, u, e; init a; trans \
             a -> u {{ {take} }}, u -> e {{ guard x >= d; {give} }}; }} \
             A = J(3); B = J(4); system A, B{keepers};"
        );
        add(text, "E<> A.e && B.e");
    }
    // Shops whose things are kept by processes and semaphores, with mistakes.
    for seed in 0..30 {
        let (text, query) = random_shop(seed);
        add(text, &query);
    }
    models
}

#[test]
fn every_fault_is_noticed() {
    select(None);
    let models = models();
    let right: Vec<_> = models.iter().map(|(text, query)| costs(text, query)).collect();
    for &fault in Fault::ALL {
        select(Some(fault));
        let mut answers = models.iter().zip(&right);
        let is_noticed = answers.any(|((text, query), right)| costs(text, query) != *right);
        select(None);
        assert!(is_noticed, "{fault:?}");
    }
}
