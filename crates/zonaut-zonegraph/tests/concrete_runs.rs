//! Paths become runs with exact delays, the earliest ones.

mod explorer;

use explorer::{Answer, Subject, as_replayed, check};
use zonaut_concrete::{ConcreteRun, Destination, concretise};
use zonaut_testkit::replay::replay;
use zonaut_zonegraph::{Abstraction, CompiledGoal};

/// The run that a search in `abstraction` finds.
fn run_of(text: &str, query: &str, abstraction: Abstraction) -> ConcreteRun {
    let subject = Subject::of_text(text, query);
    let graph = subject.graph(abstraction).expect("a sound abstraction");
    let answer = subject.answer(abstraction, 10_000);
    if let Some(Answer::Failed(steps)) = answer {
        return concretise(&graph, &steps, Destination::Failure).expect("a run");
    }
    let steps = match answer {
        Some(Answer::Reachable(steps)) => Some(steps),
        _ => None,
    };
    let goal = CompiledGoal::new(&subject.model, &subject.goal);
    let run = concretise(&graph, &steps.expect("a path"), Destination::Goal(&goal)).expect("a run");
    assert_eq!(replay(&subject.model, &subject.goal, &as_replayed(&graph, &run)), Ok(()));
    run
}

/// Checks the delays, over their denominator, the last one being after the last transition.
fn check_delays(text: &str, query: &str, denominator: i64, delays: &[i64]) {
    for abstraction in [Abstraction::Simulation, Abstraction::LowerUpperPlus, Abstraction::Exact] {
        let run = run_of(text, query, abstraction);
        let found: Vec<i64> =
            run.steps.iter().map(|step| step.delay).chain([run.last_delay]).collect();
        assert_eq!((run.denominator, &*found), (denominator, delays), "{abstraction:?}: {text}");
    }
}

fn process(body: &str) -> String {
    format!("process P() {{ clock x, y; {body} }} system P;")
}

#[test]
fn the_earliest_run_is_found() {
    let text = process(
        "state a, b, c; init a; trans a -> b { guard x >= 2; assign y = 0; }, b -> c { guard x >= 3 && y <= 5; };",
    );
    check_delays(&text, "E<> P.c", 1, &[2, 1, 0]);
    check_delays(&text, "E<> P.c and P.y >= 4", 1, &[2, 1, 3]);
    check_delays(&text, "E<> P.c and P.x >= 6 and P.y <= 3", 1, &[3, 0, 3]);
    check_delays(&text, "E<> P.a", 1, &[0]);
}

#[test]
fn strict_bounds_are_kept_by_a_fraction() {
    let text = process(
        "state a, b, c; init a; trans a -> b { guard x > 2; assign y = 0; }, b -> c { guard x < 3 && y > 0; };",
    );
    // With denominator 2 only one date lies between 2 and 3, and two are needed.
    check_delays(&text, "E<> P.c", 3, &[7, 1, 0]);
    check_delays(&text, "E<> P.c and P.x > 3", 3, &[7, 1, 2]);
}

#[test]
fn clocks_are_shown_in_the_unit_of_the_delays() {
    let text = process(
        "clock z = 5; state a, b, c; init a; trans a -> b { guard x > 2; assign y = 3; }, \
         b -> c { guard x < 3 && y > 3; assign z = y, x = 1; };",
    );
    let run = run_of(&text, "E<> P.c", Abstraction::Simulation);
    let clocks: Vec<_> = run.steps.iter().map(|step| &*step.clocks).collect();
    assert_eq!((run.denominator, &*clocks), (3, &[&[7, 9, 22][..], &[3, 10, 10]][..]));
}

#[test]
fn times_that_waiting_does_not_change_are_chosen_before() {
    // y is at least 2 at the end although x causes the delay.
    let text = process(
        "state a { x <= 4 }, b { x <= 1 }, c; urgent c; init a; trans a -> b { guard x >= 1; assign x = 0; }, b -> c { guard y == 4; };",
    );
    check_delays(&text, "E<> P.c", 1, &[3, 1, 0]);
}

#[test]
fn nested_fractions_need_as_many_slots_as_events() {
    let text = process(
        "int[0,50] rounds; state l0, l1, l2, l3; init l0; \
         trans l0 -> l1 { guard y > 0 && y < 1; assign x = 0; }, l1 -> l2 { guard x > 0 && x < 1; assign y = 0; }, \
         l2 -> l3 { guard x > 1 && y < 1 && rounds < 50; assign x = 0; }, \
         l3 -> l2 { guard x > 0 && y < 1; assign y = 0, rounds++; };",
    );
    for abstraction in [Abstraction::Simulation, Abstraction::Maximum] {
        let run = run_of(&text, "E<> P.rounds == 50", abstraction);
        assert_eq!(run.steps.len(), 102);
        assert!((50..=104).contains(&run.denominator), "{}", run.denominator);
    }
}

