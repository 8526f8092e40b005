//! Answering queries and replaying their runs, for the tests of this crate.

#![allow(dead_code, reason = "each test file is a program of its own and uses a part of this")]

pub(crate) mod auto;
pub(crate) mod graphs;
pub(crate) mod shared;

use std::path::{Path, PathBuf};
use zonaut_base::Id;
use zonaut_engine::{
    Abstraction, Answer, Loaded, Order, QueryId, Rational, Reason, RunTimeError, Trace, TraceEdge,
    TraceWish, Verdict, VerifyOptions,
};
use zonaut_model::{Model, ProcessId};
use zonaut_testkit::network::Participant;
use zonaut_testkit::replay::{FlawKind, Run, RunStep, goal_of, replay};

/// The folder of public models, for tests that are ignored without it.
pub(crate) fn public_models() -> PathBuf {
    std::env::var_os("ZONAUT_MODELS").expect("ZONAUT_MODELS names a folder of models").into()
}

/// The root of the repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Every order with every abstraction, including the default one.
pub(crate) fn configurations() -> impl Iterator<Item = VerifyOptions> {
    let abstractions = Abstraction::ALL.into_iter().map(Some).chain([None]);
    abstractions.flat_map(|abstraction| {
        Order::ALL.map(|order| VerifyOptions {
            strategy: order.into(),
            abstraction,
            ..VerifyOptions::default()
        })
    })
}

/// Answers a query with these options; a run is replayed.
#[track_caller]
pub(crate) fn ask(loaded: &Loaded, query: QueryId, options: &VerifyOptions) -> Answer {
    let session = loaded.session().expect("a correct model");
    let answer = session.verify(query, options, None);
    assert_eq!(flaw_of(loaded, query, &answer), None);
    answer
}

/// The violated property of an answer's run, if there is one.
pub(crate) fn flaw_of(loaded: &Loaded, query: QueryId, answer: &Answer) -> Option<String> {
    let trace = answer.trace.as_ref()?;
    check_run(loaded.model.as_ref()?, query, trace, &answer.verdict).err()
}

/// Whether a limit stopped the search.
pub(crate) fn was_given_up(answer: &Answer) -> bool {
    let refused = |why: &str| why.contains("with clock differences");
    match &answer.verdict {
        Verdict::Unknown(Reason::Stopped(_) | Reason::ClockRange) => true,
        Verdict::Unknown(Reason::Unsuited(why)) => refused(why),
        _ => false,
    }
}

/// The length of a shortest run, if one is found within the limits.
pub(crate) fn shortest(loaded: &Loaded, query: QueryId, options: &VerifyOptions) -> Option<usize> {
    let options = VerifyOptions { trace: TraceWish::Shortest, ..options.clone() };
    ask(loaded, query, &options).trace.map(|trace| trace.steps.len())
}

/// Checks that a trace is a run of the model that proves the verdict.
fn check_run(
    model: &Model,
    query: QueryId,
    trace: &Trace,
    verdict: &Verdict,
) -> Result<(), String> {
    let Some(goal) = goal_of(&model.queries[query].kind) else { return Ok(()) };
    let denominator = denominator_of(trace);
    let scaled =
        |time: Rational| i128::from(time.numerator) * (denominator / i128::from(time.denominator));
    let mut steps: Vec<RunStep> = trace
        .steps
        .iter()
        .map(|step| RunStep {
            delay: scaled(step.delay),
            participants: step.edges.iter().map(|edge| participant(model, edge)).collect(),
        })
        .collect();
    steps.push(RunStep { delay: scaled(trace.last_delay), participants: Vec::new() });
    let result = replay(model, &goal, &Run { denominator, steps });
    // If the computation of enabled transitions fails, no edge is involved and nothing can be
    // replayed.
    let blames_no_edge =
        trace.fails && trace.steps.last().is_some_and(|step| step.edges.is_empty());
    match (verdict, result) {
        (Verdict::Satisfied | Verdict::NotSatisfied, Ok(())) => Ok(()),
        (Verdict::Error(error), Err(flaw)) if is_failure(&flaw.kind, error) => Ok(()),
        (Verdict::Error(_), Err(_)) if blames_no_edge => Ok(()),
        (Verdict::Unknown(Reason::EvaluationBudget(_)), Err(_)) => Ok(()),
        (verdict, result) => Err(format!("{verdict:?}: {result:?}\n{trace:?}")),
    }
}

/// Whether a replay failed with the engine's error. For an array access, one may report the index
/// and the other the whole expression.
fn is_failure(flaw: &FlawKind, error: &RunTimeError) -> bool {
    matches!(flaw, FlawKind::Failed(found) if found.kind == error.kind)
}

fn denominator_of(trace: &Trace) -> i128 {
    let delays = trace.steps.iter().map(|step| step.delay).chain([trace.last_delay]);
    delays.fold(1, |all, delay| {
        let one = i128::from(delay.denominator);
        all / greatest_common_divisor(all, one) * one
    })
}

fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

fn participant(model: &Model, edge: &TraceEdge) -> Participant {
    let process = model.processes.iter().position(|process| process.name == edge.process);
    Participant {
        process: ProcessId::from_index(process.expect("a process of this name")),
        edge: Id::from_index(edge.edge),
        select: edge.select.iter().map(|(_, value)| *value).collect(),
    }
}
