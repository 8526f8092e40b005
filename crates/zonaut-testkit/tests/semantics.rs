//! The semantics document, executed by the front end and the oracles.

use zonaut_base::{Id, Severity};
use zonaut_model::{Model, QueryId, QueryKind};
use zonaut_testkit::front_end::{messages, model_of};
use zonaut_testkit::network::Problem;
use zonaut_testkit::oracle::{self, Answer, Limits, MaximalRuns, Verdict};
use zonaut_testkit::priced::{Claim, Priced, Rated, examine};
use zonaut_testkit::semantics_document::{Case, Expected, Observed, contains, semantics};

/// The answer of the oracles to a query; `None` if no oracle is exact for it.
fn observe(model: &str, formula: &str) -> Option<Observed> {
    let model = match model_of(model, &[formula]) {
        Ok((model, _)) => model,
        Err(problems) => {
            return Some(Observed::Wrong(messages(&problems, Severity::Error).join("\n")));
        }
    };
    let query = &model.queries[QueryId::from_index(0)].kind;
    if let QueryKind::Unsupported(kind) = query {
        return Some(Observed::Unknown(format!("unsupported: {kind}")));
    }
    let depends_on_reals =
        model.needed_reals().len() + model.needed_reals_of(QueryId::from_index(0)).len() > 0;
    if depends_on_reals {
        return None;
    }
    let limits = Limits { states: 3_000_000, ..Limits::default() };
    if let Some(observed) = observe_beyond_reachability(&model, query, limits) {
        return Some(observed);
    }
    if model.has_rates() {
        // A goal found at half times is reachable; a goal not found there is undecided.
        let shown = |answer: &Answer| answer.goal.is_some() || answer.failure.is_some();
        return match oracle::grid_time(&model, query, 2, limits) {
            Verdict::Decided(answer) if shown(&answer) => Some(verdict_of(query, &answer)),
            _ => None,
        };
    }
    match oracle::region(&model, query, limits) {
        Verdict::Decided(answer) => Some(verdict_of(query, &answer)),
        Verdict::Refused(problem @ Problem::Unsupported(_)) => {
            Some(Observed::Unknown(format!("unsupported: {problem}")))
        }
        Verdict::Refused(Problem::Failed(_)) => Some(Observed::Error),
        Verdict::Refused(Problem::InitialInvariant) | Verdict::TooLarge => None,
    }
}

/// The same for queries about maximal runs and values; `None` for others.
fn observe_beyond_reachability(
    model: &Model,
    query: &QueryKind,
    limits: Limits,
) -> Option<Observed> {
    match query {
        // Values are exact once all states are explored.
        QueryKind::Supremum(..) | QueryKind::Infimum(..) | QueryKind::Bounds(..) => {
            return Some(Observed::Satisfied);
        }
        QueryKind::PossiblyAlways(_) | QueryKind::Eventually(_) | QueryKind::LeadsTo(..) => {}
        _ => return None,
    }
    let MaximalRuns::Decided { exists, failure, .. } = oracle::maximal_runs(model, query, limits)
    else {
        return None;
    };
    let is_wanted = matches!(query, QueryKind::PossiblyAlways(_));
    Some(match (failure, exists == is_wanted) {
        (Some(_), _) if !exists => Observed::Error,
        (_, true) => Observed::Satisfied,
        (_, false) => Observed::NotSatisfied,
    })
}

fn verdict_of(query: &QueryKind, answer: &Answer) -> Observed {
    let fails_first = |failure: oracle::Failure| answer.goal.is_none_or(|at| failure.actions < at);
    if answer.failure.is_some_and(fails_first) {
        return Observed::Error;
    }
    match (query, answer.goal) {
        (QueryKind::Possibly(_), Some(_)) | (QueryKind::Always(_), None) => Observed::Satisfied,
        _ => Observed::NotSatisfied,
    }
}

fn has_stopwatches(text: &str) -> bool {
    model_of(text, &[]).is_ok_and(|(model, _)| model.has_rates())
}

fn is_statistical(text: &str, formula: &str) -> bool {
    model_of(text, &[formula]).is_ok_and(|(model, _)| {
        matches!(model.queries[QueryId::from_index(0)].kind, QueryKind::Statistical(_))
    })
}

