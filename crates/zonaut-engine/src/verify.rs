//! Answering one query.

#[cfg(test)]
mod tests;

use crate::certificate::Subject;
use crate::guiding::{GuideWork, Guiding};
use crate::prepared::Prepared;
use crate::reasons::Reasons;
use crate::resources::{ProgressListener, Resources, Watch};
use crate::search::{Closing, Quest, Searched};
use crate::strategy::Strategy;
use crate::unsupported::why_unsupported;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use zonaut_analysis::goal::Reachability;
use zonaut_dbm::{Narrow, Wide, Width};
use zonaut_model::interpret::{ErrorKind, RunTimeError};
use zonaut_model::{Model, Origin, Query, QueryId};
use zonaut_search::{Outcome, Statistics};
use zonaut_trace::{Namer, Trace};
use zonaut_zonegraph::{
    Abstraction, Comparison, CompiledGoal, ConcreteRun, Differences, NoRun, Step, StepError,
    ZoneGraph,
};

/// Which trace is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TraceWish {
    /// None.
    #[default]
    None,
    /// The one that the search finds.
    Some,
    /// One with the fewest transitions. The search is then breadth first, unless the strategy
    /// promises such a trace by itself, and respects depth.
    Shortest,
}

/// How a query is answered.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// How to search.
    pub strategy: Strategy,
    /// The seed of random choices.
    pub seed: u64,
    /// The abstraction of zones; without one, the best that is sound and with which the search
    /// ends.
    pub abstraction: Option<Abstraction>,
    /// How stored states are compared; without one, the coarsest that is sound.
    pub comparison: Option<Comparison>,
    /// Which trace is wanted.
    pub trace: TraceWish,
    /// What the search may use.
    pub resources: Resources,
    /// The folder in which pattern databases are kept between runs; without it, they are not.
    pub databases: Option<PathBuf>,
}

/// The answer to a query.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub enum Verdict {
    /// The formula holds.
    Satisfied,
    /// The formula does not hold.
    NotSatisfied,
    /// Undecided, and why.
    Unknown(Reason),
    /// The model fails at run time.
    Error(RunTimeError),
    /// The initial state violates an invariant, so the model has no behaviour.
    NoInitialState,
    /// A path of the zone graph has no concrete run: a bug of Zonaut.
    Spurious,
    /// Guides have pruned states that lead to the goal or fail, as exploring them for the
    /// certificate shows: a bug of Zonaut.
    WronglyPruned,
}

impl Verdict {
    /// What is wrong with Zonaut, if this verdict shows it.
    #[must_use]
    pub fn bug(&self) -> Option<&'static str> {
        match self {
            Self::Spurious => Some("the path found has no run"),
            Self::WronglyPruned => Some("a guide has pruned what matters"),
            Self::Satisfied
            | Self::NotSatisfied
            | Self::Unknown(_)
            | Self::Error(_)
            | Self::NoInitialState => None,
        }
    }
}

/// Why a certificate was not written.
#[derive(Debug)]
pub enum Unwritten {
    /// A limit was reached, or somebody asked to stop.
    Stopped(zonaut_space::StopReason),
    /// Writing failed.
    Failed(io::Error),
}

/// Why a query is undecided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A limit was reached, or somebody asked to stop.
    Stopped(zonaut_space::StopReason),
    /// The query or the model needs something that Zonaut does not support yet.
    Unsupported(String),
    /// An evaluation took more steps than allowed.
    EvaluationBudget(RunTimeError),
    /// Clock values left the range in which zones are exact.
    ClockRange,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stopped(why) => why.fmt(f),
            Self::Unsupported(what) => write!(f, "unsupported: {what}"),
            Self::EvaluationBudget(error) => error.kind.fmt(f),
            Self::ClockRange => f.write_str("clock values leave the range of exact zones"),
        }
    }
}

/// Everything that is known after a query was answered.
#[derive(Debug)]
pub struct Answer {
    /// The answer.
    pub verdict: Verdict,
    /// The run that shows it.
    pub trace: Option<Trace>,
    /// Whether the certificate was written, where one was asked for and there is something to
    /// certify.
    pub certificate: Option<Result<(), Unwritten>>,
    /// The number of transitions to the state that shows it, whether or not a trace was wanted.
    pub depth: Option<usize>,
    /// How the search went.
    pub strategy: Strategy,
    /// The abstraction of zones.
    pub abstraction: Option<Abstraction>,
    /// How clock differences were respected, where there are any.
    pub differences: Option<&'static str>,
    /// What the search did.
    pub statistics: Statistics,
    /// What the guides did, if there were any.
    pub guide: Option<GuideWork>,
    /// What went wrong without costing the answer.
    pub warnings: Vec<String>,
    /// How long it took.
    pub seconds: f64,
}

impl Answer {
    fn unexplored(why: Reason, options: &VerifyOptions, start: Instant) -> Self {
        Self {
            verdict: Verdict::Unknown(why),
            trace: None,
            certificate: None,
            depth: None,
            strategy: options.strategy.clone(),
            abstraction: None,
            differences: None,
            statistics: Statistics::default(),
            guide: None,
            warnings: Vec::new(),
            seconds: start.elapsed().as_secs_f64(),
        }
    }
}

