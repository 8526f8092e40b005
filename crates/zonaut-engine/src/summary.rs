//! What a model consists of, in numbers.

use crate::feature::{Feature, features_of_model, features_of_query};
use serde::Serialize;
use std::collections::BTreeSet;
use zonaut_model::{Model, Query, QueryKind};
use zonaut_syntax::tree::Document;

/// What a model consists of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Summary {
    /// Templates, unused ones included.
    pub templates: usize,
    /// Processes.
    pub processes: usize,
    /// Locations of all processes.
    pub locations: usize,
    /// Edges of all processes.
    pub edges: usize,
    /// Clocks.
    pub clocks: usize,
    /// Integers of the state, each element of an array and each field of a struct by itself.
    pub variables: usize,
    /// Channels, each element of an array by itself.
    pub channels: usize,
    /// How many bits the discrete part of a state needs.
    pub state_bits: u64,
    /// What the model uses.
    pub features: BTreeSet<Feature>,
    /// What is asked.
    pub queries: Vec<QuerySummary>,
}

/// What a query asks and needs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct QuerySummary {
    /// Its position in its file, from 1.
    pub index: u32,
    /// The formula as written.
    pub formula: String,
    /// The name of its kind, such as `E<>`.
    pub kind: String,
    /// What it needs.
    pub features: BTreeSet<Feature>,
}

impl Summary {
    /// The summary of `model`, which `document` means.
    #[must_use]
    pub fn of(document: &Document, model: &Model) -> Self {
        Self {
            templates: document.templates.len(),
            processes: model.processes.len(),
            locations: model.processes.iter().map(|process| process.locations.len()).sum(),
            edges: model.processes.iter().map(|process| process.edges.len()).sum(),
            clocks: model.clocks.len(),
            variables: model.cells.len(),
            channels: model.channels.len(),
            state_bits: state_bits(model),
            features: features_of_model(model),
            queries: model.queries.iter().map(QuerySummary::of).collect(),
        }
    }
}

impl QuerySummary {
    fn of(query: &Query) -> Self {
        let kind = match &query.kind {
            QueryKind::Possibly(_) => "E<>",
            QueryKind::Always(_) => "A[]",
            QueryKind::PossiblyAlways(_) => "E[]",
            QueryKind::Eventually(_) => "A<>",
            QueryKind::LeadsTo(..) => "-->",
            QueryKind::Supremum(..) => "sup",
            QueryKind::Infimum(..) => "inf",
            QueryKind::Bounds(..) => "bounds",
            QueryKind::Unsupported(name) => name,
        };
        Self {
            index: query.index,
            formula: query.text.clone(),
            kind: kind.to_owned(),
            features: features_of_query(query),
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