/// The mismatches of a case, and the number of its queries that no oracle could decide.
fn check(case: &Case) -> (Vec<String>, usize) {
    let mut complaints = Vec::new();
    let mut undecided = 0;
    let place = format!("{} (line {})", case.heading, case.line);
    let (severity, expected, found) = match model_of(&case.model, &[]) {
        Ok((_, warnings)) => (Severity::Warning, &case.warnings, warnings),
        Err(problems) => (Severity::Error, &case.errors, problems),
    };
    let found = messages(&found, severity);
    if (severity == Severity::Error) == case.errors.is_empty() {
        complaints.push(format!("{place}: {severity:?} {found:?}, expected {:?}", case.errors));
        return (complaints, undecided);
    }
    for part in expected {
        if !found.iter().any(|message| contains(message, part)) {
            complaints.push(format!("{place}: `{part}` is not in {found:?}"));
        }
    }
    for query in &case.queries {
        // Random runs are compared with those of a naive simulator instead.
        if is_statistical(&case.model, &query.formula) {
            continue;
        }
        match observe(&case.model, &query.formula) {
            Some(observed) if query.admits(&observed) => {}
            Some(observed) => complaints.push(format!(
                "{place}: {} (line {}): {observed:?}, expected {:?}",
                query.formula, query.line, query.expected
            )),
            None if has_stopwatches(&case.model) => {}
            // No oracle evaluates floating point, random numbers and external functions.
            None if matches!(query.expected, Expected::Unknown(_)) => {}
            None => undecided += 1,
        }
    }
    (complaints, undecided)
}

#[test]
fn front_end_and_oracles_agree_with_the_document() {
    let mut complaints = Vec::new();
    let mut undecided = 0;
    for case in semantics().unwrap() {
        let (more, open) = check(&case);
        complaints.extend(more);
        undecided += open;
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(undecided == 0, "{undecided} queries are decided by no oracle");
}

/// The least cost on which all strategies agree, certified unless rates differ, and whether an oracle
/// has confirmed it.
fn cost_of(model: &str, goal: &str) -> Result<(Observed, bool), String> {
    let rated = Rated::of_text(model, goal).map_err(|messages| messages.join("\n"))?;
    if let Some(rated) = rated {
        let examined = rated.examine(0)?;
        let cost = examined.least.map_or("unreachable".to_owned(), |cost| cost.to_string());
        return Ok((Observed::Cost(cost), examined.is_judged));
    }
    let priced = Priced::of_text(model, goal).map_err(|messages| messages.join("\n"))?;
    let mut examined = examine(&priced, 0)?;
    for seed in 1..8 {
        examined = examine(&priced, seed)?;
    }
    let observed = Observed::Cost(match examined.claim {
        None if examined.fails => "error".to_owned(),
        None => "refused:".to_owned(),
        Some(Claim::Unreachable) => "unreachable".to_owned(),
        Some(Claim::Least(cost)) => cost.to_string(),
        Some(Claim::Infimum(cost)) => format!("{cost} (infimum, not attained)"),
    });
    Ok((observed, examined.is_judged))
}

#[test]
fn all_orders_the_priced_oracle_and_the_checker_agree_with_the_document() {
    let (mut asked, mut judged) = (0, 0);
    for case in semantics().unwrap() {
        for query in &case.costs {
            let place = format!("{} (line {})", case.heading, query.line);
            let observed = cost_of(&case.model, &query.formula);
            let (observed, is_judged) = observed.unwrap_or_else(|why| panic!("{place}: {why}"));
            // The reasons for refusals are tested elsewhere, with source positions.
            let is_refused = observed == Observed::Cost("refused:".to_owned());
            let is_expected = match &query.expected {
                Expected::Cost(text) if text.starts_with("refused:") => is_refused,
                _ => query.admits(&observed),
            };
            assert!(is_expected, "{place}: {observed:?}, expected {:?}", query.expected);
            asked += 1;
            judged += usize::from(is_judged);
        }
    }
    // No oracle supports refused or failing models, cost rates above 1, clock differences, and the
    // two models of P71, whose dates are too large to enumerate.
    assert!(asked >= 30 && judged >= asked - 11, "{judged} of {asked}");
}
