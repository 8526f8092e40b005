//! Handles of running questions: progress, cancellation, results, several at once.

use std::time::{Duration, Instant};
use zonaut_engine::report::AnswerRecord;
use zonaut_engine::report::Certificate;
use zonaut_engine::{
    CertificateRequest, LoadOptions, OptimizeOptions, Order, QueryBatch, QueryId, Reason, Refusal,
    Resources, Running, Session, StopReason, Task, Verdict, VerifyOptions, load_text,
};

/// A model with few states, and one query of each kind.
const SMALL: &str = "clock x; process P() { state a, b { x <= 5 }, c; init a;
    trans a -> b { assign x = 0; }, b -> a { guard x >= 2; }; } system P;
    query { E<> P.b && x > 3\n E<> P.c\n A<> P.b\n sup: x\n }";

/// A model with more states than any test explores.
const LARGE: &str = "int[0,1000000] v[6]; process P(const int[0,5] i) { state a; init a;
    trans a -> a { guard v[i] < 1000000; assign v[i] = v[i] + 1; }; } system P;
    query { E<> v[0] + v[1] + v[2] + v[3] + v[4] + v[5] == 6000000 && v[0] == 1\n }";

fn session(text: &str) -> Session {
    load_text("m.xta", text, &LoadOptions::default()).session().expect("a model")
}

fn first(session: &Session) -> QueryId {
    session.queries().next().expect("a query").0
}

/// The breadth-first search: it counts states from the start.
fn breadth_first() -> VerifyOptions {
    VerifyOptions { strategy: Order::BreadthFirst.into(), ..VerifyOptions::default() }
}

fn optimisation(session: &Session) -> Task {
    Task::optimize(session, first(session), &OptimizeOptions::default()).expect("a goal")
}

fn cancelled() -> Verdict {
    Verdict::Unknown(Reason::Stopped(StopReason::Cancelled))
}

/// Waits until some states are explored.
fn until_explored<T>(running: &Running<T>) {
    let begun = Instant::now();
    while running.poll().progress.explored == 0 {
        assert!(!running.wait(Duration::from_millis(1)), "it ended");
        assert!(begun.elapsed() < Duration::from_secs(300), "nothing is explored");
    }
}

#[test]
fn answers_are_those_without_a_handle() {
    let session = session(SMALL);
    for (id, query) in session.queries() {
        let direct = session.verify(id, &VerifyOptions::default(), None);
        let answer = session.start_verify(id, &VerifyOptions::default()).join().expect("no panic");
        let unchecked = Certificate::Missing(String::new());
        let record = |answer| AnswerRecord::of(&session, id, answer, &unchecked);
        let (direct, answer) = (record(&direct), record(&answer));
        let counts = |it: &AnswerRecord<'_>| {
            (it.verdict, it.effort.explored, it.effort.stored, it.effort.transitions)
        };
        assert_eq!(counts(&direct), counts(&answer), "{}", query.text);
        assert_eq!(format!("{:?}", direct.values), format!("{:?}", answer.values));
    }
}

#[test]
fn a_certificate_comes_back_with_the_answer() {
    let session = session(SMALL);
    let request = CertificateRequest { sink: Vec::new(), closing: None };
    let options = VerifyOptions::default();
    let running = session.start_verify_with_certificate(first(&session), &options, request);
    let answered = running.join().expect("no panic");
    assert_eq!(answered.result.verdict, Verdict::Satisfied);
    assert!(matches!(answered.result.certificate, Some(Ok(()))));
    assert!(answered.sink.starts_with(b"tacert 1\nkind reach\n"));
}

#[test]
fn cancelled_before_the_search_starts() {
    let session = session(LARGE);
    let running = session.start_verify(first(&session), &VerifyOptions::default());
    running.cancel();
    assert_eq!(running.join().expect("no panic").verdict, cancelled());
    // The flag of the options has the same effect.
    let options = VerifyOptions::default();
    options.resources.cancelled.store(true, std::sync::atomic::Ordering::Relaxed);
    let running = session.start_verify(first(&session), &options);
    assert_eq!(running.join().expect("no panic").verdict, cancelled());
}

#[test]
fn cancelled_in_the_middle_of_the_search() {
    let session = session(LARGE);
    let running = session.start_verify(first(&session), &breadth_first());
    until_explored(&running);
    let now = running.poll();
    assert!(now.progress.stored > 0 && now.progress.bytes > 0 && now.elapsed > Duration::ZERO);
    assert!(!running.is_finished());
    running.cancel();
    let answer = running.join().expect("no panic");
    assert_eq!(answer.verdict, cancelled());
    assert!(answer.statistics.explored >= now.progress.explored);
}

