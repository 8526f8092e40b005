//! Liveness queries: whether some maximal run avoids a formula (`A<>`, `E[]` and `-->`).

use crate::answer::{
    Answer, Reason, Unwritten, Verdict, describe_differences, verdict_of, verdict_of_failure,
};
use crate::certificate::write_failure_after;
use crate::prepared::Prepared;
use crate::resources::{ProgressListener, Watch};
use crate::session::Session;
use crate::verify::{TraceWish, VerifyOptions};
use std::io::Write;
use std::time::Instant;
use zonaut_concrete::{
    Destination, MaximalPath, MaximalRun, NoRun, concretise, concretise_maximal,
};
use zonaut_dbm::{Narrow, Wide, Width};
use zonaut_evidence::Subject;
use zonaut_liveness::{
    CompiledObjective, Finding, Lasso, LassoEnd, LassoReport, Objective, Proof, search_lasso,
    search_lasso_with_proof,
};
use zonaut_model::Query;
use zonaut_strategy::Order;
use zonaut_trace::{Continuation, Trace};
use zonaut_zonegraph::{Abstraction, Unsound, ZoneGraph};

/// A question about maximal runs with its options. The search is depth first for every strategy,
/// with an abstraction that is exact for cycles.
pub(crate) struct Asked<'q, 'l> {
    pub(crate) session: &'q Session,
    pub(crate) query: &'q Query,
    pub(crate) objective: &'q Objective,
    pub(crate) options: &'l VerifyOptions,
}

