//! The parts of a formula that decide it in the last state of a run.

use zonaut_engine::{LoadOptions, TraceWish, VerifyOptions, load_text};

const MODEL: &str = "clock x; int[0,9] n; process P(const int[1,3] id) { state a, b; init a;
    trans a -> b { guard x > 2 && n < 2; assign n = n + 1; }; } system P;";

fn check(query: &str, expected: &[&str]) {
    let text = format!("{MODEL} query {{ {query} }}");
    let loaded = load_text("m.xta", &text, &LoadOptions::default());
    let session = loaded.session().expect("a correct model");
    let options = VerifyOptions { trace: TraceWish::Some, ..VerifyOptions::default() };
    let (id, _) = session.queries().next().expect("a query");
    let trace = session.verify(id, &options, None).trace.expect("a run");
    assert_eq!(session.decided_parts(id, &trace), expected, "{query}");
}

#[test]
fn a_conjunction_is_decided_by_all_parts_and_a_disjunction_by_one() {
    check("E<> P(1).b and n == 2", &["holds: P(1).b", "holds: n == 2"]);
    check("E<> P(1).b and (n > 5 or x >= 7)", &["holds: P(1).b", "holds: x >= 7"]);
    check("A[] not P(2).b", &["holds: P(2).b"]);
    check("A[] P(3).b imply n == 0", &["holds: P(3).b", "fails: n == 0"]);
}

#[test]
fn quantified_variables_have_the_values_that_decide() {
    check("E<> exists (i : int[1,3]) P(i).b", &["holds: P(1).b"]);
    check(
        "A[] forall (i : int[1,3]) forall (j : int[1,3]) P(i).b and P(j).b imply i == j",
        &["holds: P(1).b", "holds: P(2).b"],
    );
    check("E<> exists (i : int[2,9]) n == i", &["holds: n == i with i = 2"]);
}
