//! The strategy `auto`: a portfolio of searches.

mod support;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use support::auto::compare;
use zonaut_base::Id;
use zonaut_engine::{
    Answer, AttemptEnd, Evidence, LoadOptions, Order, QueryBatch, QueryId, Reason, Resources,
    Session, StopReason, Strategy, TraceWish, Verdict, VerifyOptions, load_text,
};
use zonaut_testkit::generate::generate;

fn query() -> QueryId {
    QueryId::from_index(0)
}

fn session(text: &str) -> Session {
    load_text("m.xta", text, &LoadOptions::default()).session().expect("a correct model")
}

fn ask(session: &Session, strategy: &str, resources: Resources) -> Answer {
    let strategy = strategy.parse().expect("a strategy");
    let options = VerifyOptions { strategy, resources, ..VerifyOptions::default() };
    session.verify(query(), &options, None)
}

/// Two counters and a lock; `done` asks for values that they have only together.
fn counters(goal: &str) -> Session {
    session(&format!(
        "clock x; int[0,120] a, b; process P() {{ state s, done; init s; trans \
         s -> s {{ guard a < 120; assign a = a + 1; }}, \
         s -> s {{ guard b < 120; assign b = b + 1; }}, \
         s -> done {{ guard {goal}; }}; }} system P; query {{ E<> P.done }}"
    ))
}

#[test]
fn small_models_are_answered_breadth_first() {
    for seed in 0..200 {
        let session = Session::of_model(generate(seed).to_model());
        for trace in [TraceWish::Some, TraceWish::Shortest] {
            let options = VerifyOptions { trace, ..VerifyOptions::default() };
            assert_eq!(options.strategy, Strategy::default());
            let chosen = session.verify(query(), &options, None);
            let strategy = Order::BreadthFirst.into();
            let blind = session.verify(query(), &VerifyOptions { strategy, ..options }, None);
            assert_eq!(chosen.strategy, blind.strategy, "seed {seed}");
            assert_eq!(chosen.verdict, blind.verdict, "seed {seed}");
            assert_eq!(chosen.statistics, blind.statistics, "seed {seed}");
            assert_eq!(chosen.depth, blind.depth, "seed {seed}");
        }
    }
}

#[test]
fn the_answer_does_not_depend_on_the_length_of_time_slices() {
    let mut deciders = BTreeMap::<String, usize>::new();
    for seed in 0..400 {
        let session = Session::of_model(generate(seed).to_model());
        let first = [1, 3, 10][seed as usize % 3];
        for trace in [TraceWish::Some, TraceWish::Shortest] {
            let answer = compare(&session, query(), first, trace);
            let answer = answer.unwrap_or_else(|what| panic!("seed {seed}, {trace:?}: {what}"));
            *deciders.entry(answer.strategy.to_string()).or_default() += 1;
        }
    }
    // Heuristic searches decide some small models, too.
    assert!(deciders.len() >= 4, "{deciders:?}");
}

#[test]
fn a_proof_that_needs_little_data_is_found_lazily() {
    let text = include_str!("../../../models/archive/archive.xta");
    let session = session(&format!("{text} query {{ A[] not Valve.stuck }}"));
    let answer = compare(&session, query(), 500, TraceWish::None).expect("the same answer");
    assert_eq!(answer.strategy.to_string(), "lazy(data=visible, clocks=zone, order=dfs)");
    assert_eq!(answer.attempts[0].strategy, Order::BreadthFirst.into());
}

#[test]
fn queries_of_a_batch_have_the_verdicts_of_single_searches() {
    for seed in 0..120 {
        let (session, _) = support::shared::random(seed);
        let threads = NonZeroUsize::new(1 + seed as usize % 3);
        let options = |strategy| VerifyOptions { strategy, threads, ..VerifyOptions::default() };
        let in_turns = options(Strategy::Auto { first: 3 });
        let all = session.queries().map(|(id, _)| id);
        let shared = QueryBatch::among(&session, all, &in_turns);
        for (id, answer) in shared.answer(Evidence::default()) {
            let alone = session.verify(id, &options(Order::BreadthFirst.into()), None);
            let may_fail = |one: &Answer| matches!(one.verdict, Verdict::Error(_));
            if !may_fail(&answer) && !may_fail(&alone) {
                assert_eq!(answer.verdict, alone.verdict, "seed {seed}: {id:?}");
            }
        }
    }
}

#[test]
fn queries_of_a_batch_have_separate_heuristic_searches() {
    let session = session(
        "int[0,12] a, b, c, d; process P() { state s, all, none; init s; trans \
         s -> s { guard a < 12; assign a = a + 1; }, s -> s { guard b < 12; assign b = b + 1; }, \
         s -> s { guard c < 12; assign c = c + 1; }, s -> s { guard d < 12; assign d = d + 1; }, \
         s -> all { guard a == 12 && b == 12 && c == 12 && d == 12; }, \
         s -> none { guard a + b + c + d > 48; }; } system P; \
         query { E<> P.all\n A[] not P.none\n E<> a == 1 }",
    );
    let strategy = Strategy::Auto { first: 100 };
    let options = VerifyOptions { strategy, ..VerifyOptions::default() };
    let all = session.queries().map(|(id, _)| id);
    let answers = QueryBatch::among(&session, all, &options).answer(Evidence::default());
    let verdicts: Vec<&Verdict> = answers.iter().map(|(_, answer)| &answer.verdict).collect();
    assert_eq!(verdicts, [&Verdict::Satisfied; 3]);
    let strategies: Vec<&Strategy> = answers.iter().map(|(_, answer)| &answer.strategy).collect();
    assert!(!strategies[0].heuristics().is_empty(), "{strategies:?}");
    assert_eq!(strategies[2], &Order::BreadthFirst.into());
    for (id, answer) in &answers {
        let decided: Vec<&Strategy> = (answer.attempts.iter())
            .filter(|attempt| attempt.end == AttemptEnd::Decided)
            .map(|attempt| &attempt.strategy)
            .collect();
        assert_eq!(decided, [&answer.strategy], "{id:?}");
    }
}

