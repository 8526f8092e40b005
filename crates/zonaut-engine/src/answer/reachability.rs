//! Reachability queries: `E<>` and `A[]`.

mod deadlock_bounds;
#[cfg(test)]
mod explanations;
#[cfg(test)]
mod tests;

use crate::answer::{
    Answer, Reason, Unwritten, Verdict, describe_differences, possibly, verdict_of,
    verdict_of_failure,
};
use crate::certificate;
use crate::choice::choose_reduced;
use crate::host::Host;
use crate::prepared::Prepared;
use crate::reasons::Reasons;
use crate::reduction::{Reduction, describe};
use crate::resources::Watch;
use crate::search::{Closing, Evident, ZoneOutcome, steps_of};
use crate::session::Session;
use crate::verify::{Evidence, TraceWish, VerifyOptions};
use deadlock_bounds::{PROBES, first_locations, probe, survey};
use std::cell::Cell;
use std::io::{self, Write};
use std::time::{Duration, Instant};
use zonaut_analysis::goal::Reachability;
use zonaut_compile::{BoundsTable, TwoSidedLocations};
use zonaut_concrete::{ConcreteRun, NoRun};
use zonaut_dbm::{Narrow, Wide, Width};
use zonaut_evidence::Subject;
use zonaut_lazy::Explanation;
use zonaut_model::{Model, Query, QueryId};
use zonaut_portfolio::{
    Choosing, Decision, HeuristicFactory, Portfolio, ReachabilityTask, Searched, portfolio,
};
use zonaut_search::{Outcome, Statistics};
use zonaut_space::Meter;
use zonaut_strategy::Strategy;
use zonaut_symmetry::Symmetry;
use zonaut_zonegraph::{CompiledGoal, Step};

/// A question of reachability, and how it is answered.
pub(crate) struct Asked<'q, 'l> {
    pub(crate) session: &'q Session,
    pub(crate) query: &'q Query,
    pub(crate) reachability: &'q Reachability,
    pub(crate) options: &'l VerifyOptions,
}

