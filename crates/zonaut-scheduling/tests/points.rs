//! Networks of tasks over points: what was once answered wrongly, and what is left to zones.

use zonaut_base::{Id, Meter};
use zonaut_cost::{Combination, CostOrder, Costing, Infimum, Optimisation, OptimizationOutcome};
use zonaut_model::{QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;
use zonaut_scheduling::{Beams, ScheduleSearch, TaskHeuristic};
use zonaut_zonegraph::StepError;

/// All answers over points, or why the model is left to zones.
fn answers(system: &str, query: &str) -> Result<Vec<Optimisation>, &'static str> {
    let (model, _) = model_of(system, &[query]).expect("a correct model");
    let QueryKind::Possibly(goal) = &model.queries[QueryId::from_index(0)].kind else {
        unreachable!("a goal to reach")
    };
    let costing = Costing::of(&model, Combination::Sum).expect("understood");
    let points = ScheduleSearch::new(&model, goal, costing, &Meter::default()).expect("small");
    let points = points.map_err(|why| why.0)?;
    let mut found = Vec::new();
    for order in CostOrder::ALL {
        for heuristic in [TaskHeuristic::Blind, TaskHeuristic::Automatic] {
            found.push(points.optimise(order, heuristic, &mut ()));
        }
    }
    for widest in [1, 1 << 16] {
        found.push(points.schedule(Beams { widest, ..Beams::default() }, &mut ()));
    }
    Ok(found)
}

/// Checks the least cost over points; nothing stands for a goal out of reach.
#[track_caller]
fn check(system: &str, query: &str, expected: Option<i64>) {
    for found in answers(system, query).expect("a network of tasks") {
        let cost = found.best.map(|best| best.cost);
        assert_eq!(cost, expected.map(Infimum::attained));
        let ending = if expected.is_some() {
            OptimizationOutcome::Optimal
        } else {
            OptimizationOutcome::Unreachable
        };
        assert_eq!(found.ending, ending);
    }
}

#[track_caller]
fn is_left_to_zones(system: &str, query: &str, why: &str) {
    let reason = answers(system, query).map(|found| found.len());
    assert!(reason.as_ref().is_err_and(|reason| reason.contains(why)), "{reason:?}");
}

/// Waiting for the end of the task was a point that its parent covered.
#[test]
fn a_task_may_end_in_several_ways() {
    let system = |more: &str| {
        format!(
            "clock x; process P() {{ state idle, work {{ x <= 2 }}, good, bad, slow {{ x <= 50 }}; \
             init idle; trans idle -> work {{ assign x = 0; }}, work -> good {{ guard x >= 2; }}, \
             work -> bad {{ guard x >= 2; }}{more}; }} system P;"
        )
    };
    let slow = ", idle -> slow { assign x = 0; }, slow -> good { guard x >= 50; }";
    check(&system(slow), "E<> P.good", Some(2));
    check(&system(slow), "E<> P.bad", Some(2));
}

#[test]
fn tasks_that_end_at_once_in_several_ways_are_decided_one_after_the_other() {
    let system = "process P(const int d) { clock x; state idle, work { x <= d }, good, bad; \
        init idle; trans idle -> work { assign x = 0; }, work -> good { guard x >= d; }, \
        work -> bad { guard x == d; }; } A = P(2); B = P(2); C = P(0); system A, B, C;";
    check(system, "E<> A.good && B.bad && C.good", Some(2));
    check(system, "E<> A.good && A.bad", None);
}

/// The rule that a task without trace is done at once led to a point that was covered.
#[test]
fn a_task_in_a_cycle_is_never_done_for_its_own_sake() {
    let system = "clock x, y; process P() { state a, b, done; init a; trans a -> b { }, \
        b -> done { guard x >= 4; }; } process Cycle() { state rest, work { y <= 2 }; init rest; \
        trans rest -> work { assign y = 0; }, work -> rest { guard y >= 2; }; } system P, Cycle;";
    check(system, "E<> P.done", Some(4));
}

/// The cell of the process has another value if the task begins later.
#[test]
fn a_task_that_copies_what_others_write_leaves_a_trace() {
    let system = "int[0,1] s, own; clock x, y; process P() { state a, work { x <= 1 }, b, done; \
        init a; trans a -> work { assign x = 0, own = s; }, work -> b { guard x >= 1; }, \
        b -> done { guard own == 1; }; } process Q() { state a, b; init a; \
        trans a -> b { guard y >= 3; assign s = 1; }; } system P, Q;";
    check(system, "E<> P.done", Some(4));
}

