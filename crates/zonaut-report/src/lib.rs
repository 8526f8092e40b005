//! One page about one answer, in one file that opens anywhere.
//!
//! A [`Report`] says what was asked and answered, and how; with a run it shows the automata with
//! the current locations and the edges taken, a slider over the steps, a sequence chart, locations,
//! clocks and variables over exact time, and the zone of any two clocks. Without one it says what
//! was explored.
//!
//! Invariants: the page loads nothing and runs no script but its own, whose digest its policy
//! names; texts of a model are texts in it, whatever they contain; the same report gives the same
//! page. The script shows what it is given, and knows nothing of what a model means.

mod page;
mod places;
mod race;
mod run_data;
mod security;

pub use page::{PAGE_STYLE, write_report};
pub use places::Places;
pub use race::{Heat, RaceReport, write_race};
pub use security::source_digest;

use zonaut_draw::Curve;
use zonaut_trace::{Labels, SymbolicTrace, Trace};

/// Everything that a page says.
#[derive(Clone, Debug)]
pub struct Report<'r> {
    /// The model with what its author wrote.
    pub labels: Labels<'r>,
    /// The name of its file.
    pub model: &'r str,
    /// The digest of the text of the model.
    pub digest: &'r str,
    /// The command that made the report.
    pub command: &'r str,
    /// What made it, such as `zonaut 0.1.0`.
    pub program: &'r str,
    /// What was asked.
    pub query: &'r str,
    /// What was answered.
    pub verdict: &'r str,
    /// How the answer is coloured.
    pub tone: Tone,
    /// Why there is no answer, or what else is to be said about it.
    pub reason: Option<&'r str>,
    /// What the independent checker said.
    pub certificate: &'r str,
    /// What was done to find the answer: names and values.
    pub facts: &'r [(&'r str, String)],
    /// What else there is to read, as lists with headings.
    pub lists: &'r [(&'r str, Vec<String>)],
    /// Numbers over time, as charts with headings.
    pub charts: &'r [Chart<'r>],
    /// The run that shows the answer.
    pub run: Option<Run<'r>>,
}

/// Numbers over time.
#[derive(Clone, Debug)]
pub struct Chart<'r> {
    /// What it shows.
    pub heading: &'r str,
    /// What time is counted in, with a blank before it; nothing for the time of the model.
    pub unit: &'r str,
    /// The numbers.
    pub curves: Vec<Curve>,
}

/// A run with what is known about it.
#[derive(Clone, Copy, Debug)]
pub struct Run<'r> {
    /// One run.
    pub trace: &'r Trace,
    /// All valuations that take its transitions.
    pub symbolic: Option<&'r SymbolicTrace>,
}

/// The colour of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// The formula holds.
    Good,
    /// It does not hold.
    Bad,
    /// Nobody knows.
    Open,
}
