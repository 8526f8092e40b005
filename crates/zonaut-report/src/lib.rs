//! Self-contained HTML reports about the answer to a query, in a single file.
//!
//! A [`Report`] shows the query, the verdict and how it was found; with a run it shows the automata
//! with the current locations and the edges taken, a slider over the steps, a sequence chart,
//! locations, clocks and variables over exact time, and the zone of any two clocks. Without a run
//! it shows statistics of the exploration.
//!
//! Invariants: the page loads nothing and runs only its own script, whose digest is part of its
//! content security policy; texts of a model are escaped; the same report gives the same page. The
//! script displays data only and does not know the semantics of models.

mod drawing_index;
mod page;
mod race;
mod run_data;
mod security;

pub use drawing_index::DrawingIndex;
pub use page::{PAGE_STYLE, write_report};
pub use race::{Heat, RaceReport, write_race};
pub use security::source_digest;

use zonaut_draw::Curve;
use zonaut_trace::{SourceLabels, SymbolicTrace, Trace};

/// The content of a report.
#[derive(Clone, Debug)]
pub struct Report<'r> {
    /// The model with its source texts.
    pub labels: SourceLabels<'r>,
    /// The name of its file.
    pub model: &'r str,
    /// The digest of the text of the model.
    pub digest: &'r str,
    /// The command that produced the report.
    pub command: &'r str,
    /// The program that produced it, such as `zonaut 0.1.0`.
    pub program: &'r str,
    /// The query.
    pub query: &'r str,
    /// The verdict.
    pub verdict: &'r str,
    /// The colour of the verdict.
    pub tone: Tone,
    /// The reason of an unknown verdict, or another remark.
    pub reason: Option<&'r str>,
    /// The result of the independent checker.
    pub certificate: &'r str,
    /// Statistics: names and values.
    pub facts: &'r [(&'r str, String)],
    /// Further lists with headings.
    pub lists: &'r [(&'r str, Vec<String>)],
    /// Charts of quantities over time, with headings.
    pub charts: &'r [Chart<'r>],
    /// The witness or counterexample.
    pub run: Option<Run<'r>>,
}

/// A chart of quantities over time.
#[derive(Clone, Debug)]
pub struct Chart<'r> {
    /// The heading.
    pub heading: &'r str,
    /// The unit of time, preceded by a blank; empty for model time.
    pub unit: &'r str,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// A run with its symbolic states.
#[derive(Clone, Copy, Debug)]
pub struct Run<'r> {
    /// One run.
    pub trace: &'r Trace,
    /// All valuations that can take its transitions.
    pub symbolic: Option<&'r SymbolicTrace>,
}

/// The colour of a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// The formula holds.
    Good,
    /// It does not hold.
    Bad,
    /// The verdict is unknown.
    Open,
}
