//! Heuristics on models of this repository: admissible sums by cost partitioning, and clocks.

use zonaut_base::Id;
use zonaut_engine::{LoadOptions, QueryId, Session, TraceWish, Verdict, VerifyOptions, load_text};
use zonaut_testkit::generate::{Theme, generate};

const STRATEGIES: [&str; 4] = [
    "astar(sum(hl, partition=shared))",
    "astar(sum(rd, partition=shared))",
    "astar(sum(rd, cone(d=1), hl, partition=shared))",
    "astar(sum(cone(d=0, states=5), hl, partition=shared))",
];

/// The verdict, the length of the run, and the number of explored states.
fn ask(session: &Session, strategy: &str) -> (Verdict, Option<usize>, usize) {
    let strategy = strategy.parse().expect("a strategy");
    let options =
        VerifyOptions { strategy, trace: TraceWish::Shortest, ..VerifyOptions::default() };
    let answer = session.verify(QueryId::from_index(0), &options, None);
    (answer.verdict, answer.depth, answer.statistics.explored)
}

/// Answers the first query of a model of this repository with A*; both heuristics find shortest
/// runs, the second with fewer explored states.
fn check(text: &str, queries: &str, heuristic: &str, better: &str) {
    let query = queries.lines().next().expect("a query");
    let text = format!("{text} query {{ {query} }}");
    let loaded = load_text("m.xta", &text, &LoadOptions::default());
    let session = loaded.session().expect("a correct model");
    let (_, shortest, _) = ask(&session, "bfs");
    let [one, other] =
        [heuristic, better].map(|heuristic| ask(&session, &format!("astar({heuristic})")));
    assert_eq!((one.1, other.1), (shortest, shortest), "{query}");
    assert!(other.2 < one.2, "{query}: {} and {} states", other.2, one.2);
}

#[test]
fn distances_of_independent_goals_are_added_up() {
    let sum = "sum(hl, partition=shared)";
    let dials = include_str!("../../../models/errands/dials.xta");
    check(dials, include_str!("../../../models/errands/dials.q"), "hl", sum);
    let couriers = include_str!("../../../models/errands/couriers.xta");
    check(couriers, include_str!("../../../models/errands/couriers.q"), "hl", sum);
    let shelves = include_str!("../../../models/errands/shelves.xta");
    check(shelves, include_str!("../../../models/errands/shelves.q"), "hl", sum);
}

#[test]
fn a_heuristic_with_clocks_avoids_timed_dead_ends() {
    let kiln = include_str!("../../../models/kiln/kiln.xta");
    check(kiln, include_str!("../../../models/kiln/kiln.q"), "hl", "hl(clocks=location)");
}

#[test]
fn sums_find_shortest_runs_like_uninformed_search() {
    for seed in 0..300 {
        let themes = Theme::ALL.map(|(_, theme)| theme);
        let model = match seed % 2 {
            0 => generate(seed).to_model(),
            _ => themes[seed as usize % themes.len()].network(seed).to_model(),
        };
        let session = Session::of_model(model);
        let (verdict, depth, _) = ask(&session, "bfs");
        for strategy in STRATEGIES {
            let found = ask(&session, strategy);
            assert_eq!((&found.0, found.1), (&verdict, depth), "seed {seed}, {strategy}");
        }
    }
}
