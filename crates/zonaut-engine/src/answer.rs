//! Answers: verdicts with their evidence and statistics. The submodules answer each kind of
//! question.

pub(crate) mod maximal_runs;
mod query_batch;
pub(crate) mod reachability;
mod replayed_lasso;
pub(crate) mod sampling;
pub(crate) mod states;
pub(crate) mod values;

pub use query_batch::QueryBatch;
pub use sampling::{Estimate, HistogramRecord, IntervalRecord, RunRecord, Sample, SamplingOptions};
pub use values::{Extremes, FoundValues};

use crate::explore::Coverage;
use crate::optimize::Optimum;
use crate::state_graph::StateGraph;
use crate::task::Refusal;
use crate::unsupported::Unsupported;
use crate::verify::VerifyOptions;
use std::io;
use std::sync::Arc;
use std::time::Instant;
use zonaut_base::Diagnostic;
use zonaut_cost::Infimum;
use zonaut_dbm::Width;
use zonaut_lazy::{Explanation, Labelling};
use zonaut_model::interpret::{ErrorKind, RunTimeError};
use zonaut_portfolio::{Attempt, HeuristicWork};
use zonaut_search::{Statistics, WorkerEffort};
use zonaut_strategy::Strategy;
use zonaut_trace::Trace;
use zonaut_zonegraph::{Abstraction, Differences, StepError, ZoneGraph};

/// The verdict of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub enum Verdict {
    /// The formula holds; the optimum is proven; the exploration is complete.
    Satisfied,
    /// The formula does not hold; the goal of an optimisation is unreachable.
    NotSatisfied,
    /// Undecided, with the reason.
    Unknown(Reason),
    /// The model fails at run time.
    Error(RunTimeError),
    /// A cost exceeds the range of integers, with the position.
    CostOverflow(Box<Diagnostic>),
    /// The initial state violates an invariant, so the model has no behaviour.
    NoInitialState,
    /// A path of the zone graph has no concrete run: a bug of Zonaut.
    Spurious,
    /// A random run is no sample, with the reason: it ends in a time lock, or does not end.
    FailedRun(String),
    /// The query has an error.
    DamagedQuery,
    /// Heuristics pruned states from which the goal or a run-time error is reachable, as the
    /// exploration for the certificate shows: a bug of Zonaut.
    WronglyPruned,
}

impl Verdict {
    /// The name in reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Satisfied => "satisfied",
            Self::NotSatisfied => "not_satisfied",
            Self::Unknown(_) => "unknown",
            Self::Error(_)
            | Self::CostOverflow(_)
            | Self::NoInitialState
            | Self::FailedRun(_)
            | Self::DamagedQuery
            | Self::Spurious
            | Self::WronglyPruned => "error",
        }
    }

    /// The reason for an unknown verdict or an error, without its position.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Satisfied | Self::NotSatisfied => None,
            Self::Unknown(reason) => Some(reason.to_string()),
            Self::Error(error) => Some(error.kind.to_string()),
            Self::CostOverflow(diagnostic) => Some(diagnostic.message.clone()),
            Self::NoInitialState => Some("the initial state violates an invariant".to_owned()),
            Self::FailedRun(why) => Some(why.clone()),
            Self::DamagedQuery => Some("the query has an error".to_owned()),
            Self::Spurious | Self::WronglyPruned => self.bug().map(str::to_owned),
        }
    }

    /// A description of the bug of Zonaut that this verdict shows, if it does.
    #[must_use]
    pub fn bug(&self) -> Option<&'static str> {
        match self {
            Self::Spurious => Some("the path that was found is spurious: no run follows it"),
            Self::WronglyPruned => {
                Some("a heuristic has pruned a state from which the goal is reachable")
            }
            Self::Satisfied
            | Self::NotSatisfied
            | Self::Unknown(_)
            | Self::Error(_)
            | Self::CostOverflow(_)
            | Self::NoInitialState
            | Self::FailedRun(_)
            | Self::DamagedQuery => None,
        }
    }
}

