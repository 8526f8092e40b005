//! Liveness queries: whether some maximal run avoids a formula (`A<>`, `E[]` and `-->`).

use crate::answer::replayed_lasso::{PossibleLasso, ReplayedLasso};
use crate::answer::{
    Answer, Reason, Unwritten, Verdict, describe_differences, possibly, verdict_of,
    verdict_of_failure,
};
use crate::certificate::write_failure_after;
use crate::prepared::Prepared;
use crate::resources::{SearchListener, Watch};
use crate::session::Session;
use crate::verify::{TraceWish, VerifyOptions};
use std::io::{self, Write};
use std::time::{Duration, Instant};
use zonaut_concrete::{
    Destination, MaximalPath, MaximalRun, NoRun, concretise, concretise_maximal,
};
use zonaut_dbm::{Narrow, Wide, Width};
use zonaut_evidence::Subject;
use zonaut_liveness::{
    CompiledObjective, Conclusion, ExactProof, Finding, Lasso, LassoEnd, LassoReport, LassoTask,
    Objective, Proof, search_exactly, search_lasso,
};
use zonaut_model::Query;
use zonaut_strategy::Order;
use zonaut_trace::{Continuation, Trace};
use zonaut_zonegraph::{Abstraction, Unsound, ZoneGraph};

/// A question about maximal runs with its options. Strategies and heuristics have no effect.
pub(crate) struct LivenessQuestion<'q, 'l> {
    pub(crate) session: &'q Session,
    pub(crate) query: &'q Query,
    pub(crate) objective: &'q Objective,
    pub(crate) options: &'l VerifyOptions,
    /// The time limit of a second search for the certificate, unless the first one took longer.
    pub(crate) closing: Option<Duration>,
}

/// The limits of an answer, and the receiver of its certificate.
struct Wish<'l> {
    watch: Watch<'l>,
    certificate: Option<&'l mut dyn Write>,
    start: Instant,
}

