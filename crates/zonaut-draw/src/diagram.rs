//! The content of a drawing of an automaton before the layout: nodes, arcs and their labels.

use crate::text;
use zonaut_base::Id;
use zonaut_syntax::tree::{Document, LabelKind, LocationKind, Node, Template};
use zonaut_syntax::{edge_labels, location_labels};

/// An automaton without a layout.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Diagram {
    /// Locations, then branchpoints, in the order of the template.
    pub(crate) nodes: Vec<DiagramNode>,
    /// Edges with two known ends.
    pub(crate) arcs: Vec<Arc>,
    /// The initial location.
    pub(crate) initial: Option<usize>,
}

/// A location or a branchpoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DiagramNode {
    pub(crate) shape: Shape,
    /// Its name, then its labels.
    pub(crate) labels: Vec<Label>,
    pub(crate) colour: Option<String>,
}

/// The shape of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// A circle, with a letter if the location is urgent or committed.
    Location(LocationKind),
    /// A dot.
    Branchpoint,
}

impl Shape {
    pub(crate) fn radius(self) -> f64 {
        match self {
            Self::Location(_) => 11.0,
            Self::Branchpoint => 4.0,
        }
    }
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Arc {
    pub(crate) source: usize,
    pub(crate) target: usize,
    /// Its index among the edges of the template.
    pub(crate) edge: usize,
    pub(crate) labels: Vec<Label>,
    pub(crate) colour: Option<String>,
    /// Whether it is controllable.
    pub(crate) controllable: bool,
}

/// A label, split into lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Label {
    /// Its kind; `None` for the name of a location.
    pub(crate) kind: Option<LabelKind>,
    pub(crate) lines: Vec<String>,
}

impl Label {
    fn new(kind: Option<LabelKind>, label: &str) -> Self {
        Self { kind, lines: text::lines(label) }
    }

    pub(crate) fn class(&self) -> &'static str {
        match self.kind {
            None => "name",
            Some(LabelKind::Select | LabelKind::Probability | LabelKind::ExponentialRate) => "note",
            Some(LabelKind::Guard) => "guard",
            Some(LabelKind::Synchronisation) => "sync",
            Some(LabelKind::Assignment) => "update",
            Some(LabelKind::Invariant) => "bound",
        }
    }

    pub(crate) fn width(&self) -> f64 {
        text::widest(&self.lines)
    }

    pub(crate) fn height(&self) -> f64 {
        self.lines.len() as f64 * text::LINE
    }
}

/// The width of stacked labels.
pub(crate) fn block_width(labels: &[Label]) -> f64 {
    labels.iter().map(Label::width).fold(0.0, f64::max)
}

/// The height of stacked labels.
pub(crate) fn block_height(labels: &[Label]) -> f64 {
    labels.iter().map(Label::height).sum()
}

impl Diagram {
    pub(crate) fn of(document: &Document, template: &Template) -> Self {
        let expressions = &document.expressions;
        let label = |(kind, text): (LabelKind, String)| Label::new(Some(kind), &text);
        let locations = template.locations.iter().map(|location| {
            let name = location.name.as_ref().map(|name| Label::new(None, &name.text));
            let labels = location_labels(expressions, location).into_iter().map(label);
            DiagramNode {
                shape: Shape::Location(location.kind),
                labels: name.into_iter().chain(labels).collect(),
                colour: location.layout.colour.as_deref().and_then(colour),
            }
        });
        let branchpoints = template.branchpoints.iter().map(|_| DiagramNode {
            shape: Shape::Branchpoint,
            labels: Vec::new(),
            colour: None,
        });
        let index = |node: Node| match node {
            Node::Location(id) => id.index(),
            Node::Branchpoint(id) => template.locations.len() + id.index(),
        };
        let arcs = template.edges.iter().enumerate().filter_map(|(number, edge)| {
            Some(Arc {
                source: index(edge.source.node?),
                target: index(edge.target.node?),
                edge: number,
                labels: edge_labels(expressions, edge).into_iter().map(label).collect(),
                colour: edge.layout.colour.as_deref().and_then(colour),
                controllable: edge.controllable,
            })
        });
        Self {
            nodes: locations.chain(branchpoints).collect(),
            arcs: arcs.collect(),
            initial: template.initial.map(Id::index),
        }
    }
}

/// A colour in UPPAAL's notation, `#rrggbb`; other texts are rejected.
fn colour(text: &str) -> Option<String> {
    let digits = text.strip_prefix('#')?;
    let is_colour = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_colour.then(|| format!("#{}", digits.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_are_colours() {
        assert_eq!(colour("#Ff0080"), Some("#ff0080".to_owned()));
        for text in ["", "#", "red", "#ff00", "#ff00800", "#ff\"080", "url(x)", "#ééé"] {
            assert_eq!(colour(text), None, "{text}");
        }
    }
}