impl<'l> Asked<'_, 'l> {
    /// Searches for the goal and says what that means for the query.
    pub(crate) fn answer(&self, evidence: Evidence<'l>, start: Instant) -> Result<Answer, Reason> {
        let Evidence { listener, certificate, closing, lowest } = evidence;
        let options = self.options;
        let watch = Watch::new(&options.resources, start, listener);
        let mut wish = Wish { watch, certificate, closing, lowest, start };
        let mut two_sided = first_locations(&self.reachability.goal, options);
        let mut explored = 0;
        let mut probes = if two_sided.is_some() { PROBES } else { 0 };
        loop {
            let prepared = self.prepare(&mut two_sided, wish.watch.work())?.suited_to(options)?;
            if let Some(locations) = two_sided.as_mut().filter(|_| probes > 0) {
                let is_raised = match prepared.fits_narrow_bounds() {
                    true => probe(&prepared.graph::<Narrow>()?, locations, &mut wish.watch)?,
                    false => probe(&prepared.graph::<Wide>()?, locations, &mut wish.watch)?,
                };
                probes = if is_raised { probes - 1 } else { 0 };
                if is_raised {
                    continue;
                }
            }
            let round = match prepared.fits_narrow_bounds() {
                true => self.round::<Narrow>(&prepared, &mut two_sided, &mut wish)?,
                false => self.round::<Wide>(&prepared, &mut two_sided, &mut wish)?,
            };
            match round {
                Round::Answered(mut answer) => {
                    answer.statistics.explored += explored;
                    return Ok(*answer);
                }
                Round::Repeat { explored: more } => {
                    explored += more;
                    wish.watch.count_earlier(more);
                }
            }
        }
    }

    /// Compiles the model; the bounds of clocks are two-sided at these locations only, if there are
    /// such and that can be enough.
    fn prepare(
        &self,
        two_sided: &mut Option<TwoSidedLocations>,
        meter: &Meter,
    ) -> Result<Prepared, Reason> {
        let (session, formula) = (self.session, &self.reachability.goal);
        let bounds = |model: &Model| {
            let locations = two_sided.as_ref();
            let few = locations.and_then(|at| BoundsTable::with_two_sided(model, formula, at));
            few.unwrap_or_else(|| {
                *two_sided = None;
                BoundsTable::new(model, formula)
            })
        };
        Prepared::with_bounds(session, bounds, self.options.abstraction, meter)
    }

    fn model(&self) -> &Model {
        &self.session.model
    }

    /// Searches with zones of one width. Where bounds are two-sided at some locations only, the round
    /// is repeated with more of them if those were not sufficient.
    fn round<W: Width>(
        &self,
        prepared: &Prepared,
        two_sided: &mut Option<TwoSidedLocations>,
        wish: &mut Wish<'l>,
    ) -> Result<Round, Reason> {
        let Wish { watch, certificate, closing, lowest, start } = wish;
        let (closing, lowest, start) = (*closing, *lowest, *start);
        let options = self.options;
        let graph = prepared.graph::<W>()?;
        let lazy_graph = prepared.lazy_graph::<W>(&portfolio::lazy_strategy(), options);
        let comparison = Prepared::comparison(&graph, options.comparison)?;
        let formula = &self.reachability.goal;
        let goal = CompiledGoal::metered(self.model(), formula, watch.work());
        let shortest = options.trace == TraceWish::Shortest;
        let symmetry = self.symmetry();
        let reduction = Reduction::new(self.model(), &symmetry, options);
        let task = ReachabilityTask {
            graph: &graph,
            goal: &goal,
            comparison,
            shortest,
            seed: options.seed,
        };
        let host = Host::new(start, options.databases.as_deref()).noting(lowest);
        let subject = (self.model(), self.query);
        let factory = HeuristicFactory::new(subject, formula, prepared.bounds(), &host);
        let memory = options.resources.memory;
        let mut is_reduced = reduction.is_some();
        let decision = match (&options.strategy, reduction) {
            (&Strategy::Auto { first }, Some(reduction)) => {
                let choosing = Choosing { task, lazy_graph: lazy_graph.as_ref(), factory, memory };
                let chosen = choose_reduced(choosing, reduction, first, watch);
                is_reduced = chosen.is_reduced;
                chosen.decision
            }
            (strategy, Some(reduction)) => {
                let searched = task.search_reduced(reduction, strategy, &factory, watch)?;
                Decision::of_one(task, searched, &factory)
            }
            (&Strategy::Auto { first }, None) => {
                let choosing = Choosing { task, lazy_graph: lazy_graph.as_ref(), factory, memory };
                Portfolio::new(choosing, first).decide(watch)
            }
            (strategy, None) => {
                let searched = task.search(strategy, &factory, watch)?;
                Decision::of_one(task, searched, &factory)
            }
        };
        let Decision { task, searched, heuristic, warnings, attempts } = decision;
        let explored = searched.report.statistics.explored;
        let is_final = match searched.report.outcome {
            Outcome::Exhausted => false,
            // Without sufficient bounds, a nearer deadlock may have been covered.
            Outcome::Reached { .. } => !shortest,
            Outcome::Failed { .. } | Outcome::Stopped { .. } => true,
        };
        if let Some(locations) = two_sided
            && !is_final
            && survey(task.graph, &searched.store, locations)?
        {
            if is_reduced {
                // A representative stands for states whose locations are permuted.
                *locations = TwoSidedLocations::all();
            }
            return Ok(Round::Repeat { explored });
        }
        let elapsed = start.elapsed();
        let certificate = certificate.as_mut().map(|out| &mut **out as &mut dyn Write);
        let found = Found { task, searched, is_reduced, elapsed, certificate, closing };
        let answer = self.conclude(found, watch);
        if answer.verdict == Verdict::Spurious && two_sided.is_some() {
            // Zones that would leave their range are not exact, and need all bounds.
            *two_sided = None;
            return Ok(Round::Repeat { explored });
        }
        let symmetry = describe(&symmetry, options);
        Ok(Round::Answered(Box::new(Answer { heuristic, symmetry, warnings, attempts, ..answer })))
    }

    /// The symmetry that the query respects.
    fn symmetry(&self) -> Symmetry {
        let queries = self.model().queries.iter_enumerated();
        let same: Vec<QueryId> =
            queries.filter(|(_, query)| *query == self.query).map(|(id, _)| id).collect();
        Symmetry::of(self.model(), &same)
    }

    /// Derives the answer from the result of a search. The search decides; then its path is
    /// concretised, even if no trace was requested; then a certificate may be written. If these
    /// contradict each other, the verdict is a bug.
    fn conclude<W: Width>(&self, found: Found<'_, '_, W>, watch: &mut Watch<'_>) -> Answer {
        let Found { task, searched, is_reduced, elapsed, certificate, closing } = found;
        let ended = Ended {
            outcome: &searched.report.outcome,
            statistics: searched.report.statistics,
            strategy: &searched.strategy,
            elapsed,
        };
        let (mut answer, run) = self.describe(task, ended);
        answer.labelling = searched.labelling;
        answer.explanation = self.explain(&searched);
        // An evaluation that was given up shows nothing, and a model without behaviour has nothing.
        let is_decided = !matches!(answer.verdict, Verdict::Unknown(_) | Verdict::NoInitialState);
        if !is_decided {
            watch.work().discard(searched);
        } else if let Some(out) = certificate {
            let limit = closing.map(|least| least.max(elapsed));
            match self.certify((task, searched, is_reduced), run, (limit, watch), out) {
                Ok(certificate) => answer.certificate = certificate,
                Err(WronglyPruned) => answer.verdict = Verdict::WronglyPruned,
            }
        }
        answer
    }

    /// The facts that a proof depends on, if requested.
    pub(crate) fn explain<W: Width>(&self, searched: &Searched<'_, W>) -> Option<Explanation> {
        let proof = searched.proof.as_deref().filter(|_| self.options.explain)?;
        Some(Explanation::of(self.model(), proof))
    }

    /// The answer that the end of a search means, without a certificate, and the run that shows it.
    pub(crate) fn describe<W: Width>(
        &self,
        task: ReachabilityTask<'_, W>,
        ended: Ended<'_>,
    ) -> (Answer, Result<Option<ConcreteRun>, NoRun>) {
        let Ended { outcome, statistics, strategy, elapsed } = ended;
        let is_wanted = self.reachability.is_wanted;
        let mut verdict = match outcome {
            Outcome::Reached { .. } => verdict_of(is_wanted),
            Outcome::Exhausted => verdict_of(!is_wanted),
            Outcome::Failed { error, .. } => verdict_of_failure(*error),
            Outcome::Stopped { why, .. } => Verdict::Unknown(Reason::Stopped(*why)),
        };
        let run = task.run(outcome);
        let is_met = steps_of(outcome).is_some();
        match run {
            Err(NoRun::Spurious) if self.model().has_rates() => verdict = possibly(&verdict),
            // With stopwatches, a path proves the verdict only with a concrete run.
            Err(NoRun::Stopped(why)) if is_met && self.model().has_rates() => {
                verdict = Verdict::Unknown(Reason::Stopped(why));
            }
            Err(NoRun::Spurious) => verdict = Verdict::Spurious,
            Err(NoRun::ClockRange) => verdict = Verdict::Unknown(Reason::ClockRange),
            // The search has answered; what is missing is evidence.
            Ok(_) | Err(NoRun::Stopped(_)) => {}
        }
        let reached = matches!(outcome, Outcome::Reached { .. });
        let wants_trace = self.options.trace != TraceWish::None || !reached;
        let shown = run.as_ref().ok().and_then(Option::as_ref).filter(|_| wants_trace);
        let namer = self.session.namer();
        let answer = Answer {
            verdict,
            trace: shown.map(|run| namer.trace(task.graph.network(), run)),
            values: Vec::new(),
            certificate: None,
            depth: steps_of(outcome).map(<[Step]>::len),
            strategy: strategy.clone(),
            abstraction: Some(task.graph.abstraction()),
            differences: describe_differences(task.graph),
            symmetry: None,
            statistics,
            labelling: None,
            attempts: Vec::new(),
            explanation: None,
            heuristic: None,
            warnings: Vec::new(),
            seconds: elapsed.as_secs_f64(),
        };
        (answer, run)
    }

    /// Explores the states that heuristics pruned, as certificates need them.
    fn close<'g, W: Width>(
        &self,
        task: ReachabilityTask<'g, W>,
        searched: Searched<'g, W>,
        watch: &mut Watch<'_>,
    ) -> (Searched<'g, W>, Closing) {
        match Reasons::new(self.model(), &self.reachability.goal, watch.work()) {
            Ok(reasons) => task.close(searched, reasons, watch),
            Err(why) => (searched, Closing::Stopped(why)),
        }
    }

    /// Writes the certificate of the result, if one is requested; before, the states that
    /// heuristics pruned are explored, for at most `limit`.
    fn certify<'g, W: Width>(
        &self,
        (task, mut searched, is_reduced): (ReachabilityTask<'g, W>, Searched<'g, W>, bool),
        run: Result<Option<ConcreteRun>, NoRun>,
        (limit, watch): (Option<Duration>, &mut Watch<'_>),
        out: &mut dyn Write,
    ) -> Result<Option<Result<(), Unwritten>>, WronglyPruned> {
        if self.model().has_rates() && self.reachability.goal.mentions_deadlock() {
            return Ok(Some(Err(Unwritten::NoSuchKind("deadlocks with stopwatches"))));
        }
        let run = match run {
            Ok(run) => run,
            Err(NoRun::Stopped(why)) => return Ok(Some(Err(Unwritten::Stopped(why)))),
            Err(NoRun::Spurious | NoRun::ClockRange) => return Ok(None),
        };
        let is_exhausted = matches!(searched.report.outcome, Outcome::Exhausted);
        let is_reduced = is_reduced && is_exhausted;
        if searched.has_pruned() || is_reduced {
            let before = watch.limit(limit);
            let closing;
            (searched, closing) = match is_reduced {
                true => task.search_again(searched, watch),
                false => self.close(task, searched, watch),
            };
            watch.restore(before);
            match closing {
                Closing::Done => {}
                Closing::Stopped(_) if is_reduced => {
                    return Ok(Some(Err(Unwritten::Symmetry)));
                }
                Closing::Stopped(why) => return Ok(Some(Err(Unwritten::Stopped(why)))),
                Closing::Undecided => {
                    let why = "pruned states cannot be explored exactly";
                    return Ok(Some(Err(Unwritten::Failed(io::Error::other(why)))));
                }
                Closing::Contradiction => return Err(WronglyPruned),
            }
        }
        let subject = Subject { model: self.model(), query: self.query };
        let written = certificate::write(&subject, &task, &searched, run.as_ref(), out);
        Ok(written.map(|result| {
            result.map_err(|error| match watch.work().stopped() {
                Some(why) => Unwritten::Stopped(why),
                None => Unwritten::Failed(error),
            })
        }))
    }
}

