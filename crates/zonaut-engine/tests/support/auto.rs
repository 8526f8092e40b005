//! Answers of portfolios, compared with those of single searches.

use std::num::NonZeroUsize;
use zonaut_engine::{
    Answer, AttemptEnd, Order, QueryId, Session, Strategy, TraceWish, Verdict, VerifyOptions,
};

/// The head start with which portfolios are run with several threads, too.
pub(crate) const COMPARED_WITH_THREADS: u32 = 3;

/// The part of an answer that pauses must not change: everything but time.
fn essence(answer: &Answer) -> impl PartialEq + std::fmt::Debug + use<> {
    let trace = answer.trace.as_ref().map(|trace| format!("{trace:?}"));
    let found = (answer.verdict.clone(), answer.depth, trace, answer.labelling);
    let kind = (answer.strategy.to_string(), answer.abstraction, answer.differences);
    (found, kind, answer.statistics)
}

fn options(strategy: Strategy, trace: TraceWish) -> VerifyOptions {
    VerifyOptions { strategy, trace, ..VerifyOptions::default() }
}

/// Compares the answer of a portfolio with that of two threads, which has to be the same, and with
/// those of more threads, which explore in another order.
fn compare_threads(
    session: &Session,
    query: QueryId,
    one: &Answer,
    options: &VerifyOptions,
) -> Result<(), String> {
    for threads in [2, 4] {
        let options = VerifyOptions { threads: NonZeroUsize::new(threads), ..options.clone() };
        let several = session.verify(query, &options, None);
        if threads == 2 && essence(&several) != essence(one) {
            let (one, two) = (essence(one), essence(&several));
            return Err(format!("{two:?} with two threads,\n{one:?} with one"));
        }
        if several.verdict != one.verdict {
            return Err(format!("{:?} with {threads} threads", several.verdict));
        }
        if options.trace == TraceWish::Shortest && several.depth != one.depth {
            return Err(format!("{:?} transitions with {threads} threads", several.depth));
        }
    }
    Ok(())
}

/// Answers a query by a portfolio with the first time slice `first`, and checks the answer.
///
/// # Errors
/// If the verdict is not that of an exhaustive search, the deciding search behaves differently
/// alone or with several threads, or a member had more time slices than their growth allows.
pub(crate) fn compare(
    session: &Session,
    query: QueryId,
    first: u32,
    trace: TraceWish,
) -> Result<Answer, String> {
    let answer = session.verify(query, &options(Strategy::Auto { first }, trace), None);
    if first == COMPARED_WITH_THREADS {
        compare_threads(session, query, &answer, &options(Strategy::Auto { first }, trace))?;
    }
    let whole = session.verify(query, &options(Order::BreadthFirst.into(), trace), None);
    // The order decides whether a goal or a run-time error is found first.
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
        // Limits grow by a quarter, from a sixteenth of the head start; a search has at least a
        // quarter of the added work.
        let limits = (64 * attempt.work / u64::from(first)).max(1);
        let most = 4 + 7 * limits.ilog2() as usize / 2;
        if attempt.turns > most {
            return Err(format!("more than {most} turns: {attempt:?}"));
        }
    }
    Ok(answer)
}
