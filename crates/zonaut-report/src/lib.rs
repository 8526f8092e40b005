//! Self-contained HTML reports about the answer to a query, in a single file.
//!
//! A [`Report`] begins with the verdict and one sentence about it; with a run it shows the automata
//! with the current locations and the edges taken beside the list of steps, a sequence chart,
//! locations, clocks and variables over exact time, and the zone of any two clocks. Statistics, the
//! digest and the command are folded at the end. An index page links the reports of several
//! queries ([`write_index`]).
//!
//! Invariants: the page loads nothing and runs only its own script, whose digest is part of its
//! content security policy; texts of a model are escaped; the same report gives the same page. The
//! script displays data only and does not know the semantics of models.

mod drawing_index;
mod film;
mod index;
mod page;
mod race;
mod run_data;
mod security;

pub use drawing_index::DrawingIndex;
pub use film::film_of;
pub use index::{IndexEntry, IndexReport, write_index};
pub use page::{PAGE_STYLE, write_report};
pub use race::{Heat, RaceReport, write_race};
pub use security::source_digest;

use zonaut_draw::{Curve, Picture};
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
    /// The program that produced it, such as `zonaut 0.2.0`.
    pub program: &'r str,
    /// The query; empty if the report is about none.
    pub query: &'r str,
    /// The verdict.
    pub verdict: &'r str,
    /// The colour of the verdict.
    pub tone: Tone,
    /// One sentence about the answer.
    pub summary: &'r str,
    /// The reason of an unknown verdict, or another remark.
    pub reason: Option<&'r str>,
    /// The result of the independent checker.
    pub certificate: &'r str,
    /// Whether the independent checker accepted the answer.
    pub is_certified: bool,
    /// Statistics: names and values.
    pub facts: &'r [(&'r str, String)],
    /// Further lists with headings.
    pub lists: &'r [(&'r str, Vec<String>)],
    /// Charts of quantities over time, with headings.
    pub charts: &'r [Chart<'r>],
    /// Plots of a sample of random runs, with headings.
    pub plots: &'r [(String, Picture)],
    /// The witness or counterexample.
    pub run: Option<Run<'r>>,
    /// Whether the answer is a schedule, whose Gantt chart comes first.
    pub is_schedule: bool,
    /// The file of the page that links the reports of several queries, in the same folder.
    pub index: Option<&'r str>,
    /// The elements that no run reaches, which are marked in the automata.
    pub dead: &'r Dead,
}

/// Locations and edges that no run reaches, by the index of their template.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dead {
    /// Template and location.
    pub locations: Vec<(usize, usize)>,
    /// Template and edge.
    pub edges: Vec<(usize, usize)>,
}

impl Dead {
    /// The elements of templates that are dead in every process of their template.
    #[must_use]
    pub fn of(
        labels: SourceLabels<'_>,
        locations: &[(&str, &str)],
        edges: &[&zonaut_trace::TraceEdge],
    ) -> Self {
        let index = DrawingIndex::of(labels);
        let templates = |process: usize| {
            let template = &labels.model.processes.as_slice()[process].template;
            let known = labels.document.templates.iter();
            known.take_while(|it| *it.name.text != **template).count()
        };
        let count = |template: usize| {
            (0..labels.model.processes.len()).filter(|&it| templates(it) == template).count()
        };
        let in_all = |found: Vec<(usize, usize)>| {
            let mut counts: std::collections::BTreeMap<(usize, usize), usize> =
                std::collections::BTreeMap::new();
            found.into_iter().for_each(|key| *counts.entry(key).or_insert(0) += 1);
            let dead = counts.into_iter().filter(|((template, _), n)| *n >= count(*template));
            dead.map(|(key, _)| key).collect()
        };
        let locations = locations.iter().map(|(process, location)| {
            let number = index.process(process);
            (templates(number), index.location(number, location))
        });
        let edges = edges.iter().flat_map(|edge| {
            let template = templates(index.process(&edge.process));
            index.parts(edge).into_iter().map(move |part| (template, part))
        });
        Self { locations: in_all(locations.collect()), edges: in_all(edges.collect()) }
    }
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
    /// The answer is no verdict, but an estimate or a set of runs.
    Neutral,
}
