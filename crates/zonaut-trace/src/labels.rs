//! The labels of locations and edges as UPPAAL's formats show them, with placeholders for those
//! that are absent.

use zonaut_base::Id;
use zonaut_model::{EdgeId, LocationId, Model, Origin, ProcessId};
use zonaut_syntax::print_expression;
use zonaut_syntax::tree::{Document, LocationId as WrittenLocationId};

/// A model with its source texts.
#[derive(Clone, Copy, Debug)]
pub struct SourceLabels<'l> {
    /// The model.
    pub model: &'l Model,
    /// The source elements of its ids.
    pub origin: &'l Origin,
    /// The document as parsed.
    pub document: &'l Document,
}

impl SourceLabels<'_> {
    /// The invariant of a location; empty if it has none.
    pub(crate) fn invariant(self, process: ProcessId, location: LocationId) -> String {
        let name = self.model.processes[process].template.as_str();
        let template = self.document.templates.iter().find(|t| *t.name.text == *name);
        let location = WrittenLocationId::from_index(location.index());
        let conjuncts = template.map_or(&[][..], |t| &t.locations[location].invariant);
        let texts = conjuncts.iter().map(|&id| print_expression(&self.document.expressions, id));
        texts.collect::<Vec<_>>().join(" && ")
    }

    /// The guard, the synchronisation and the updates of an edge.
    pub(crate) fn edge(self, process: ProcessId, edge: EdgeId) -> [String; 3] {
        let origin = &self.origin.processes[process].edges[edge];
        [
            or_placeholder(origin.guard.clone(), "1"),
            or_placeholder(origin.synchronisation.clone(), "tau"),
            or_placeholder(origin.updates.clone(), "1"),
        ]
    }
}

/// `text`, or the placeholder for an absent label.
pub(crate) fn or_placeholder(text: String, placeholder: &str) -> String {
    if text.trim().is_empty() { placeholder.to_owned() } else { text }
}