#[test]
fn explorations_and_optimisations_are_cancelled_too() {
    let session = session(LARGE);
    let running = Task::explore(&session, &breadth_first()).start();
    until_explored(&running);
    running.cancel();
    assert_eq!(running.join().expect("no panic").verdict, cancelled());
    let running = optimisation(&session).start();
    until_explored(&running);
    assert!(running.poll().lower_bound.is_some());
    running.cancel();
    assert_eq!(running.join().expect("no panic").verdict, cancelled());
    let running = Task::state_graph(&session, usize::MAX, &Resources::default()).start();
    until_explored(&running);
    running.cancel();
    let answer = running.join().expect("no panic");
    assert_eq!(answer.verdict, cancelled());
    assert!(answer.state_graph().is_some_and(|graph| graph.nodes.len() > 1));
}

#[test]
fn progress_can_be_read_after_the_end() {
    let session = session(LARGE);
    let resources = Resources { states: Some(5000), ..Resources::default() };
    let options = VerifyOptions { resources, ..breadth_first() };
    let running = session.start_verify(first(&session), &options);
    while !running.wait(Duration::from_secs(1)) {}
    let now = running.poll();
    assert!(now.progress.explored > 0);
    assert_eq!(running.poll(), now, "the time stands still");
    assert!(running.is_finished() && running.wait(Duration::from_secs(1000)));
    // Cancelling has no effect any more.
    running.cancel();
    let limit = Verdict::Unknown(Reason::Stopped(StopReason::NodeLimit));
    assert_eq!(running.join().expect("no panic").verdict, limit);
}

#[test]
fn two_questions_run_at_once_and_are_cancelled_apart() {
    let session = session(LARGE);
    let options = breadth_first();
    let [left, right] = [(); 2].map(|()| session.start_verify(first(&session), &options));
    until_explored(&left);
    until_explored(&right);
    left.cancel();
    assert_eq!(left.join().expect("no panic").verdict, cancelled());
    assert!(!right.wait(Duration::from_millis(20)), "only the other one is cancelled");
    right.cancel();
    assert_eq!(right.join().expect("no panic").verdict, cancelled());
}

#[test]
fn a_dropped_question_ends() {
    let session = session(LARGE);
    let running = session.start_verify(first(&session), &breadth_first());
    until_explored(&running);
    drop(running);
}

#[test]
fn improvements_are_delivered_in_order() {
    let text = "clock x; int[0,5] n; process P() { state a { x <= 1 }, b; init a;
        trans a -> a { guard n < 5 && x == 1; assign n = n + 1, x = 0; }, a -> b { guard n >= 2; };
        } system P; query { E<> P.b }";
    let session = session(text);
    let running = optimisation(&session).start();
    let mut improvements = Vec::new();
    while !running.wait(Duration::from_millis(1)) {
        improvements.extend(running.take_improvements());
    }
    improvements.extend(running.take_improvements());
    let now = running.poll();
    let found = running.join().expect("no panic");
    assert_eq!(found.verdict, Verdict::Satisfied);
    let cost = found.optimum().expect("a search").cost;
    assert_eq!(now.incumbent, cost);
    assert_eq!(improvements.last().map(|last| last.improvement.cost), cost);
    let costs = improvements.iter().map(|found| found.improvement.cost.value());
    assert!(costs.is_sorted_by(|a, b| a >= b));
}

#[test]
fn refused_queries_are_answered_at_once() {
    let small = session(SMALL);
    let (liveness, _) = small.queries().nth(2).expect("a query");
    let refused = Task::optimize(&small, liveness, &OptimizeOptions::default());
    assert_eq!(refused.err(), Some(Refusal::NoGoal));
    let session = session(&SMALL.replace("E<> P.c", "control: A<> P.c"));
    let (query, options) = (session.queries().nth(1).expect("a query").0, VerifyOptions::default());
    let running = session.start_verify(query, &options);
    assert!(running.is_finished());
    let unsupported = |verdict| matches!(verdict, Verdict::Unknown(Reason::Unsupported(_)));
    assert!(unsupported(running.join().expect("no panic").verdict));
    let request = CertificateRequest { sink: Vec::new(), closing: None };
    let running = session.start_verify_with_certificate(query, &options, request);
    let answered = running.join().expect("no panic");
    assert!(unsupported(answered.result.verdict) && answered.sink.is_empty());
}

#[test]
fn a_batch_has_a_handle_too() {
    let text = SMALL.replace("P.b && x > 3", "P.b");
    let session = session(&text);
    let options = breadth_first();
    let ids: Vec<QueryId> = session.queries().map(|(id, _)| id).take(2).collect();
    let batch = QueryBatch::among(&session, ids.iter().copied(), &options);
    let answers = batch.start().join().expect("no panic");
    let verdicts: Vec<Verdict> = answers.into_iter().map(|(_, answer)| answer.verdict).collect();
    assert_eq!(verdicts, [Verdict::Satisfied, Verdict::NotSatisfied]);
}
