//! Certificates of optimal costs.

use crate::answer::{Answer, Unwritten, Verdict};
use crate::optimize::{CostMeasure, OptimizeOptions, RunCosts, Watching};
use crate::resources::Watch;
use crate::session::Session;
use crate::verify::{Evidence, VerifyOptions};
use std::io::{self, Write};
use std::time::{Duration, Instant};
use zonaut_concrete::NoRun;
use zonaut_cost::{Combination, Unproven, WrittenRun, Zones, run_along, write_run};
use zonaut_evidence::{Hashed, Subject};
use zonaut_model::core_text::Measure;
use zonaut_model::{QueryId, QueryKind};
use zonaut_priced::PricedSearch;

impl Session {
    /// Writes a certificate of the result of an optimisation of `query`: that the goal is
    /// unreachable, or a run and that no run costs less. For the latter, all states with a lower
    /// cost are explored once more with zones, for at most `time`.
    ///
    /// # Errors
    /// If nothing was proven, a limit was reached, the exploration contradicts the result, or `out`
    /// fails.
    pub fn certify_optimum(
        &self,
        query: QueryId,
        found: &Answer,
        options: &OptimizeOptions,
        time: Option<Duration>,
        mut out: &mut dyn Write,
    ) -> Result<(), Unwritten> {
        let mut resources = options.resources.clone();
        resources.time = resources.time.into_iter().chain(time).min();
        match &found.verdict {
            Verdict::NotSatisfied => {
                let verify = VerifyOptions { resources, ..VerifyOptions::default() };
                let evidence = Evidence { certificate: Some(&mut out), ..Evidence::default() };
                let answer = self.verify_with_certificate(query, &verify, evidence);
                // The contradiction is known before a checker runs.
                if answer.verdict == Verdict::Satisfied {
                    return Err(Unwritten::Contradiction("the zone graph search reaches the goal"));
                }
                answer.certificate.unwrap_or_else(|| Err(unproven()))
            }
            Verdict::Satisfied => {
                let options = OptimizeOptions { resources, ..options.clone() };
                self.write_least_cost(query, found, &options, out)
            }
            _ => Err(unproven()),
        }
    }

    /// The core text that the certificate of an optimisation of `query` refers to; it has no costs
    /// if the goal is unreachable.
    #[must_use]
    pub fn core_text_of_optimum(
        &self,
        query: QueryId,
        found: &Answer,
        rates: Combination,
    ) -> String {
        match found.verdict {
            Verdict::NotSatisfied => self.core_text(Some(query)),
            _ => self.core_text_of_cost(query, rates),
        }
    }

    fn write_least_cost(
        &self,
        query: QueryId,
        found: &Answer,
        options: &OptimizeOptions,
        out: &mut dyn Write,
    ) -> Result<(), Unwritten> {
        let (QueryKind::Possibly(goal), Some(optimum)) =
            (&self.model().queries[query].kind, found.optimum())
        else {
            return Err(unproven());
        };
        let Some(solution) = &optimum.solution else {
            return Err(unproven());
        };
        let objective = self.objective(query, goal, CostMeasure::Cost(options.rates));
        let costs = objective.map_err(|_| unproven())?.costs;
        let watch = Watch::new(&options.resources, Instant::now(), None);
        let meter = watch.work().clone();
        let run = match &costs {
            RunCosts::Uniform(costing) => run_along(self.model(), goal, *costing, solution, &meter)
                .map(|(network, run)| (network, WrittenRun::of(&run, solution.cost))),
            RunCosts::Different(rates) => {
                zonaut_priced::written_run(self.model(), goal, rates, solution, &meter)
            }
        };
        let (network, run) = run.map_err(|why| match why {
            NoRun::Stopped(why) => Unwritten::Stopped(why),
            NoRun::Spurious | NoRun::ClockRange => unproven(),
        })?;
        let mut watcher = Watching::new(watch);
        let mut out = Hashed::new(out, &meter);
        let subject = Subject { model: self.model(), query: &self.model().queries[query] };
        let mut prove = |out: &mut dyn Write| match &costs {
            RunCosts::Uniform(costing) => {
                let zones = Zones::new(self.model(), goal, *costing, &meter);
                let zones = zones.map_err(Unproven::Failure)?;
                zones.write_proof(self.model(), solution.cost, &mut watcher, out)
            }
            RunCosts::Different(rates) => {
                let search =
                    PricedSearch::without_labels(self.model(), goal, rates.clone(), &meter);
                let search = search.map_err(Unproven::Failure)?;
                search.write_proof(solution.cost, &mut watcher, out)
            }
        };
        let written = subject
            .begin_least_cost(measure(options.rates), &mut out)
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
