//! The record of an exploration.

use crate::answer::{Answer, Verdict};
use crate::report::WorkerRecord;
use crate::session::Session;
use serde::Serialize;
use zonaut_base::Span;
use zonaut_trace::{Trace, TraceEdge};

/// The result of an exploration.
#[derive(Debug, Serialize)]
pub struct ExplorationRecord<'a> {
    /// Whether the exploration is complete.
    pub complete: bool,
    /// The reason why it is incomplete.
    pub reason: Option<String>,
    /// The strategy of the exploration.
    pub strategy: String,
    /// The abstraction of zones; `None` without a search.
    pub abstraction: Option<&'static str>,
    /// How clock differences were handled, if the model has any.
    pub differences: Option<&'static str>,
    /// Expanded states.
    pub explored: usize,
    /// Stored states.
    pub stored: usize,
    /// Generated successors.
    pub generated: usize,
    /// The elapsed time.
    pub seconds: f64,
    /// The memory of the states.
    pub memory_bytes: usize,
    /// The workers, if there were several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<WorkerRecord>,
    /// Locations that were not reached.
    pub unreached_locations: Vec<LocationRecord<'a>>,
    /// Edges that were not taken.
    pub untaken_edges: Vec<EdgeRecord<'a>>,
    /// The run to the transition that raises a run-time error, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<&'a Trace>,
    /// A run to a state without enabled transitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadlock: Option<&'a Trace>,
}

/// A location with its position.
#[derive(Debug, Serialize)]
pub struct LocationRecord<'a> {
    /// The process.
    pub process: &'a str,
    /// The location.
    pub location: &'a str,
    /// Its file, line and column.
    pub place: String,
}

/// An edge with its position.
#[derive(Debug, Serialize)]
pub struct EdgeRecord<'a> {
    /// The edge.
    #[serde(flatten)]
    pub edge: &'a TraceEdge,
    /// Its file, line and column.
    pub place: String,
}

impl<'a> ExplorationRecord<'a> {
    /// The record of an exploration of the session's model.
    #[must_use]
    pub fn of(session: &Session, explored: &'a Answer) -> Self {
        let place = |span: Span| session.place_text(span);
        let coverage = explored.coverage();
        let locations = coverage.into_iter().flat_map(|found| &found.unreached);
        let locations = locations.map(|unreached| LocationRecord {
            process: &unreached.process,
            location: &unreached.location,
            place: place(unreached.place),
        });
        let edges = coverage.into_iter().flat_map(|found| &found.untaken);
        let edges =
            edges.map(|untaken| EdgeRecord { edge: &untaken.edge, place: place(untaken.place) });
        Self {
            complete: explored.verdict == Verdict::Satisfied,
            reason: session.reason_of(&explored.verdict),
            strategy: explored.strategy.to_string(),
            abstraction: explored.abstraction.map(|abstraction| abstraction.name()),
            differences: explored.differences,
            explored: explored.statistics.explored,
            stored: explored.statistics.stored,
            generated: explored.statistics.generated,
            seconds: explored.seconds,
            memory_bytes: explored.statistics.bytes,
            workers: explored.workers.iter().map(WorkerRecord::from).collect(),
            unreached_locations: locations.collect(),
            untaken_edges: edges.collect(),
            trace: explored.trace.as_ref(),
            deadlock: coverage.and_then(|found| found.deadlock.as_ref()),
        }
    }
}