/// The reason why a certificate was not written.
#[derive(Clone, Debug)]
pub enum Unwritten {
    /// A limit was reached, or the caller cancelled.
    Stopped(zonaut_space::StopReason),
    /// Writing failed.
    Failed(Arc<io::Error>),
    /// Certificates of this kind are not supported yet.
    NoSuchKind(&'static str),
    /// The search used symmetry reduction, and the exploration of all states exceeded its limits.
    Symmetry,
    /// The evidence contradicts the answer: a bug of Zonaut.
    Contradiction(&'static str),
    /// The evidence refutes the author's cost estimate that the answer relies on.
    FalseEstimate(&'static str),
}

impl From<io::Error> for Unwritten {
    fn from(error: io::Error) -> Self {
        Self::Failed(Arc::new(error))
    }
}

/// The reason why a query is undecided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A limit was reached, or the caller cancelled.
    Stopped(zonaut_space::StopReason),
    /// The query or the model needs unsupported features: all of them.
    Unsupported(Vec<Unsupported>),
    /// The options do not fit the model, with a description.
    Unsuited(String),
    /// A statistical parameter is outside its range, with a description.
    Parameter(String),
    /// A sequential test has not decided after this number of runs.
    Undecided(u64),
    /// The cost annotations are not supported, with the reason and the position.
    Costs(Box<Diagnostic>),
    /// An evaluation exceeded its step limit.
    EvaluationBudget(RunTimeError),
    /// Clock values left the range in which zones are exact.
    ClockRange,
    /// With stopwatches, zones over-approximate, and no concrete run was found along the paths that
    /// the search found.
    Stopwatches(Possibility),
}

/// The verdict that an over-approximation suggests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Possibility {
    /// The formula may hold: the search found a state that would prove it.
    Satisfied,
    /// The formula may not hold.
    NotSatisfied,
    /// The model may fail at run time.
    Fails,
    /// The values are bounds that may not be attained.
    Values,
}

impl std::fmt::Display for Possibility {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Satisfied => "may be satisfied",
            Self::NotSatisfied => "may not be satisfied",
            Self::Fails => "may fail at run time",
            Self::Values => "the values are bounds that may not be attained",
        })
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stopped(why) => why.fmt(f),
            Self::Unsupported(reasons) => {
                let names: Vec<&str> = reasons.iter().map(|reason| &*reason.name).collect();
                write!(f, "unsupported: {}", names.join(", "))
            }
            Self::Unsuited(what) => write!(f, "unsupported: {what}"),
            Self::Parameter(what) => f.write_str(what),
            Self::Undecided(runs) => write!(f, "no decision after {runs} runs"),
            Self::Costs(diagnostic) => f.write_str(&diagnostic.message),
            Self::EvaluationBudget(error) => error.kind.fmt(f),
            Self::ClockRange => {
                f.write_str("clock values exceed the range in which zones are exact")
            }
            Self::Stopwatches(possibility) => write!(f, "stopwatches: {possibility}"),
        }
    }
}

/// The results of a task beyond its verdict.
#[derive(Clone, Debug, Default)]
pub enum Findings {
    /// None: the verdict is the whole result.
    #[default]
    Nothing,
    /// The values of a `sup`, `inf` or `bounds` query, in its order.
    Values(Vec<FoundValues>),
    /// The best run of an optimisation, and the lower bound.
    Optimum(Box<Optimum>),
    /// The parts of the model that an exploration covers.
    Coverage(Coverage),
    /// Several runs to a goal, shortest first.
    Runs(Vec<Trace>),
    /// A state graph.
    StateGraph(StateGraph),
    /// The estimates of a statistical query.
    Sample(Box<Sample>),
}

/// The result of a task.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// The run that proves the verdict.
    pub trace: Option<Trace>,
    /// The results beyond the verdict.
    pub findings: Findings,
    /// The result of writing the certificate, if one was requested and the verdict can be
    /// certified.
    pub certificate: Option<Result<(), Unwritten>>,
    /// The number of transitions to the state that proves the verdict, even if no trace was
    /// requested.
    pub depth: Option<usize>,
    /// The strategy of the deciding search; the requested strategy if none decided.
    pub strategy: Strategy,
    /// The abstraction of zones.
    pub abstraction: Option<Abstraction>,
    /// How clock differences were handled, if the model has any.
    pub differences: Option<&'static str>,
    /// The scalar sets whose symmetry was used, and the reasons for others, if the model has any.
    pub symmetry: Option<String>,
    /// The statistics of the search.
    pub statistics: Statistics,
    /// The label statistics of a lazy search.
    pub labelling: Option<Labelling>,
    /// The members of the portfolio; one of them has the strategy above, and the statistics are its
    /// own.
    pub attempts: Vec<Attempt>,
    /// The parts of the workers of the search, if it had several.
    pub workers: Vec<WorkerEffort>,
    /// The facts that the proof of a lazy search depends on, if requested.
    pub explanation: Option<Explanation>,
    /// The work of the heuristics, if there were any.
    pub heuristic: Option<HeuristicWork>,
    /// Problems that did not affect the verdict.
    pub warnings: Vec<String>,
    /// The elapsed time.
    pub seconds: f64,
}

