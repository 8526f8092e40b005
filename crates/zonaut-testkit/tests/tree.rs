//! The naive evaluator against the semantics document.

use zonaut_base::{Id, SourceFile, SourceMap};
use zonaut_model::{QueryId, QueryKind};
use zonaut_syntax::{ParseOptions, parse_model, parse_query_text};
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::oracle::{is_closed, is_diagonal_free};
use zonaut_testkit::semantics_document::{Case, ExpectedQuery, Observed, semantics};
use zonaut_testkit::tree::{Explored, explore};

/// The answer of the naive explorer to a query; `None` if it does not support it.
fn observe(case: &Case, query: &ExpectedQuery) -> Option<Observed> {
    let (model, _) = model_of(&case.model, &[&query.formula]).ok()?;
    let kind = &model.queries[QueryId::from_index(0)].kind;
    // It supports neither priorities nor stopwatches, and only queries about states.
    let asks_of_states = matches!(kind, QueryKind::Possibly(_) | QueryKind::Always(_));
    if !asks_of_states || model.has_priorities() || model.has_rates() {
        return None;
    }
    if !is_closed(&model, kind) || !is_diagonal_free(&model, kind) {
        return None;
    }
    let mut sources = SourceMap::default();
    let options = ParseOptions::default();
    let file = sources.add(SourceFile::new("model.xta", case.model.as_str()));
    let (document, _) = parse_model(&mut sources, file, &options);
    let file = sources.add(SourceFile::new("query.q", query.formula.as_str()));
    let (queries, _) = parse_query_text(&mut sources, file, &options);
    let Explored { goal, failure, .. } = explore(&document, &queries, 5_000).ok()?;
    if failure.is_some_and(|(actions, _)| goal.is_none_or(|goal| actions < goal)) {
        return Some(Observed::Error);
    }
    Some(match goal.is_some() == query.formula.starts_with('E') {
        true => Observed::Satisfied,
        false => Observed::NotSatisfied,
    })
}

#[test]
fn the_naive_evaluator_agrees_with_the_document() {
    let (mut decided, mut complaints) = (0, Vec::new());
    for case in semantics().unwrap() {
        for query in &case.queries {
            let Some(observed) = observe(&case, query) else { continue };
            decided += 1;
            if !query.admits(&observed) {
                let line = query.line;
                complaints.push(format!("line {line}: {}: {observed:?}", query.formula));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(decided > 100, "only {decided} queries were decided");
}
