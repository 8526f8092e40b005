//! Contradicting results are bugs: heuristics with wrong dead ends, and paths without runs.

use super::*;
use crate::load::{LoadOptions, load_text};
use zonaut_portfolio::Passed;
use zonaut_search::{Guided, Report, Search, Ties};
use zonaut_space::{Arrival, Estimate, Heuristic};
use zonaut_zonegraph::SymbolicState;

/// Three steps lead to `done`; `fail` divides by zero in `b`.
fn chain(fail: &str) -> String {
    format!(
        "int[0,1] z; int w; process P() {{ state a, b, c, done; init a; \
         trans a -> b {{ }}, b -> c {{ {fail} }}, c -> done {{ }}; }} system P;"
    )
}

/// A heuristic that reports all states of the chain from `first` on as dead ends.
struct Liar {
    first: i32,
}

impl Heuristic<SymbolicState, Step> for Liar {
    fn estimate(
        &mut self,
        state: &SymbolicState,
        _: Option<Arrival<'_, SymbolicState, Step>>,
    ) -> Estimate<u32> {
        if state.values[0] >= self.first { Estimate::DeadEnd } else { Estimate::Distance(0) }
    }
    fn name(&self) -> &'static str {
        "liar"
    }
}

/// The answer to the query `text` after a search with a heuristic that is wrong from `first` on,
/// changed by `tamper`.
fn answer(
    model: &str,
    query: &str,
    first: i32,
    tamper: impl FnOnce(&mut Finished<'_, Narrow>),
) -> Answer {
    let text = format!("{model} query {{ {query} }}");
    let loaded = load_text("m.xta", &text, &LoadOptions::default());
    let session = loaded.session().expect("a correct model");
    let (id, query) = session.queries().next().expect("a query");
    let reachability =
        &Reachability::of(session.model(), &query.kind).expect("a question of reachability");
    let options = &VerifyOptions::default();
    let queries = &[ReachabilityQuery { id, query, reachability }];
    let question = &ReachabilityQuestion { session: &session, queries, options };
    let start = Instant::now();
    let mut out = Vec::new();
    let mut state = Answering {
        watch: Watch::new(&options.resources, start, None),
        certificate: Some(&mut out),
        closing: None,
        lowest: None,
        start,
        answers: vec![None],
        two_sided: None,
        explored: 0,
    };
    let prepared = &Prepared::new(&session, &reachability.goal, None).expect("supported");
    let graph = &prepared.graph().expect("sound");
    let comparison = Prepared::comparison(graph, None).expect("sound");
    let goals = &[CompiledGoal::new(session.model(), &reachability.goal)];
    let host = &Host::new(start, None);
    let board = &GoalBoard::new(goals, host);
    let sets = &[OnceCell::new(), OnceCell::new(), OnceCell::new()];
    let (lazy_graph, quotient, symmetry) = (None, None, None);
    let codec = ZoneCodec::new(graph);
    let round = Round {
        question,
        prepared,
        graph,
        worker_graphs: &[],
        codec: &codec,
        wants_nodes: false,
        spilling: None,
        aside: None,
        lazy_graph,
        quotient,
        comparison,
        host,
        open: &[0],
        goals,
        board,
        sets,
        symmetry,
    };
    let set = round.next_set().expect("an open goal");
    let task = round.task(set);
    let frontier = Guided::greedy(Liar { first }, Ties::default());
    let search = Search::reach(graph, task.goal_in_zones(), task.store(), frontier);
    let (Report { outcome, best, nodes, statistics }, store) = search.finish(&mut state.watch);
    let states = States::Eager(Box::new(Passed { store, nodes, best, reasons: Vec::new() }));
    let strategy = Strategy::default();
    let (heuristic, warnings, attempts) = (None, Vec::new(), Vec::new());
    let mut finished = Finished {
        task,
        strategy,
        outcome,
        statistics,
        states,
        heuristic,
        workers: Vec::new(),
        warnings,
        attempts,
    };
    tamper(&mut finished);
    let flow = round.conclude(finished, set, &mut state).expect("no limits");
    assert!(matches!(flow, Flow::Over(RoundEnd::Answered)));
    state.answers.remove(0).expect("an answer")
}

#[test]
fn a_goal_behind_a_wrong_dead_end_is_a_bug_and_no_other_verdict() {
    let honest = answer(&chain(""), "E<> P.done", 4, |_| {});
    assert_eq!(honest.verdict, Verdict::Satisfied);
    assert!(matches!(honest.certificate, Some(Ok(()))));
    for first in [1, 2] {
        for query in ["E<> P.done", "A[] not P.done"] {
            let lied = answer(&chain(""), query, first, |_| {});
            assert_eq!(lied.verdict, Verdict::WronglyPruned, "{query}");
            assert!(lied.certificate.is_none() && lied.trace.is_none());
        }
    }
}

#[test]
fn a_failure_behind_a_wrong_dead_end_is_a_bug_and_no_other_verdict() {
    let failing = chain("assign w = 1 / z;");
    let honest = answer(&failing, "E<> P.done", 4, |_| {});
    assert!(matches!(honest.verdict, Verdict::Error(_)), "{:?}", honest.verdict);
    let lied = answer(&failing, "E<> P.done", 1, |_| {});
    assert_eq!(lied.verdict, Verdict::WronglyPruned);
}

#[test]
fn correctly_pruned_states_are_certified() {
    let answer = answer(&chain("guard z > 0;"), "E<> P.done", 1, |_| {});
    assert_eq!(answer.verdict, Verdict::NotSatisfied);
    assert!(matches!(answer.certificate, Some(Ok(()))), "{:?}", answer.certificate);
}

#[test]
fn a_path_without_a_run_is_a_bug_even_without_a_requested_trace() {
    let answer = answer(&chain(""), "E<> P.done", 4, |finished| {
        if let Outcome::Reached { steps, .. } = &mut finished.outcome {
            steps.pop();
        }
    });
    assert_eq!(answer.verdict, Verdict::Spurious);
    assert!(answer.certificate.is_none());
}
