//! Answers about models with stopwatches.

use crate::check::{Answered, examine, examine_deadlock};
use crate::models;
use zonaut_base::Id;
use zonaut_engine::{LoadOptions, Possibility, Reason, Session, Verdict, VerifyOptions, load_text};
use zonaut_model::QueryId;
use zonaut_testkit::front_end::model_of;

#[test]
fn random_models_agree_with_the_grid_and_their_evidence() {
    let mut counts = [0; 3];
    for seed in 0..1500 {
        match examine(seed) {
            Ok(Some(Answered::Reached)) => counts[0] += 1,
            Ok(Some(Answered::Excluded)) => counts[1] += 1,
            Ok(Some(Answered::Possible)) => counts[2] += 1,
            Ok(None) => {}
            Err(what) => panic!("seed {seed}: {what}\n{}", models::text(seed)),
        }
    }
    eprintln!("reached, excluded, possible: {counts:?}");
    assert!(counts[0] > 300 && counts[1] > 100, "{counts:?}");
}

#[test]
fn deadlocks_of_random_models_agree_with_the_grid() {
    let mut counts = [0; 3];
    for seed in 0..1000 {
        match examine_deadlock(seed) {
            Ok(Some(Answered::Reached)) => counts[0] += 1,
            Ok(Some(Answered::Excluded)) => counts[1] += 1,
            Ok(Some(Answered::Possible)) => counts[2] += 1,
            Ok(None) => {}
            Err(what) => panic!("seed {seed}: {what}\n{}", models::text(seed)),
        }
    }
    assert!(counts[0] > 50 && counts[1] > 20, "reached, excluded, possible: {counts:?}");
}