#[test]
fn symmetry_reduction_and_heuristic_searches_form_a_portfolio() {
    let counting = |goal: &str| {
        session(&format!(
            "typedef scalar[3] id_t; int[0,12] a, b, c, d; process P(const id_t id) {{ \
             state s, t; init s; \
             trans s -> s {{ guard a < 12; assign a = a + 1; }}, \
             s -> s {{ guard b < 12; assign b = b + 1; }}, \
             s -> s {{ guard c < 12; assign c = c + 1; }}, \
             s -> s {{ guard d < 12; assign d = d + 1; }}, \
             s -> t {{ guard a == 12 && b == 12 && c == 12 && d == 12; }}; }} system P; query {{ {goal} }}"
        ))
    };
    let found = counting("E<> exists (i : id_t) P(i).t");
    let answer = ask(&found, "auto(first=50)", Resources::default());
    assert_eq!(answer.verdict, Verdict::Satisfied);
    assert!(answer.symmetry.is_some() && answer.attempts.len() > 1, "{answer:?}");
    assert!(!answer.strategy.heuristics().is_empty(), "{}", answer.strategy);
    let proved = counting("A[] a + b <= 24");
    for strategy in ["auto(first=50)", "auto", "bfs"] {
        let answer = ask(&proved, strategy, Resources::default());
        assert_eq!(answer.verdict, Verdict::Satisfied, "{strategy}");
    }
    let options = VerifyOptions {
        strategy: Strategy::Auto { first: 10 },
        trace: TraceWish::Shortest,
        ..VerifyOptions::default()
    };
    let strategy = Order::BreadthFirst.into();
    let shortest = found.verify(query(), &options, None);
    let blind = found.verify(query(), &VerifyOptions { strategy, ..options }, None);
    assert_eq!((shortest.verdict, shortest.depth), (blind.verdict, blind.depth));
}

#[test]
fn statistics_are_deterministic() {
    let session = counters("a == 77 && b == 99");
    let numbers = || {
        let answer = ask(&session, "auto(first=100)", Resources::default());
        (answer.verdict, answer.attempts, answer.statistics)
    };
    let first = numbers();
    assert_eq!(first.0, Verdict::Satisfied);
    assert!(first.1.len() > 1);
    assert_eq!(first, numbers());
}

#[test]
fn a_goal_that_data_excludes_is_refuted_in_one_state() {
    let session = counters("a == 121 - 1 && b > 120");
    let answer = ask(&session, "auto(first=10000)", Resources::default());
    assert_eq!(answer.verdict, Verdict::NotSatisfied);
    // By the relaxation, or by a lazy search that ignores all data.
    assert!(answer.statistics.explored <= 1, "{}", answer.strategy);
}

#[test]
fn a_heuristic_without_a_path_to_the_goal_is_given_up() {
    // The goal is unreachable, but the relaxation cannot exclude a division by zero.
    let session = session(
        "int[0,60] a, b, c; process P() { state s, done; init s; trans \
         s -> s { guard a < 60; assign a = a + 1, b = b + 1; }, \
         s -> s { guard c < 60 && 7 / (a - b + 1) > 0; assign c = c + 1; }; } system P; \
         query { E<> P.done }",
    );
    let answer = ask(&session, "auto(first=100)", Resources::default());
    assert_eq!(answer.verdict, Verdict::NotSatisfied);
    let blind: Vec<&Strategy> = (answer.attempts.iter())
        .filter(|attempt| attempt.end == AttemptEnd::Blind)
        .map(|attempt| &attempt.strategy)
        .collect();
    let has_heuristic = |strategy: &Strategy| !strategy.heuristics().is_empty();
    assert!(!blind.is_empty() && blind.iter().all(|one| has_heuristic(one)), "{blind:?}");
    assert!(!has_heuristic(&answer.strategy));
}

#[test]
fn portfolio_members_share_the_limits_of_states_and_memory() {
    let session = counters("a == 120 && b == 120 && x < 0");
    let states = Some(3_000);
    let limited = ask(&session, "auto(first=500)", Resources { states, ..Resources::default() });
    assert_eq!(limited.verdict, Verdict::Unknown(Reason::Stopped(StopReason::NodeLimit)));
    assert_eq!(limited.strategy.to_string(), "auto(first=500)");
    let explored: usize = limited.attempts.iter().map(|one| one.statistics.explored).sum();
    assert_eq!(limited.statistics.explored, explored);
    assert!(limited.attempts.len() > 1 && (3_000..6_000).contains(&explored), "{limited:?}");

    let whole = ask(&session, "bfs", Resources::default());
    assert_eq!(whole.verdict, Verdict::NotSatisfied);
    // The memory of one search suffices for several, some of which are given up.
    for percent in [130, 200, 400] {
        let memory = Some(whole.statistics.bytes * percent / 100);
        let shared = ask(&session, "auto(first=500)", Resources { memory, ..Resources::default() });
        let is_decided = shared.verdict == Verdict::NotSatisfied;
        let stopped = Verdict::Unknown(Reason::Stopped(StopReason::MemoryLimit));
        assert!(is_decided || shared.verdict == stopped, "{:?}", shared.verdict);
        let given_up = AttemptEnd::Stopped(StopReason::MemoryLimit);
        let is_tight = shared.attempts.iter().any(|attempt| attempt.end == given_up);
        assert!(is_decided || is_tight, "{:?}", shared.attempts);
    }
}
