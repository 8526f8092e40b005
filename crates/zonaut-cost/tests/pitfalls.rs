//! Small priced models that are easily got wrong, each in every order.

use zonaut_base::{Id, Meter};
use zonaut_cost::{
    Combination, CostOrder, Costing, Infimum, Nothing, Optimisation, OptimizationOutcome, Zones,
};
use zonaut_model::{Formula, QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;

fn optimise(system: &str, goal: &str, order: CostOrder) -> Optimisation {
    let (model, _) = model_of(system, &[goal]).expect("a correct model");
    let goal: &Formula = match &model.queries[QueryId::from_index(0)].kind {
        QueryKind::Possibly(goal) => goal,
        other => unreachable!("a goal to reach: {other:?}"),
    };
    let costing = Costing::of(&model, Combination::Sum).expect("understood");
    let zones = Zones::new(&model, goal, costing, &Meter::default()).expect("small");
    zones.optimise(order, Nothing, &mut ()).expect("small constants")
}

/// Checks the least cost in every order; nothing stands for a goal out of reach.
fn check(system: &str, goal: &str, expected: Option<Infimum>) {
    for order in CostOrder::ALL {
        let found = optimise(system, goal, order);
        let cost = found.best.map(|solution| solution.cost);
        assert_eq!(cost, expected, "{order:?}");
        match expected {
            Some(cost) => {
                assert_eq!((found.ending, found.lower_bound), (OptimizationOutcome::Optimal, cost))
            }
            None => assert_eq!(found.ending, OptimizationOutcome::Unreachable),
        }
    }
}

/// One process with these locations and edges.
fn process(locations: &str, edges: &str) -> String {
    format!("clock x, y; process P() {{ state {locations}; init a; trans {edges}; }} system P;")
}

const RATE_ONE: &str = "a { cost' == 1 }, b { cost' == 1 }, end { cost' == 1 }";

#[test]
fn an_infimum_that_no_run_attains_is_said_to_be_one() {
    let edges = "a -> end { guard x > 4; assign cost += 10; }";
    check(&process(RATE_ONE, edges), "E<> P.end", Some(Infimum::approached(14)));
}

#[test]
fn its_closed_twin_is_attained() {
    let edges = "a -> end { guard x >= 4; assign cost += 10; }";
    check(&process(RATE_ONE, edges), "E<> P.end", Some(Infimum::attained(14)));
}

#[test]
fn of_two_ways_of_equal_cost_the_one_that_attains_it_wins() {
    let edges = "a -> end { guard x > 4; assign cost += 10; }, a -> b { assign cost += 3; }, \
        b -> end { guard x >= 5; assign cost += 6; }";
    check(&process(RATE_ONE, edges), "E<> P.end", Some(Infimum::attained(14)));
}

#[test]
fn a_way_that_is_open_and_empty_is_not_closed() {
    let locations = "a { x < 2 && cost' == 1 }, b { cost' == 1 }, end { cost' == 1 }";
    let edges = "a -> end { guard x >= 2; assign cost += 1; }, a -> b { assign cost += 20; }, \
        b -> end { }";
    check(&process(locations, edges), "E<> P.end", Some(Infimum::attained(20)));
}

#[test]
fn loops_that_cost_nothing_and_clocks_without_bounds_end() {
    let edges = "a -> a { assign y = 0; }, a -> b { assign cost += 0; }, b -> a { guard x > y; }";
    check(&process("a, b, end", edges), "E<> P.end", None);
    check(&process("a, b, end", "a -> a { }, a -> a { assign cost += 1; }"), "E<> P.end", None);
    check(&process(RATE_ONE, "a -> a { assign x = 0; }"), "E<> P.end", None);
    check(&process(RATE_ONE, "a -> a { assign y = 0; }"), "E<> P.end && x > 3", None);
}

#[test]
fn a_goal_in_a_part_of_a_zone_costs_what_that_part_does() {
    check(&process("a, end", "a -> end { }"), "E<> P.end && x >= 7", Some(Infimum::attained(7)));
    let edges = "a -> end { guard x >= 2; }, a -> b { guard x >= 3; assign x = 0; }";
    let goal = "E<> P.end && x >= 9 || P.b && x > 4 || P.a && x > 7";
    check(&process("a, b, end", edges), goal, Some(Infimum::approached(7)));
}

#[test]
fn where_only_transitions_cost_time_is_free() {
    let edges = "a -> b { guard x >= 30; assign cost += 2; }, a -> end { assign cost += 5; }, \
        b -> end { assign cost += 1; }";
    check(&process("a, b, end", edges), "E<> P.end", Some(Infimum::attained(3)));
}

#[test]
fn time_may_cost_more_than_one() {
    let locations = "a { cost' == 3 }, b { cost' == 3 }, end { cost' == 3 }";
    let edges = "a -> b { guard x >= 2; assign y = 1; }, b -> end { guard y > 4 && x <= 6; assign cost += 1; }";
    check(&process(locations, edges), "E<> P.end && y < 7", Some(Infimum::approached(16)));
    check(&process(locations, edges), "E<> P.end && x >= 7", Some(Infimum::attained(22)));
}

#[test]
fn urgent_moments_cost_nothing() {
    let system = "urgent chan go; clock x; int[0,9] n; \
        process P() { state a, b, end; commit b; init a; \
            trans a -> b { guard n == 1; sync go!; }, b -> end { }; } \
        process Q() { state s; init s; \
            trans s -> s { sync go?; }, s -> s { guard x >= 5 && n == 0; assign n = 1; }; } \
        system P, Q;";
    check(system, "E<> P.end", Some(Infimum::attained(5)));
}

#[test]
fn a_model_that_fails_says_where() {
    let system = "int[0,1] n; process P() { state a, end; init a; \
        trans a -> a { assign n = n + 1; }, a -> end { guard n == 5; }; } system P;";
    for order in CostOrder::ALL {
        let found = optimise(system, "E<> P.end", order);
        let OptimizationOutcome::Failed { steps, .. } = found.ending else {
            unreachable!("it fails")
        };
        assert_eq!(steps.len(), 2);
    }
}