/// Answers the query `query` of `model`.
pub fn verify<'l>(
    model: &Model,
    origin: &Origin,
    query: QueryId,
    options: &'l VerifyOptions,
    listener: Option<&'l mut ProgressListener<'l>>,
) -> Answer {
    verify_with_certificate(
        model,
        origin,
        query,
        options,
        Evidence { listener, ..Evidence::default() },
    )
}

/// Who is told what besides the answer.
#[derive(Default)]
pub struct Evidence<'l> {
    /// Who is told how the search goes on.
    pub listener: Option<&'l mut ProgressListener<'l>>,
    /// Where the certificate is written, if there is an answer.
    pub certificate: Option<&'l mut dyn Write>,
    /// How long it may take to expand, for the certificate, what guides have pruned, unless the
    /// search took longer; without it, there is no limit but that of the query.
    pub closing: Option<Duration>,
}

/// Answers the query `query` of `model` and writes a certificate of the answer. What is explored
/// to find the answer does not depend on it.
pub fn verify_with_certificate<'l>(
    model: &Model,
    origin: &Origin,
    query: QueryId,
    options: &'l VerifyOptions,
    evidence: Evidence<'l>,
) -> Answer {
    let start = Instant::now();
    let query = &model.queries[query];
    let answered = match (why_unsupported(model, query), Reachability::of(&query.kind)) {
        (Some(why), _) => Err(Reason::Unsupported(why)),
        (None, None) => Err(Reason::Unsupported("no question of reachability".to_owned())),
        (None, Some(reachability)) => {
            Asked { model, origin, query, reachability, options }.answer(evidence, start)
        }
    };
    answered.unwrap_or_else(|why| Answer::unexplored(why, options, start))
}

/// A query that is supported.
struct Asked<'m, 'l> {
    model: &'m Model,
    origin: &'m Origin,
    query: &'m Query,
    reachability: Reachability,
    options: &'l VerifyOptions,
}

