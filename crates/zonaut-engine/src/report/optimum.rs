//! The records of an optimisation: its improvements and its result.

use crate::answer::{Answer, Verdict};
use crate::optimize::Optimum;
use crate::report::{Certificate, EffortRecord};
use crate::session::Session;
use serde::Serialize;
use std::time::Duration;
use zonaut_cost::{Improvement, Infimum};
use zonaut_model::QueryId;
use zonaut_strategy::CostStrategy;
use zonaut_trace::Trace;

/// A new incumbent.
#[derive(Clone, Debug, Serialize)]
pub struct ImprovementRecord {
    /// The kind of record: `improvement`.
    pub event: &'static str,
    /// The time since the start.
    pub seconds: f64,
    /// The cost of the incumbent.
    pub cost: i64,
    /// Whether some run attains the cost, or it is only an infimum.
    pub attained: bool,
    /// The lower bound of the cost of all runs.
    pub lower_bound: i64,
    /// The [optimality gap](optimality_gap).
    pub gap: f64,
    /// Expanded states.
    pub explored: usize,
}

impl ImprovementRecord {
    /// The record of an improvement that was found after `elapsed`.
    #[must_use]
    pub fn of(found: &Improvement, elapsed: Duration) -> Self {
        let (cost, lower_bound) = (found.cost.value(), found.lower_bound.value());
        Self {
            event: "improvement",
            seconds: elapsed.as_secs_f64(),
            cost,
            attained: found.cost.is_attained(),
            lower_bound,
            gap: optimality_gap(cost, lower_bound),
            explored: found.explored,
        }
    }
}

/// The result of an optimisation.
#[derive(Debug, Serialize)]
pub struct OptimumRecord<'a> {
    /// The kind of record: `result`.
    pub event: &'static str,
    /// The number of the query in its file, from 1, without headings.
    pub index: u32,
    /// The query as written.
    pub formula: &'a str,
    /// The [name](optimum_name) of the outcome. A result that evidence contradicts is an error; one
    /// that relies on a false estimate is unknown.
    pub verdict: &'static str,
    /// The cost of the incumbent.
    pub cost: Option<i64>,
    /// Whether some run attains the cost, or it is only an infimum.
    pub attained: Option<bool>,
    /// The lower bound of the cost of all runs; zero if evidence contradicts the result.
    pub lower_bound: i64,
    /// The [optimality gap](optimality_gap).
    pub gap: Option<f64>,
    /// The strategy.
    pub strategy: String,
    /// The search space: `points` or `zones`.
    pub searched: &'static str,
    /// The effort.
    #[serde(flatten)]
    pub effort: EffortRecord,
    /// The reason for an unknown result or an error.
    pub reason: Option<String>,
    /// Whether the independent checker accepted the result.
    pub certified: bool,
    /// An unproven assumption of the result.
    pub condition: Option<&'static str>,
    /// The reason why the result is not certified.
    pub uncertified_reason: Option<String>,
    /// The time of the certificate.
    pub certification_seconds: f64,
    /// The peak memory of the independent checker.
    pub certification_bytes: usize,
    /// The run, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<&'a Trace>,
}

impl<'a> OptimumRecord<'a> {
    /// The record of an optimisation of a query of the session; `None` if no search took place.
    #[must_use]
    pub fn of(
        session: &'a Session,
        query: QueryId,
        answer: &'a Answer,
        strategy: CostStrategy,
        certificate: &Certificate,
    ) -> Option<Self> {
        let found = answer.optimum()?;
        let query = &session.model().queries[query];
        let (verdict, reason) = match certificate {
            Certificate::Rejected(why) => ("error", Some(why.clone())),
            Certificate::Refuted(why) => ("unknown", Some(why.clone())),
            Certificate::Accepted | Certificate::Missing(_) => {
                (optimum_name(&answer.verdict), answer.verdict.reason())
            }
        };
        let cost = found.cost.map(|cost| cost.value());
        let lower_bound = found.bound_given(certificate).value();
        let is_certified = *certificate == Certificate::Accepted;
        Some(Self {
            event: "result",
            index: query.index,
            formula: &query.text,
            verdict,
            cost,
            attained: found.cost.map(|cost| cost.is_attained()),
            lower_bound,
            gap: cost.map(|cost| optimality_gap(cost, lower_bound)),
            strategy: strategy.to_string(),
            searched: found.searched.0,
            effort: EffortRecord::of(answer),
            reason,
            certified: is_certified,
            condition: (found.rests_on_remaining && !is_certified)
                .then_some("if `remaining` is a lower bound"),
            uncertified_reason: certificate.reason().map(str::to_owned),
            certification_seconds: 0.0,
            certification_bytes: 0,
            trace: answer.trace.as_ref(),
        })
    }

