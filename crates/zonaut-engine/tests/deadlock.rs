//! Deadlock freedom explores no more states than reachability where no bound of a clock has to be
//! raised, and its certificates are accepted.

use zonaut_engine::{Answer, LoadOptions, VerifyOptions, load_text};
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
