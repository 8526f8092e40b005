//! Summaries of models: their sizes, features and queries.

use crate::feature::Feature;
use crate::input::InputError;
use crate::load::Loaded;
use crate::report::{DiagnosticRecord, UnsupportedRecord};
use crate::session::Session;
use crate::task::{Refusal, Task};
use crate::unsupported::kind_name;
use crate::uses::Uses;
use crate::verify::VerifyOptions;
use serde::Serialize;
use std::collections::BTreeSet;
use zonaut_model::{Model, QueryId};

/// A model with its diagnostics and its summary.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ModelRecord {
    /// Whether neither the model nor a query has an error.
    pub ok: bool,
    /// The file of the model.
    pub model: String,
    /// The file of the queries, if it is separate.
    pub queries_file: Option<String>,
    /// The diagnostics.
    pub diagnostics: Vec<DiagnosticRecord>,
    /// `None` if there is an error outside of queries.
    pub summary: Option<Summary>,
}

impl ModelRecord {
    /// The record of a loaded model, or of the error, for these files.
    #[must_use]
    pub fn of(
        loaded: &Result<Loaded, InputError>,
        model: String,
        queries_file: Option<String>,
    ) -> Self {
        let (ok, diagnostics, summary) = match loaded {
            Ok(loaded) => {
                let record = |diagnostic| DiagnosticRecord::of(&loaded.sources, diagnostic);
                let records = loaded.diagnostics.iter().map(record).collect();
                (!loaded.has_errors(), records, loaded.summary())
            }
            Err(error) => (false, vec![DiagnosticRecord::of_input_error(error)], None),
        };
        Self { ok, model, queries_file, diagnostics, summary }
    }
}

/// The sizes, features and queries of a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Summary {
    /// Templates, including unused ones.
    pub templates: usize,
    /// Processes.
    pub processes: usize,
    /// Locations of all processes.
    pub locations: usize,
    /// Edges of all processes.
    pub edges: usize,
    /// Clocks.
    pub clocks: usize,
    /// Integer variables of the state; each element of an array and each field of a struct counts.
    pub variables: usize,
    /// Channels; each element of an array counts.
    pub channels: usize,
    /// The number of bits of the discrete part of a state.
    pub state_bits: u64,
    /// The features that the model uses.
    pub features: BTreeSet<Feature>,
    /// The queries.
    pub queries: Vec<QuerySummary>,
}

/// A query with the features that it needs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct QuerySummary {
    /// Its number in its file, from 1, without headings.
    pub index: u32,
    /// The formula as written.
    pub formula: String,
    /// The name of its kind, such as `E<>`.
    pub kind: String,
    /// The features that it needs.
    pub features: BTreeSet<Feature>,
    /// Whether it can be answered.
    pub prospect: Prospect,
    /// All unsupported features that it or the model needs.
    pub unsupported: Vec<UnsupportedRecord>,
}

/// The expected result of asking a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Prospect {
    /// It is supported; only limits can leave it undecided.
    WillBeAnswered,
    /// It needs an unsupported feature.
    Unsupported,
    /// It has an error.
    Error,
}

impl Summary {
    /// The summary of the session's model and its queries.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        let (model, document) = (session.model(), session.labels().document);
        let uses = Uses::of_model(model, &session.origin);
        Self {
            templates: document.templates.len(),
            processes: model.processes.len(),
            locations: model.processes.iter().map(|process| process.locations.len()).sum(),
            edges: model.processes.iter().map(|process| process.edges.len()).sum(),
            clocks: model.clocks.len(),
            variables: model.cells.len(),
            channels: model.channels.len(),
            state_bits: state_bits(model),
            features: uses.features().chain(Uses::of_document(document).features()).collect(),
            queries: model.queries.ids().map(|query| QuerySummary::of(session, query)).collect(),
        }
    }
}

impl QuerySummary {
    fn of(session: &Session, id: QueryId) -> Self {
        let query = &session.model().queries[id];
        let (prospect, reasons) = match Task::of_query(session, id, &VerifyOptions::default()) {
            Ok(_) => (Prospect::WillBeAnswered, Vec::new()),
            Err(Refusal::Damaged | Refusal::NoGoal | Refusal::Costs(_)) => {
                (Prospect::Error, Vec::new())
            }
            Err(Refusal::Unsupported(reasons)) => (Prospect::Unsupported, reasons),
        };
        let record = |reason| UnsupportedRecord::of(session.sources(), reason);
        Self {
            index: query.index,
            formula: query.text.clone(),
            kind: kind_name(&query.kind).to_owned(),
            features: Uses::of_query(session.model(), &session.origin, id).features().collect(),
            prospect,
            unsupported: reasons.iter().map(record).collect(),
        }
    }
}

/// The bits for every location and every stored variable, each at its own width.
fn state_bits(model: &Model) -> u64 {
    let locations = model.processes.iter().map(|process| process.locations.len() as u64);
    let stored = model.cells.iter().filter(|cell| !cell.meta);
    locations.chain(stored.map(|cell| cell.range.size())).map(bits_for).sum()
}

/// The bits that distinguish `values` values.
fn bits_for(values: u64) -> u64 {
    u64::from(u64::BITS - values.saturating_sub(1).leading_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_distinguishes_all_values_and_no_more() {
        for values in 1..=1000_u64 {
            let bits = bits_for(values);
            assert!(values <= 1 << bits, "{values}");
            assert!(bits == 0 || values > 1 << (bits - 1), "{values}");
        }
        assert_eq!(bits_for(1 << 32), 32);
    }
}
