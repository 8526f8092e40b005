//! Answering one query.

use crate::certificate::Subject;
use crate::guiding::{GuideWork, Guiding};
use crate::prepared::Prepared;
use crate::reasons::Reasons;
use crate::resources::{ProgressListener, Resources, Watch};
use crate::search::Quest;
use crate::strategy::Strategy;
use crate::trace::{Namer, Trace};
use crate::unsupported::why_unsupported;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use zonaut_model::interpret::{ErrorKind, RunTimeError};
use zonaut_model::{Formula, Model, Origin, Query, QueryId, QueryKind};
use zonaut_search::{Outcome, Statistics};
use zonaut_zonegraph::{Abstraction, Comparison, CompiledGoal, NoRun, Step, StepError, ZoneGraph};

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
    pub certificate: Option<io::Result<()>>,
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
    fn unexplored(why: Reason, options: &VerifyOptions) -> Self {
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
            seconds: 0.0,
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
    let answered = match why_unsupported(model, query) {
        Some(why) => Err(Reason::Unsupported(why)),
        None => Asked { model, origin, query, options }.answer(evidence, start),
    };
    answered.unwrap_or_else(|why| Answer::unexplored(why, options))
}

/// A query that is supported.
struct Asked<'m, 'l> {
    model: &'m Model,
    origin: &'m Origin,
    query: &'m Query,
    options: &'l VerifyOptions,
}

impl<'l> Asked<'_, 'l> {
    fn answer(&self, evidence: Evidence<'l>, start: Instant) -> Result<Answer, Reason> {
        let Evidence { listener, certificate, closing } = evidence;
        let options = self.options;
        let (formula, when_reached, when_exhausted) = reachability(self.query);
        let prepared = Prepared::new(self.model, &formula, options.abstraction)?;
        let prepared = prepared.suited_to(options)?;
        let graph = prepared.graph()?;
        let comparison = Prepared::comparison(&graph, options.comparison)?;
        let goal = CompiledGoal::new(self.model, &formula);
        let shortest = options.trace == TraceWish::Shortest;
        let quest = Quest { graph: &graph, goal: &goal, comparison, shortest, seed: options.seed };
        let guiding = Guiding::new(
            (self.model, self.query),
            &formula,
            prepared.bounds(),
            options.databases.as_deref(),
        );
        let mut watch = Watch::new(&options.resources, listener);
        let mut searched = quest.search(&options.strategy, &guiding, &mut watch)?;
        let elapsed = start.elapsed();
        let statistics = searched.report.statistics;
        let mut is_closed = true;
        if certificate.is_some() && searched.has_pruned() {
            watch.limit(closing.map(|least| least.max(elapsed)));
            let reasons = Reasons::new(self.model, &formula);
            (searched, is_closed) = quest.close(searched, reasons, &mut watch);
        }
        let mut verdict = match &searched.report.outcome {
            Outcome::Reached { .. } => when_reached,
            Outcome::Exhausted => when_exhausted,
            Outcome::Failed { error, .. } => verdict_of_failure(*error),
            Outcome::Stopped { why, .. } => Verdict::Unknown(Reason::Stopped(*why)),
        };
        let wants_run = options.trace != TraceWish::None || certificate.is_some();
        let run = match quest.run(&searched, wants_run) {
            Ok(run) => run,
            Err(why) => {
                verdict = match why {
                    NoRun::Spurious => Verdict::Spurious,
                    NoRun::ClockRange => Verdict::Unknown(Reason::ClockRange),
                };
                None
            }
        };
        let subject = Subject { model: self.model, query: self.query };
        // An evaluation that was given up shows nothing, and a model without behaviour has nothing.
        let is_decided = !matches!(verdict, Verdict::Unknown(_) | Verdict::NoInitialState);
        let written = certificate.filter(|_| is_decided).and_then(|out| match is_closed {
            true => subject.write(&quest, &searched, run.as_ref(), out),
            false => Some(Err(io::Error::other("pruned states were not explored in time"))),
        });
        let reached = matches!(searched.report.outcome, Outcome::Reached { .. });
        let wants_trace = options.trace != TraceWish::None || !reached;
        let namer = Namer { model: self.model, origin: self.origin };
        let trace = run.filter(|_| wants_trace).map(|run| namer.trace(&graph, &run));
        let is_guided = !searched.strategy.guides().is_empty();
        Ok(Answer {
            verdict,
            trace,
            certificate: written,
            depth: searched.steps().map(<[Step]>::len),
            strategy: searched.strategy,
            abstraction: Some(graph.abstraction()),
            differences: describe_differences(&graph),
            statistics,
            guide: is_guided.then(|| guiding.work()),
            warnings: guiding.warnings(),
            seconds: elapsed.as_secs_f64(),
        })
    }
}

/// The goal whose reachability decides the query, and what its being reached or not means.
fn reachability(query: &Query) -> (Formula, Verdict, Verdict) {
    match &query.kind {
        QueryKind::Always(formula) => {
            let negated = Formula::Not(Box::new(formula.clone()));
            (negated, Verdict::NotSatisfied, Verdict::Satisfied)
        }
        QueryKind::Possibly(formula) => {
            (formula.clone(), Verdict::Satisfied, Verdict::NotSatisfied)
        }
        // Everything else is refused before.
        _ => (Formula::truth(), Verdict::Satisfied, Verdict::NotSatisfied),
    }
}

pub(crate) fn describe_differences(graph: &ZoneGraph<'_>) -> Option<&'static str> {
    match graph.differences() {
        zonaut_zonegraph::Differences::Absent => None,
        _ if graph.abstraction() == Abstraction::Exact => Some("no extrapolation"),
        _ => Some("zones split"),
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
    }
}
