//! Liveness with covering by simulation: few states, the same answers, and checked certificates.

use zonaut_engine::{Abstraction, Answer, LoadOptions, Verdict, VerifyOptions, load_text};
use zonaut_testkit::evidence::{answered, judge};

/// The answer to a query, whose certificate is checked if there is one.
fn answer(model: &str, query: &str, abstraction: Option<Abstraction>) -> Answer {
    let text = format!("{model}\nquery {{ {query} }}");
    let loaded = load_text("m.xta", &text, &LoadOptions::default());
    let session = loaded.session().expect("a correct model");
    let options = VerifyOptions { abstraction, ..VerifyOptions::default() };
    let (answer, certificate) = answered(session.model(), &options);
    let certificate = certificate.expect("a certificate");
    judge(session.model(), &answer, &certificate).expect("an accepted certificate");
    answer
}

/// The explored states with covering by simulation, and with maximal constants.
fn explored(model: &str, query: &str, verdict: &Verdict) -> (usize, usize) {
    let covering = answer(model, query, None);
    let exact = answer(model, query, Some(Abstraction::Maximum));
    assert_eq!((&covering.verdict, &exact.verdict), (verdict, verdict), "{query}");
    assert_eq!(covering.abstraction, Some(Abstraction::Simulation));
    assert_eq!(exact.abstraction, Some(Abstraction::Maximum));
    (covering.statistics.explored, exact.statistics.explored)
}

/// Fischer's protocol.
fn fischer(size: u32) -> String {
    format!(
        "const int N = {size}; typedef int[1, N] id_t; int[0, N] turn = 0;
         process P(const id_t id) {{
             clock x;
             state idle, write {{ x <= 10 }}, wait, critical;
             init idle;
             trans idle -> write {{ guard turn == 0; assign x = 0; }},
                   write -> wait {{ guard x <= 10; assign x = 0, turn = id; }},
                   wait -> write {{ guard turn == 0; assign x = 0; }},
                   wait -> critical {{ guard x > 10 && turn == id; }},
                   critical -> idle {{ assign turn = 0; }};
         }}
         system P;"
    )
}

#[test]
fn a_query_that_holds_explores_about_as_many_states_as_reachability() {
    let (covering, exact) = explored(&fischer(4), "P(1).write --> P(1).wait", &Verdict::Satisfied);
    // Reachability explores 268 states.
    assert!(covering <= 3 * 268 && covering * 2 < exact, "{covering} and {exact} states");
}

#[test]
fn a_real_cycle_is_found() {
    let (covering, _) =
        explored(&fischer(3), "P(1).wait --> P(1).critical", &Verdict::NotSatisfied);
    assert!(covering < 500, "{covering} states");
}

/// A loop that can be taken at most three times, although each of its states covers the next one.
const SPURIOUS: &str = "
    process P() {
        clock x, y;
        state a { y <= 4 }, goal;
        init a;
        trans a -> a { guard x >= 1 && y <= 3; assign x = 0; },
              a -> goal { guard y >= 4; },
              goal -> goal { };
    }
    system P;";

#[test]
fn a_cycle_of_coverings_is_searched_exactly() {
    let (covering, exact) = explored(SPURIOUS, "A<> P.goal", &Verdict::Satisfied);
    assert!(covering > exact, "{covering} and {exact} states");
}

#[test]
fn a_blocked_run_is_not_covered_by_one_that_moves() {
    let blocked = "
        clock x;
        process P() {
            state a { x <= 5 }, b, c, d;
            init a;
            urgent b;
            trans a -> b { guard x <= 1; }, a -> b { guard x >= 4; }, b -> c { guard x <= 2; };
        }
        system P;";
    explored(blocked, "A<> P.c", &Verdict::NotSatisfied);
    let free = blocked.replace("x >= 4", "x >= 6").replace("x <= 5", "x <= 1");
    explored(&free, "A<> P.c", &Verdict::Satisfied);
}

#[test]
fn both_sides_of_the_formula_count() {
    let model = "
        process P() {
            clock x;
            state a { x <= 9 }, b { x <= 9 }, c;
            init a;
            trans a -> b { }, b -> c { };
        }
        system P;";
    explored(model, "A<> P.c and P.x >= 0", &Verdict::Satisfied);
    explored(model, "P.b --> P.c or P.b and P.x > 3", &Verdict::Satisfied);
    explored(model, "A<> P.b and P.x > 3", &Verdict::NotSatisfied);
    explored(model, "A<> P.b and P.x < 3", &Verdict::NotSatisfied);
    explored(model, "E[] not (P.b and P.x == 3)", &Verdict::Satisfied);
}
