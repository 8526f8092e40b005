//! Answers of searches that take turns, compared with those of single ones.

use zonaut_engine::{
    Answer, AttemptEnd, Order, QueryId, Session, Strategy, TraceWish, Verdict, VerifyOptions,
};

/// What must be the same, however often a search is paused: everything but time.
fn essence(answer: &Answer) -> impl PartialEq + std::fmt::Debug + use<> {
    let trace = answer.trace.as_ref().map(|trace| format!("{trace:?}"));
    let found = (answer.verdict.clone(), answer.depth, trace, answer.labelling);
    let kind = (answer.strategy.to_string(), answer.abstraction, answer.differences);
    (found, kind, answer.statistics)
}

fn options(strategy: Strategy, trace: TraceWish) -> VerifyOptions {
    VerifyOptions { strategy, trace, ..VerifyOptions::default() }
}

/// Asks a query with turns that begin with `first`; the answer, if nothing is wrong with it.
///
/// # Errors
/// Where the verdict is not that of a search that expands everything, the search that has decided
/// does something else alone, or there were more turns than growing ones.
pub(crate) fn compare(
    session: &Session,
    query: QueryId,
    first: u32,
    trace: TraceWish,
) -> Result<Answer, String> {
    let answer = session.verify(query, &options(Strategy::Auto { first }, trace), None);
    let whole = session.verify(query, &options(Order::BreadthFirst.into(), trace), None);
    // Which of a goal and a failure is met first depends on the order.
    let may_fail = [&answer, &whole].iter().any(|one| matches!(one.verdict, Verdict::Error(_)));
    if answer.verdict != whole.verdict && !may_fail {
        return Err(format!("{:?} instead of {:?}", answer.verdict, whole.verdict));
    }
    if trace == TraceWish::Shortest && answer.depth != whole.depth && !may_fail {
        return Err(format!("{:?} transitions instead of {:?}", answer.depth, whole.depth));
    }
    let alone = session.verify(query, &options(answer.strategy.clone(), trace), None);
    let (in_turns, alone) = (essence(&answer), essence(&alone));
    if in_turns != alone {
        return Err(format!("{in_turns:?} in turns,\n{alone:?} alone"));
    }
    let deciders = answer.attempts.iter().filter(|attempt| attempt.end == AttemptEnd::Decided);
    if deciders.count() != 1 {
        return Err(format!("{:?}", answer.attempts));
    }
    for attempt in &answer.attempts {
        // A limit grows by a quarter, from a sixteenth of the head start; a search has a quarter of
        // what is added at least.
        let limits = (64 * attempt.work / u64::from(first)).max(1);
        let most = 4 + 7 * limits.ilog2() as usize / 2;
        if attempt.turns > most {
            return Err(format!("more than {most} turns: {attempt:?}"));
        }
    }
    Ok(answer)
}
