//! Estimates over zones: what they know, what they are worth, and labels of nodes.

use std::ops::ControlFlow;

use zonaut_base::{Id, Meter};
use zonaut_cost::{
    Combination, CostOrder, Costing, Estimates, Improvement, Infimum, Optimisation,
    OptimizationObserver, OptimizationOutcome, Zones, overestimated, run_along,
};
use zonaut_families::find;
use zonaut_model::{Formula, Model, QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;
use zonaut_space::{Progress, StopReason};
use zonaut_zonegraph::Abstraction;

fn with_model<T>(text: &str, query: &str, check: impl FnOnce(&Model, &Formula, Zones) -> T) -> T {
    let (model, _) = model_of(text, &[query]).expect("a correct model");
    let QueryKind::Possibly(goal) = &model.queries[QueryId::from_index(0)].kind else {
        unreachable!("a goal to reach")
    };
    let costing = Costing::of(&model, Combination::Sum).expect("understood");
    let zones = Zones::labelled(&model, goal, costing, &Meter::default()).expect("small");
    check(&model, goal, zones)
}

fn optimise(text: &str, query: &str, order: CostOrder, estimates: Estimates) -> Optimisation {
    with_model(text, query, |model, goal, zones| {
        zones.optimise_with(model, goal, order, estimates, &mut ()).expect("small")
    })
}

/// The estimate of the initial state.
fn at_start(text: &str, query: &str) -> Option<Infimum> {
    with_model(text, query, |model, goal, zones| {
        zones.totals_along(model, goal, Estimates::ALL, &[]).expect("small")[0]
    })
}

/// The bridge, with what the paper estimates as `remaining`: the slowest of those who are still to
/// cross.
fn bridge() -> (String, String) {
    let generated = find("bridge").expect("a family").generate(&[]).expect("defaults");
    (generated.model, generated.queries[0].clone())
}

#[test]
fn estimates_spare_states_of_the_bridge() {
    let (text, query) = bridge();
    let explored = |order, automatic, remaining| {
        let found =
            optimise(&text, &query, order, Estimates { automatic, remaining, smaller: false });
        assert_eq!(found.best.expect("a way").cost, Infimum::attained(60));
        found.statistics.explored
    };
    let blind = explored(CostOrder::LeastCost, false, false);
    assert!(blind <= 400, "{blind} by cost alone");
    let by_author = explored(CostOrder::LeastTotal, false, true);
    let by_proof = explored(CostOrder::LeastTotal, true, false);
    assert!(by_author < blind && by_proof <= by_author, "{blind} {by_author} {by_proof}");
}

/// The order of least costs profits from coarse zones, so that estimates have less to spare.
#[test]
fn every_abstraction_leads_to_the_same_cost() {
    let (text, query) = bridge();
    let explored = |abstraction: Abstraction, order, estimates| {
        with_model(&text, &query, |model, goal, zones| {
            let zones = zones.abstracted(abstraction);
            let found = zones.optimise_with(model, goal, order, estimates, &mut ());
            let found = found.expect("small");
            assert_eq!(found.best.expect("a way").cost, Infimum::attained(60));
            found.statistics.explored
        })
    };
    let by_author = Estimates { remaining: true, ..Estimates::NONE };
    let mut before = usize::MAX;
    for abstraction in [Abstraction::Maximum, Abstraction::LowerUpper, Abstraction::Simulation] {
        let blind = explored(abstraction, CostOrder::LeastCost, Estimates::NONE);
        let guided = explored(abstraction, CostOrder::LeastTotal, by_author);
        println!("{abstraction:?}: {blind} by cost alone, {guided} with `remaining`");
        assert!(blind <= before && guided < blind, "{abstraction:?}: {blind}, {guided}");
        before = blind;
    }
}

#[test]
fn labels_do_not_tell_states_apart() {
    let (text, query) = bridge();
    let plain = text.replace(", remaining = slowest()", "");
    let explored = |text: &str| {
        optimise(text, &query, CostOrder::LeastCost, Estimates::NONE).statistics.explored
    };
    assert_eq!(explored(&text), explored(&plain));
    // A variable that a guard looks at is a variable like others.
    let read = text.replace("guard side == 0;", "guard side == 0 && remaining >= 0;");
    with_model(&read, &query, |_, _, zones| assert!(zones.labels().remaining.is_none()));
    with_model(&text, &query, |_, _, zones| assert!(zones.labels().remaining.is_some()));
}

#[test]
fn what_the_author_overestimates_is_told() {
    let (text, query) = bridge();
    let check = |text: &str| {
        with_model(text, &query, |model, goal, zones| {
            let order = CostOrder::LeastTotal;
            let found = zones.optimise_with(model, goal, order, Estimates::ALL, &mut ());
            let found = found.expect("small");
            let best = found.best.expect("a way");
            let costing = Costing::of(model, Combination::Sum).expect("understood");
            let meter = Meter::default();
            let (_, run) = run_along(model, goal, costing, &best, &meter).expect("a run");
            overestimated(model, zones.labels(), costing, &best, &run, &meter)
        })
    };
    assert_eq!(check(&text), None);
    // After the last of all nothing is left to pay.
    assert!(check(&text.replace("return most;", "return most + 40;")).is_some());
    assert_eq!(check(&text.replace("remaining = (A", "remaining = 100 + (A")), Some(0));
}

/// When the first way was found.
#[derive(Default)]
struct First(Option<usize>);

impl OptimizationObserver for First {
    fn improved(&mut self, found: Improvement) {
        self.0.get_or_insert(found.explored);
    }
    fn progress(&mut self, _: &Progress, _: Infimum) -> ControlFlow<StopReason> {
        match self.0 {
            Some(_) => ControlFlow::Break(StopReason::Cancelled),
            None => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn the_author_of_the_biphase_protocol_finds_errors_sooner() {
    let wrong = [
        [16, 3, 11],
        [18, 3, 10],
        [32, 3, 23],
        [16, 9, 11],
        [18, 6, 10],
        [32, 18, 23],
        [15, 8, 11],
        [17, 5, 10],
        [31, 16, 23],
    ];
    let family = find("biphase").expect("a family");
    for instance in wrong {
        let generated = family.generate(&instance).expect("in range");
        let until_found = |order| {
            with_model(&generated.model, &generated.queries[0], |model, goal, zones| {
                let mut first = First::default();
                let none = Estimates::NONE;
                let found = zones.optimise_with(model, goal, order, none, &mut first);
                assert!(found.expect("small").best.is_some(), "{instance:?}");
                first.0.expect("an error")
            })
        };
        let (guided, blind) =
            (until_found(CostOrder::Ranked), until_found(CostOrder::BreadthFirst));
        assert!(guided < blind, "{instance:?}: {guided} and {blind}");
    }
    for instance in [[16, 6, 11], [18, 5, 10], [32, 16, 23]] {
        let generated = family.generate(&instance).expect("in range");
        let (text, query) = (&generated.model, &generated.queries[0]);
        let found = optimise(text, query, CostOrder::BreadthFirst, Estimates::NONE);
        assert_eq!(found.ending, OptimizationOutcome::Unreachable, "{instance:?}");
    }
}

#[test]
fn the_steel_plant_has_the_bounds_of_the_paper() {
    let family = find("sidmar").expect("a family");
    let generated = |ladles| family.generate(&[ladles]).expect("in range");
    let bound = |ladles| at_start(&generated(ladles).model, &generated(ladles).queries[0]);
    assert_eq!(bound(10), Some(Infimum::attained(291)));
    assert_eq!(bound(1), Some(Infimum::attained(111)));
    let one = generated(1);
    let found = optimise(&one.model, &one.queries[0], CostOrder::LeastTotal, Estimates::ALL);
    assert_eq!(found.best.map(|best| best.cost), Some(Infimum::attained(111)));
    let ten = generated(10);
    with_model(&ten.model, &ten.queries[0], |model, goal, zones| {
        let (order, mut first) = (CostOrder::RankedDepthFirst, First::default());
        let found = zones.optimise_with(model, goal, order, Estimates::ALL, &mut first);
        let cost = found.expect("small").best.expect("a schedule").cost;
        assert!(cost <= Infimum::attained(355), "{cost}");
    });
}

#[test]
fn prices_of_a_process_count_on_its_way() {
    let text = "clock x; process P() { state a { cost' == 2 }, b { cost' == 2 }, c { cost' == 2 }; \
        init a; trans a -> b { guard x >= 3; assign cost += 5, x = 0; }, \
        b -> c { guard x >= 4; assign cost += 1; }; } system P;";
    assert_eq!(at_start(text, "E<> P.c"), Some(Infimum::attained(2 * 7 + 6)));
    assert_eq!(at_start(text, "E<> P.c && x > 30"), Some(Infimum::attained(20)));
    // A clock that another process sets tells nothing.
    let other = text.replace(
        "system P;",
        "process Q() { state q; init q; trans q -> q { assign \
        x = 3; }; } system P, Q;",
    );
    assert_eq!(at_start(&other, "E<> P.c"), Some(Infimum::attained(6)));
}

#[test]
fn a_smaller_network_knows_what_ways_of_single_processes_do_not() {
    let (text, query) = bridge();
    let smaller = Estimates { smaller: true, ..Estimates::NONE };
    let along = |estimates| {
        with_model(&text, &query, |model, goal, zones| {
            let found = zones.optimise_with(model, goal, CostOrder::LeastTotal, estimates, &mut ());
            let found = found.expect("small");
            let best = found.best.expect("a way");
            assert_eq!(best.cost, Infimum::attained(60));
            let totals = zones.totals_along(model, goal, estimates, &best.steps).expect("small");
            assert!(totals.iter().all(|total| total.is_some_and(|total| total <= best.cost)));
            found.statistics.explored
        })
    };
    let (blind, of_part) = (along(Estimates::NONE), along(smaller));
    println!("{blind} by cost alone, {of_part} with the two slowest alone");
    assert!(of_part < blind, "{of_part} and {blind}");
    // A choice that another process has to make first.
    let text = "int[0,1] open; clock x, y; \
        process Door() { state shut, ajar; init shut; \
            trans shut -> ajar { guard y >= 7; assign open = 1, cost += 2; }; } \
        process Guest() { state out, inside; init out; \
            trans out -> inside { guard open == 1; assign cost += 1; }; } \
        process Idler() { state here, there; init here; trans here -> there { }; } \
        system Door, Guest, Idler;";
    with_model(text, "E<> Guest.inside", |model, goal, zones| {
        let start = |estimates| zones.totals_along(model, goal, estimates, &[]).expect("small")[0];
        let automatic = Estimates { automatic: true, ..Estimates::NONE };
        assert_eq!(start(automatic), Some(Infimum::attained(1)));
        assert_eq!(start(smaller), Some(Infimum::attained(3)));
    });
}