#[test]
fn a_run_that_fails_ends_with_the_values_before_the_failure() {
    let text = process(
        "int[0,3] v; state a, b; init a; trans a -> a { guard x >= 2; assign x = 0, v = v + 2; };",
    );
    let run = run_of(&text, "E<> P.b", Abstraction::Simulation);
    assert!(run.fails);
    let ends: Vec<_> = run.steps.iter().map(|step| (step.delay, step.values[1])).collect();
    assert_eq!(ends, [(2, 2), (2, 2)]);
    assert_eq!(run.steps[1].clocks, [2, 4]);
}

#[test]
fn a_failing_invariant_leaves_clocks_as_they_were_before_the_transition() {
    let text = process(
        "int v; state a, b { 1 / v == 1 }; init a; trans a -> b { guard x == 2; assign x = 0; };",
    );
    let run = run_of(&text, "E<> P.b", Abstraction::Simulation);
    assert!(run.fails);
    assert_eq!(run.steps[0].clocks, [2, 2]);
    assert_eq!(run.steps[0].values, run.start);
}

#[test]
fn a_failing_guard_is_found_even_without_a_sender() {
    let text = "chan c; int v; \
         process P() { state a, b; init a; trans a -> b { guard 1 / v == 1; sync c?; }; } \
         process Q() { state a, b; init a; trans b -> a { sync c!; }; } system P, Q;";
    assert!(run_of(text, "E<> P.b", Abstraction::Simulation).fails);
}

#[test]
fn bounds_of_clocks_are_evaluated_only_where_the_data_allows_the_action() {
    let text = process(
        "int[0,1] v; state a, b; init a; trans a -> b { guard v != 0 && x >= 4 / v; }, a -> a { guard v == 0; assign v = 1; };",
    );
    check(&text, "E<> P.b", true);
    check(&text.replace("v = 1;", "v = 0;"), "E<> P.b", false);
}

#[test]
fn the_first_delay_ends_where_an_urgent_synchronisation_begins() {
    let urgent = "urgent chan u; clock x, y; \
         process P() { state a, b; init a; trans a -> b { guard x >= 2 && x <= 3; sync u!; }; } \
         process Q() { state c, d, e; init c; trans c -> c { sync u?; }, c -> d { guard x == 2; }, c -> e { guard x > 2; }; } \
         system P, Q;";
    check(urgent, "E<> Q.d", true);
    check(urgent, "E<> P.a and Q.e", false);
    check(urgent, "E<> P.b and Q.e", true);
}

#[test]
fn the_initial_state_is_on_one_side_of_every_difference() {
    let apart = "clock x, y; process P() { state a, b, c; init a; trans a -> b { guard x - y < 1; assign y = 0; }, b -> c { guard x - y >= 1; }; } system P;";
    check(apart, "E<> P.c", true);
    check(apart, "E<> P.a and x - y > 0", false);
}

#[test]
fn an_error_where_time_stops_is_reached() {
    let text = "urgent chan u; clock x; int[0,1] v; \
         process P() { state a, b; init a; trans a -> b { guard x >= 2; sync u!; }; } \
         process Q() { state c, d; init c; trans c -> d { guard x < 2; assign v = 1; }, c -> d { guard x == 2; assign v = 2; }; } \
         process R() { state r; init r; trans r -> r { sync u?; }; } system P, Q, R;";
    check(text, "E<> Q.d and v == 0", false);
    for abstraction in Abstraction::ALL {
        assert!(run_of(text, "E<> Q.d and v == 0", abstraction).fails);
    }
}

#[test]
fn a_run_is_found_where_widening_moves_a_cut() {
    // The stay in l1 ends where the urgent broadcast begins, and widened zones are split elsewhere.
    let text = "clock x, y, z; urgent broadcast chan w; \
         process P() { state l0, l1, l2, l3; init l0; \
         trans l0 -> l1 { assign z = 1; }, l1 -> l1 { assign z = 0; }, l1 -> l2 { guard y > 3; }, l2 -> l3 { assign x = 1; }; } \
         process S() { state s; init s; trans s -> s { guard x <= 1 && z >= 1; sync w!; assign y = 0; }; } system P, S;";
    check(text, "E<> P.l3", true);
    let other = "clock x, y, z; urgent chan u; urgent broadcast chan w; \
         process P() { state l0, l1, l2, l3; init l0; \
         trans l0 -> l1 { assign z = 0; }, l1 -> l2 { guard y > 0; assign x = 0, y = 0; }, \
         l2 -> l3 { guard z <= 0 && x < 1; assign y = 0, z = 0; }, l3 -> l2 { assign x = 0, z = 0; }, \
         l0 -> l2 { guard x <= 1 && x >= 2; assign y = 1; }, l3 -> l0 { }; } \
         process S() { state s; init s; trans s -> s { guard z == 2 && x == 2; sync u!; }, s -> s { guard x > 3 && z >= 1; sync w!; assign y = 0; }; } \
         process R() { state r; init r; trans r -> r { guard z > 1; sync u?; assign x = 0; }; } system P, S, R;";
    check(other, "E<> P.l3", true);
}
