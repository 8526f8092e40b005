//! Output for Graphviz: each template is a cluster.

use std::fmt::Write as _;
use zonaut_base::Id;
use zonaut_syntax::tree::{Document, Edge, Expressions, LabelKind, LocationKind, Node, Template};
use zonaut_syntax::{edge_labels, location_labels, location_names};

/// The templates as a graph for Graphviz.
#[must_use]
pub fn print_dot(document: &Document) -> String {
    let mut out = String::from("digraph model {\n    node [shape=ellipse, fontsize=10];\n");
    out.push_str("    edge [fontsize=9];\n");
    for (index, template) in document.templates.iter().enumerate() {
        cluster(&document.expressions, index, template, &mut out);
    }
    out.push_str("}\n");
    out
}

/// `text` inside a quoted label, lines to the left.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn cluster(expressions: &Expressions, index: usize, template: &Template, out: &mut String) {
    let names = location_names(template);
    let _ = writeln!(out, "    subgraph cluster_{index} {{");
    let _ = writeln!(out, "        label=\"{}\";", escaped(&template.name.text));
    for (id, location) in template.locations.iter_enumerated() {
        let node = Node::Location(id);
        let mut label = names[id.index()].clone();
        for (kind, text) in location_labels(expressions, location) {
            if kind == LabelKind::Invariant {
                label = format!("{label}\n{text}");
            }
        }
        match location.kind {
            LocationKind::Ordinary => {}
            LocationKind::Urgent => label.push_str("\nurgent"),
            LocationKind::Committed => label.push_str("\ncommitted"),
        }
        let rings = if template.initial == Some(id) { ", peripheries=2" } else { "" };
        let _ =
            writeln!(out, "        {} [label=\"{}\"{rings}];", key(index, node), escaped(&label));
    }
    for id in template.branchpoints.ids() {
        let _ = writeln!(out, "        {} [shape=point];", key(index, Node::Branchpoint(id)));
    }
    for edge in &template.edges {
        if let (Some(source), Some(target)) = (edge.source.node, edge.target.node) {
            let label = escaped(&edge_label(expressions, edge));
            let style = if edge.controllable { "" } else { ", style=dashed" };
            let (source, target) = (key(index, source), key(index, target));
            let _ = writeln!(out, "        {source} -> {target} [label=\"{label}\"{style}];");
        }
    }
    out.push_str("    }\n");
}

fn key(template: usize, node: Node) -> String {
    match node {
        Node::Location(id) => format!("t{template}_l{}", id.index()),
        Node::Branchpoint(id) => format!("t{template}_b{}", id.index()),
    }
}

/// The label of an edge; the weights of branches are omitted.
fn edge_label(expressions: &Expressions, edge: &Edge) -> String {
    let labels = edge_labels(expressions, edge).into_iter();
    let shown = labels.filter(|(kind, _)| *kind != LabelKind::Probability);
    shown.map(|(_, text)| text).collect::<Vec<_>>().join("\n")
}
