//! The record of an answer.

use crate::answer::{Answer, FoundValues};
use crate::session::Session;
use serde::Serialize;
use zonaut_lazy::{Explanation, Labelling};
use zonaut_model::QueryId;
use zonaut_quest::{Attempt, HeuristicWork};
use zonaut_trace::Trace;

/// The answer to one query.
#[derive(Debug, Serialize)]
pub struct AnswerRecord<'a> {
    /// The number of the query among those of its file, from 1; headings do not count.
    pub index: u32,
    /// The query as written.
    pub formula: &'a str,
    /// The [name](crate::Verdict::name) of the verdict.
    pub verdict: &'static str,
    /// The search that was done: of several that took turns, the one that has decided.
    pub strategy: String,
    /// The length of the run that is shown.
    pub transitions: Option<usize>,
    /// States that were expanded.
    pub explored: usize,
    /// States that are kept.
    pub stored: usize,
    /// How long the answer took, its certificate included.
    pub seconds: f64,
    /// How long the search alone took.
    pub search_seconds: f64,
    /// The memory of the states and of the independent checker.
    pub memory_bytes: usize,
    /// The memory of the states alone.
    pub search_bytes: usize,
    /// Why there is no answer.
    pub reason: Option<String>,
    /// The abstraction of zones; absent where nothing was searched.
    pub abstraction: Option<&'static str>,
    /// How clock differences were respected, where there are any.
    pub differences: Option<&'static str>,
    /// Which scalar sets the search has used the symmetry of, and why not others, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symmetry: Option<&'a str>,
    /// States that the guide showed to be dead ends, and that were not expanded.
    pub pruned: usize,
    /// What a lazy search did; absent without one.
    #[serde(flatten)]
    pub lazy: Option<LazyRecord>,
    /// What the proof of a lazy search depends on; absent where nobody asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<ExplanationRecord<'a>>,
    /// What the guide did; absent without one.
    pub guide: Option<GuideRecord>,
    /// The searches that took turns, where the strategy was to choose among several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<AttemptRecord>,
    /// Whether the independent checker accepted the answer.
    pub certified: bool,
    /// Why not.
    pub uncertified_reason: Option<String>,
    /// How long of it the certificate took, to write and to check; zero without one.
    pub certification_seconds: f64,
    /// The most memory that the independent checker was seen to hold; zero where it did not run.
    pub certification_bytes: usize,
    /// What went wrong without costing the answer.
    pub warnings: &'a [String],
    /// The values that `sup`, `inf` or `bounds` ask for.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub values: &'a [FoundValues],
    /// The run, where one is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<&'a Trace>,
}

/// What is known of an answer besides what the engine says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Certificate {
    /// The independent checker has accepted it.
    Accepted,
    /// It was not accepted, and why.
    Missing(String),
    /// The independent checker has rejected it, and why: the answer is none.
    Rejected(String),
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
                // An answer that is shown to be unfounded is none.
                Certificate::Rejected(_) => "error",
                Certificate::Accepted | Certificate::Missing(_) => answer.verdict.name(),
            },
            strategy: answer.strategy.to_string(),
            transitions: answer.trace.as_ref().map(|trace| trace.steps.len()),
            explored: answer.statistics.explored,
            stored: answer.statistics.stored,
            seconds: answer.seconds,
            search_seconds: answer.seconds,
            memory_bytes: answer.statistics.bytes,
            search_bytes: answer.statistics.bytes,
            reason: session.reason_of(&answer.verdict),
            abstraction: answer.abstraction.map(|abstraction| abstraction.name()),
            differences: answer.differences,
            symmetry: answer.symmetry.as_deref(),
            pruned: answer.statistics.pruned,
            lazy: LazyRecord::of(answer),
            explanation: answer.explanation.as_ref().map(ExplanationRecord::of),
            guide: answer.guide.map(GuideRecord::from),
            attempts: answer.attempts.iter().map(AttemptRecord::from).collect(),
            certified: *certificate == Certificate::Accepted,
            uncertified_reason: match certificate {
                Certificate::Accepted => None,
                Certificate::Missing(why) | Certificate::Rejected(why) => Some(why.clone()),
            },
            certification_seconds: 0.0,
            certification_bytes: 0,
            warnings: &answer.warnings,
            values: &answer.values,
            trace: answer.trace.as_ref(),
        }
    }

    /// The record with what the certificate took, in time and in memory of the checker.
    #[must_use]
    pub fn with_certification(mut self, seconds: f64, bytes: usize) -> Self {
        (self.certification_seconds, self.certification_bytes) = (seconds, bytes);
        self.seconds = self.search_seconds + seconds;
        self.memory_bytes = self.search_bytes.saturating_add(bytes);
        self
    }
}

/// What a lazy search did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct LazyRecord {
    /// Nodes created.
    pub nodes: usize,
    /// Nodes that are covered in the end.
    pub covered: usize,
    /// How many times a node was covered no longer.
    pub uncovered: usize,
    /// How many times a node had to remember more.
    pub refinements: usize,
}

impl LazyRecord {
    fn of(answer: &Answer) -> Option<Self> {
        let Labelling { covered, uncovered, refinements } = answer.labelling?;
        Some(Self { nodes: answer.statistics.stored, covered, uncovered, refinements })
    }
}

/// What the proof of a lazy search depends on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ExplanationRecord<'a> {
    /// The variables whose content the proof needs somewhere.
    pub variables: &'a [String],
    /// Those whose content it needs nowhere.
    pub unneeded: &'a [String],
    /// What is needed while a process is in a location.
    pub locations: Vec<NeedsRecord<'a>>,
}

/// What a proof needs while a process is in a location.
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

/// What a guide did.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GuideRecord {
    /// How often it was asked.
    pub evaluations: u64,
    /// Of all evaluations.
    pub seconds: f64,
    /// Before the search.
    pub preparation_seconds: f64,
    /// States explored to build databases, where there are any.
    pub database_explored: Option<usize>,
    /// States with their distances.
    pub database_states: Option<usize>,
    /// The memory of the distances.
    pub database_bytes: Option<usize>,
    /// Whether the database knows all of its part of the model.
    pub database_complete: Option<bool>,
}

impl From<HeuristicWork> for GuideRecord {
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

/// A search that was tried.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AttemptRecord {
    /// How it searched.
    pub strategy: String,
    /// What it was tried for.
    pub purpose: &'static str,
    /// What came of it.
    pub end: String,
    /// How many turns it had.
    pub turns: usize,
    /// Its work, in units that count the same for all searches.
    pub work: u64,
    /// States that it expanded.
    pub explored: usize,
    /// States that it kept.
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
