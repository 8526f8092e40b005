//! Runs with one error each.

use super::{Flaw, FlawKind, Run, RunStep, goal_of, replay};
use crate::front_end::model_of;
use crate::network::Participant;
use zonaut_base::Id;
use zonaut_model::{EdgeId, ProcessId, QueryId};

/// A delay, and the participants, as process and number of the edge.
type Step<'s> = (i128, &'s [(usize, usize)]);

/// Replays a run whose times are halves.
fn check(model: &str, query: &str, steps: &[Step<'_>], expected: Result<(), (usize, FlawKind)>) {
    let (model, _) = model_of(model, &[query]).unwrap();
    let participant = |&(process, edge): &(usize, usize)| Participant {
        process: ProcessId::from_index(process),
        edge: EdgeId::from_index(edge),
        select: Vec::new(),
    };
    let step = |&(delay, edges): &Step<'_>| RunStep {
        delay,
        participants: edges.iter().map(participant).collect(),
    };
    let run = Run { denominator: 2, steps: steps.iter().map(step).collect() };
    let goal = goal_of(&model.queries[QueryId::from_index(0)].kind).unwrap();
    let expected = expected.map_err(|(step, kind)| Flaw { step, kind });
    assert_eq!(replay(&model, &goal, &run), expected);
}

const WINDOW: &str = "clock x; process P() { state a { x <= 2 }, b; init a; \
    trans a -> b { guard x > 1; assign x = 0; }; } system P;";

#[test]
fn guards_invariants_and_goals_are_compared_exactly() {
    let goal = "E<> P.b and x > 3";
    check(WINDOW, goal, &[(3, &[(0, 0)]), (7, &[])], Ok(()));
    check(WINDOW, goal, &[(4, &[(0, 0)]), (7, &[])], Ok(()));
    check(WINDOW, goal, &[(2, &[(0, 0)])], Err((0, FlawKind::NotEnabled)));
    check(WINDOW, goal, &[(5, &[(0, 0)])], Err((0, FlawKind::Invariant)));
    check(WINDOW, goal, &[(3, &[(0, 0)]), (6, &[])], Err((2, FlawKind::NotTheGoal)));
    check(WINDOW, goal, &[(1, &[]), (-1, &[])], Err((1, FlawKind::Delay)));
    check(WINDOW, "A[] P.a", &[(3, &[(0, 0)])], Ok(()));
    check(WINDOW, "E<> P.a", &[], Ok(()));
}

#[test]
fn a_broadcast_names_all_its_receivers_in_order() {
    let model = "clock x; broadcast chan c; \
        process S() { state a, b; init a; trans a -> b { sync c!; }; } \
        process R() { state r, s; init r; trans r -> s { guard x >= 1; sync c?; }; } \
        process Q() { state r, s; init r; trans r -> s { sync c?; }; } system S, R, Q;";
    let goal = "E<> S.b";
    check(model, goal, &[(1, &[(0, 0), (2, 0)])], Ok(()));
    check(model, goal, &[(2, &[(0, 0), (1, 0), (2, 0)])], Ok(()));
    check(model, goal, &[(2, &[(0, 0), (2, 0)])], Err((0, FlawKind::NotEnabled)));
    check(model, goal, &[(1, &[(0, 0), (1, 0), (2, 0)])], Err((0, FlawKind::NotEnabled)));
    check(model, goal, &[(2, &[(0, 0), (2, 0), (1, 0)])], Err((0, FlawKind::NotEnabled)));
    check(model, goal, &[(2, &[(0, 0)])], Err((0, FlawKind::NotEnabled)));
}

#[test]
fn a_binary_synchronisation_begins_with_its_sender() {
    let model = "chan c; process S() { state a, b; init a; trans a -> b { sync c!; }; } \
        process R() { state r, s; init r; trans r -> s { sync c?; }; } system R, S;";
    check(model, "E<> S.b", &[(0, &[(1, 0), (0, 0)])], Ok(()));
    check(model, "E<> S.b", &[(0, &[(0, 0), (1, 0)])], Err((0, FlawKind::NotEnabled)));
    check(model, "E<> S.b", &[(0, &[(1, 0)])], Err((0, FlawKind::NotEnabled)));
}