    /// The record with the time of certification and the memory of the checker.
    #[must_use]
    pub fn with_certification(mut self, seconds: f64, bytes: usize) -> Self {
        (self.certification_seconds, self.certification_bytes) = (seconds, bytes);
        self.effort = self.effort.with_certification(seconds, bytes);
        self
    }
}

impl Certificate {
    /// Whether evidence contradicts the result.
    #[must_use]
    pub fn contradicts(&self) -> bool {
        matches!(self, Self::Rejected(_) | Self::Refuted(_))
    }
}

impl Optimum {
    /// The lower bound that is known after certification: zero if evidence contradicts the result.
    #[must_use]
    pub fn bound_given(&self, certificate: &Certificate) -> Infimum {
        if certificate.contradicts() { Infimum::attained(0) } else { self.lower_bound }
    }
}

/// The name of the verdict of an optimisation in reports.
#[must_use]
pub fn optimum_name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Satisfied => "optimal",
        Verdict::NotSatisfied => "unreachable",
        other => other.name(),
    }
}

/// The optimality gap: the distance of a cost from the lower bound, relative to the cost.
#[must_use]
pub fn optimality_gap(cost: i64, lower_bound: i64) -> f64 {
    if cost > 0 { (cost - lower_bound).max(0) as f64 / cost as f64 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LoadOptions, OptimizeOptions, load_text};

    const LAMP: &str = "clock x; process P() { state a, b, c { x <= 9 }; init a;
        trans a -> c { assign x = 0; }, c -> b { guard x >= 3; }; } system P;
        query { E<> P.b }";

    #[test]
    fn a_contradicted_result_has_neither_verdict_nor_bound() {
        let session = load_text("p.xta", LAMP, &LoadOptions::default()).session().unwrap();
        let (id, _) = session.queries().next().unwrap();
        let options = OptimizeOptions::default();
        let found = session.optimize(id, &options).unwrap();
        let record = |certificate| {
            OptimumRecord::of(&session, id, &found, options.strategy, &certificate).unwrap()
        };
        let accepted = record(Certificate::Accepted).with_certification(2.0, 7);
        assert_eq!(
            (accepted.verdict, accepted.cost, accepted.lower_bound),
            ("optimal", Some(3), 3)
        );
        assert!(
            accepted.certified
                && accepted.effort.seconds >= 2.0
                && accepted.certification_bytes == 7
        );
        let missing = record(Certificate::Missing("no".to_owned()));
        assert_eq!((missing.verdict, missing.lower_bound), ("optimal", 3));
        assert_eq!(missing.uncertified_reason.as_deref(), Some("no"));
        for (certificate, verdict) in [
            (Certificate::Rejected("why".to_owned()), "error"),
            (Certificate::Refuted("why".to_owned()), "unknown"),
        ] {
            let record = record(certificate);
            assert_eq!((record.verdict, record.lower_bound), (verdict, 0));
            assert_eq!(record.reason.as_deref(), Some("why"));
            assert_eq!(record.gap, Some(1.0));
        }
    }

    #[test]
    fn gaps_are_relative_to_the_cost() {
        assert!((optimality_gap(10, 8) - 0.2).abs() < 1e-9);
        assert_eq!(optimality_gap(0, 0), 0.0);
        assert_eq!(optimality_gap(10, 12), 0.0);
    }
}
