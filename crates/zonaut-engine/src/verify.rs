//! Answering one query.

use crate::certificate::{Subject, ZoneStore};
use crate::prepared::Prepared;
use crate::resources::{ProgressListener, Resources, Watch};
use crate::strategy::Order;
use crate::trace::{Namer, Trace};
use crate::unsupported::why_unsupported;
use std::io::{self, Write};
use std::time::Instant;
use zonaut_model::interpret::{ErrorKind, RunTimeError};
use zonaut_model::{Formula, Model, Origin, Query, QueryId, QueryKind};
use zonaut_search::{
    AStar, ArenaStore, Blind, Fifo, Frontier, Lifo, Outcome, Parts, RandomDepthFirst, ReportOf,
    Statistics, Ties, Unguided, reach, shortest,
};
use zonaut_space::Observer;
use zonaut_zonegraph::{
    Abstraction, Comparison, CompiledGoal, StateEncoding, Step, StepError, SymbolicState,
    ZoneCovering, ZoneGoal, ZoneGraph, concretise,
};

/// Which trace is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TraceWish {
    /// None.
    #[default]
    None,
    /// The one that the search finds.
    Some,
    /// One with the fewest transitions. The search is then breadth first and respects depth.
    Shortest,
}

/// How a query is answered.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// The order of exploration.
    pub order: Order,
    /// The seed of random orders.
    pub seed: u64,
    /// The abstraction of zones; without one, the best that is sound.
    pub abstraction: Option<Abstraction>,
    /// How stored states are compared; without one, the coarsest that is sound.
    pub comparison: Option<Comparison>,
    /// Which trace is wanted.
    pub trace: TraceWish,
    /// What the search may use.
    pub resources: Resources,
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
    /// The order of exploration.
    pub order: Order,
    /// The abstraction of zones.
    pub abstraction: Option<Abstraction>,
    /// How clock differences were respected, where there are any.
    pub differences: Option<&'static str>,
    /// What the search did.
    pub statistics: Statistics,
    /// How long it took.
    pub seconds: f64,
}

