//! Random networks of tasks: points, zones and beams find the same least cost, and no estimate is
//! above it on the way.

use std::thread;
use std::time::Duration;
use zonaut_base::StopReason;
use zonaut_base::{Id, Meter};
use zonaut_cost::{
    Combination, CostOrder, Costing, Estimates, Guidance, Infimum, Nothing, Optimisation,
    OptimizationOutcome, Workers, Zones,
};
use zonaut_families::{JobShop, Operation};
use zonaut_model::{Formula, Model, QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;
use zonaut_oracle::random::Random;
use zonaut_scheduling::{Beams, Helpers, ScheduleSearch, TaskHeuristic};
use zonaut_search::{Crew, Task};
use zonaut_testkit::priced::shops::random_tasks;

/// A thread for each task, which begins later or earlier than the calling one.
struct Late(i64);

impl Crew for Late {
    fn run(&self, first: &mut dyn FnMut(), others: Vec<Task<'_>>) -> Result<(), StopReason> {
        thread::scope(|scope| {
            for (number, task) in others.into_iter().enumerate() {
                let pause = Duration::from_micros(self.0.unsigned_abs() * 7 % 100 * number as u64);
                scope.spawn(move || {
                    thread::sleep(pause);
                    task();
                });
            }
            if self.0 % 3 == 0 {
                thread::sleep(Duration::from_micros(200));
            }
            first();
        });
        Ok(())
    }
}

/// Calls `check` with a model and its goal.
fn with_model<T>(text: &str, query: &str, check: impl FnOnce(&Model, &Formula) -> T) -> T {
    let (model, _) = model_of(text, &[query]).expect("a correct model");
    let QueryKind::Possibly(goal) = &model.queries[QueryId::from_index(0)].kind else {
        unreachable!("a goal to reach")
    };
    check(&model, goal)
}

fn cost(found: &Optimisation) -> Option<Infimum> {
    match found.ending {
        OptimizationOutcome::Optimal => {
            assert_eq!(found.best.as_ref().map(|b| b.cost), Some(found.lower_bound))
        }
        OptimizationOutcome::Unreachable => assert!(found.best.is_none()),
        ref other => unreachable!("no limit was set: {other:?}"),
    }
    found.best.as_ref().map(|best| best.cost)
}

/// Compares all ways to the least cost; which it is.
fn check(text: &str, query: &str) -> Option<Infimum> {
    with_model(text, query, |model, goal| {
        let costing = Costing::of(model, Combination::Sum).expect("understood");
        let meter = Meter::default();
        let zones = Zones::new(model, goal, costing, &meter).expect("small");
        let expected =
            cost(&zones.optimise(CostOrder::LeastCost, Nothing, &mut ()).expect("small"));
        for order in [
            CostOrder::LeastTotal,
            CostOrder::BestDepthFirst { total: 8, work: 1 },
            CostOrder::BreadthFirst,
        ] {
            let found = zones.optimise_with(model, goal, order, Estimates::ALL, &mut ());
            let found = found.expect("small");
            assert_eq!(cost(&found), expected, "{order:?} with estimates: {query} in {text}");
            let Some(best) = &found.best else { continue };
            let totals = zones.totals_along(model, goal, Estimates::ALL, &best.steps);
            let totals = totals.expect("small");
            let is_true = |total: &Option<Infimum>| total.is_some_and(|total| total <= best.cost);
            assert!(totals.iter().all(is_true), "{totals:?}: {query} in {text}");
        }
        let points = ScheduleSearch::new(model, goal, costing, &meter).expect("small");
        let points = points.unwrap_or_else(|why| unreachable!("{}: {text}", why.0));
        for order in CostOrder::ALL {
            for heuristic in [TaskHeuristic::Blind, TaskHeuristic::Automatic] {
                let found = cost(&points.optimise(order, heuristic, &mut ()));
                assert_eq!(found, expected, "{order:?}, {heuristic:?}: {query} in {text}");
            }
        }
        let crew = &Late(expected.map_or(5, |cost| cost.value()));
        for (count, order) in (1..=4).cycle().zip(CostOrder::ALL) {
            let meters: Vec<Meter> = (0..count).map(|_| Meter::default()).collect();
            let workers = Workers { meters: &meters, crew };
            for estimates in [Estimates::NONE, Estimates::ALL] {
                let found = zones.optimise_together(
                    model,
                    goal,
                    Guidance { order, estimates },
                    workers,
                    &mut (),
                );
                let found = cost(&found.expect("small"));
                assert_eq!(found, expected, "{order:?}, {count} workers: {query} in {text}");
            }
            for heuristic in [TaskHeuristic::Blind, TaskHeuristic::Automatic] {
                let found = cost(&points.optimise_together(order, heuristic, workers, &mut ()));
                assert_eq!(found, expected, "{order:?}, {count} workers: {query} in {text}");
            }
        }
        for widest in [0, 4, 1 << 20] {
            let found = cost(&points.schedule(Beams { widest, ..Beams::default() }, &mut ()));
            assert_eq!(found, expected, "beams up to {widest}: {text}");
            for count in 1..4 {
                let helpers =
                    Helpers { crew: &Late(expected.map_or(7, |cost| cost.value())), count };
                let beams = Beams { widest, ..Beams::default() };
                let found = cost(&points.schedule_with(beams, helpers, &mut ()));
                assert_eq!(found, expected, "beams up to {widest}, {count} helpers: {text}");
            }
        }
        expected
    })
}

fn shop(random: &mut Random, jobs: usize, machines: usize) -> JobShop {
    let mut operation = || Operation {
        machine: random.below(machines),
        length: u32::try_from(random.between(0, 5)).expect("not negative"),
    };
    let jobs = (0..jobs).map(|_| (0..machines).map(|_| operation()).collect()).collect();
    JobShop { machines, jobs }
}

#[test]
fn small_shops_have_one_least_time() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let (jobs, machines) = random.choose(&[(2, 2), (2, 3), (3, 2), (3, 3)]);
        let generated = shop(&mut random, jobs, machines).generate();
        assert!(check(&generated.model, &generated.queries[0]).is_some());
    }
}

