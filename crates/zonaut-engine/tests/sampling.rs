//! Statistical queries through the library.

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;
use zonaut_engine::{
    Answer, Estimate, Evidence, LoadOptions, Parameters, Reason, Refusal, SamplingOptions, Session,
    StopReason, Task, Verdict, VerifyOptions, load_text,
};

/// A session with these queries.
fn session(model: &str, queries: &str) -> Session {
    let text = format!("{model} query {{ {queries}\n }}");
    load_text("m.xta", &text, &LoadOptions::default()).session().expect("a correct model")
}

/// The answers of all queries.
fn answers(session: &Session, options: &VerifyOptions) -> Vec<Answer> {
    let task = |id| Task::of_query(session, id, options).expect("a supported query");
    session.queries().map(|(id, _)| task(id).perform(Evidence::default())).collect()
}

const QUEUE: &str = "int[0,100] n; double d; clock x;
    process In() { state a { ; 1 }; init a; trans a -> a { assign n = n + 1, d = d + random(1.0); }; }
    process Out() { state a { ; 2 }; init a; trans a -> a { guard n > 0; assign n = n - 1; }; }
    system In, Out;";

#[test]
fn estimates_do_not_depend_on_the_number_of_threads() {
    let queries = "Pr[<=10](<> n >= 3)\nPr[<=10; 321]([] n < 3)\nPr[<=10](<> n >= 3) >= 0.3\n\
                   Pr[<=10](<> n >= 3) >= Pr[<=5](<> n >= 3)\nE[<=10](max: d)\n\
                   E[#<=20; 200](min: n)\nsimulate[<=4; 40]{n, d, x} : 5 : n >= 2";
    let session = session(QUEUE, queries);
    let with = |threads| VerifyOptions {
        threads: NonZeroUsize::new(threads),
        seed: 5,
        ..VerifyOptions::default()
    };
    let one = answers(&session, &with(1));
    for threads in [2, 3] {
        for (one, other) in one.iter().zip(answers(&session, &with(threads))) {
            // The number of transitions includes those of runs that do not count.
            let shown = |answer: &Answer| {
                let sample = answer.sample().expect("a sample");
                (sample.runs, sample.estimate.clone(), sample.to_string())
            };
            assert_eq!(shown(one), shown(&other));
            assert_eq!(one.verdict, other.verdict);
        }
    }
    assert!(one.iter().all(|answer| answer.sample().is_some_and(|sample| sample.seed == 5)));
    let other_seed = answers(&session, &VerifyOptions { seed: 6, ..VerifyOptions::default() });
    let samples = |all: &[Answer]| all.iter().map(|a| a.sample().cloned()).collect::<Vec<_>>();
    assert_ne!(samples(&one), samples(&other_seed));
}

#[test]
fn a_cancelled_estimate_keeps_its_interval() {
    let session = session(QUEUE, "Pr[<=10; 1000000000](<> n >= 3)");
    let options = VerifyOptions::default();
    options.resources.cancelled.store(true, Ordering::Relaxed);
    let answer = answers(&session, &options).remove(0);
    assert_eq!(answer.verdict, Verdict::Unknown(Reason::Stopped(StopReason::Cancelled)));
    let sample = answer.sample().expect("an interval so far");
    let Estimate::Probability { interval, successes, .. } = &sample.estimate else { panic!() };
    assert!(*successes <= sample.runs && interval.low < interval.high);
}

#[test]
fn parameters_outside_their_ranges_are_no_estimates() {
    let session = session(QUEUE, "Pr[<=10](<> n >= 3)");
    for (alpha, epsilon) in [(0.0, 0.05), (0.05, 1.5), (f64::NAN, 0.05)] {
        let parameters = Parameters { alpha, epsilon, ..Parameters::default() };
        let sampling = SamplingOptions { parameters, ..SamplingOptions::default() };
        let answer = answers(&session, &VerifyOptions { sampling, ..VerifyOptions::default() });
        assert!(matches!(answer[0].verdict, Verdict::Unknown(Reason::Parameter(_))));
    }
}

#[test]
fn runs_that_are_no_samples_are_reported_with_their_number() {
    let locked = "clock x; process P() { state a { x <= 3 }; init a; } system P;";
    let answer =
        answers(&session(locked, "Pr[<=10](<> x > 5)"), &VerifyOptions::default()).remove(0);
    let Verdict::FailedRun(why) = &answer.verdict else { panic!("{:?}", answer.verdict) };
    assert!(why.contains("run 0 of seed 0") && why.contains("time lock"), "{why}");
    assert!(why.contains("at time 3 in (P.a)"), "{why}");
    let failing = "int n; process P() { state a { ; 1 }, b; init a; trans a -> b { assign n = 1 / n; }; } system P;";
    let answer =
        answers(&session(failing, "Pr[<=1000](<> P.b)"), &VerifyOptions::default()).remove(0);
    assert!(matches!(answer.verdict, Verdict::Error(_)), "{:?}", answer.verdict);
    assert!(
        answer.warnings.iter().any(|warning| warning.contains("run 0")),
        "{:?}",
        answer.warnings
    );
}

#[test]
fn locations_without_a_rate_are_warned_about() {
    let model = "process P() { state a, b; init a; trans a -> b {}; } system P;";
    let answer = answers(&session(model, "Pr[<=1](<> P.b)"), &VerifyOptions::default()).remove(0);
    assert!(answer.warnings[0].contains("`P.a`"), "{:?}", answer.warnings);
}

#[test]
fn unsupported_parts_are_refused_by_name() {
    let cases = [
        (
            "chan a, b; chan priority a < b; process P() { state s; init s; } system P;",
            "Pr[<=1](<> P.s)",
        ),
        ("process P() { state s; init s; } system P;", "Pr(<>[0,5] P.s)"),
        ("process P() { state s; init s; } system P;", "Pr[<=1](<> P.s) under S"),
        (
            "import \"l.so\" { double f(); }; double d; process P() { state s; init s; trans s -> s { assign d = f(); }; } system P;",
            "Pr[<=1](<> P.s)",
        ),
    ];
    for (model, query) in cases {
        let session = session(model, query);
        for (id, _) in session.queries() {
            let task = Task::of_query(&session, id, &VerifyOptions::default());
            assert!(matches!(task, Err(Refusal::Unsupported(_))), "{query}: {:?}", task.is_ok());
        }
    }
}

#[test]
fn trajectories_are_written_as_comma_separated_values() {
    let model = "clock x; int n; process P() { state a { x <= 1 }; init a; trans a -> a { guard x >= 1; assign n = n + 1, x = 0; }; } system P;";
    let answer =
        answers(&session(model, "simulate[<=2; 1]{n}"), &VerifyOptions::default()).remove(0);
    let csv = answer.sample().and_then(|sample| sample.csv()).expect("trajectories");
    let expected = "run,expression,time,value\n0,\"n\",0,0\n0,\"n\",1,0\n0,\"n\",1,1\n0,\"n\",2,1\n0,\"n\",2,2\n";
    assert_eq!(csv, expected);
}