impl Answer {
    fn unexplored(verdict: Verdict, order: Order) -> Self {
        Self {
            verdict,
            trace: None,
            certificate: None,
            depth: None,
            order,
            abstraction: None,
            differences: None,
            statistics: Statistics::default(),
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
    verify_with_certificate(model, origin, query, options, Evidence { listener, certificate: None })
}

/// Who is told what besides the answer.
#[derive(Default)]
pub struct Evidence<'l> {
    /// Who is told how the search goes on.
    pub listener: Option<&'l mut ProgressListener<'l>>,
    /// Where the certificate is written, if there is an answer.
    pub certificate: Option<&'l mut dyn Write>,
}

/// Answers the query `query` of `model` and writes a certificate of the answer. What is explored
/// does not depend on it.
pub fn verify_with_certificate<'l>(
    model: &Model,
    origin: &Origin,
    query: QueryId,
    options: &'l VerifyOptions,
    evidence: Evidence<'l>,
) -> Answer {
    let Evidence { listener, certificate } = evidence;
    let start = Instant::now();
    let asked = &model.queries[query];
    if let Some(why) = why_unsupported(model, asked) {
        let unknown = Verdict::Unknown(Reason::Unsupported(why));
        return Answer::unexplored(unknown, options.order);
    }
    let (formula, when_reached, when_exhausted) = reachability(asked);
    let prepared = Prepared::new(model, &formula, options.abstraction);
    let graph = match prepared.as_ref().map(Prepared::graph) {
        Ok(Ok(graph)) => graph,
        Ok(Err(why)) => return Answer::unexplored(Verdict::Unknown(why), options.order),
        Err(why) => return Answer::unexplored(Verdict::Unknown(why.clone()), options.order),
    };
    let goal = CompiledGoal::new(model, &formula);
    let mut watch = Watch::new(&options.resources, listener);
    let comparison = match Prepared::comparison(&graph, options.comparison) {
        Ok(comparison) => comparison,
        Err(why) => return Answer::unexplored(Verdict::Unknown(why), options.order),
    };
    let (report, store) = search(&graph, &goal, comparison, options, &mut watch);
    let searched = start.elapsed().as_secs_f64();
    let steps = match &report.outcome {
        Outcome::Reached { steps, .. } | Outcome::Failed { steps, .. } => Some(steps.as_slice()),
        Outcome::Exhausted | Outcome::Stopped { .. } => None,
    };
    let mut verdict = match &report.outcome {
        Outcome::Reached { .. } => when_reached,
        Outcome::Exhausted => when_exhausted,
        Outcome::Failed { error, .. } => verdict_of_failure(*error),
        Outcome::Stopped { why, .. } => Verdict::Unknown(Reason::Stopped(*why)),
    };
    let reached = matches!(report.outcome, Outcome::Reached { .. });
    let mut run = None;
    // A failure at run time is shown with its run in any case.
    if (options.trace != TraceWish::None || !reached || certificate.is_some())
        && let Some(steps) = steps
    {
        match concretise(&graph, steps, reached.then_some(&goal)) {
            Ok(found) => run = Some(found),
            Err(_) if reached => verdict = Verdict::Spurious,
            Err(_) => {}
        }
    }
    let subject = Subject { model, query: asked };
    let written = certificate.and_then(|out| match (&report.outcome, &run) {
        (Outcome::Exhausted, _) => Some(subject.write_unreach(&graph, &store, comparison, out)),
        (Outcome::Reached { .. }, Some(run)) => Some(subject.write_reach(&graph, run, out)),
        // Where the query itself could not be evaluated, the model does not fail.
        (Outcome::Failed { .. }, Some(run)) if run.fails => {
            Some(subject.write_reach(&graph, run, out))
        }
        (Outcome::Failed { steps, .. }, None) if steps.is_empty() => {
            Some(subject.write_failing_start(out))
        }
        _ => None,
    });
    let wanted = options.trace != TraceWish::None || !reached;
    let trace = run.filter(|_| wanted).map(|run| Namer { model, origin }.trace(&graph, &run));
    Answer {
        verdict,
        trace,
        certificate: written,
        depth: steps.map(<[Step]>::len),
        order: effective_order(options),
        abstraction: Some(graph.abstraction()),
        differences: describe_differences(&graph),
        statistics: report.statistics,
        seconds: searched,
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

fn effective_order(options: &VerifyOptions) -> Order {
    match options.trace {
        TraceWish::Shortest => Order::BreadthFirst,
        TraceWish::None | TraceWish::Some => options.order,
    }
}

pub(crate) fn describe_differences(graph: &ZoneGraph<'_>) -> Option<&'static str> {
    match graph.differences() {
        zonaut_zonegraph::Differences::Absent => None,
        _ if graph.abstraction() == Abstraction::Exact => Some("no extrapolation"),
        _ => Some("zones split"),
    }
}

fn search<'g>(
    graph: &'g ZoneGraph<'g>,
    goal: &'g CompiledGoal,
    comparison: Comparison,
    options: &VerifyOptions,
    observer: &mut dyn Observer<SymbolicState, Step>,
) -> (ReportOf<ZoneGraph<'g>>, ZoneStore<'g>) {
    let store = ArenaStore::new(StateEncoding::new(graph), ZoneCovering::new(graph, comparison));
    let mut goal = ZoneGoal::new(graph, goal);
    if options.trace == TraceWish::Shortest {
        let frontier = AStar::new(Blind, Ties::default());
        let mut parts = Parts { store, frontier, observer };
        return (shortest(graph, &mut goal, &mut parts), parts.store);
    }
    let frontier = frontier_of(options.order, options.seed);
    let mut parts = Parts { store, frontier, observer };
    (reach(graph, &mut goal, &mut parts), parts.store)
}

/// The frontier of a blind order.
pub(crate) fn frontier_of<S: 'static, T: Copy + 'static>(
    order: Order,
    seed: u64,
) -> Box<dyn Frontier<S, T>> {
    match order {
        Order::BreadthFirst => Box::new(Unguided(Fifo::default())),
        Order::DepthFirst => Box::new(Unguided(Lifo::default())),
        Order::RandomDepthFirst => Box::new(Unguided(RandomDepthFirst::new(seed))),
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