impl<'l> Asked<'_, 'l> {
    fn answer(&self, evidence: Evidence<'l>, start: Instant) -> Result<Answer, Reason> {
        let Evidence { listener, certificate, closing } = evidence;
        let options = self.options;
        let formula = &self.reachability.goal;
        let watch = Watch::new(&options.resources, start, listener);
        let prepared = Prepared::metered(self.model, formula, options.abstraction, watch.work())?;
        let prepared = prepared.suited_to(options)?;
        let wish = Wish { watch, certificate, closing, start };
        if prepared.fits_narrow_bounds() {
            self.answer_with::<Narrow>(&prepared, wish)
        } else {
            self.answer_with::<Wide>(&prepared, wish)
        }
    }

    /// Answers with zones of one width.
    fn answer_with<W: Width>(&self, prepared: &Prepared, wish: Wish<'l>) -> Result<Answer, Reason> {
        let Wish { mut watch, certificate, closing, start } = wish;
        let options = self.options;
        let graph = prepared.graph::<W>()?;
        let comparison = Prepared::comparison(&graph, options.comparison)?;
        let formula = &self.reachability.goal;
        let goal = CompiledGoal::metered(self.model, formula, watch.work());
        let shortest = options.trace == TraceWish::Shortest;
        let quest = Quest { graph: &graph, goal: &goal, comparison, shortest, seed: options.seed };
        let guiding = Guiding::new(
            (self.model, self.query),
            formula,
            prepared.bounds(),
            options.databases.as_deref(),
        );
        let searched = quest.search(&options.strategy, &guiding, &mut watch)?;
        let found = Found { quest, searched, elapsed: start.elapsed(), certificate, closing };
        let answer = self.conclude(found, &mut watch);
        let is_guided = !answer.strategy.guides().is_empty();
        let guide = is_guided.then(|| guiding.work());
        Ok(Answer { guide, warnings: guiding.warnings(), ..answer })
    }

    /// From what the search found to the answer. The search decides; then what it has reached is
    /// made concrete, whether anybody wants to see it or not; then there may be a certificate.
    /// Where these contradict each other, there is no answer but a bug.
    fn conclude<W: Width>(&self, found: Found<'_, '_, W>, watch: &mut Watch<'_>) -> Answer {
        let Found { quest, searched, elapsed, certificate, closing } = found;
        let is_wanted = self.reachability.is_wanted;
        let mut verdict = match &searched.report.outcome {
            Outcome::Reached { .. } => verdict_of(is_wanted),
            Outcome::Exhausted => verdict_of(!is_wanted),
            Outcome::Failed { error, .. } => verdict_of_failure(*error),
            Outcome::Stopped { why, .. } => Verdict::Unknown(Reason::Stopped(*why)),
        };
        let run = quest.run(&searched);
        match run {
            Err(NoRun::Spurious) => verdict = Verdict::Spurious,
            Err(NoRun::ClockRange) => verdict = Verdict::Unknown(Reason::ClockRange),
            // The search has answered; what is missing is evidence.
            Ok(_) | Err(NoRun::Stopped(_)) => {}
        }
        let reached = matches!(searched.report.outcome, Outcome::Reached { .. });
        let wants_trace = self.options.trace != TraceWish::None || !reached;
        let namer = Namer { model: self.model, origin: self.origin };
        let shown = run.as_ref().ok().and_then(Option::as_ref).filter(|_| wants_trace);
        let trace = shown.map(|run| namer.trace(quest.graph.network(), run));
        let depth = searched.steps().map(<[Step]>::len);
        let (strategy, statistics) = (searched.strategy.clone(), searched.report.statistics);
        // An evaluation that was given up shows nothing, and a model without behaviour has nothing.
        let is_decided = !matches!(verdict, Verdict::Unknown(_) | Verdict::NoInitialState);
        let mut written = None;
        if let Some(out) = certificate.filter(|_| is_decided) {
            let limit = closing.map(|least| least.max(elapsed));
            match self.certify((quest, searched), run, (limit, watch), out) {
                Ok(certificate) => written = certificate,
                Err(WronglyPruned) => verdict = Verdict::WronglyPruned,
            }
        }
        Answer {
            verdict,
            trace,
            certificate: written,
            depth,
            strategy,
            abstraction: Some(quest.graph.abstraction()),
            differences: describe_differences(quest.graph),
            statistics,
            guide: None,
            warnings: Vec::new(),
            seconds: elapsed.as_secs_f64(),
        }
    }

    /// Writes the certificate of what was found, if there is one; before, what guides have pruned
    /// is explored, for `limit` at most.
    fn certify<'g, W: Width>(
        &self,
        (quest, mut searched): (Quest<'g, W>, Searched<'g, W>),
        run: Result<Option<ConcreteRun>, NoRun>,
        (limit, watch): (Option<Duration>, &mut Watch<'_>),
        out: &mut dyn Write,
    ) -> Result<Option<Result<(), Unwritten>>, WronglyPruned> {
        let run = match run {
            Ok(run) => run,
            Err(NoRun::Stopped(why)) => return Ok(Some(Err(Unwritten::Stopped(why)))),
            Err(NoRun::Spurious | NoRun::ClockRange) => return Ok(None),
        };
        if searched.has_pruned() {
            let before = watch.limit(limit);
            let closing = match Reasons::new(self.model, &self.reachability.goal, watch.work()) {
                Ok(reasons) => {
                    let closing;
                    (searched, closing) = quest.close(searched, reasons, watch);
                    closing
                }
                Err(why) => Closing::Stopped(why),
            };
            watch.restore(before);
            match closing {
                Closing::Done => {}
                Closing::Stopped(why) => return Ok(Some(Err(Unwritten::Stopped(why)))),
                Closing::Undecided => {
                    let why = "what was pruned cannot be explored";
                    return Ok(Some(Err(Unwritten::Failed(io::Error::other(why)))));
                }
                Closing::Contradiction => return Err(WronglyPruned),
            }
        }
        let subject = Subject { model: self.model, query: self.query };
        let written = subject.write(&quest, &searched, run.as_ref(), out);
        Ok(written.map(|result| {
            result.map_err(|error| match watch.work().stopped() {
                Some(why) => Unwritten::Stopped(why),
                None => Unwritten::Failed(error),
            })
        }))
    }
}

/// Who watches a search, what evidence is wanted, and since when.
struct Wish<'l> {
    watch: Watch<'l>,
    certificate: Option<&'l mut dyn Write>,
    closing: Option<Duration>,
    start: Instant,
}

/// What a search found, and what evidence is wanted.
struct Found<'g, 'l, W: Width> {
    quest: Quest<'g, W>,
    searched: Searched<'g, W>,
    elapsed: Duration,
    certificate: Option<&'l mut dyn Write>,
    closing: Option<Duration>,
}

/// Guides have pruned what the search would have had to find.
struct WronglyPruned;

fn verdict_of(is_satisfied: bool) -> Verdict {
    if is_satisfied { Verdict::Satisfied } else { Verdict::NotSatisfied }
}

pub(crate) fn describe_differences<W: Width>(graph: &ZoneGraph<'_, W>) -> Option<&'static str> {
    match graph.differences() {
        Differences::Absent => None,
        _ if graph.splits_zones() => Some("zones split"),
        _ => Some("no extrapolation"),
    }
}

pub(crate) fn verdict_of_failure(error: StepError) -> Verdict {
    match error {
        StepError::RunTime(error) if error.kind == ErrorKind::Budget => {
            Verdict::Unknown(Reason::EvaluationBudget(error))
        }
        StepError::RunTime(error) => Verdict::Error(error),
        StepError::ClockRange => Verdict::Unknown(Reason::ClockRange),
        StepError::InitialInvariant => Verdict::NoInitialState,
        StepError::Stopped(why) => Verdict::Unknown(Reason::Stopped(why)),
    }
}
