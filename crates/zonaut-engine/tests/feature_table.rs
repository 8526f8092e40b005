//! Documents show the list of supported features, and queries are rejected by it.

mod support;

use std::fs;
use support::repository;
use zonaut_engine::{
    Feature, LoadOptions, Query, QueryId, Refusal, Task, VerifyOptions, load_text,
};

#[track_caller]
fn check(document: &str, expected: &str) {
    let text = fs::read_to_string(repository().join(document)).expect("a document");
    assert!(text.contains(expected), "{document} does not have this:\n{expected}");
}

#[test]
fn the_page_for_newcomers_has_the_feature_table() {
    check("docs/COMING-FROM-UPPAAL.md", &Feature::table());
}

#[test]
fn the_readme_lists_supported_features() {
    check("README.md", &Feature::overview());
}

/// The names of the reasons why each query of a model is rejected; empty for supported ones.
fn reasons(text: &str) -> Vec<Vec<String>> {
    let loaded = load_text("m.xta", text, &LoadOptions::default());
    let session = loaded.session().expect("a correct model");
    let reasons = |(id, _): (QueryId, &Query)| match Task::of_query(
        &session,
        id,
        &VerifyOptions::default(),
    ) {
        Ok(_) => Vec::new(),
        Err(Refusal::Damaged | Refusal::NoGoal | Refusal::Costs(_)) => vec!["damaged".to_owned()],
        Err(Refusal::Unsupported(reasons)) => {
            for reason in &reasons {
                let place = session.sources().position(reason.place);
                assert_eq!(place.file, "m.xta");
                assert!(!reason.instead.is_empty());
            }
            reasons.iter().map(ToString::to_string).collect()
        }
    };
    session.queries().map(reasons).collect()
}

#[test]
fn stopwatches_and_priorities_are_no_reasons() {
    let text = "clock x; chan low, high; chan priority low < high;
        process P() { state a { x' == 0 }, b; init a; trans a -> b { sync low!; }; } system P;
        query { A<> P.b || deadlock\n E<> P.b\n E<> P.nowhere\n }";
    assert_eq!(reasons(text), [Vec::<&str>::new(), vec![], vec!["damaged"]]);
}

#[test]
fn an_error_in_a_query_leaves_the_others_alone() {
    let text = "process P() { state a, b; init a; trans a -> b { }; } system P;
        query { E<> P.b\n E<> P.\n A[] P.a +\n A[] not P.b\n }";
    assert_eq!(reasons(text), [vec![], vec!["damaged"], vec!["damaged"], vec![]] as [Vec<&str>; 4]);
}
