//! Table tests of the static guard analysis, and a comparison of the sparse flow with a dense one.

mod dense;

use super::*;
use crate::test_models::{model_of, process};
use zonaut_base::Id;

/// The bounds of a process's location by name as `x:lower,upper` words, `-` for none.
fn shown(model: &Model, bounds: &[ClockBounds]) -> String {
    let number = |value: i32| if value == NO_BOUND { "-".to_owned() } else { value.to_string() };
    let word = |b: &ClockBounds| {
        let name = model.clocks[b.clock].name.rsplit('.').next().unwrap_or_default();
        format!("{name}:{},{}", number(b.lower), number(b.upper))
    };
    bounds.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Checks the bounds at some locations, written `P.l0`, and those of the goal, written `goal`.
fn check(text: &str, query: &str, expected: &[(&str, &str)]) -> BoundsTable {
    let (model, goal) = model_of(text, query);
    let table = BoundsTable::new(&model, &goal);
    for &(at, expected) in expected {
        let bounds = match at.split_once('.') {
            None => table.everywhere(),
            Some((process, location)) => {
                let process = model.process_named(process).expect("a process");
                let mut locations = model.processes[process].locations.iter_enumerated();
                let location = locations.find(|(_, l)| l.name == location).expect("a location").0;
                table.of(process, location)
            }
        };
        assert_eq!(shown(&model, bounds), expected, "{at} of {text}");
    }
    table
}

/// One process with clocks x, y, z and locations l0 to l3.
fn check_process(edges: &str, expected: &[(&str, &str)]) -> BoundsTable {
    let body = format!("clock x, y, z; state l0, l1, l2, l3; init l0; trans {edges};");
    check(&process(&body), "E<> true", expected)
}

#[test]
fn constants_of_the_goal_hold_everywhere() {
    let text = process(
        "clock x, y; state l0 { x <= 1 }; init l0; trans l0 -> l0 { guard x == 1; assign x = 0; };",
    );
    check(
        &text,
        "E<> P.y == 5 && P.x > 0 && P.x < 1",
        &[("goal", "x:0,1 y:5,5"), ("P.l0", "x:1,1")],
    );
    check(&text, "E<> P.y >= 5 && P.x < 1", &[("goal", "x:-,1 y:5,-")]);
    check(&text, "E<> not (P.y >= 5 or P.x < 1)", &[("goal", "x:1,- y:-,5")]);
    check(&text, "E<> not (P.y == 5)", &[("goal", "y:5,5")]);
}

#[test]
fn guards_bound_from_the_side_that_they_test() {
    check_process(
        "l0 -> l1 { guard x > 2 && y < 3; }, l1 -> l2 { guard x < 2; }, l2 -> l3 { guard z == 4; }",
        &[("P.l0", "x:2,2 y:-,3 z:4,4"), ("P.l1", "x:-,2 z:4,4"), ("P.l2", "z:4,4"), ("P.l3", "")],
    );
}

#[test]
fn invariants_count_where_they_hold_and_before() {
    let text = process(
        "clock x, y, z; state l0 { y <= 0 }, l1, l2 { x < 1 }, l3 { z >= 3 }; init l0; \
         trans l0 -> l1 { }, l1 -> l2 { }, l1 -> l3 { assign z = 5; };",
    );
    let expected =
        [("P.l0", "x:-,1 y:-,0"), ("P.l1", "x:-,1"), ("P.l2", "x:-,1"), ("P.l3", "z:3,-")];
    check(&text, "E<> true", &expected);
}

#[test]
fn a_set_clock_is_not_active_before() {
    check_process(
        "l0 -> l1 { assign x = 5; }, l1 -> l2 { assign y = 0; }, l2 -> l3 { guard x < 5 && y > 1; }",
        &[("P.l0", ""), ("P.l1", "x:-,5"), ("P.l2", "x:-,5 y:1,-")],
    );
}

#[test]
fn a_reset_inside_a_function_counts_if_every_path_resets() {
    for (body, at_l0) in [
        ("int i = 0; while (i < 5) { i++; } x = i;", ""),
        ("if (v == 0) { x = 1; } else { x = 2; }", ""),
        ("if (v == 0) { x = 1; return; } v = 0; x = 0;", ""),
        ("if (v == 0) { x = 1; }", "x:-,5"),
        ("if (v == 0) { return; } x = 0;", "x:-,5"),
        ("int i = 0; while (i < 5) { i++; x = i; }", "x:-,5"),
    ] {
        let text = process(&format!(
            "clock x; int v; void hold() {{ {body} }} state l0, l1, l2; init l0; \
             trans l0 -> l1 {{ assign hold(); }}, l1 -> l2 {{ guard x < 5; }};",
        ));
        check(&text, "E<> true", &[("P.l0", at_l0), ("P.l1", "x:-,5")]);
    }
}

#[test]
fn copies_pass_bounds_to_their_source() {
    // The order of updates is irrelevant for the source.
    let read = ", l1 -> l2 { guard x >= 3; }, l1 -> l3 { guard y < 7; }";
    for (updates, at_l0) in [
        ("x = y", "y:3,7"),
        ("x = y, y = 0", "y:3,-"),
        ("x = 0, y = x", "x:-,7"),
        ("y = x, x = 0", "x:-,7"),
        ("x = y, y = x", "x:3,7 y:3,7"),
        ("x = z", "y:-,7 z:3,-"),
        // More than needed, since z is copied from and to.
        ("z = y, y = x, x = z", "x:3,7 y:3,7 z:3,7"),
        ("x = x", "x:3,- y:-,7"),
    ] {
        let edges = format!("l0 -> l1 {{ assign {updates}; }}{read}");
        check_process(&edges, &[("P.l0", at_l0), ("P.l1", "x:3,- y:-,7")]);
    }
}

#[test]
fn copies_are_found_wherever_they_hide() {
    let sure = "y:-,4";
    for (function, update, at_l0) in [
        ("void f() { x = y; }", "f()", sure),
        ("int f() { x = y; return 1; }", "v = f()", sure),
        ("int f() { x = y; return 1; }", "v = 2 + f()", sure),
        ("int f() { x = y; return 1; }", "z = f()", sure),
        ("int f() { x = y; return 1; }", "a[f()] = 1", sure),
        ("int f() { x = y; return 1; } int g(int k) { return k; }", "v = g(f())", sure),
        ("int f() { x = y; return 1; } void g() { if (f() == 1) { v = 1; } }", "g()", sure),
        ("int f() { x = y; return 1; } void g() { while (v < f()) { v = 3; } }", "g()", sure),
        ("void f() { for (i : int[0,1]) { if (i == 1) { x = y; } } }", "f()", "x:-,4 y:-,4"),
    ] {
        let body = format!(
            "clock x, y, z; int v; int a[2]; {function} state l0, l1, l2; init l0; \
             trans l0 -> l1 {{ assign {update}; }}, l1 -> l2 {{ guard x <= 4; }};"
        );
        check(&process(&body), "E<> true", &[("P.l0", at_l0)]);
    }
}

#[test]
fn a_copy_within_an_array_may_leave_the_target_as_it_is() {
    let text = process(
        "clock c[2]; int[0,1] i = 1; state l0, l1, l2; init l0; \
         trans l0 -> l1 { assign c[1] = c[i]; }, l1 -> l2 { guard c[1] >= 3; };",
    );
    check(&text, "E<> true", &[("P.l0", "c[0]:3,- c[1]:3,-")]);
}

#[test]
fn a_copy_by_another_process_or_around_every_transition_counts() {
    let processes = "process P() { state l0, l1; init l0; trans l0 -> l1 { guard x >= 3; }; } \
                     process Q() { state m0, m1; init m0; trans m0 -> m1 { UPDATE }; } system P, Q;";
    let copying = format!("clock x, y; {}", processes.replace("UPDATE", "assign x = y;"));
    check(&copying, "E<> true", &[("P.l0", "x:3,-"), ("Q.m0", "y:3,-"), ("Q.m1", "")]);
    for hook in ["before_update", "after_update"] {
        let framed = processes.replace("UPDATE", "");
        let text = format!("clock x, y; {hook} {{ x = y }} {framed}");
        let expected = [("P.l0", "x:3,- y:3,-"), ("Q.m0", "y:3,-"), ("Q.m1", "")];
        check(&text, "E<> true", &expected);
    }
}

#[test]
fn guards_that_are_also_negated_bound_from_both_sides() {
    let template = "process S() { state s0, s1; init s0; trans s0 -> s1 { guard x <= 2; sync c!; }; } \
                    process R() { state r0, r1; init r0; trans r0 -> r1 { guard y > 3; sync c?; }; } system S, R;";
    for (channel, sender, receiver) in [
        ("chan c;", "x:-,2", "y:3,-"),
        ("broadcast chan c;", "x:-,2", "y:3,3"),
        ("urgent chan c;", "x:2,2", "y:3,3"),
        ("urgent broadcast chan c;", "x:2,2", "y:3,3"),
    ] {
        let text = format!("clock x, y; {channel} {template}");
        check(&text, "E<> true", &[("S.s0", sender), ("R.r0", receiver)]);
    }
}

#[test]
fn where_deadlocks_are_asked_for_every_test_bounds_from_both_sides() {
    let text = process(
        "clock x, y, z; state l0 { x <= 3 }, l1; init l0; trans l0 -> l1 { guard y >= 2; };",
    );
    let one_sided = [("P.l0", "x:-,3 y:2,-"), ("goal", "z:4,-")];
    assert!(!check(&text, "E<> P.z > 4", &one_sided).subtracts_zones());
    // Constraints of the goal itself are tested in one polarity.
    let two_sided = [("P.l0", "x:3,3 y:2,2"), ("goal", "z:4,-")];
    assert!(check(&text, "E<> deadlock && P.z > 4", &two_sided).subtracts_zones());
    assert!(check(&text, "E<> !deadlock && P.z > 4", &two_sided).subtracts_zones());
}

#[test]
fn another_process_keeps_a_clock_that_this_one_sets() {
    let text = "clock y; process P() { state l0, l1; init l0; trans l0 -> l1 { assign y = 0; }; } \
                process Q() { state q0, q1, q2; init q0; trans q0 -> q1 { }, q1 -> q2 { guard y < 2; }; } system P, Q;";
    check(text, "E<> true", &[("P.l0", ""), ("Q.q0", "y:-,2"), ("Q.q1", "y:-,2"), ("Q.q2", "")]);
}

#[test]
fn computed_bounds_take_the_largest_value_that_occurs() {
    let text = process(
        "clock x, y; int d = 2; state l0 { x <= d }, l1; init l0; \
         trans l0 -> l1 { guard y > -4; assign d = 9; };",
    );
    check(&text, "E<> true", &[("P.l0", "x:-,9 y:0,-")]);
}

#[test]
fn an_array_of_clocks_is_bounded_as_a_whole_by_a_computed_index() {
    let text = process(
        "clock c[3]; int[0,2] i; state l0, l1; init l0; trans l0 -> l1 { guard c[i] < 4; };",
    );
    check(&text, "E<> true", &[("P.l0", "c[0]:-,4 c[1]:-,4 c[2]:-,4")]);
}

#[test]
fn differences_are_recorded_with_the_bounds_that_split_them() {
    let difference = |relation: &str| {
        let table = check_process(&format!("l0 -> l1 {{ guard x - y {relation} 2; }}"), &[]);
        table.differences().to_vec()
    };
    let (x, y) = (Id::from_index(0), Id::from_index(1));
    let loose = BoundedDifference { x, y, low: 2, high: 2, is_strict: false };
    let strict = BoundedDifference { is_strict: true, ..loose };
    assert_eq!(difference("<="), [loose]);
    assert_eq!(difference(">"), [loose]);
    assert_eq!(difference("<"), [strict]);
    assert_eq!(difference(">="), [strict]);
    assert_eq!(difference("=="), [loose, strict]);
}

#[test]
fn a_difference_bounds_both_clocks_by_all_that_it_can_turn_into() {
    let guard = "l1 -> l2 { guard x - y < 2; }";
    check_process(&format!("l0 -> l1 {{ }}, {guard}"), &[("P.l0", "x:2,2 y:2,2")]);
    check_process(&format!("l0 -> l1 {{ assign x = 0; }}, {guard}"), &[("P.l0", "y:2,2")]);
    // Behind `x = 10` the guard is `y > 8`.
    check_process(&format!("l0 -> l1 {{ assign x = 10; }}, {guard}"), &[("P.l0", "y:12,12")]);
    check_process(
        &format!("l3 -> l0 {{ assign z = 10; }}, l0 -> l1 {{ assign x = z; }}, {guard}"),
        &[("P.l3", "y:12,12"), ("P.l0", "y:12,12 z:2,2")],
    );
}

#[test]
fn a_difference_of_a_copy_is_one_of_its_source() {
    let table = check_process("l0 -> l1 { assign x = z; }, l1 -> l2 { guard x - y < 2; }", &[]);
    let pairs: Vec<_> = table.differences().iter().map(|d| (d.x.index(), d.y.index())).collect();
    assert_eq!(pairs, [(0, 1), (2, 1)]);
}

#[test]
fn a_computed_difference_is_compared_with_all_that_its_bound_can_be() {
    let text = process(
        "clock x, y; int d; state l0, l1; init l0; \
         trans l0 -> l1 { guard x - y < d; }, l0 -> l0 { assign d = 4; };",
    );
    let table = check(&text, "E<> true", &[("P.l0", "x:4,4 y:4,4")]);
    let (x, y) = (Id::from_index(0), Id::from_index(1));
    let expected = BoundedDifference { x, y, low: 0, high: 4, is_strict: true };
    assert_eq!(table.differences(), [expected]);
}

#[test]
fn the_greatest_constant_counts_settings_too() {
    let table = check_process("l0 -> l1 { assign x = 70; }, l1 -> l2 { guard x < 5; }", &[]);
    assert_eq!(table.greatest(), 70);
    assert_eq!(check_process("l0 -> l1 { guard x < 5; }", &[]).greatest(), 5);
}

#[test]
fn mapping_visits_every_entry_with_its_location() {
    let text = process("clock x; state l0, l1; init l0; trans l0 -> l1 { guard x < 5; };");
    let (model, goal) = model_of(&text, "E<> P.x > 8");
    let table = BoundsTable::new(&model, &goal);
    let mut places = Vec::new();
    let changed = table.mapped(|at, bounds| {
        places.push(at.map(|(process, location)| (process.index(), location.index())));
        ClockBounds { lower: 1, ..bounds }
    });
    assert_eq!(places, [Some((0, 0)), None]);
    let at = changed.of(Id::from_index(0), Id::from_index(0));
    assert_eq!(shown(&model, at), "x:1,5");
    assert_eq!(shown(&model, changed.everywhere()), "x:1,-");
}

#[test]
fn two_sided_locations_bound_their_own_tests_and_the_invariants_they_lead_to() {
    let text = process(
        "clock x, y, z; state l0, l1 { x <= 3 }, l2 { z <= 5 }; init l0; \
         trans l0 -> l1 { guard y >= 2; }, l1 -> l2 { guard y < 4; assign z = 0; };",
    );
    let (model, goal) = model_of(&text, "E<> deadlock");
    let process = model.process_named("P").expect("a process");
    let shown_at =
        |table: &BoundsTable, k: usize| shown(&model, table.of(process, LocationId::from_index(k)));
    let mut locations = TwoSidedLocations::none();
    let plain = BoundsTable::with_two_sided(&model, &goal, &locations).expect("no differences");
    assert_eq!(shown_at(&plain, 0), "x:-,3 y:2,4");
    assert!(locations.add_state(1, &[0]));
    assert!(!locations.add_state(1, &[0]), "known");
    // From l0, the guard `y >= 2` and the invariant of l1 matter; what l1 tests does not.
    let raised = BoundsTable::with_two_sided(&model, &goal, &locations).expect("no differences");
    assert_eq!(shown_at(&raised, 0), "x:3,3 y:2,4");
    assert_eq!(shown_at(&raised, 1), "x:3,3 y:-,4");
    assert!(locations.add_state(1, &[1]));
    let raised = BoundsTable::with_two_sided(&model, &goal, &locations).expect("no differences");
    // Bounds flow backwards, except over the reset of z.
    assert_eq!(shown_at(&raised, 0), "x:3,3 y:4,4");
    assert_eq!(shown_at(&raised, 2), "z:5,5");
    let everywhere = BoundsTable::with_two_sided(&model, &goal, &TwoSidedLocations::all());
    let usual = BoundsTable::new(&model, &goal);
    for k in 0..3 {
        assert_eq!(shown_at(&everywhere.clone().expect("the same"), k), shown_at(&usual, k));
    }
}

#[test]
fn priorities_differences_and_stopwatches_need_both_sides_everywhere() {
    for text in [
        "chan a, b; chan priority a < b; process P() { clock x; state s; init s; } system P;",
        "process P() { clock x, y; state s; init s; trans s -> s { guard x - y < 2; }; } system P;",
        "process P() { clock x; state s { x' == 0 }; init s; } system P;",
    ] {
        let (model, goal) = model_of(text, "E<> deadlock");
        let none = TwoSidedLocations::none();
        assert!(BoundsTable::with_two_sided(&model, &goal, &none).is_none(), "{text}");
    }
}

/// The locations of the only process in which the clock `x` is pinned for its values where the goal
/// holds; `None` if it cannot be.
fn pinned_locations(edges: &str, query: &str) -> Option<Vec<i32>> {
    let body = format!("clock x, y; state l0, l1, l2, l3; init l0; trans {edges};");
    let (model, goal) = model_of(&process(&body), query);
    let clock = ClockId::from_index(0);
    let pinned = ClockBounds { clock, lower: 7, upper: NO_BOUND };
    let table = BoundsTable::with_pinned(&model, &goal, pinned)?;
    assert_eq!(table.unpinned().expect("it is pinned").pinned_in(&[0]), None);
    Some((0..4).filter(|&location| table.pinned_in(&[location]).is_some()).collect())
}

#[test]
fn a_clock_is_pinned_from_where_it_is_set_to_the_condition() {
    let path = "l0 -> l1 { assign x = 0; }, l1 -> l2 { }, l2 -> l3 { }";
    assert_eq!(pinned_locations(path, "E<> P.l2"), Some(vec![1, 2]));
    assert_eq!(pinned_locations(path, "E<> P.l3 && P.y > 3"), Some(vec![1, 2, 3]));
    assert_eq!(pinned_locations(path, "E<> P.l1 || P.l3"), Some(vec![1, 2, 3]));
    assert_eq!(pinned_locations(path, "E<> not P.l1"), Some(vec![0, 1, 2, 3]));
    assert_eq!(pinned_locations(path, "E<> false"), Some(vec![]));
    let copied = "l0 -> l1 { assign x = y; }, l1 -> l2 { }";
    assert_eq!(pinned_locations(copied, "E<> P.l2"), None);
}

#[test]
fn a_clock_is_pinned_only_if_all_processes_can_come_to_the_condition() {
    let text = "clock x; process P() { state a, b; init a; trans a -> b { assign x = 0; }; }
        process Q() { state a, b; init a; trans a -> b { }; } system P, Q;";
    let (model, goal) = model_of(text, "E<> P.b && Q.b");
    let clock = ClockId::from_index(0);
    let pinned = ClockBounds { clock, lower: 7, upper: 8 };
    let table = BoundsTable::with_pinned(&model, &goal, pinned).expect("it is not copied");
    assert_eq!(table.pinned_in(&[1, 0]), Some(pinned));
    assert_eq!(table.pinned_in(&[0, 0]), None);
    let lower = table.repinned(|bounds| ClockBounds { lower: 1, ..bounds });
    assert_eq!(lower.pinned_in(&[1, 1]), Some(ClockBounds { clock, lower: 1, upper: 8 }));
    assert!(!lower.bounds_as(&table));
}