impl<'l> Asked<'_, 'l> {
    /// Searches for a maximal run and derives the verdict.
    pub(crate) fn answer(
        &self,
        listener: Option<&'l mut ProgressListener<'l>>,
        certificate: Option<&'l mut dyn Write>,
        start: Instant,
    ) -> Result<Answer, Reason> {
        let options = self.options;
        let watch = Watch::new(&options.resources, start, listener);
        let abstraction = Some(Abstraction::Maximum);
        let formula = self.objective.formula();
        let prepared = Prepared::metered(self.session, &formula, abstraction, watch.work())?;
        let answer = if prepared.fits_narrow_bounds() {
            self.answer_with::<Narrow>(&prepared, (watch, certificate), start)
        } else {
            self.answer_with::<Wide>(&prepared, (watch, certificate), start)
        }?;
        Ok(Answer { warnings: self.warnings(), ..answer })
    }

    /// Warnings about options without effect.
    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.options.abstraction.is_some_and(|wish| wish != Abstraction::Maximum) {
            let name = Abstraction::Maximum.name();
            warnings.push(format!("the search for maximal runs uses the abstraction `{name}`"));
        }
        if !self.options.strategy.heuristics().is_empty() {
            warnings.push("the search for maximal runs uses no heuristic".to_owned());
        }
        if self.options.trace == TraceWish::Shortest {
            warnings.push("the maximal run need not be a shortest one".to_owned());
        }
        warnings
    }

    /// Answers with zones of one width.
    fn answer_with<W: Width>(
        &self,
        prepared: &Prepared,
        (mut watch, certificate): (Watch<'l>, Option<&'l mut dyn Write>),
        start: Instant,
    ) -> Result<Answer, Reason> {
        let graph = prepared.graph::<W>()?;
        let objective = self.objective.compiled(self.session.model());
        let (network, bounds) = (graph.network(), graph.bounds());
        let report = match certificate {
            Some(_) => search_lasso_with_proof::<W, _>(network, bounds, &objective, &mut watch),
            None => search_lasso::<W, _>(network, bounds, &objective, &mut watch)
                .map(|report| (report, Proof::default())),
        };
        let (LassoReport { finding, statistics }, proof) = report.map_err(|why| match why {
            Unsound::Differences | Unsound::Constants => Reason::ClockRange,
        })?;
        let seconds = start.elapsed().as_secs_f64();
        let concluded = self.conclude(&graph, &objective, &finding);
        let certificate = certificate.and_then(|out| {
            let written = self.certify((&graph, &finding), (&concluded, &proof), out)?;
            Some(written.map_err(|unwritten| match watch.work().stopped() {
                Some(why) => Unwritten::Stopped(why),
                None => unwritten,
            }))
        });
        let Concluded { verdict, trace, depth, .. } = concluded;
        Ok(Answer {
            depth,
            trace,
            certificate,
            abstraction: Some(graph.abstraction()),
            differences: describe_differences(&graph),
            statistics,
            seconds,
            strategy: Order::DepthFirst.into(),
            ..Answer::unexplored(verdict, self.options, start)
        })
    }

    /// Writes the certificate, if one is requested and the verdict can be certified.
    fn certify<W: Width>(
        &self,
        (graph, finding): (&ZoneGraph<'_, W>, &Finding),
        (concluded, proof): (&Concluded, &Proof<W>),
        out: &mut dyn Write,
    ) -> Option<Result<(), Unwritten>> {
        let subject = Subject { model: self.session.model(), query: self.query };
        let is_shown_by_run = matches!(finding, Finding::Failed { .. });
        if self.session.model().has_rates() && !is_shown_by_run {
            return Some(Err(Unwritten::NoSuchKind("maximal runs with stopwatches")));
        }
        let written = match (finding, &concluded.verdict) {
            (Finding::None, Verdict::Satisfied | Verdict::NotSatisfied) => {
                subject.write_live(graph, proof, out)
            }
            (Finding::Found(lasso), Verdict::Satisfied | Verdict::NotSatisfied) => {
                match &concluded.run {
                    Ok(run) => subject.write_lasso(graph, run, lasso.cycle(), out),
                    Err(NoRun::Stopped(why)) => return Some(Err(Unwritten::Stopped(*why))),
                    Err(NoRun::Spurious | NoRun::ClockRange) => return None,
                }
            }
            (Finding::Failed { steps, .. }, Verdict::Error(_)) => {
                return write_failure_after(&subject, graph, steps, out);
            }
            _ => return None,
        };
        Some(written.map_err(Unwritten::from))
    }

    /// The verdict, and the run that proves it.
    fn conclude<W: Width>(
        &self,
        graph: &ZoneGraph<'_, W>,
        objective: &CompiledObjective,
        finding: &Finding,
    ) -> Concluded {
        let is_wanted = self.objective.is_wanted;
        let without_run =
            |verdict| Concluded { verdict, trace: None, depth: None, run: Err(NoRun::Spurious) };
        match finding {
            Finding::None => without_run(verdict_of(!is_wanted)),
            Finding::Stopped(why) => without_run(Verdict::Unknown(Reason::Stopped(*why))),
            Finding::Failed { error, steps } => {
                let run = concretise(graph, steps, Destination::Failure).ok();
                let trace = run.map(|run| self.session.namer().trace(graph.network(), &run));
                let depth = Some(steps.len());
                Concluded { trace, depth, ..without_run(verdict_of_failure(*error)) }
            }
            Finding::Found(lasso) => {
                let run = run_of(graph, objective, lasso);
                let verdict = match &run {
                    Err(NoRun::Spurious) => Verdict::Spurious,
                    Err(NoRun::ClockRange) => Verdict::Unknown(Reason::ClockRange),
                    // If a limit stops the concretisation, the verdict stands without a run.
                    Ok(_) | Err(NoRun::Stopped(_)) => verdict_of(is_wanted),
                };
                let depth = lasso.before.len() + lasso.prefix.len() + lasso.cycle().len();
                let trace = run.as_ref().ok().and_then(|run| self.trace_of(graph, run, lasso));
                Concluded { verdict, trace, depth: Some(depth), run }
            }
        }
    }

    /// The run of a lasso in the user's names, if requested.
    fn trace_of<W: Width>(
        &self,
        graph: &ZoneGraph<'_, W>,
        found: &MaximalRun,
        lasso: &Lasso,
    ) -> Option<Trace> {
        if self.options.trace == TraceWish::None {
            return None;
        }
        let continuation = match lasso.end {
            LassoEnd::Cycle(_) => {
                Continuation::Repeats { from: lasso.before.len() + lasso.prefix.len() }
            }
            LassoEnd::Diverging => Continuation::Diverges,
            LassoEnd::Blocked => Continuation::Blocked,
        };
        let trace = self.session.namer().trace(graph.network(), &found.run);
        Some(Trace { continuation: Some(continuation), ..trace })
    }
}

/// The verdict and its run.
struct Concluded {
    verdict: Verdict,
    trace: Option<Trace>,
    depth: Option<usize>,
    /// The maximal run, if one was found.
    run: Result<MaximalRun, NoRun>,
}

fn run_of<W: Width>(
    graph: &ZoneGraph<'_, W>,
    objective: &CompiledObjective,
    lasso: &Lasso,
) -> Result<MaximalRun, NoRun> {
    let path = MaximalPath {
        avoided: &objective.avoided,
        before: objective.begin.as_ref().map(|begin| (lasso.before.as_slice(), begin)),
        steps: &lasso.prefix,
        cycle: lasso.cycle(),
    };
    concretise_maximal(graph, &path)
}
