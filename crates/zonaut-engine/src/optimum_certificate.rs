//! Certificates of optimal costs.

use crate::answer::{Answer, Unwritten, Verdict};
use crate::optimize::{CostMeasure, Objective, RunCosts, Watching};
use crate::resources::{Resources, Watch};
use crate::session::Session;
use crate::task::Task;
use crate::verify::{CERTIFICATION_ALLOWANCE, CertificateSink, Evidence, VerifyOptions};
use std::io::{self, Write};
use std::time::{Duration, Instant};
use zonaut_concrete::NoRun;
use zonaut_cost::{Combination, Unproven, WrittenRun, Zones, run_along, write_run};
use zonaut_evidence::{Hashed, Subject};
use zonaut_model::core_text::Measure;
use zonaut_priced::PricedSearch;

/// The evidence for the answer to an optimisation: that the goal is unreachable, or a run and that no
/// run costs less.
pub(crate) struct OptimumEvidence<'q> {
    pub(crate) session: &'q Session,
    pub(crate) objective: &'q Objective<'q>,
    /// The limits of the evidence.
    pub(crate) resources: Resources,
}

impl Resources {
    /// The limits of the evidence for an answer that was found now, to a task that was begun at
    /// `start`: the rest of its time, and at most `closing` unless [`CERTIFICATION_ALLOWANCE`] is
    /// longer.
    pub(crate) fn for_evidence(&self, start: Instant, closing: Option<Duration>) -> Self {
        let searched = start.elapsed();
        let usual = searched.saturating_mul(CERTIFICATION_ALLOWANCE);
        let limit = closing.map(|least| least.max(usual));
        let rest = self.left_after(searched);
        Self { time: rest.time.into_iter().chain(limit).min(), ..rest }
    }
}

impl OptimumEvidence<'_> {
    /// Writes the certificate of an answer; `None` if the answer decides nothing. For a least cost,
    /// all states with a lower cost are explored once more with zones.
    pub(crate) fn write(
        &self,
        found: &Answer,
        sink: &mut dyn CertificateSink,
    ) -> Option<Result<(), Unwritten>> {
        let CostMeasure::Cost(rates) = self.objective.measure else {
            return Some(Err(Unwritten::NoSuchKind("the time of a run")));
        };
        match &found.verdict {
            Verdict::NotSatisfied => self.write_unreachable(sink),
            Verdict::Satisfied => Some(match sink.open(&[self.objective.query]) {
                Ok(out) => self.write_least_cost(found, rates, out),
                Err(error) => Err(error.into()),
            }),
            _ => None,
        }
    }

    fn write_unreachable(&self, sink: &mut dyn CertificateSink) -> Option<Result<(), Unwritten>> {
        let task = Task::of_query(
            self.session,
            self.objective.query,
            &VerifyOptions::within(&self.resources),
        );
        let evidence = Evidence { certificate: Some(sink), ..Evidence::default() };
        let answer = task.ok()?.perform(evidence);
        // The contradiction is known before a checker runs.
        if answer.verdict == Verdict::Satisfied {
            let why = "the zone graph search reaches the goal";
            return Some(Err(Unwritten::Contradiction(why)));
        }
        answer.certificate.or(Some(Err(unproven())))
    }

    fn write_least_cost(
        &self,
        found: &Answer,
        rates: Combination,
        out: &mut dyn Write,
    ) -> Result<(), Unwritten> {
        let Self { session, objective, resources } = self;
        let (model, goal, costs) = (session.model(), objective.goal, &objective.costs);
        let optimum = found.optimum().ok_or_else(unproven)?;
        let solution = optimum.solution.as_ref().ok_or_else(unproven)?;
        let watch = Watch::new(resources, Instant::now(), None);
        let meter = watch.work().clone();
        let run = match costs {
            RunCosts::Uniform(costing) => run_along(model, goal, *costing, solution, &meter)
                .map(|(network, run)| (network, WrittenRun::of(&run, solution.cost))),
            RunCosts::Different(rates) => {
                zonaut_priced::written_run(model, goal, rates, solution, &meter)
            }
        };
        let (network, run) = run.map_err(|why| match why {
            NoRun::Stopped(why) => Unwritten::Stopped(why),
            NoRun::Spurious | NoRun::ClockRange => unproven(),
        })?;
        let mut watcher = Watching::new(watch);
        let mut out = Hashed::new(out, &meter);
        let subject = Subject { model, query: &model.queries[objective.query] };
        let mut prove = |out: &mut dyn Write| match costs {
            RunCosts::Uniform(costing) => {
                let zones = Zones::new(model, goal, *costing, &meter).map_err(Unproven::Failure)?;
                zones.write_proof(model, solution.cost, &mut watcher, out)
            }
            RunCosts::Different(rates) => {
                let search = PricedSearch::without_labels(model, goal, rates.clone(), &meter);
                let search = search.map_err(Unproven::Failure)?;
                search.write_proof(solution.cost, &mut watcher, out)
            }
        };
        let written = subject
            .begin_least_cost(measure(rates), &mut out)
            .and_then(|()| write_run(&network, &run, solution.cost, &mut out))
            .map_err(Unproven::Write)
            .and_then(|()| prove(&mut out))
            .and_then(|()| out.finish().map_err(Unproven::Write));
        written.map_err(|why| match (why, meter.stopped()) {
            (Unproven::Stopped(why), _) | (Unproven::Write(_), Some(why)) => {
                Unwritten::Stopped(why)
            }
            (Unproven::Write(error), None) => error.into(),
            (Unproven::Failure(_), _) => unproven(),
            (Unproven::Fails, _) => {
                let why = "a run below this cost fails at run time, or leaves the range of exact \
                           zones";
                io::Error::other(why).into()
            }
            (Unproven::Contradiction, _) if optimum.rests_on_remaining => {
                Unwritten::FalseEstimate("a cheaper run exists: `remaining` is not a lower bound")
            }
            (Unproven::Contradiction, _) => {
                Unwritten::Contradiction("the zone graph search finds a cheaper run")
            }
        })
    }
}