/// A clock is stopped in the first location.
const PREEMPTED: &str = "
    clock x, s; int[0,1] v;
    process P() {
        state a { x <= 2 && s' == 0 }, b;
        init a;
        trans a -> b { guard LIMIT >= 1; };
    }
    system P;";

#[test]
fn delays_in_deadlock_tests_change_running_clocks_only() {
    let running = PREEMPTED.replace("LIMIT", "x");
    assert_eq!(verdict(&running, "A[] P.a imply not deadlock"), Verdict::Satisfied);
    assert_eq!(verdict(&running, "E<> P.b and deadlock"), Verdict::Satisfied);
    let stopped = PREEMPTED.replace("LIMIT", "s");
    assert_eq!(verdict(&stopped, "E<> P.a and deadlock"), Verdict::Satisfied);
    assert_eq!(verdict(&stopped, "A[] not P.b"), Verdict::Satisfied);
}

#[test]
fn some_queries_about_maximal_runs_are_decided_by_states() {
    let text = PREEMPTED.replace("LIMIT", "x");
    for (query, expected) in [
        ("A<> v == 0", Verdict::Satisfied),
        ("E[] v == 0", Verdict::Satisfied),
        ("A<> v == 1", Verdict::NotSatisfied),
        ("E[] v == 1", Verdict::NotSatisfied),
        ("P.b --> v == 0", Verdict::Satisfied),
        ("P.b --> v == 1", Verdict::NotSatisfied),
    ] {
        assert_eq!(verdict(&text, query), expected, "{query}");
    }
}

#[test]
fn no_maximal_run_without_a_cycle_or_an_end_of_zones() {
    let text = PREEMPTED.replace("LIMIT", "x");
    for (query, expected) in [
        ("A<> P.b", Verdict::Satisfied),
        ("E[] P.a", Verdict::NotSatisfied),
        ("P.a --> P.b", Verdict::Satisfied),
        // By the initial state.
        ("A<> s == 0 && P.a", Verdict::Satisfied),
        ("A<> x == 0", Verdict::Satisfied),
        ("E[] x > 0", Verdict::NotSatisfied),
    ] {
        assert_eq!(verdict(&text, query), expected, "{query}");
    }
}

#[test]
fn maximal_runs_that_are_replayed_decide() {
    let text = PREEMPTED.replace("LIMIT", "s");
    // The guard is never enabled, as the clock is stopped.
    assert_eq!(verdict(&text, "A<> P.b"), Verdict::NotSatisfied);
    assert_eq!(verdict(&text, "E[] P.a"), Verdict::Satisfied);
    let cycle = "
        clock x, s; int[0,1] v;
        process P() {
            state a { x <= 2 && s' == 0 }, b { x <= 3 }, c;
            init a;
            trans a -> b { guard x >= 1; }, b -> a { guard x >= 2; assign x = 0, s = 0; },
                  b -> c { guard LIMIT; assign v = 1; };
        }
        system P;";
    let other = cycle.replace("LIMIT", "x >= 1");
    assert_eq!(verdict(&other, "A<> v == 1"), Verdict::NotSatisfied);
    assert_eq!(verdict(&other, "E[] v == 0"), Verdict::Satisfied);
    assert_eq!(verdict(&other, "P.b --> P.c"), Verdict::NotSatisfied);
    // Time diverges in the last location.
    assert_eq!(verdict(&other, "P.c --> P.a"), Verdict::NotSatisfied);
    assert_eq!(verdict(&other, "P.b --> P.a || P.c"), Verdict::Satisfied);
}

#[test]
fn cycles_that_are_not_replayed_are_inconclusive() {
    // The formula has a clock constraint, and its times are not examined.
    let text = "
        clock x, s;
        process P() {
            state a { x <= 2 && s' == 0 };
            init a;
            trans a -> a { guard x >= 1; assign x = 0; };
        }
        system P;";
    let possibly_not = Verdict::Unknown(Reason::Stopwatches(Possibility::NotSatisfied));
    assert_eq!(verdict(text, "A<> x > 1 && s > 7"), Verdict::NotSatisfied);
    assert_eq!(verdict(text, "A<> x > 1"), possibly_not);
}

#[test]
fn values_are_bounds_unless_a_run_attains_them() {
    let text = PREEMPTED.replace("LIMIT", "x");
    let values = |query: &str| {
        let text = format!("{text}\nquery {{ {query} }}");
        let loaded = load_text("m.xta", &text, &LoadOptions::default());
        let session = loaded.session().expect("a correct model");
        let answer = session.verify(QueryId::from_index(0), &VerifyOptions::default(), None);
        let values: Vec<String> = answer.values().iter().map(ToString::to_string).collect();
        (answer.verdict, values)
    };
    let bounds = Verdict::Unknown(Reason::Stopwatches(Possibility::Values));
    assert_eq!(values("inf{P.b}: x"), (Verdict::Satisfied, vec!["x >= 1".to_owned()]));
    assert_eq!(values("sup{P.a}: x"), (Verdict::Satisfied, vec!["x <= 2".to_owned()]));
    assert_eq!(values("sup: v"), (Verdict::Satisfied, vec!["v <= 0".to_owned()]));
    assert_eq!(values("bounds{P.a}: x").0, bounds);
    assert_eq!(values("sup: x"), (bounds, vec!["x < infinity (a bound)".to_owned()]));
}

fn verdict(text: &str, query: &str) -> Verdict {
    let (model, _) = model_of(text, &[query]).expect("a correct model");
    let session = Session::of_model(model);
    session.verify(QueryId::from_index(0), &VerifyOptions::default(), None).verdict
}

/// Two clocks run together for a while, then one of them is stopped until a third one is as far
/// ahead of both as they were of it: a relation of three clocks that no zone can represent.
const THREE_CLOCKS: &str = "
    clock x, y, s;
    process P() {
        state a { s <= 1 }, b { s' == 0 }, c;
        init a;
        trans a -> b { assign x = 0; },
              b -> c { guard y == 2 && LIMIT; };
    }
    system P;";

#[test]
fn results_that_zones_cannot_decide_are_inconclusive() {
    // On arrival in b: x = 0 and y = s. So y - x == s throughout.
    let impossible = THREE_CLOCKS.replace("LIMIT", "x == 2 && s == 1");
    let possibly = Verdict::Unknown(Reason::Stopwatches(Possibility::Satisfied));
    assert_eq!(verdict(&impossible, "E<> P.c"), possibly);
    let possibly_not = Verdict::Unknown(Reason::Stopwatches(Possibility::NotSatisfied));
    assert_eq!(verdict(&impossible, "A[] not P.c"), possibly_not);
    let Verdict::Unknown(reason) = possibly else { unreachable!("it is") };
    assert_eq!(reason.to_string(), "stopwatches: may be satisfied");
}

#[test]
fn a_run_at_fractional_times_proves_reachability() {
    let strict = THREE_CLOCKS.replace("LIMIT", "x > 1 && s > 0");
    assert_eq!(verdict(&strict, "E<> P.c"), Verdict::Satisfied);
    // Both clocks run from the same instant on, so y == 2 and x > 1 leave s below 1.
    assert_eq!(verdict(&strict, "A[] P.c imply x >= 0"), Verdict::Satisfied);
}

#[test]
fn a_rate_beyond_one_is_an_error_of_the_model() {
    let text = "
        clock x;
        int[0,3] v;
        process P() { state a { x' == v }, b; init a; trans a -> a { assign v = 2; }; }
        system P;";
    assert!(matches!(verdict(text, "E<> P.b"), Verdict::Error(_)));
}

#[test]
fn clock_differences_with_stopped_clocks_are_respected() {
    let text = "
        clock x, y;
        process P() {
            state a { x' == 0 && y <= 3 }, b { y' == 0 && x <= 9 }, c;
            init a;
            trans a -> b { guard y - x >= 2; },
                  b -> c { guard x - y == 4; };
        }
        system P;";
    assert_eq!(verdict(text, "E<> P.c"), Verdict::Satisfied);
    assert_eq!(verdict(text, "E<> P.b and y - x > 3"), Verdict::NotSatisfied);
}