/// The end of one round of searching.
enum Round {
    /// The answer.
    Answered(Box<Answer>),
    /// The bounds of clocks were not sufficient and are raised; this many states were explored.
    Repeat { explored: usize },
}

/// Who watches a search, what evidence is wanted, and since when.
struct Wish<'l> {
    watch: Watch<'l>,
    certificate: Option<&'l mut dyn Write>,
    closing: Option<Duration>,
    lowest: Option<&'l Cell<Option<u32>>>,
    start: Instant,
}

/// The result of a search, and the requested evidence.
struct Found<'g, 'l, W: Width> {
    task: ReachabilityTask<'g, W>,
    searched: Searched<'g, W>,
    /// Whether representatives stand for others.
    is_reduced: bool,
    elapsed: Duration,
    certificate: Option<&'l mut dyn Write>,
    closing: Option<Duration>,
}

/// How a search ended, and what it did until then.
#[derive(Clone, Copy)]
pub(crate) struct Ended<'e> {
    pub(crate) outcome: &'e ZoneOutcome,
    pub(crate) statistics: Statistics,
    pub(crate) strategy: &'e Strategy,
    pub(crate) elapsed: Duration,
}

/// Heuristics pruned a state from which the goal or a run-time error is reachable.
struct WronglyPruned;