#[test]
fn urgency_stops_time_also_in_the_middle_of_a_delay() {
    let urgent = |guard: &str| {
        format!(
            "clock x, y; urgent broadcast chan u; process S() {{ state a, b; init a; \
             trans a -> b {{ guard {guard}; sync u!; }}; }} system S;"
        )
    };
    check(&urgent("x >= 1"), "E<> true", &[(2, &[(0, 0)]), (9, &[])], Ok(()));
    check(&urgent("x >= 1"), "E<> true", &[(3, &[])], Err((0, FlawKind::TimeStops)));
    check(&urgent("x > 1"), "E<> true", &[(2, &[])], Ok(()));
    check(&urgent("x > 1"), "E<> true", &[(3, &[])], Err((0, FlawKind::TimeStops)));
    check(&urgent("x > 1"), "E<> true", &[(2, &[]), (1, &[])], Err((1, FlawKind::TimeStops)));
    check(&urgent("x > 1 && y < 2"), "E<> true", &[(9, &[])], Err((0, FlawKind::TimeStops)));
    check(&urgent("x == 1"), "E<> true", &[(9, &[])], Err((0, FlawKind::TimeStops)));
    check(&urgent("x - y > 0"), "E<> true", &[(9, &[])], Ok(()));
}

#[test]
fn immediate_urgency_prevents_all_later_transitions() {
    let model = "clock x, y; urgent broadcast chan u; process P() { state a; init a; \
        trans a -> a { guard y < 1 && x > 0; sync u!; }, a -> a { guard y > 0; }; } system P;";
    check(model, "E<> deadlock", &[], Ok(()));
}

/// Regression: the difference was taken for one that no delay changes.
#[test]
fn a_difference_to_a_clock_that_was_just_set_changes_with_time() {
    let model = "clock x, y; process P() { state a, b { x - y < -1 }; init a; \
        trans a -> b { assign x = 0; }; } system P;";
    check(model, "E<> not deadlock", &[], Ok(()));
    check(model, "E<> deadlock", &[], Err((0, FlawKind::NotTheGoal)));
}

#[test]
fn urgent_and_committed_locations_stop_time_and_committed_ones_go_first() {
    let model = "process P() { state a, b, c; urgent a; commit b; init a; \
        trans a -> b { }, b -> c { }; } \
        process Q() { state q, r; init q; trans q -> r { }; } system P, Q;";
    let goal = "E<> Q.r";
    check(model, goal, &[(1, &[(1, 0)])], Err((0, FlawKind::TimeStops)));
    check(model, goal, &[(0, &[(1, 0)])], Ok(()));
    check(model, goal, &[(0, &[(0, 0)]), (1, &[])], Err((1, FlawKind::TimeStops)));
    check(model, goal, &[(0, &[(0, 0)]), (0, &[(1, 0)])], Err((1, FlawKind::NotEnabled)));
    check(model, goal, &[(0, &[(0, 0)]), (0, &[(0, 1)]), (5, &[(1, 0)])], Ok(()));
}

#[test]
fn selected_values_are_part_of_a_step() {
    let text = "int v; process P() { state a, b; init a; \
        trans a -> b { select i : int[1,3]; guard i != 2; assign v = i; }; } system P;";
    let (model, _) = model_of(text, &["E<> v == 3"]).unwrap();
    let goal = goal_of(&model.queries[QueryId::from_index(0)].kind).unwrap();
    let flaw = |value: i32| {
        let (process, edge) = (ProcessId::from_index(0), EdgeId::from_index(0));
        let participants = vec![Participant { process, edge, select: vec![value] }];
        let steps = vec![RunStep { delay: 0, participants }];
        replay(&model, &goal, &Run { denominator: 1, steps }).map_err(|flaw| flaw.kind)
    };
    assert_eq!(flaw(3), Ok(()));
    assert_eq!(flaw(1), Err(FlawKind::NotTheGoal));
    assert_eq!(flaw(2), Err(FlawKind::NotEnabled));
    assert_eq!(flaw(4), Err(FlawKind::NotEnabled));
}

#[test]
fn a_failing_step_is_rejected() {
    let text = "int[0,1] v = 1; process P() { state a, b; init a; \
        trans a -> b { assign v = v + 1; }; } system P;";
    let (model, _) = model_of(text, &["E<> P.b"]).unwrap();
    let goal = goal_of(&model.queries[QueryId::from_index(0)].kind).unwrap();
    let (process, edge) = (ProcessId::from_index(0), EdgeId::from_index(0));
    let participants = vec![Participant { process, edge, select: Vec::new() }];
    let run = Run { denominator: 1, steps: vec![RunStep { delay: 0, participants }] };
    let flaw = replay(&model, &goal, &run).unwrap_err();
    assert!(matches!(flaw.kind, FlawKind::Failed(_)));
    let empty = Run { denominator: 0, steps: Vec::new() };
    assert_eq!(replay(&model, &goal, &empty).unwrap_err().kind, FlawKind::Denominator);
}
