//! Answers about deadlocks, maximal runs and values, with accepted certificates.

use zonaut_engine::{Answer, LoadOptions, Verdict, VerifyOptions, load_text};
use zonaut_testkit::evidence::{answered, judge};

/// The answer to a query, with an accepted certificate.
fn answer(model: &str, query: &str) -> Answer {
    let text = format!("{model}\nquery {{ {query} }}");
    let loaded = load_text("m.xta", &text, &LoadOptions::default());
    let session = loaded.session().expect("a correct model");
    let options = VerifyOptions::default();
    let (answer, certificate) = answered(session.model(), &options);
    let certificate = certificate.expect("a certificate");
    judge(session.model(), &answer, &certificate).expect("an accepted certificate");
    answer
}

#[test]
fn a_possible_deadlock_behind_bounds_that_are_two_sided_anyway_needs_one_exploration() {
    // At `b` every valuation in which the clocks differ is deadlocked, and none of these is
    // reachable. No probe reaches `b`.
    let model = "process P() {
             int[0, 3000] n; clock x, y;
             state a, b { x <= 5 && y <= 5 };
             init a;
             trans a -> a { guard n < 3000; assign n = n + 1; },
                   a -> b { guard n == 3000; assign x = 0, y = 0; },
                   b -> b { guard x == 5 && y == 5; assign x = 0, y = 0; };
         }
         system P;";
    let plain = answer(model, "A[] P.n <= 3000");
    let free = answer(model, "A[] not deadlock");
    assert_eq!(plain.verdict, free.verdict);
    assert_eq!(plain.statistics.explored, free.statistics.explored);
}

#[test]
fn a_loop_that_leads_to_more_valuations_than_it_begins_with_is_certified() {
    // At the start of the loop, `y` is positive. Only after it can `y` be 0 while `x` is large.
    let model = "clock x;
         process P() { state a, b { x > 0 }; init a; trans a -> b { }; }
         process Q() {
             clock y;
             state a, b { y <= 1 };
             init a;
             trans a -> b { }, b -> b { assign y = 0; };
         }
         system P, Q;";
    let answer = answer(model, "sup{Q.y <= 0}: x");
    assert_eq!(answer.verdict, Verdict::Satisfied);
}

/// The checker once evaluated the urgency of the target of every transition, also of those whose
/// target invariant excludes all valuations, and met an error that no run meets.
#[test]
fn a_state_that_no_avoiding_run_enters_is_not_evaluated() {
    let model = "int[0, 3] v;
         urgent chan c[2];
         process P() {
             clock x;
             state a, b { x >= 2 };
             init a;
             trans a -> b { }, b -> b { sync c[v + 2]?; };
         }
         system P;";
    let answer = answer(model, "E[] not (P.x == 2)");
    assert_eq!(answer.verdict, Verdict::NotSatisfied);
}
