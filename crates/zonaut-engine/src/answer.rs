//! Answers, and what answers each kind of question.

pub(crate) mod maximal_runs;
pub(crate) mod reachability;
pub(crate) mod states;
mod together;
pub(crate) mod values;

pub use together::SharedQuestions;
pub use values::{Extremes, FoundValues};

use crate::unsupported::Unsupported;
use crate::verify::VerifyOptions;
use std::io;
use std::time::Instant;
use zonaut_dbm::Width;
use zonaut_lazy::{Explanation, Labelling};
use zonaut_model::interpret::{ErrorKind, RunTimeError};
use zonaut_quest::{Attempt, HeuristicWork};
use zonaut_search::Statistics;
use zonaut_strategy::Strategy;
use zonaut_trace::Trace;
use zonaut_zonegraph::{Abstraction, Differences, StepError, ZoneGraph};

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
    /// The query has an error.
    DamagedQuery,
    /// Guides have pruned states that lead to the goal or fail, as exploring them for the
    /// certificate shows: a bug of Zonaut.
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
            | Self::NoInitialState
            | Self::DamagedQuery
            | Self::Spurious
            | Self::WronglyPruned => "error",
        }
    }

    /// What is wrong with Zonaut, if this verdict shows it.
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
            | Self::NoInitialState
            | Self::DamagedQuery => None,
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
    /// There are no certificates of this kind yet.
    NoSuchKind(&'static str),
    /// Only representatives of symmetric states were explored, and exploring all took too long.
    Symmetry,
    /// The evidence contradicts the answer: a bug of Zonaut.
    Contradiction(&'static str),
    /// The evidence refutes an estimate of the model's author on which the answer rests.
    FalseEstimate(&'static str),
}

/// Why a query is undecided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A limit was reached, or somebody asked to stop.
    Stopped(zonaut_space::StopReason),
    /// The query or the model needs something that Zonaut does not support yet: all of it.
    Unsupported(Vec<Unsupported>),
    /// The options do not fit the model: which, and where.
    Unsuited(String),
    /// An evaluation took more steps than allowed.
    EvaluationBudget(RunTimeError),
    /// Clock values left the range in which zones are exact.
    ClockRange,
    /// Clocks stand still, so that exploration includes too much, and no run was found along what
    /// it met.
    Stopwatches(Possibility),
}

/// What may be the case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Possibility {
    /// The formula may hold: a state was met that decides so.
    Satisfied,
    /// The formula may not hold.
    NotSatisfied,
    /// The model may fail at run time.
    Fails,
    /// The values are bounds, which may not be reached.
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
            Self::EvaluationBudget(error) => error.kind.fmt(f),
            Self::ClockRange => {
                f.write_str("clock values exceed the range in which zones are exact")
            }
            Self::Stopwatches(possibility) => write!(f, "stopwatches: {possibility}"),
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
    /// The values that were asked for, in the order of the query.
    pub values: Vec<FoundValues>,
    /// Whether the certificate was written, where one was asked for and there is something to
    /// certify.
    pub certificate: Option<Result<(), Unwritten>>,
    /// The number of transitions to the state that shows it, whether or not a trace was wanted.
    pub depth: Option<usize>,
    /// How the search went that has decided; the strategy that was asked for if none has.
    pub strategy: Strategy,
    /// The abstraction of zones.
    pub abstraction: Option<Abstraction>,
    /// How clock differences were respected, where there are any.
    pub differences: Option<&'static str>,
    /// Which scalar sets the search has used the symmetry of, and why not others, where there are any.
    pub symmetry: Option<String>,
    /// What the search did.
    pub statistics: Statistics,
    /// What a lazy search did to the labels of its nodes.
    pub labelling: Option<Labelling>,
    /// The searches that were tried, where the strategy was to choose among several; one of them is
    /// the strategy above, and the numbers are its own.
    pub attempts: Vec<Attempt>,
    /// What the proof of a lazy search depends on, where that is wanted.
    pub explanation: Option<Explanation>,
    /// What the guides did, if there were any.
    pub guide: Option<HeuristicWork>,
    /// What went wrong without costing the answer.
    pub warnings: Vec<String>,
    /// How long it took.
    pub seconds: f64,
}

impl Answer {
    /// The answer to what was not searched for.
    pub(crate) fn unexplored(verdict: Verdict, options: &VerifyOptions, start: Instant) -> Self {
        Self {
            verdict,
            trace: None,
            values: Vec::new(),
            certificate: None,
            depth: None,
            strategy: options.strategy.clone(),
            abstraction: None,
            differences: None,
            symmetry: None,
            statistics: Statistics::default(),
            labelling: None,
            attempts: Vec::new(),
            explanation: None,
            guide: None,
            warnings: Vec::new(),
            seconds: start.elapsed().as_secs_f64(),
        }
    }
}

/// What remains of a verdict without a run that shows it, where clocks stand still.
pub(crate) fn possibly(verdict: &Verdict) -> Verdict {
    Verdict::Unknown(Reason::Stopwatches(match verdict {
        Verdict::Satisfied => Possibility::Satisfied,
        Verdict::NotSatisfied => Possibility::NotSatisfied,
        Verdict::Error(_) => Possibility::Fails,
        other => return other.clone(),
    }))
}

/// How the search of `graph` respects clock differences, where there are any.
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

/// The verdict where a step fails so.
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
