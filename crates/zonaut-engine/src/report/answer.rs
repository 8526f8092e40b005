//! The record of an answer.

use crate::answer::{Answer, FoundValues, Sample};
use crate::report::EffortRecord;
use crate::session::Session;
use serde::Serialize;
use zonaut_lazy::{Explanation, Labelling};
use zonaut_model::QueryId;
use zonaut_portfolio::{Attempt, HeuristicWork};
use zonaut_search::WorkerEffort;
use zonaut_trace::Trace;

/// The answer to one query.
#[derive(Debug, Serialize)]
pub struct AnswerRecord<'a> {
    /// The number of the query in its file, from 1, without headings.
    pub index: u32,
    /// The query as written.
    pub formula: &'a str,
    /// The [name](crate::Verdict::name) of the verdict.
    pub verdict: &'static str,
    /// The strategy; for a portfolio, that of the deciding member.
    pub strategy: String,
    /// The effort.
    #[serde(flatten)]
    pub effort: EffortRecord,
    /// The reason for an unknown verdict or an error.
    pub reason: Option<String>,
    /// The abstraction of zones; `None` without a search.
    pub abstraction: Option<&'static str>,
    /// How clock differences were handled, if the model has any.
    pub differences: Option<&'static str>,
    /// The scalar sets whose symmetry was used, and the reasons for others, if the model has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symmetry: Option<&'a str>,
    /// States that a heuristic recognised as dead ends and that were not expanded.
    pub pruned: usize,
    /// The statistics of a lazy search.
    #[serde(flatten)]
    pub lazy: Option<LazyRecord>,
    /// The facts that the proof of a lazy search depends on, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<ExplanationRecord<'a>>,
    /// The work of the heuristic, if there is one.
    pub guide: Option<HeuristicRecord>,
    /// The members of a portfolio.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<AttemptRecord>,
    /// The workers of the search, if it had several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<WorkerRecord>,
    /// The bytes that this search and those for earlier queries moved to files, if they may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spilled_bytes: Option<u64>,
    /// Whether the independent checker accepted the answer.
    pub certified: bool,
    /// The reason why the answer is not certified.
    pub uncertified_reason: Option<String>,
    /// The time of writing and checking the certificate; zero without one.
    pub certification_seconds: f64,
    /// The peak memory of the independent checker; zero without a check.
    pub certification_bytes: usize,
    /// Problems that did not affect the verdict.
    pub warnings: &'a [String],
    /// The values of a `sup`, `inf` or `bounds` query.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub values: &'a [FoundValues],
    /// The estimates of a statistical query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<&'a Sample>,
    /// The run, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<&'a Trace>,
    /// Several different runs, shortest first, if requested.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub traces: &'a [Trace],
}

/// The certification of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Certificate {
    /// The independent checker accepted the certificate.
    Accepted,
    /// There is no accepted certificate, with the reason.
    Missing(String),
    /// The independent checker rejected the certificate, with the reason: there is no verdict.
    Rejected(String),
    /// The evidence refutes the author's cost estimate that the answer relies on, with the reason.
    Refuted(String),
}

impl Certificate {
    /// The reason why the answer is not certified; `None` if it is.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Accepted => None,
            Self::Missing(why) | Self::Rejected(why) | Self::Refuted(why) => Some(why),
        }
    }
}

impl<'a> AnswerRecord<'a> {
    /// The record of the answer to a query of the session.
    #[must_use]
    pub fn of(
        session: &'a Session,
        query: QueryId,
        answer: &'a Answer,
        certificate: &Certificate,
    ) -> Self {
        let query = &session.model().queries[query];
        Self {
            index: query.index,
            formula: &query.text,
            verdict: match certificate {
                // A verdict with a rejected certificate is an error.
                Certificate::Rejected(_) => "error",
                // A verdict does not rely on estimates.
                Certificate::Accepted | Certificate::Missing(_) | Certificate::Refuted(_) => {
                    answer.verdict.name()
                }
            },
            strategy: answer.strategy.to_string(),
            effort: EffortRecord::of(answer),
            reason: session.reason_of(&answer.verdict),
            abstraction: answer.abstraction.map(|abstraction| abstraction.name()),
            differences: answer.differences,
            symmetry: answer.symmetry.as_deref(),
            pruned: answer.statistics.pruned,
            lazy: LazyRecord::of(answer),
            explanation: answer.explanation.as_ref().map(ExplanationRecord::of),
            guide: answer.heuristic.map(HeuristicRecord::from),
            attempts: answer.attempts.iter().map(AttemptRecord::from).collect(),
            workers: answer.workers.iter().map(WorkerRecord::from).collect(),
            spilled_bytes: None,
            certified: *certificate == Certificate::Accepted,
            uncertified_reason: certificate.reason().map(str::to_owned),
            certification_seconds: 0.0,
            certification_bytes: 0,
            warnings: &answer.warnings,
            values: answer.values(),
            sample: answer.sample(),
            trace: answer.trace.as_ref(),
            traces: &[],
        }
    }

