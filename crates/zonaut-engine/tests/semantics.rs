//! The examples of the semantics document, including pitfalls, with every order and abstraction.

mod support;

use std::fs;
use support::{configurations, flaw_of, was_given_up};
use zonaut_base::{Id, Severity};
use zonaut_engine::strategy::CostStrategy;
use zonaut_engine::strategy::catalogue::{Kind, PARTS};
use zonaut_engine::{
    LoadOptions, Loaded, OptimizeOptions, QueryId, QuerySource, Reason, Resources, TraceWish,
    Verdict, VerifyOptions, load, load_text,
};
use zonaut_testkit::front_end::messages;
use zonaut_testkit::semantics_document::{Case, Observed, contains, semantics};

/// The maximal number of explored states: exact zones may be infinitely many.
const STATES: usize = 2_000;

fn observe(loaded: &Loaded, options: &VerifyOptions) -> Option<Observed> {
    let query = QueryId::from_index(0);
    let session = loaded.session().expect("a correct model");
    let answer = session.verify(query, options, None);
    if let Some(flaw) = flaw_of(loaded, query, &answer) {
        return Some(Observed::Wrong(flaw));
    }
    if options.abstraction.is_some() && was_given_up(&answer) {
        return None;
    }
    Some(match answer.verdict {
        Verdict::Satisfied => Observed::Satisfied,
        Verdict::NotSatisfied => Observed::NotSatisfied,
        Verdict::Error(_) | Verdict::CostOverflow(_) | Verdict::FailedRun(_) => Observed::Error,
        Verdict::Unknown(reason) => Observed::Unknown(reason.to_string()),
        Verdict::NoInitialState => Observed::Wrong("the initial state".to_owned()),
        Verdict::DamagedQuery => Observed::Wrong("the query".to_owned()),
        Verdict::Spurious | Verdict::WronglyPruned => Observed::Wrong("a contradiction".to_owned()),
    })
}

/// The failures of a case.
fn check(case: &Case) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("case.xta");
    fs::write(&path, &case.model).expect("a writable folder");
    let load = |formulas: &[String]| {
        let source = QuerySource::Formulas(formulas.to_vec());
        load(&path, &source, &LoadOptions::default()).expect("a readable model")
    };
    let place = format!("{} (line {})", case.heading, case.line);
    let mut complaints = Vec::new();
    let plain = load(&[]);
    let found = messages(&plain.diagnostics, Severity::Error);
    if plain.model.is_none() == case.errors.is_empty() {
        complaints.push(format!("{place}: {found:?}, expected {:?}", case.errors));
    }
    for part in &case.errors {
        if !found.iter().any(|message| contains(message, part)) {
            complaints.push(format!("{place}: `{part}` is not in {found:?}"));
        }
    }
    for query in &case.queries {
        let loaded = load(std::slice::from_ref(&query.formula));
        let mut compare = |observed: &Observed, options: &VerifyOptions| {
            if !query.admits(observed) {
                complaints.push(format!(
                    "{place}: {} (line {}): {observed:?}, expected {:?}, by {} {:?}",
                    query.formula,
                    query.line,
                    query.expected,
                    options.strategy,
                    options.abstraction
                ));
            }
        };
        if loaded.has_errors() {
            let refused = messages(&loaded.diagnostics, Severity::Error).join("\n");
            compare(&Observed::Wrong(refused), &VerifyOptions::default());
            continue;
        }
        for options in configurations() {
            let resources = Resources { states: Some(STATES), ..Resources::default() };
            let options = VerifyOptions { resources, trace: TraceWish::Some, ..options };
            if let Some(observed) = observe(&loaded, &options) {
                compare(&observed, &options);
            }
        }
    }
    complaints
}

#[test]
fn the_engine_agrees_with_the_document() {
    let complaints: Vec<String> = semantics().unwrap().iter().flat_map(check).collect();
    assert!(complaints.is_empty(), "{}:\n{}", complaints.len(), complaints.join("\n"));
}

/// The result of a strategy for the minimal cost, in the notation of the document.
fn cost_of(loaded: &Loaded, strategy: CostStrategy) -> Observed {
    let session = loaded.session().expect("a correct model");
    let options = OptimizeOptions { strategy, ..OptimizeOptions::default() };
    let found = match session.optimize(QueryId::from_index(0), &options) {
        Ok(found) => found,
        Err(why) => return Observed::Cost(format!("{why:?}")),
    };
    let cost = found.cost();
    Observed::Cost(match (found.verdict, cost) {
        (Verdict::Unknown(Reason::Costs(why)), None) => {
            let line = session.sources().position(why.span()).line;
            format!("refused: line {line}: {} ({:?})", why.message, why.help)
        }
        (Verdict::Satisfied, Some(cost)) => cost.to_string(),
        (Verdict::NotSatisfied, None) => "unreachable".to_owned(),
        (Verdict::Error(_), None) => "error".to_owned(),
        other => format!("{other:?}"),
    })
}

#[test]
fn every_strategy_agrees_with_the_document_on_costs() {
    let mut asked = 0;
    for case in semantics().unwrap() {
        for query in &case.costs {
            let text = format!("{}query {{ {} }}\n", case.model, query.formula);
            let loaded = load_text("case.xta", &text, &LoadOptions::default());
            for part in PARTS.iter().filter(|part| part.kind == Kind::CostSearch) {
                let strategies = [part.example, "mc", "bfs", "dfs(rem)", "heur(rem, over=zones)"];
                for strategy in strategies.map(|text| text.parse().expect(text)) {
                    let observed = match cost_of(&loaded, strategy) {
                        // Beams are for networks of tasks.
                        Observed::Cost(text)
                            if part.name == "beam" && text.contains("beam search") =>
                        {
                            continue;
                        }
                        observed => observed,
                    };
                    let (line, expected) = (query.line, &query.expected);
                    let is_admitted = query.admits(&observed);
                    assert!(is_admitted, "line {line}, {strategy}: {observed:?}, {expected:?}");
                    asked += 1;
                }
            }
        }
    }
    assert!(asked > 300, "{asked}");
}