impl Answer {
    /// The values of a `sup`, `inf` or `bounds` query, in its order.
    #[must_use]
    pub fn values(&self) -> &[FoundValues] {
        match &self.findings {
            Findings::Values(values) => values,
            _ => &[],
        }
    }

    /// The best run of an optimisation, and the lower bound, if a search took place.
    #[must_use]
    pub fn optimum(&self) -> Option<&Optimum> {
        match &self.findings {
            Findings::Optimum(optimum) => Some(optimum),
            _ => None,
        }
    }

    /// The cost of the incumbent of an optimisation, if a run was found.
    #[must_use]
    pub fn cost(&self) -> Option<Infimum> {
        self.optimum().and_then(|optimum| optimum.cost)
    }

    /// The parts of the model that an exploration covers, if a search took place.
    #[must_use]
    pub fn coverage(&self) -> Option<&Coverage> {
        match &self.findings {
            Findings::Coverage(coverage) => Some(coverage),
            _ => None,
        }
    }

    /// The runs of a task for several of them, shortest first.
    #[must_use]
    pub fn runs(&self) -> &[Trace] {
        match &self.findings {
            Findings::Runs(runs) => runs,
            _ => &[],
        }
    }

    /// The state graph, if one was computed.
    #[must_use]
    pub fn state_graph(&self) -> Option<&StateGraph> {
        match &self.findings {
            Findings::StateGraph(graph) => Some(graph),
            _ => None,
        }
    }

    /// The estimates of a statistical query, if runs were sampled.
    #[must_use]
    pub fn sample(&self) -> Option<&Sample> {
        match &self.findings {
            Findings::Sample(sample) => Some(sample),
            _ => None,
        }
    }

    /// The answer to a query that is rejected.
    pub(crate) fn refused(refusal: Refusal, options: &VerifyOptions) -> Self {
        Self::unexplored(refusal.into(), options, Instant::now())
    }

    /// The answer to a query that was not explored.
    pub(crate) fn unexplored(verdict: Verdict, options: &VerifyOptions, start: Instant) -> Self {
        Self {
            verdict,
            trace: None,
            findings: Findings::Nothing,
            certificate: None,
            depth: None,
            strategy: options.strategy.clone(),
            abstraction: None,
            differences: None,
            symmetry: None,
            statistics: Statistics::default(),
            labelling: None,
            attempts: Vec::new(),
            workers: Vec::new(),
            explanation: None,
            heuristic: None,
            warnings: Vec::new(),
            seconds: start.elapsed().as_secs_f64(),
        }
    }
}

/// The verdict without a concrete run that proves it, for models with stopwatches.
pub(crate) fn possibly(verdict: &Verdict) -> Verdict {
    Verdict::Unknown(Reason::Stopwatches(match verdict {
        Verdict::Satisfied => Possibility::Satisfied,
        Verdict::NotSatisfied => Possibility::NotSatisfied,
        Verdict::Error(_) => Possibility::Fails,
        other => return other.clone(),
    }))
}

/// How the search of `graph` handles clock differences, if there are any.
pub(crate) fn describe_differences<W: Width>(graph: &ZoneGraph<'_, W>) -> Option<&'static str> {
    match graph.differences() {
        Differences::Absent => None,
        _ if graph.splits_zones() => Some("zones split"),
        _ => Some("no extrapolation"),
    }
}

/// The verdict of a query that is satisfied or not.
pub(crate) fn verdict_of(is_satisfied: bool) -> Verdict {
    if is_satisfied { Verdict::Satisfied } else { Verdict::NotSatisfied }
}

/// The verdict if a step fails with this error.
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
