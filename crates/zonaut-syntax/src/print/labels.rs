//! Labels of edges and locations as separate texts, for drawings.

use super::declaration::{binders, list, parameters};
use super::expression::print_conjunction;
use super::names::NodeNames;
use super::xta::{rate, synchronisation};
use crate::tree::{Edge, Expressions, LabelKind, Location, Template};

/// The labels of an edge, in the order in which they take effect.
#[must_use]
pub fn edge_labels(expressions: &Expressions, edge: &Edge) -> Vec<(LabelKind, String)> {
    let label = edge.synchronisation.as_ref();
    let probability: Vec<_> = edge.probability.into_iter().collect();
    present([
        (LabelKind::Select, binders(expressions, &edge.select)),
        (LabelKind::Guard, print_conjunction(expressions, &edge.guard)),
        (
            LabelKind::Synchronisation,
            label.map_or(String::new(), |label| synchronisation(expressions, label)),
        ),
        (LabelKind::Assignment, list(expressions, &edge.updates)),
        (LabelKind::Probability, list(expressions, &probability)),
    ])
}

/// The labels of a location, without its name.
#[must_use]
pub fn location_labels(expressions: &Expressions, location: &Location) -> Vec<(LabelKind, String)> {
    present([
        (LabelKind::Invariant, print_conjunction(expressions, &location.invariant)),
        (LabelKind::ExponentialRate, rate(expressions, &location.exponential_rate)),
    ])
}

/// The names of a template's locations, in order; anonymous ones get generated names.
#[must_use]
pub fn location_names(template: &Template) -> Vec<String> {
    NodeNames::of_text(template).locations
}

/// The name of a template with its parameters, such as `Train(const id_t id)`.
#[must_use]
pub fn template_heading(expressions: &Expressions, template: &Template) -> String {
    let parameters = parameters(expressions, &template.parameters);
    match parameters.is_empty() {
        true => template.name.text.to_string(),
        false => format!("{}({parameters})", template.name.text),
    }
}

fn present<const N: usize>(labels: [(LabelKind, String); N]) -> Vec<(LabelKind, String)> {
    labels.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}
