//! The mapping from the names of a run to the indices of a drawing.

use serde::Serialize;
use std::collections::HashMap;
use zonaut_base::{Id, one_line};
use zonaut_trace::{SourceLabels, TraceEdge, edge_text};

/// The mapping from the names of a run to the indices of a drawing.
#[derive(Clone, Debug)]
pub struct DrawingIndex<'l> {
    labels: SourceLabels<'l>,
    processes: HashMap<&'l str, usize>,
    /// The location of this name, by process.
    locations: HashMap<(usize, &'l str), usize>,
}

impl<'l> DrawingIndex<'l> {
    /// The mapping of a model.
    #[must_use]
    pub fn of(labels: SourceLabels<'l>) -> Self {
        let processes = || labels.model.processes.iter().enumerate();
        let locations = processes().flat_map(|(number, process)| {
            let locations = process.locations.iter().enumerate();
            locations.map(move |(at, location)| ((number, location.name.as_str()), at))
        });
        Self {
            labels,
            processes: processes().map(|(number, it)| (it.name.as_str(), number)).collect(),
            locations: locations.collect(),
        }
    }

    /// The index of a process; 0 if no process has this name.
    #[must_use]
    pub fn process(&self, name: &str) -> usize {
        self.processes.get(name).copied().unwrap_or(0)
    }

    /// The indices of the locations of all processes, from names such as `Train(2).Cross`.
    #[must_use]
    pub fn locations(&self, names: &[String]) -> Vec<usize> {
        names.iter().enumerate().map(|(process, name)| self.location(process, name)).collect()
    }

    /// The indices of an edge in the drawing of its template: one, or two for an edge through a
    /// branchpoint.
    #[must_use]
    pub fn parts(&self, edge: &TraceEdge) -> Vec<usize> {
        let process = self.process(&edge.process);
        let origins = self.labels.origin.processes.iter().nth(process);
        let origin = origins.and_then(|origin| origin.edges.iter().nth(edge.edge));
        let name = &self.labels.model.processes[Id::from_index(process)].template;
        let template = self.labels.document.templates.iter().find(|t| *t.name.text == **name);
        let branch = origin.and_then(|origin| origin.branch).and_then(|span| {
            template.and_then(|template| template.edges.iter().position(|e| e.span == span))
        });
        let first = origin.map(|origin| origin.index as usize);
        first.into_iter().chain(branch).collect()
    }

    pub(crate) fn moves(&self, before: &[String], after: &[String]) -> Vec<(usize, usize)> {
        let pairs = before.iter().zip(after).enumerate();
        let moved = pairs.filter(|(_, (old, new))| old != new);
        moved.map(|(process, (_, new))| (process, self.location(process, new))).collect()
    }

    pub(crate) fn location(&self, process: usize, place: &str) -> usize {
        let name = place.rsplit_once('.').map_or(place, |(_, name)| name);
        self.locations.get(&(process, name)).copied().unwrap_or(0)
    }
}

#[derive(Serialize)]
pub(crate) struct EdgeData {
    process: usize,
    parts: Vec<usize>,
    text: String,
    labels: Vec<(&'static str, String)>,
}

/// The edges that occur in a run.
#[derive(Default)]
pub(crate) struct RunEdges {
    /// The index of an edge with its text, which has select values and values of indices.
    numbers: HashMap<(usize, usize, String), usize>,
    pub(crate) edges: Vec<EdgeData>,
}

impl RunEdges {
    /// The index of an edge among those of the run.
    pub(crate) fn edge(
        &mut self,
        drawing_index: &DrawingIndex<'_>,
        edge: &TraceEdge,
    ) -> Option<usize> {
        let process = *drawing_index.processes.get(edge.process.as_str())?;
        let key = (process, edge.edge, edge_text(edge));
        if let Some(&number) = self.numbers.get(&key) {
            return Some(number);
        }
        self.numbers.insert(key, self.edges.len());
        self.edges.push(edge_data(drawing_index, process, edge));
        Some(self.edges.len() - 1)
    }
}

fn edge_data(drawing_index: &DrawingIndex<'_>, process: usize, edge: &TraceEdge) -> EdgeData {
    let mut text = format!("{}: {} \u{2192} {}", edge.process, edge.source, edge.target);
    for (name, value) in &edge.select {
        text.push_str(&format!(", {name} = {value}"));
    }
    let labels =
        [("guard", &edge.guard), ("sync", &edge.synchronisation), ("update", &edge.updates)];
    let present = labels.into_iter().filter(|(_, label)| !label.trim().is_empty());
    EdgeData {
        process,
        parts: drawing_index.parts(edge),
        text: one_line(&text),
        labels: present.map(|(kind, label)| (kind, one_line(label.trim()))).collect(),
    }
}
