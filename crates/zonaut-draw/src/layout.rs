//! Layouts written into models, so that other programs show the same drawing.

use crate::automaton::placed;
use crate::diagram::{Diagram, Label};
use crate::geometry;
use crate::placed::{Placed, Text};
use zonaut_base::Id;
use zonaut_syntax::tree::{Document, LabelKind, Point, Template};

/// Gives every template without a complete drawing the coordinates, nails and label positions of
/// its picture. Templates that their authors drew are left as they are.
pub fn lay_out(document: &mut Document) {
    for number in 0..document.templates.len() {
        let template = &document.templates[number];
        if is_drawn(template) {
            continue;
        }
        let diagram = Diagram::of(document, template);
        let layout = placed(&diagram, template);
        write(&mut document.templates[number], &diagram, &layout);
    }
}

/// Whether all locations and branchpoints have coordinates.
fn is_drawn(template: &Template) -> bool {
    template.locations.iter().all(|location| location.layout.position.is_some())
        && template.branchpoints.iter().all(|branchpoint| branchpoint.position.is_some())
}

fn write(template: &mut Template, diagram: &Diagram, layout: &Placed) {
    let count = template.locations.len();
    for node in 0..count {
        let written = &mut template.locations[Id::from_index(node)].layout;
        written.position = Some(point(layout.nodes[node]));
        let texts = &layout.node_texts[node];
        written.name = texts.iter().find(|text| text.label.kind.is_none()).map(corner);
        written.labels = labels(texts);
    }
    for (branchpoint, at) in template.branchpoints.iter_mut().zip(&layout.nodes[count..]) {
        branchpoint.position = Some(point(*at));
    }
    for (number, arc) in diagram.arcs.iter().enumerate() {
        let written = &mut template.edges[arc.edge].layout;
        written.nails = layout.routes[number].nails().into_iter().map(point).collect();
        written.labels = labels(&layout.arc_texts[number]);
    }
}

fn labels(texts: &[Text]) -> Vec<(LabelKind, Point)> {
    let kind = |label: &Label| label.kind;
    texts.iter().filter_map(|text| Some((kind(&text.label)?, corner(text)))).collect()
}

fn corner(text: &Text) -> Point {
    point(text.corner)
}

fn point(at: geometry::Point) -> Point {
    Point { x: at.x.round() as i32, y: at.y.round() as i32 }
}