#[test]
fn orders_of_uses_give_the_least_time_of_a_search_over_points() {
    let mut random = Random::new(77);
    for _ in 0..60 {
        let generated = shop(&mut random, 6, 6).generate();
        with_model(&generated.model, &generated.queries[0], |model, goal| {
            let costing = Costing::of(model, Combination::Sum).expect("understood");
            let meter = Meter::default();
            let points = ScheduleSearch::new(model, goal, costing, &meter).expect("small");
            let points = points.unwrap_or_else(|why| unreachable!("{}", why.0));
            let by_points =
                points.optimise(CostOrder::LeastTotal, TaskHeuristic::Automatic, &mut ());
            let by_orders = points.schedule(Beams { width: 1, growth: 4, widest: 1 }, &mut ());
            assert_eq!(cost(&by_orders), cost(&by_points), "{}", generated.model);
            for count in 1..4 {
                let helpers = Helpers { crew: &Late(count as i64), count };
                let by_team = points.schedule_with(Beams::default(), helpers, &mut ());
                assert_eq!(cost(&by_team), cost(&by_points), "{count}: {}", generated.model);
            }
        });
    }
}

#[test]
fn random_networks_of_tasks_have_one_least_time() {
    let reached = (0..150).filter(|&seed| {
        let (text, query) = random_tasks(seed);
        check(&text, &query).is_some()
    });
    let reached = reached.count();
    assert!(reached > 60, "{reached} goals were reached");
}

#[test]
fn a_shop_with_other_names_is_understood() {
    let text = "int[0,1] crane = 1; int[-1,5] oven = -1; \
        process Cake(const int bake, const int lift) { clock age; \
            state shelf, moved { age <= lift }, front, baked { age <= bake }, sold; init shelf; trans \
            shelf -> moved { guard crane > 0; assign crane--, age = 0; }, \
            moved -> front { guard age == lift; assign crane = 1; }, \
            front -> baked { guard oven == -1; assign age = 0, oven = bake; }, \
            baked -> sold { guard age >= bake; assign oven = -1; }; } \
        A = Cake(5, 1); B = Cake(3, 2); C = Cake(4, 1); system A, B, C;";
    assert_eq!(check(text, "E<> A.sold && B.sold && C.sold"), Some(Infimum::attained(13)));
}

#[test]
fn models_that_are_no_networks_of_tasks_are_refused_with_a_reason() {
    let refuse = |text: &str, goal: &str| {
        with_model(text, goal, |model, goal| {
            let costing = Costing::of(model, Combination::Sum).expect("understood");
            let points =
                ScheduleSearch::new(model, goal, costing, &Meter::default()).expect("small");
            points.err().map(|why| why.0)
        })
    };
    let task = |guard: &str, assign: &str, rest: &str| {
        format!(
            "clock x, y; int[0,1] n; process P() {{ state a, t {{ x <= 3 }}, b; init a; trans \
             a -> t {{ assign x = 0; }}, t -> b {{ guard {guard}; assign {assign}; }}; }} \
             process Q() {{ state c, d; init c; trans c -> d {{ {rest} }}; }} system P, Q;"
        )
    };
    assert_eq!(refuse(&task("x >= 3", "y = 0", ""), "E<> P.b"), None);
    let refused = |guard: &str, assign: &str, rest: &str, goal: &str| {
        refuse(&task(guard, assign, rest), goal).expect("refused")
    };
    assert!(refused("x >= 2", "y = 0", "", "E<> P.b").contains("depends on more"));
    assert!(
        refused("x >= 3", "n = 1", "guard n == 0;", "E<> P.b")
            .contains("other processes may observe")
    );
    assert!(refused("x >= 3", "y = 0", "guard x > 2;", "E<> P.b").contains("x >= c"));
    assert!(refused("x >= 3", "y = 0", "guard y >= 2;", "E<> P.b").contains("several processes"));
    assert!(refused("x >= 3", "y = 0", "", "E<> P.t").contains("goal"));
    assert!(refused("x >= 3", "y = 0", "", "E<> !P.a").contains("goal"));
}
