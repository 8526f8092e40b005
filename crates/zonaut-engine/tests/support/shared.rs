//! The answers of query batches, compared with those of separate searches.

use zonaut_engine::{Answer, Evidence, Order, QueryBatch, Resources, Session, VerifyOptions};
use zonaut_model::{Expression, Formula, Model, Query, QueryKind};
use zonaut_search::Statistics;
use zonaut_testkit::generate::generate;

/// The part of an answer that must be the same: everything but time and memory, and but for the
/// numbers of states where another query of the batch needs more bounds of clocks.
fn essence(answer: &Answer, with_numbers: bool) -> impl PartialEq + std::fmt::Debug {
    let numbers = if with_numbers { answer.statistics } else { Statistics::default() };
    let trace = answer.trace.as_ref().map(|trace| format!("{trace:?}"));
    let found = (answer.verdict.clone(), answer.depth, trace);
    let kind = (answer.strategy.to_string(), answer.abstraction, answer.differences);
    (found, kind, numbers.explored, numbers.stored)
}

/// Compares the answers to all queries that can share an exploration; returns their number.
///
/// # Errors
/// The first difference.
pub(crate) fn compare(session: &Session, options: &VerifyOptions) -> Result<usize, String> {
    let all = session.queries().map(|(id, _)| id);
    let shared = QueryBatch::among(session, all, options);
    let answers = shared.answer(Evidence::default());
    let queries = &session.model().queries;
    let asks_for_deadlock = |query: &Query| match &query.kind {
        QueryKind::Possibly(formula) | QueryKind::Always(formula) => formula.mentions_deadlock(),
        _ => false,
    };
    let with_numbers = !shared.queries().any(|id| asks_for_deadlock(&queries[id]));
    for (id, together) in &answers {
        let alone = session.verify(*id, options, None);
        let (together, alone) = (essence(together, with_numbers), essence(&alone, with_numbers));
        if together != alone {
            let formula = &session.model().queries[*id].text;
            return Err(format!("{formula}:\n{together:?} together,\n{alone:?} alone"));
        }
    }
    Ok(answers.len())
}

/// The model with `E<>` and `A[]` queries about every location.
fn with_queries(mut model: Model) -> Model {
    let mut goals = Vec::new();
    for (process, definition) in model.processes.iter_enumerated() {
        goals.extend(definition.locations.ids().map(|location| (process, location)));
    }
    for (process, location) in goals {
        let at = Formula::Data(model.expressions.push(Expression::At(process, location)));
        let never = QueryKind::Always(Formula::Not(Box::new(at.clone())));
        for kind in [QueryKind::Possibly(at), never] {
            let (index, text) = (model.queries.len() as u32 + 1, format!("{kind:?}"));
            model.queries.push(Query { index, text, kind });
        }
    }
    model
}

/// A random model with queries about every location, and its options: different orders, and limits
/// that some explorations reach.
pub(crate) fn random(seed: u64) -> (Session, VerifyOptions) {
    let session = Session::of_model(with_queries(generate(seed).to_model()));
    let order = Order::ALL[seed as usize % Order::ALL.len()];
    let states = Some(if seed.is_multiple_of(4) { 7 } else { 2_000 });
    let resources = Resources { states, ..Resources::default() };
    let strategy = order.into();
    (session, VerifyOptions { strategy, seed, resources, ..VerifyOptions::default() })
}

/// The model raises run-time errors, and so do goals, in different states.
pub(crate) const FAILING: &str = "int[0,3] n; int a[2]; process P() { state s, t, u; init s; \
     trans s -> s { guard n < 3; assign n = n + 1; }, s -> t { guard n == 2; }, \
     t -> u { guard n / (n - n) > 0; }; } system P; \
     query { E<> n == 1\n E<> a[n] > 5\n A[] n < 2\n E<> P.u\n A[] not P.t\n E<> P.s }";
