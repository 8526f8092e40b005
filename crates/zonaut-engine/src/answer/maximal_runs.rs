//! Whether a maximal run avoids a formula: `A<>`, `E[]` and `-->`.

use crate::answer::{
    Answer, Reason, Unwritten, Verdict, describe_differences, verdict_of, verdict_of_failure,
};
use crate::prepared::Prepared;
use crate::resources::Watch;
use crate::session::Session;
use crate::verify::{Evidence, TraceWish, VerifyOptions};
use std::time::Instant;
use zonaut_concrete::{Destination, MaximalPath, NoRun, concretise, concretise_maximal};
use zonaut_dbm::{Narrow, Wide, Width};
use zonaut_liveness::{Aim, CompiledAim, Finding, Hunt, Lasso, LassoEnd, hunt};
use zonaut_strategy::Order;
use zonaut_trace::{Continuation, Trace};
use zonaut_zonegraph::{Abstraction, Unsound, ZoneGraph};

/// A question about maximal runs, and how it is answered. The search is depth first, whatever the
/// strategy, with an abstraction that is exact for cycles.
pub(crate) struct Asked<'q, 'l> {
    pub(crate) session: &'q Session,
    pub(crate) aim: &'q Aim,
    pub(crate) options: &'l VerifyOptions,
}

impl<'l> Asked<'_, 'l> {
    /// Looks for a run and says what that means for the query.
    pub(crate) fn answer(&self, evidence: Evidence<'l>, start: Instant) -> Result<Answer, Reason> {
        let Evidence { listener, certificate, .. } = evidence;
        let options = self.options;
        let watch = Watch::new(&options.resources, start, listener);
        let abstraction = Some(Abstraction::Maximum);
        let formula = self.aim.formula();
        let prepared = Prepared::metered(self.session, &formula, abstraction, watch.work())?;
        let answer = if prepared.fits_narrow_bounds() {
            self.answer_with::<Narrow>(&prepared, watch, start)
        } else {
            self.answer_with::<Wide>(&prepared, watch, start)
        }?;
        let kind = match answer.verdict {
            Verdict::Satisfied | Verdict::NotSatisfied if answer.depth.is_some() => Some("lasso"),
            Verdict::Satisfied | Verdict::NotSatisfied => Some("live"),
            Verdict::Error(_) => Some("failures on maximal runs"),
            _ => None,
        };
        let unwritten = certificate.and(kind).map(|kind| Err(Unwritten::NoSuchKind(kind)));
        Ok(Answer { certificate: unwritten, warnings: self.warnings(), ..answer })
    }

    /// What of the options has no influence.
    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.options.abstraction.is_some_and(|wish| wish != Abstraction::Maximum) {
            let name = Abstraction::Maximum.name();
            warnings.push(format!("maximal runs are looked for with the abstraction `{name}`"));
        }
        if !self.options.strategy.guides().is_empty() {
            warnings.push("no guide leads a search for maximal runs".to_owned());
        }
        if self.options.trace == TraceWish::Shortest {
            warnings.push("a maximal run that is shown need not be the shortest".to_owned());
        }
        warnings
    }

    /// Answers with zones of one width.
    fn answer_with<W: Width>(
        &self,
        prepared: &Prepared,
        mut watch: Watch<'l>,
        start: Instant,
    ) -> Result<Answer, Reason> {
        let graph = prepared.graph::<W>()?;
        let aim = self.aim.compiled(self.session.model(), watch.work());
        let hunt = hunt::<W, _>(graph.network(), graph.bounds(), &aim, &mut watch);
        let Hunt { finding, statistics } = hunt.map_err(|why| match why {
            Unsound::Differences | Unsound::Constants => Reason::ClockRange,
        })?;
        let seconds = start.elapsed().as_secs_f64();
        let (verdict, trace, depth) = self.conclude(&graph, &aim, &finding);
        Ok(Answer {
            depth,
            trace,
            abstraction: Some(graph.abstraction()),
            differences: describe_differences(&graph),
            statistics,
            seconds,
            strategy: Order::DepthFirst.into(),
            ..Answer::unexplored(verdict, self.options, start)
        })
    }

    /// The verdict, the run that shows it, and its length.
    fn conclude<W: Width>(
        &self,
        graph: &ZoneGraph<'_, W>,
        aim: &CompiledAim,
        finding: &Finding,
    ) -> (Verdict, Option<Trace>, Option<usize>) {
        let is_wanted = self.aim.is_wanted;
        match finding {
            Finding::None => (verdict_of(!is_wanted), None, None),
            Finding::Stopped(why) => (Verdict::Unknown(Reason::Stopped(*why)), None, None),
            Finding::Failed { error, steps } => {
                let run = concretise(graph, steps, Destination::Failure).ok();
                let trace = run.map(|run| self.session.namer().trace(graph.network(), &run));
                (verdict_of_failure(*error), trace, Some(steps.len()))
            }
            Finding::Found(lasso) => {
                let (trace, flaw) = self.trace_of(graph, aim, lasso);
                let depth = lasso.before.len() + lasso.prefix.len() + lasso.cycle().len();
                (flaw.unwrap_or(verdict_of(is_wanted)), trace, Some(depth))
            }
        }
    }

    /// The run of a lasso, if it is wanted; what is wrong if there is none.
    fn trace_of<W: Width>(
        &self,
        graph: &ZoneGraph<'_, W>,
        aim: &CompiledAim,
        lasso: &Lasso,
    ) -> (Option<Trace>, Option<Verdict>) {
        let Lasso { before, prefix, end } = lasso;
        let path = MaximalPath {
            avoided: &aim.avoided,
            before: aim.begin.as_ref().map(|begin| (before.as_slice(), begin)),
            steps: prefix,
            cycle: lasso.cycle(),
        };
        let run = match concretise_maximal(graph, &path) {
            Ok(run) => run,
            Err(NoRun::Spurious) => return (None, Some(Verdict::Spurious)),
            Err(NoRun::ClockRange) => return (None, Some(Verdict::Unknown(Reason::ClockRange))),
            // The search has answered; what is missing is evidence.
            Err(NoRun::Stopped(_)) => return (None, None),
        };
        if self.options.trace == TraceWish::None {
            return (None, None);
        }
        let continuation = match end {
            LassoEnd::Cycle(_) => Continuation::Repeats { from: before.len() + prefix.len() },
            LassoEnd::Diverging => Continuation::Diverges,
            LassoEnd::Blocked => Continuation::Blocked,
        };
        let trace = self.session.namer().trace(graph.network(), &run);
        (Some(Trace { continuation: Some(continuation), ..trace }), None)
    }
}
