//! The models under `models/` with their expectations: every order and abstraction gives the same
//! verdict, runs replay, and requesting a run does not change the exploration.

mod support;

use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use support::{ask, configurations, graphs, repository, shortest, was_given_up};
use zonaut_base::Id;
use zonaut_engine::{
    Abstraction, LoadOptions, Loaded, QueryId, QuerySource, Resources, Session, TraceWish, Verdict,
    VerifyOptions, load, load_text,
};
use zonaut_testkit::generate::generate;

/// The maximal number of explored states.
const STATES: usize = 5_000;
/// The maximal number for exact zones, which may be infinitely many.
const EXACT_STATES: usize = 500;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectations {
    model: PathBuf,
    queries: Option<PathBuf>,
    query: Vec<Expectation>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    formula: String,
    verdict: String,
    #[serde(rename = "because")]
    _because: String,
}

fn expectation_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in fs::read_dir(repository().join("models")).expect("models") {
        let folder = folder.expect("an entry").path();
        if folder.is_dir() {
            let entries = fs::read_dir(folder).expect("a folder");
            let entries = entries.map(|entry| entry.expect("an entry").path());
            files.extend(entries.filter(|path| path.to_string_lossy().ends_with(".expected.toml")));
        }
    }
    files.sort();
    assert!(files.len() >= 10, "{files:?}");
    files
}

/// Calls `check` with every query of every model and the verdict expected of it.
fn for_each_query(mut check: impl FnMut(&Path, &Loaded, QueryId, &str)) {
    for file in expectation_files() {
        let text = fs::read_to_string(&file).expect("a readable file");
        let expected: Expectations = toml::from_str(&text).expect("a list of expectations");
        let beside = |name: &PathBuf| file.with_file_name(name);
        let queries = expected.queries.as_ref();
        let source = queries.map_or(QuerySource::Embedded, |name| QuerySource::File(beside(name)));
        let loaded = load(&beside(&expected.model), &source, &LoadOptions::default());
        let loaded = loaded.expect("a readable model");
        let session = loaded.session();
        assert!(session.is_some(), "{}: {:?}", file.display(), loaded.diagnostics);
        let asked: Vec<_> = session.iter().flat_map(|session| session.queries()).collect();
        assert_eq!(asked.len(), expected.query.len(), "{}", file.display());
        for ((id, query), expected) in asked.into_iter().zip(&expected.query) {
            assert_eq!(query.text, expected.formula, "{}", file.display());
            check(&file, &loaded, id, &expected.verdict);
        }
    }
}

fn name_of(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Satisfied => "satisfied",
        Verdict::NotSatisfied => "not_satisfied",
        Verdict::Error(_) => "error",
        Verdict::Unknown(_) => "unknown",
        Verdict::NoInitialState => "no initial state",
        Verdict::DamagedQuery => "damaged query",
        Verdict::Spurious => "spurious",
        Verdict::WronglyPruned => "wrongly pruned",
        Verdict::CostOverflow(_) => "cost overflow",
        Verdict::FailedRun(_) => "failed run",
    }
}

fn limited(mut options: VerifyOptions) -> VerifyOptions {
    let exact = options.abstraction == Some(Abstraction::Exact);
    let states = Some(if exact { EXACT_STATES } else { STATES });
    options.resources = Resources { states, ..Resources::default() };
    options
}

/// A lazy search within the limit.
fn forgetful() -> VerifyOptions {
    let strategy = "lazy(data=visible, clocks=zone)".parse().expect("a strategy");
    limited(VerifyOptions { strategy, ..VerifyOptions::default() })
}

#[test]
fn every_order_and_abstraction_gives_the_expected_verdict_and_a_true_run() {
    for_each_query(|file, loaded, id, expected| {
        for options in configurations().map(limited) {
            let options = VerifyOptions { trace: TraceWish::Some, ..options };
            let answer = ask(loaded, id, &options);
            let by_default = options.abstraction.is_none();
            // If there is too much data for the limit, a lazy search has to decide.
            let answer = match was_given_up(&answer) {
                true if by_default => ask(loaded, id, &forgetful()),
                true => continue,
                false => answer,
            };
            let found = name_of(&answer.verdict);
            assert_eq!(found, expected, "{} {id:?} {options:?}", file.display());
        }
    });
}

#[test]
fn state_graphs_agree_with_a_naive_exploration() {
    let mut known = 0;
    for_each_query(|file, loaded, id, _| {
        // One graph for each model.
        if id.index() == 0 {
            let session = loaded.session().expect("a correct model");
            known +=
                graphs::check(&session).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
        }
    });
    assert!(known > 300, "{known}");
    for seed in 0..15 {
        let session = Session::of_model(generate(seed).to_model());
        assert!(graphs::check(&session).is_ok(), "{seed}: {:?}", graphs::check(&session));
    }
    let evicting = load_text("e.xta", graphs::EVICTING, &LoadOptions::default());
    let session = evicting.session().expect("a correct model");
    let answer = graphs::first_states(&session, 9);
    let graph = answer.state_graph().expect("a graph");
    assert!(graph.nodes.iter().any(|node| node.covered_by.is_some()), "{graph:?}");
    let few = graphs::first_states(&session, 2);
    assert_eq!(few.state_graph().expect("a graph").nodes.len(), 2);
    assert_ne!(few.verdict, Verdict::Satisfied);
}

#[test]
fn shortest_runs_have_one_length() {
    for_each_query(|file, loaded, id, _| {
        let by_default = shortest(loaded, id, &limited(VerifyOptions::default()));
        for options in configurations().map(limited) {
            // Exact zones may exceed the limit; otherwise the length is the same.
            let found = shortest(loaded, id, &options);
            if found.is_some() {
                assert_eq!(found, by_default, "{} {id:?} {options:?}", file.display());
            }
        }
    });
}

#[test]
fn requesting_a_trace_does_not_change_the_exploration() {
    for_each_query(|file, loaded, id, _| {
        for options in configurations().map(limited) {
            let without = ask(loaded, id, &options);
            let with = ask(loaded, id, &VerifyOptions { trace: TraceWish::Some, ..options });
            assert_eq!(with.statistics, without.statistics, "{} {id:?}", file.display());
            assert_eq!(with.verdict, without.verdict, "{} {id:?}", file.display());
            assert_eq!(with.depth, without.depth, "{} {id:?}", file.display());
        }
    });
}