    /// The record with the time of certification and the memory of the checker.
    #[must_use]
    pub fn with_certification(mut self, seconds: f64, bytes: usize) -> Self {
        (self.certification_seconds, self.certification_bytes) = (seconds, bytes);
        self.effort = self.effort.with_certification(seconds, bytes);
        self
    }
}

/// The statistics of a lazy search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct LazyRecord {
    /// Nodes created.
    pub nodes: usize,
    /// Nodes that are covered at the end.
    pub covered: usize,
    /// The number of coverings that were removed.
    pub uncovered: usize,
    /// The number of strengthened labels.
    pub refinements: usize,
}

impl LazyRecord {
    fn of(answer: &Answer) -> Option<Self> {
        let Labelling { covered, uncovered, refinements } = answer.labelling?;
        Some(Self { nodes: answer.statistics.stored, covered, uncovered, refinements })
    }
}

/// The facts that the proof of a lazy search depends on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ExplanationRecord<'a> {
    /// The variables whose value the proof depends on in some node.
    pub variables: &'a [String],
    /// The variables whose value it does not depend on.
    pub unneeded: &'a [String],
    /// The facts that it depends on in each location.
    pub locations: Vec<NeedsRecord<'a>>,
}

/// The facts that a proof depends on while a process is in a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct NeedsRecord<'a> {
    /// The process and its location.
    pub location: &'a str,
    /// The variables.
    pub variables: &'a [String],
    /// Bounds of clocks, the greatest of each kind.
    pub clocks: &'a [String],
}

impl<'a> ExplanationRecord<'a> {
    fn of(explanation: &'a Explanation) -> Self {
        let Explanation { variables, unneeded, locations } = explanation;
        let locations = locations.iter().map(|at| NeedsRecord {
            location: &at.location,
            variables: &at.variables,
            clocks: &at.clocks,
        });
        Self { variables, unneeded, locations: locations.collect() }
    }
}

/// The work of a heuristic.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HeuristicRecord {
    /// The number of evaluations.
    pub evaluations: u64,
    /// The time of all evaluations.
    pub seconds: f64,
    /// The time of preparation before the search.
    pub preparation_seconds: f64,
    /// States explored to build databases, if there are any.
    pub database_explored: Option<usize>,
    /// States of the databases.
    pub database_states: Option<usize>,
    /// The memory of the distances.
    pub database_bytes: Option<usize>,
    /// Whether the databases are complete.
    pub database_complete: Option<bool>,
}

impl From<HeuristicWork> for HeuristicRecord {
    fn from(work: HeuristicWork) -> Self {
        Self {
            evaluations: work.evaluations,
            seconds: work.seconds,
            preparation_seconds: work.preparation,
            database_explored: work.databases.map(|size| size.explored),
            database_states: work.databases.map(|size| size.states),
            database_bytes: work.databases.map(|size| size.bytes),
            database_complete: work.databases.map(|size| size.is_complete),
        }
    }
}

/// A portfolio member that was started.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AttemptRecord {
    /// Its strategy.
    pub strategy: String,
    /// Its purpose.
    pub purpose: &'static str,
    /// Its end.
    pub end: String,
    /// The number of its time slices.
    pub turns: usize,
    /// Its work, in units that are comparable between members.
    pub work: u64,
    /// Expanded states.
    pub explored: usize,
    /// Stored states.
    pub stored: usize,
}

impl From<&Attempt> for AttemptRecord {
    fn from(attempt: &Attempt) -> Self {
        Self {
            strategy: attempt.strategy.to_string(),
            purpose: attempt.purpose,
            end: attempt.end.to_string(),
            turns: attempt.turns,
            work: attempt.work,
            explored: attempt.statistics.explored,
            stored: attempt.statistics.stored,
        }
    }
}

/// The part of one worker in a search.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct WorkerRecord {
    /// States that it expanded.
    pub explored: usize,
    /// Successors that it generated and found covered, or received.
    pub generated: usize,
    /// States that it stores.
    pub stored: usize,
    /// The memory of its states.
    pub memory_bytes: usize,
    /// The time that it waited for other workers.
    pub idle_seconds: f64,
}

impl From<&WorkerEffort> for WorkerRecord {
    fn from(WorkerEffort { statistics, idle }: &WorkerEffort) -> Self {
        Self {
            explored: statistics.explored,
            generated: statistics.generated,
            stored: statistics.stored,
            memory_bytes: statistics.bytes,
            idle_seconds: idle.as_secs_f64(),
        }
    }
}
