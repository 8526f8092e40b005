//! Queries of a batch have the answers of separate searches.

mod support;

use std::fs;
use support::repository;
use support::shared::{FAILING, compare, random};
use zonaut_engine::{
    LoadOptions, Order, QueryBatch, QueryId, QuerySource, Resources, Session, TraceWish,
    VerifyOptions, load, load_text,
};

#[track_caller]
fn check(session: &Session, options: &VerifyOptions, place: &str) -> usize {
    let compared = compare(session, options);
    assert!(compared.is_ok(), "{place}: {compared:?}");
    compared.unwrap_or_default()
}

#[test]
fn random_models_have_the_same_answers_in_every_order() {
    let mut compared = 0;
    for seed in 0..400 {
        let (session, options) = random(seed);
        compared += check(&session, &options, &format!("seed {seed}"));
    }
    assert!(compared > 2_000, "{compared}");
}

#[test]
fn files_with_several_queries_have_the_same_answers() {
    let models = repository().join("models");
    let mut compared = 0;
    for folder in fs::read_dir(models).expect("a folder").flatten() {
        let Ok(files) = fs::read_dir(folder.path()) else { continue };
        for path in files.flatten().map(|file| file.path()) {
            if !path.extension().is_some_and(|extension| extension == "xta" || extension == "xml") {
                continue;
            }
            let beside = path.with_extension("q");
            let queries = match beside.is_file() {
                true => QuerySource::File(beside),
                false => QuerySource::Embedded,
            };
            let loaded = load(&path, &queries, &LoadOptions::default()).expect("a readable file");
            let Some(session) = loaded.session() else { continue };
            let resources = Resources { states: Some(3_000), ..Resources::default() };
            let strategy = Order::BreadthFirst.into();
            let options = VerifyOptions { strategy, resources, ..VerifyOptions::default() };
            compared += check(&session, &options, &path.display().to_string());
        }
    }
    assert!(compared > 10, "{compared}");
}

#[test]
fn errors_of_the_model_and_of_a_goal_are_distinguished() {
    let loaded = load_text("m.xta", FAILING, &LoadOptions::default());
    let session = loaded.session().expect("a correct model");
    for order in Order::ALL {
        let options = VerifyOptions { strategy: order.into(), ..VerifyOptions::default() };
        assert_eq!(check(&session, &options, order.name()), 6);
    }
}

#[test]
fn new_bounds_of_clocks_and_traces_exclude_queries_from_a_batch() {
    let text = "clock x; process P() { state s, t; init s; trans s -> t { }; } system P; \
         query { E<> P.t\n E<> x > 3\n A[] not deadlock\n E<> P.nowhere\n A[] P.s\n }";
    let loaded = load_text("m.xta", text, &LoadOptions::default());
    let session = loaded.session().expect("a correct model");
    let all: Vec<QueryId> = session.queries().map(|(id, _)| id).collect();
    let shared = |options: &VerifyOptions| -> Vec<QueryId> {
        QueryBatch::among(&session, all.iter().copied(), options).queries().collect()
    };
    let plain = VerifyOptions::default();
    assert_eq!(shared(&plain), [all[0], all[2], all[4]]);
    let informed = VerifyOptions { strategy: "astar(hl)".parse().unwrap(), ..plain.clone() };
    assert_eq!(shared(&informed), [all[0], all[2], all[4]]);
    assert_eq!(shared(&VerifyOptions { trace: TraceWish::Some, ..plain }), []);
}
