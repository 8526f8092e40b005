//! Liveness queries of models with stopwatches, as far as reachability decides them.
//!
//! With stopwatches, zones over-approximate, so a cycle of zones need not be a cycle of runs. But
//! states outside all zones are unreachable. A run that avoids a formula starts in a state that
//! violates it: if there is no such state, there is no such run. If the formula holds in no
//! reachable state, every run avoids it, and every run can be extended to a maximal one. Otherwise
//! maximal runs are searched for: the graph of the runs that avoid the formula contains all of them,
//! and one that it contains counts if it can be replayed ([`super::replayed_lasso`]).

use crate::answer::reachability::{ReachabilityQuery, ReachabilityQuestion};
use crate::answer::{Answer, Reason, Verdict, possibly, verdict_of};
use crate::session::Session;
use crate::verify::{Evidence, TraceWish, VerifyOptions};
use std::time::Instant;
use zonaut_analysis::goal::Reachability;
use zonaut_liveness::Objective;
use zonaut_model::{Formula, QueryId};
use zonaut_space::StopReason;
use zonaut_strategy::Order;

/// Answers a question about maximal runs as far as reachable states decide it.
pub(crate) fn answer(
    session: &Session,
    id: QueryId,
    Objective { avoided, begin, is_wanted }: &Objective,
    options: &VerifyOptions,
    start: Instant,
) -> Result<Answer, Reason> {
    let strategy = Order::BreadthFirst.into();
    let options = VerifyOptions { strategy, trace: TraceWish::None, ..options.clone() };
    let reach = |goal: Formula| {
        let reachability = &Reachability { goal, is_wanted: true };
        let query = &session.model().queries[id];
        let queries = &[ReachabilityQuery { id, query, reachability }];
        let reached = ReachabilityQuestion { session, queries, options: &options };
        reached
            .answer(Evidence::default(), start)
            .into_iter()
            .next()
            .ok_or(Reason::Stopped(StopReason::Cancelled))
    };
    let is_open = |verdict: &Verdict| {
        matches!(verdict, Verdict::Satisfied | Verdict::Unknown(Reason::Stopwatches(_)))
    };
    let outside = Formula::Not(Box::new(avoided.clone()));
    let beginning = reach(Formula::And([outside].into_iter().chain(begin.clone()).collect()))?;
    if beginning.verdict == Verdict::NotSatisfied {
        return Ok(Answer { verdict: verdict_of(!is_wanted), ..beginning });
    }
    if !is_open(&beginning.verdict) {
        return Ok(beginning);
    }
    let inside = reach(avoided.clone())?;
    let has_begun = begin.is_none() || beginning.verdict == Verdict::Satisfied;
    let verdict = match &inside.verdict {
        Verdict::NotSatisfied if has_begun => verdict_of(*is_wanted),
        Verdict::NotSatisfied => possibly(&verdict_of(*is_wanted)),
        verdict if is_open(verdict) => possibly(&verdict_of(*is_wanted)),
        _ => return Ok(inside),
    };
    Ok(Answer { verdict, depth: None, ..inside })
}