/// The cost measure for rates of processes that are combined in this way.
pub(crate) fn measure(rates: Combination) -> Measure {
    match rates {
        Combination::Sum => Measure::Sum,
        Combination::Least => Measure::Least,
        Combination::Greatest => Measure::Greatest,
    }
}

/// The error for a result that proves nothing.
fn unproven() -> Unwritten {
    io::Error::other("the lower bound is not proven").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{LoadOptions, load_text};
    use crate::optimize::OptimizeOptions;
    use zonaut_base::Id;
    use zonaut_model::{QueryId, QueryKind};

    fn least() -> QueryId {
        QueryId::from_index(0)
    }

    /// A slow way to the goal, and other edges.
    fn session(more: &str) -> Session {
        let text = format!(
            "clock x; process P() {{ state a, slow {{ x <= 50 }}, fast {{ x <= 2 }}, good, other; \
             init a; trans a -> slow {{ assign x = 0; }}, slow -> good {{ guard x >= 50; }}, \
             a -> other {{ }}{more}; }} system P; query {{ E<> P.good }}"
        );
        load_text("p.xta", &text, &LoadOptions::default()).session().expect("a correct model")
    }

    fn written(session: &Session, found: &Answer, measure: CostMeasure) -> Unwritten {
        let QueryKind::Possibly(goal) = &session.model().queries[least()].kind else {
            unreachable!("the query has a goal")
        };
        let objective = &session.objective(least(), goal, measure).expect("a cost measure");
        let resources = Resources::default();
        let evidence = OptimumEvidence { session, objective, resources };
        let written = evidence.write(found, &mut Vec::new());
        written.expect("a decided answer").expect_err("no certificate")
    }

    /// Claims the least cost of another network, and that the goal is unreachable.
    #[test]
    fn evidence_that_contradicts_a_result_is_a_bug() {
        let more = ", a -> fast { assign x = 0; }, fast -> good { guard x >= 2; }";
        let (smaller, larger) = (session(""), session(more));
        let found = smaller.optimize(least(), &OptimizeOptions::default()).expect("optimised");
        assert_eq!(found.cost().map(|cost| cost.value()), Some(50));
        let unreachable = Answer { verdict: Verdict::NotSatisfied, ..found.clone() };
        for wrong in [found, unreachable] {
            let written = written(&larger, &wrong, CostMeasure::Cost(Combination::Sum));
            assert!(matches!(written, Unwritten::Contradiction(_)), "{written:?}");
        }
    }

    #[test]
    fn the_time_of_a_run_has_no_certificate() {
        let session = session("");
        let found = session.optimize(least(), &OptimizeOptions::default()).expect("optimised");
        let written = written(&session, &found, CostMeasure::Time);
        assert!(matches!(written, Unwritten::NoSuchKind(_)), "{written:?}");
    }

    #[test]
    fn the_rest_of_the_time_limits_the_evidence() {
        let seconds = Duration::from_secs;
        let resources = Resources { time: Some(seconds(100)), ..Resources::default() };
        let Some(start) = Instant::now().checked_sub(seconds(10)) else { return };
        let time =
            |closing| resources.for_evidence(start, closing).time.expect("a limit").as_secs();
        assert!((80..=90).contains(&time(None)));
        assert!((30..=40).contains(&time(Some(seconds(1)))), "three times the search");
        assert!((50..=60).contains(&time(Some(seconds(60)))));
        let endless = Resources::default();
        assert_eq!(endless.for_evidence(start, None).time, None);
    }
}
