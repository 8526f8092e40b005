//! Searches with several threads, on random networks: the same verdicts and shortest lengths as with
//! one, and certificates that the checker accepts.

use std::num::NonZeroUsize;
use zonaut_base::Id;
use zonaut_engine::{
    Answer, Order, Resources, Session, Strategy, TraceWish, Verdict, VerifyOptions,
};
use zonaut_model::{Formula, Model, QueryId, QueryKind};
use zonaut_testkit::evidence::{answered, asking, judge};
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::generate::generate;

fn options(threads: usize, trace: TraceWish) -> VerifyOptions {
    VerifyOptions {
        strategy: Strategy::Blind(Order::BreadthFirst),
        threads: NonZeroUsize::new(threads),
        trace,
        resources: Resources { states: Some(5_000), ..Resources::default() },
        ..VerifyOptions::default()
    }
}

/// The certified answer with this many threads.
fn certified(model: &Model, threads: usize, trace: TraceWish) -> Answer {
    certified_with(model, &options(threads, trace))
}

/// The certified answer with these options.
fn certified_with(model: &Model, options: &VerifyOptions) -> Answer {
    let (answer, certificate) = answered(model, options);
    if let Some(certificate) = certificate {
        let judged = judge(model, &answer, &certificate);
        assert_eq!(judged, Ok(()), "{} threads", options.threads.map_or(1, NonZeroUsize::get));
    }
    answer
}

fn length(answer: &Answer) -> Option<usize> {
    answer.trace.as_ref().map(|trace| trace.steps.len())
}

/// The own query of a network, and the absence of deadlocks.
fn queries(model: &Model) -> [QueryKind; 2] {
    let own = model.queries[QueryId::from_index(0)].kind.clone();
    [own, QueryKind::Always(Formula::Not(Box::new(Formula::Deadlock)))]
}

#[test]
fn verdicts_and_shortest_lengths_do_not_depend_on_the_number_of_threads() {
    let first: Option<u64> =
        std::env::var("ZONAUT_WORKERS").ok().and_then(|seed| seed.parse().ok());
    let seeds = first.map_or(0..250, |first| first..first + 10_000);
    let (mut decided, mut certificates) = (0, 0);
    for seed in seeds {
        let model = generate(seed).to_model();
        for query in queries(&model) {
            let model = asking(&model, &query);
            let one = certified(&model, 1, TraceWish::Shortest);
            if matches!(one.verdict, Verdict::Unknown(_)) {
                continue;
            }
            for threads in 2..=4 {
                let several = certified(&model, threads, TraceWish::Shortest);
                assert_eq!(several.verdict, one.verdict, "{seed}: {threads} threads");
                assert_eq!(length(&several), length(&one), "{seed}: {threads} threads");
                let is_written = |answer: &Answer| matches!(answer.certificate, Some(Ok(())));
                assert_eq!(is_written(&several), is_written(&one), "{seed}: {threads} threads");
                certificates += usize::from(is_written(&several));
                let any = certified(&model, threads, TraceWish::Some);
                let is_error = matches!(one.verdict, Verdict::Error(_));
                assert!(is_error || any.verdict == one.verdict, "{seed}: {threads} threads");
                assert_eq!(any.trace.is_some(), one.trace.is_some(), "{seed}: {threads} threads");
            }
            decided += 1;
        }
    }
    println!("{decided} queries decided, {certificates} certificates accepted");
    assert!(decided > 300 && certificates > 900, "{decided} {certificates}");
}

#[test]
fn verdicts_of_asynchronous_searches_do_not_depend_on_the_number_of_threads() {
    let strategies =
        ["dfs", "rdfs", "greedy(hu)", "astar(hl)", "wastar(hl)", "alternate(hu, hamming)"];
    let strategies = strategies.map(|text| text.parse::<Strategy>().expect("a strategy"));
    let (mut decided, mut longer) = (0, 0);
    for seed in 0..120 {
        let model = generate(seed).to_model();
        for query in queries(&model) {
            let model = asking(&model, &query);
            let one = certified(&model, 1, TraceWish::Shortest);
            let is_answered = matches!(one.verdict, Verdict::Satisfied | Verdict::NotSatisfied);
            if !is_answered {
                continue;
            }
            let strategy = &strategies[seed as usize % strategies.len()];
            let is_optimal = matches!(strategy, Strategy::AStar { .. });
            for threads in 2..=4 {
                let options = VerifyOptions {
                    strategy: strategy.clone(),
                    seed,
                    ..options(threads, TraceWish::Some)
                };
                let several = certified_with(&model, &options);
                assert_eq!(several.verdict, one.verdict, "{seed}: {threads} threads, {strategy:?}");
                let lengths = (length(&several), length(&one));
                assert!(!is_optimal || lengths.0 == lengths.1, "{seed}: {threads} {lengths:?}");
                longer += usize::from(lengths.0 > lengths.1);
            }
            decided += 1;
        }
    }
    assert!(decided > 100 && longer > 0, "{decided} {longer}");
}

#[test]
fn a_search_with_several_threads_can_be_repeated() {
    for seed in 0..60 {
        let session = Session::of_model(generate(seed).to_model());
        let answers = [(); 2].map(|()| {
            let options = options(3, TraceWish::Some);
            session.verify(QueryId::from_index(0), &options, None)
        });
        let [one, other] = answers;
        assert_eq!(one.verdict, other.verdict, "{seed}");
        let counts = |answer: &Answer| {
            let all = answer.statistics;
            (all.explored, all.generated, all.covered, all.evicted, all.stored)
        };
        assert_eq!(counts(&one), counts(&other), "{seed}");
        assert_eq!(length(&one), length(&other), "{seed}");
    }
}

#[test]
fn limits_end_a_search_with_several_threads() {
    let mut stopped = 0;
    for seed in 0..60 {
        let session = Session::of_model(generate(seed).to_model());
        let resources = Resources { states: Some(1), ..Resources::default() };
        let options = VerifyOptions { resources, ..options(2, TraceWish::None) };
        let answer = session.verify(QueryId::from_index(0), &options, None);
        stopped += usize::from(matches!(answer.verdict, Verdict::Unknown(_)));
    }
    assert!(stopped > 10, "{stopped}");
}

/// A goal and a run-time error of the same distance: the order of the edges decides.
#[test]
fn a_goal_and_an_error_of_one_layer_are_decided_as_with_one_thread() {
    let edges = ["a -> b { guard n == 2; }", "a -> a { guard n == 2; assign m = m + 2; }"];
    let mut verdicts = Vec::new();
    for edges in [edges, [edges[1], edges[0]]] {
        let text = format!(
            "int[0,2] n; int[0,1] m; process P() {{ state a, b; init a; trans \
             a -> a {{ guard n < 2; assign n = n + 1; }}, {}; }} system P;",
            edges.join(", ")
        );
        let (model, _) = model_of(&text, &["E<> P.b"]).expect("a model");
        let answers = [1, 2, 3].map(|threads| certified(&model, threads, TraceWish::Shortest));
        let [one, two, three] = answers.map(|answer| answer.verdict);
        assert_eq!((&one, &one), (&two, &three), "{text}");
        verdicts.push(one);
    }
    assert!(matches!(verdicts[..], [Verdict::Satisfied, Verdict::Error(_)]), "{verdicts:?}");
}
