//! Models that a wrong static analysis of clocks would answer wrongly, or not at all.

mod explorer;

use explorer::check;

/// One process with clocks x, y, z, an array of clocks c and an integer v.
fn process(declarations: &str, edges: &str) -> String {
    format!(
        "process P() {{ clock x, y, z; clock c[2]; int[0,9] v; {declarations} \
         state l0, l1, l2, l3, goal; init l0; trans {edges}; }} system P;"
    )
}

#[test]
fn a_clock_copied_inside_a_value_is_kept() {
    for (function, update) in [
        ("void f() { x = y; }", "f()"),
        ("int f() { x = y; return 1; }", "v = f()"),
        ("int f() { x = y; return 1; }", "z = f()"),
        ("int f() { x = y; return 1; } void g() { if (f() == 1) { v = 1; } }", "g()"),
    ] {
        let edges = format!(
            "l0 -> l1 {{ guard y >= 2; assign x = 0, z = 0; }}, \
             l1 -> l2 {{ guard z == 0; assign {update}; }}, l2 -> goal {{ guard x < 2 && z <= 1; }}"
        );
        check(&process(function, &edges), "E<> P.goal", false);
        check(&process(function, &edges.replace("x < 2", "x <= 3")), "E<> P.goal", true);
    }
}

#[test]
fn a_clock_copied_from_itself_keeps_its_value() {
    let edges = "l0 -> l1 { guard c[1] >= 3; assign x = 0, v = 1; }, \
                 l1 -> l2 { guard x == 0; assign c[1] = c[v]; }, l2 -> goal { guard c[1] < 3; }";
    check(&process("", edges), "E<> P.goal", false);
    check(&process("", &edges.replace("v = 1", "v = 0, c[0] = 0")), "E<> P.goal", true);
}

#[test]
fn copies_in_any_order_keep_what_they_need() {
    for (updates, reachable) in [
        ("x = 0, y = x", false),
        ("y = x, x = 0", true),
        ("x = y, y = 0", false),
        ("x = y, y = x", true),
        ("z = x, x = y, y = z", true),
    ] {
        let edges = format!(
            "l0 -> l1 {{ guard x == 3 && y == 3; }}, l1 -> l2 {{ guard x == 3; assign {updates}, v = 1; }}, \
             l2 -> goal {{ guard y == 3 && v == 1 && z <= 4; }}"
        );
        let query = if reachable { "E<> P.goal" } else { "E<> P.goal and P.x == 3 and P.y == 3" };
        check(&process("", &edges), query, updates == "x = y, y = x" || reachable);
    }
}

#[test]
fn a_difference_with_a_clock_that_was_set_is_a_test_of_the_other_one() {
    // Behind `x = 10` the last guard says z > 8, and z is 5.
    let edges = "l0 -> l1 { guard y == 5; assign y = 0; }, l1 -> l2 { guard y == 0; assign x = 10; }, \
                 l2 -> goal { guard x - z < 2; }";
    check(&process("", edges), "E<> P.goal", false);
    check(&process("", &edges.replace("< 2", "< 6")), "E<> P.goal", true);
}

#[test]
fn a_difference_of_a_copied_clock_is_one_of_its_source() {
    // x - z is c[0] - z, which is 0 - 5 or less.
    let edges = "l0 -> l1 { guard y == 5; assign c[0] = 0, y = 0; }, \
                 l1 -> l1 { guard y == 1; assign y = 0; }, \
                 l1 -> l2 { guard y == 0; assign x = c[0]; }, l2 -> goal { guard x - z > -2; }";
    check(&process("", edges), "E<> P.goal", false);
    check(&process("", &edges.replace("> -2", "> -6")), "E<> P.goal", true);
}

#[test]
fn differences_of_four_clocks_terminate_with_the_right_answer() {
    let text = |last: &str| {
        format!(
            "process P() {{ clock x1, x2, x3, x4; state a, b, c, d, q, err; init a; \
             trans a -> b {{ guard x3 <= 3; assign x1 = 0, x3 = 0; }}, b -> c {{ guard x2 == 3; assign x2 = 0; }}, \
             c -> d {{ guard x1 == 2; assign x1 = 0; }}, d -> c {{ guard x2 == 2; assign x2 = 0; }}, \
             c -> q {{ guard x1 == 3; assign x1 = 0; }}, q -> err {{ guard {last}; }}; }} system P;"
        )
    };
    let apart = "x2 - x1 > 2 && x4 - x3 < 2";
    let bounds = |text: &str, query: &str, reachable| {
        let subject = explorer::Subject::of_text(text, query);
        let answer = subject.answer(zonaut_zonegraph::Abstraction::Maximum, 50_000);
        let found = matches!(answer, Some(explorer::Answer::Reachable(_)));
        assert_ne!(answer, Some(explorer::Answer::Endless));
        assert_eq!(found, reachable, "{query}: {answer:?}");
    };
    bounds(&text(apart), "E<> P.err", false);
    bounds(&text("x2 - x1 > 2"), "E<> P.err", true);
    bounds(&text("true"), "E<> P.q && P.x2 - P.x1 > 2 && P.x4 - P.x3 < 2", false);
    bounds(&text("true"), "E<> P.q && P.x2 - P.x1 > 2 && P.x4 - P.x3 > 2", true);
}
