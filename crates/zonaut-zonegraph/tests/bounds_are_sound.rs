//! Models on which an unsound static analysis of clocks gives wrong or no answers.

mod explorer;

use explorer::{Answer, Subject, check};
use zonaut_zonegraph::Abstraction;

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
fn copies_in_any_order_keep_the_clocks_they_need() {
    for (updates, reachable) in [
        ("x = 0, y = x", false),
        ("y = x, x = 0", true),
        ("x = y, y = 0", false),
        ("x = y, y = x", true),
        ("z = x, x = y, y = z", true),
    ] {
        let edges = format!(
            "l0 -> l1 {{ guard x == 3; }}, l1 -> l2 {{ guard y == 3; assign {updates}; }}, \
             l2 -> goal {{ guard y == 3; }}"
        );
        let text = process("", &edges).replace("init l0;", "urgent l2; init l0;");
        check(&text, "E<> P.goal", reachable);
    }
}

#[test]
fn a_difference_with_a_clock_that_was_set_is_a_test_of_the_other_one() {
    // After `x = 10` the last guard means z > 8, and z is 5.
    let edges = "l0 -> l1 { guard y == 5; assign y = 0; }, l1 -> l2 { guard y == 0; assign x = 10; }, \
                 l2 -> goal { guard x - z < 2; }";
    check(&process("", edges), "E<> P.goal", false);
    check(&process("", &edges.replace("< 2", "< 6")), "E<> P.goal", true);
}

/// Two pairs of clocks whose differences stay equal, however large the clocks are (P. Bouyer:
/// "Forward analysis of updatable timed automata", DOI 10.1023/B:FORM.0000026093.21513.31).
fn four_clocks(last: &str) -> String {
    format!(
        "process P() {{ clock x1, x2, x3, x4, y1, y2, y3, y4; state a, b, c, d, q, r, err; urgent r; init a; \
         trans a -> b {{ guard x3 <= 3; assign x1 = 0, x3 = 0; }}, b -> c {{ guard x2 == 3; assign x2 = 0; }}, \
         c -> d {{ guard x1 == 2; assign x1 = 0; }}, d -> c {{ guard x2 == 2; assign x2 = 0; }}, \
         c -> q {{ guard x1 == 3; assign x1 = 0; }}, {last}; }} system P;"
    )
}

/// Checks an answer for a model with too many regions for the oracle.
fn check_four(last: &str, query: &str, reachable: bool) {
    let subject = Subject::of_text(&four_clocks(last), query);
    let answer = subject.answer(Abstraction::Maximum, 20_000);
    assert_ne!(answer, Some(Answer::Endless));
    assert_eq!(matches!(answer, Some(Answer::Reachable(_))), reachable, "{last} {query}");
}

#[test]
fn differences_of_four_clocks_terminate_with_the_right_answer() {
    check_four("q -> err { guard x2 - x1 > 2 && x4 - x3 < 2; }", "E<> P.err", false);
    check_four("q -> err { guard x2 - x1 > 2; }", "E<> P.err", true);
    let both = "E<> P.q && P.x2 - P.x1 > 2 && P.x4 - P.x3";
    check_four("q -> err { }", &format!("{both} < 2"), false);
    check_four("q -> err { }", &format!("{both} > 2"), true);
}

#[test]
fn differences_of_copied_clocks_are_those_of_their_sources() {
    let copy = "q -> r { assign y1 = x1, y2 = x2, y3 = x3, y4 = x4; }";
    let last = format!("{copy}, r -> err {{ guard y2 - y1 > 2 && y4 - y3 < 2; }}");
    check_four(&last, "E<> P.err", false);
    check_four(&last.replace("< 2", "> 2"), "E<> P.err", true);
}