impl<'l> LivenessQuestion<'_, 'l> {
    /// Searches for a maximal run and derives the verdict.
    pub(crate) fn answer(
        &self,
        listener: Option<&'l mut SearchListener<'l>>,
        certificate: Option<&'l mut dyn Write>,
        start: Instant,
    ) -> Result<Answer, Reason> {
        let options = self.options;
        let watch = Watch::new(&options.resources, start, listener);
        let abstraction = Some(Abstraction::Maximum);
        let formula = self.objective.formula();
        let prepared = Prepared::metered(self.session, &formula, abstraction, watch.work())?;
        let wish = Wish { watch, certificate, start };
        if prepared.fits_narrow_bounds() {
            self.answer_with::<Narrow>(&prepared, wish)
        } else {
            self.answer_with::<Wide>(&prepared, wish)
        }
    }

    /// Warnings about options without effect, for a search with this abstraction.
    fn warnings(&self, used: Abstraction) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.options.abstraction.is_some_and(|wish| wish != used) {
            let name = used.name();
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
        mut wish: Wish<'l>,
    ) -> Result<Answer, Reason> {
        let graph = prepared.graph::<W>()?;
        let compiled = self.objective.compiled(self.session.model());
        let task = LassoTask {
            model: self.session.model(),
            network: graph.network(),
            bounds: graph.bounds(),
            objective: self.objective,
            compiled: &compiled,
            is_exact: self.options.abstraction == Some(Abstraction::Maximum),
            records_proof: wish.certificate.is_some(),
        };
        let answer = self.search::<W>(&task, &mut wish)?;
        if answer.verdict != Verdict::Spurious || task.is_exact {
            return Ok(answer);
        }
        // Zones that would leave their range are widened, and may hold unreachable valuations.
        wish.watch.count_earlier(answer.statistics.explored);
        self.search::<W>(&LassoTask { is_exact: true, ..task }, &mut wish)
    }

    fn search<W: Width>(
        &self,
        task: &LassoTask<'_>,
        wish: &mut Wish<'l>,
    ) -> Result<Answer, Reason> {
        let Wish { watch, certificate, start } = wish;
        let start = *start;
        let answered = search_lasso::<W, _, _>(task, watch, |conclusion, watch| {
            let elapsed = start.elapsed();
            let concluded = self.conclude(conclusion.graph, task.compiled, &conclusion.report);
            let statistics = conclusion.report.statistics;
            let (abstraction, differences) =
                (conclusion.graph.abstraction(), describe_differences(conclusion.graph));
            let certificate = certificate.as_mut().and_then(|out| {
                let limit = self.closing.map(|least| least.max(elapsed));
                let certificate = Certificate { task, concluded: &concluded, limit };
                let written = self.certify(&certificate, conclusion, watch, &mut **out)?;
                Some(written.map_err(|unwritten| match watch.work().stopped() {
                    Some(why) => Unwritten::Stopped(why),
                    None => unwritten,
                }))
            });
            let Concluded { verdict, trace, depth, .. } = concluded;
            let order = match abstraction {
                Abstraction::Simulation => Order::BreadthFirst,
                _ => Order::DepthFirst,
            };
            Answer {
                depth,
                trace,
                certificate,
                abstraction: Some(abstraction),
                differences,
                statistics,
                seconds: elapsed.as_secs_f64(),
                strategy: order.into(),
                warnings: self.warnings(abstraction),
                ..Answer::unexplored(verdict, self.options, start)
            }
        });
        answered.map_err(|why| match why {
            Unsound::Differences | Unsound::Constants => Reason::ClockRange,
        })
    }

    /// Writes the certificate, if the verdict can be certified.
    fn certify<W: Width>(
        &self,
        certificate: &Certificate<'_>,
        conclusion: Conclusion<'_, '_, W>,
        watch: &mut Watch<'_>,
        out: &mut dyn Write,
    ) -> Option<Result<(), Unwritten>> {
        let Certificate { task, concluded, .. } = *certificate;
        let Conclusion { report: LassoReport { finding, .. }, graph, proof } = conclusion;
        let subject = Subject { model: self.session.model(), query: self.query };
        let is_shown_by_run = matches!(finding, Finding::Failed { .. });
        if self.session.model().has_rates() && !is_shown_by_run {
            return Some(Err(Unwritten::NoSuchKind("maximal runs with stopwatches")));
        }
        let written = match (&finding, &concluded.verdict) {
            (Finding::None, Verdict::Satisfied | Verdict::NotSatisfied) => match proof {
                Proof::Covering(proof) => subject.write_covering(graph, &proof, out),
                Proof::Exact(proof) => subject.write_live(graph, &proof, out),
                Proof::Absent => {
                    let before = watch.limit(certificate.limit);
                    let proven = prove_exactly::<W>(task, watch);
                    watch.restore(before);
                    match proven {
                        Ok((graph, proof)) => subject.write_live(&graph, &proof, out),
                        Err(unwritten) => return Some(Err(unwritten)),
                    }
                }
            },
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
        report: &LassoReport,
    ) -> Concluded {
        let is_wanted = self.objective.is_wanted;
        let without_run =
            |verdict| Concluded { verdict, trace: None, depth: None, run: Err(NoRun::Spurious) };
        match &report.finding {
            Finding::None => without_run(verdict_of(!is_wanted)),
            Finding::Stopped(why) => without_run(Verdict::Unknown(Reason::Stopped(*why))),
            Finding::Failed { error, steps } => {
                let run = concretise(graph, steps, Destination::Failure).ok();
                let is_shown = run.is_some() || !self.session.model().has_rates();
                let verdict = verdict_of_failure(*error);
                let verdict = if is_shown { verdict } else { possibly(&verdict) };
                let trace = run.map(|run| self.session.namer().trace(graph.network(), &run));
                let depth = Some(steps.len());
                Concluded { trace, depth, ..without_run(verdict) }
            }
            Finding::Found(lasso) if self.session.model().has_rates() => {
                let model = self.session.model();
                let possible = PossibleLasso {
                    model,
                    graph,
                    objective: self.objective,
                    compiled: objective,
                    lasso,
                };
                let Ok(ReplayedLasso { lasso, run }) = possible.replay() else {
                    return without_run(possibly(&verdict_of(is_wanted)));
                };
                let run = MaximalRun { run, repeated: Vec::new() };
                let depth = lasso.before.len() + lasso.prefix.len() + lasso.cycle().len();
                let trace = self.trace_of(graph, &run, &lasso);
                let verdict = verdict_of(is_wanted);
                Concluded { verdict, trace, depth: Some(depth), run: Ok(run) }
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

/// The data of a certificate besides the result of the search.
#[derive(Clone, Copy)]
struct Certificate<'c> {
    task: &'c LassoTask<'c>,
    concluded: &'c Concluded,
    /// The time limit of a second search.
    limit: Option<Duration>,
}

/// Searches again, exactly, for a proof that no maximal run exists.
fn prove_exactly<'t, W: Width>(
    task: &LassoTask<'t>,
    watch: &mut Watch<'_>,
) -> Result<(ZoneGraph<'t, W>, ExactProof<W>), Unwritten> {
    let task = LassoTask { records_proof: true, ..*task };
    let contradiction = || Unwritten::from(io::Error::other("two searches contradict each other"));
    let (bounds, abstraction) = (task.bounds, Abstraction::Maximum);
    let graph = ZoneGraph::new(task.network, bounds, abstraction, watch.work());
    let (graph, searched) = match (graph, search_exactly::<W, _>(&task, watch)) {
        (Ok(graph), Ok(searched)) => (graph, searched),
        _ => return Err(contradiction()),
    };
    match searched {
        (LassoReport { finding: Finding::None, .. }, Some(proof)) => Ok((graph, proof)),
        (LassoReport { finding: Finding::Stopped(why), .. }, _) => Err(Unwritten::Stopped(why)),
        _ => Err(contradiction()),
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