/// Bounds of 2^30 - 1 and more counted as dead ends.
#[test]
fn large_bounds_are_no_dead_ends() {
    let task = |rate: &str, length: i32| {
        format!(
            "clock x; process P() {{ state a {{ {rate} }}, v {{ x <= {length} && {rate} }}, \
             b {{ {rate} }}, w {{ x <= {length} && {rate} }}, c {{ {rate} }}; init a; \
             trans a -> v {{ assign x = 0; }}, v -> b {{ guard x >= {length}; }}, \
             b -> w {{ assign x = 0; }}, w -> c {{ guard x >= {length}; }}; }} system P;"
        )
    };
    check(&task("cost' == 1000", 1_000_000), "E<> P.c", Some(2_000_000_000));
    check(&task("cost' == 2000000000", 200_000_000), "E<> P.c", Some(800_000_000_000_000_000));
    // Dates beyond 2^29 are left to zones.
    for found in answers(&task("cost' == 1", 500_000_000), "E<> P.c").expect("tasks") {
        assert!(matches!(found.ending, OptimizationOutcome::Failed { .. }), "{:?}", found.ending);
    }
}

/// A process that sleeps without deadline counted as one that has overslept: `unreachable`.
#[test]
fn dates_out_of_range_are_no_dead_ends() {
    let cycle = "process Cycle() { clock y; state rest, work { y <= 2 }; init rest; \
        trans rest -> work { assign y = 0; }, work -> rest { guard y >= 2; }; }";
    let waits =
        "process P() { clock x; state a, b; init a; trans a -> b { guard x >= 600000000; }; }";
    let works = "process P() { clock x, t; state a, work { x <= 300000000 }, b, c; init a; \
        trans a -> work { guard t >= 400000000; assign x = 0; }, \
        work -> b { guard x >= 300000000; }, work -> c { guard x >= 300000000; }; }";
    for process in [waits, works] {
        let system = format!("{process} {cycle} system P, Cycle;");
        for found in answers(&system, "E<> P.b").expect("a network of tasks") {
            let OptimizationOutcome::Failed { error: StepError::ClockRange, .. } = found.ending
            else {
                panic!("{:?}", found.ending)
            };
        }
    }
}

#[test]
fn what_is_not_proven_is_left_to_zones() {
    let process = |locations: &str, edges: &str| {
        format!(
            "clock x, t; int[0,1] v; process P() {{ state {locations}; init a; trans {edges}; }} \
             process D() {{ state l; init l; }} system P, D;"
        )
    };
    let deadline = "clock x, t; process P() { state a, b; init a; trans a -> b { guard x >= 5; }; } \
        process D() { state l { t <= 5 }, m; init l; trans m -> l { assign t = 0; }; } system P, D;";
    is_left_to_zones(deadline, "E<> P.b", "no outgoing edge");
    let dead = process("a, w { x <= 2 }, b", "a -> w { assign x = 0; }, a -> b { guard t >= 1; }");
    is_left_to_zones(&dead, "E<> P.b", "no outgoing edge");
    let early = process("a, w { x <= 2 }, b", "a -> w { assign x = 0; }, w -> b { guard x >= 1; }");
    is_left_to_zones(&early, "E<> P.b", "more than its duration");
    let late = process("a, b", "a -> b { guard x <= 2; }, b -> a { assign x = 0; }");
    is_left_to_zones(&late, "E<> P.b", "x >= c");
    let chained = process(
        "a, v { x <= 2 }, w { t <= 2 }, b",
        "a -> v { assign x = 0; }, v -> w { guard x >= 2; assign t = 0; }, \
         w -> b { guard t >= 2; }",
    );
    is_left_to_zones(&chained, "E<> P.b", "followed immediately by another");
    let earlier = process(
        "a, w { x <= 2 && t <= 9 }, b { t <= 8 }",
        "a -> w { assign x = 0; }, w -> b { guard x >= 2; }",
    );
    is_left_to_zones(&earlier, "E<> P.b", "an earlier deadline");
    let observed = "int[0,3] n; clock x; process P() { state a, w { x <= 2 }, b; init a; \
        trans a -> w { assign x = 0, n += 2; }, w -> b { guard x >= 2; assign n -= 2; }; } \
        process Q() { state a, b; init a; trans a -> b { guard n == 2; }; } system P, Q;";
    is_left_to_zones(observed, "E<> Q.b", "other processes may observe");
}

#[test]
fn clocks_that_are_never_set_have_deadlines_and_release_dates() {
    let process = |edge: &str, last: i32| {
        format!(
            "clock x, t; process P() {{ state a, b; init a; trans a -> b {{ {edge} }}; }} \
             process D() {{ state l {{ t <= {last} }}; init l; }} system P, D;"
        )
    };
    check(&process("guard x >= 5;", 5), "E<> P.b", Some(5));
    check(&process("guard x >= 5;", 4), "E<> P.b", None);
    check(&process("guard x >= 3 && t <= 4;", 9), "E<> P.b", Some(3));
    check(&process("guard x >= 3 && t <= 2;", 9), "E<> P.b", None);
}
