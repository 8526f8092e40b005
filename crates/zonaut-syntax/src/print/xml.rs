//! Printing of UPPAAL's XML. Coordinates of the model are preserved; the rest is placed on a grid.

mod layout;

use super::declaration::{binders, list, parameters};
use super::expression::print_conjunction;
use super::names::{NodeNames, xml_ids};
use super::xta::{rate, synchronisation};
use super::{Printer, print_expression, query, spelled};
use crate::tree::{
    Declaration, Document, Edge, Expressions, LabelKind, Location, LocationKind, Node, Point,
    QueryEntry, Template,
};
use layout::NodePositions;
use std::fmt::Write as _;

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
    <!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.6//EN' \
    'http://www.it.uu.se/research/group/darts/uppaal/flat-1_6.dtd'>\n";

/// The model as XML, in the current language.
#[must_use]
pub fn print_xml(document: &Document) -> String {
    let expressions = &document.expressions;
    let mut writer = Writer { expressions, out: HEAD.to_owned() };
    writer.out.push_str("<nta>\n");
    writer.declarations("\t", &document.declarations);
    for (template, ids) in document.templates.iter().zip(xml_ids(document)) {
        writer.template(template, &ids);
    }
    let mut system = Printer::new(expressions);
    system.system(&document.system);
    writer.element("\t", "system", "", &system.out);
    if !document.queries.entries.is_empty() {
        writer.out.push_str("\t<queries>\n");
        for entry in &document.queries.entries {
            writer.query(&document.queries.expressions, entry);
        }
        writer.out.push_str("\t</queries>\n");
    }
    writer.out.push_str("</nta>\n");
    writer.out
}

/// `text` as the content of an element or an attribute.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(character),
        }
    }
    out
}

fn coordinates(point: Point) -> String {
    format!(" x=\"{}\" y=\"{}\"", point.x, point.y)
}

fn colour(value: Option<&str>) -> String {
    value.map(|colour| format!(" color=\"{}\"", escaped(colour))).unwrap_or_default()
}

struct Writer<'d> {
    expressions: &'d Expressions,
    out: String,
}

impl Writer<'_> {
    fn element(&mut self, indent: &str, name: &str, attributes: &str, text: &str) {
        let text = escaped(text);
        let _ = writeln!(self.out, "{indent}<{name}{attributes}>{text}</{name}>");
    }

    fn declarations(&mut self, indent: &str, declarations: &[Declaration]) {
        if !declarations.is_empty() {
            let mut printer = Printer::new(self.expressions);
            printer.declarations(declarations);
            self.element(indent, "declaration", "", &printer.out);
        }
    }

    fn template(&mut self, template: &Template, ids: &NodeNames) {
        let positions = NodePositions::of(template);
        self.out.push_str("\t<template>\n");
        self.element("\t\t", "name", "", &spelled(&template.name.text));
        if !template.parameters.is_empty() {
            let text = parameters(self.expressions, &template.parameters);
            self.element("\t\t", "parameter", "", &text);
        }
        self.declarations("\t\t", &template.declarations);
        for (id, location) in template.locations.iter_enumerated() {
            let node = Node::Location(id);
            self.location(location, ids.name(Some(node)), positions.node(node));
        }
        for id in template.branchpoints.ids() {
            let node = Node::Branchpoint(id);
            let (name, place) = (escaped(ids.name(Some(node))), coordinates(positions.node(node)));
            let _ = writeln!(self.out, "\t\t<branchpoint id=\"{name}\"{place}/>");
        }
        if let Some(initial) = template.initial {
            let name = escaped(ids.name(Some(Node::Location(initial))));
            let _ = writeln!(self.out, "\t\t<init ref=\"{name}\"/>");
        }
        for edge in &template.edges {
            self.edge(edge, ids, &positions);
        }
        self.out.push_str("\t</template>\n");
    }

    fn location(&mut self, location: &Location, id: &str, position: Point) {
        let layout = &location.layout;
        let colour = colour(layout.colour.as_deref());
        let id = escaped(id);
        let at = coordinates(position);
        let _ = writeln!(self.out, "\t\t<location id=\"{id}\"{at}{colour}>");
        if let Some(name) = &location.name {
            let at = layout.name.unwrap_or(layout::name_position(position));
            self.element("\t\t\t", "name", &coordinates(at), &spelled(&name.text));
        }
        let labels = [
            (LabelKind::Invariant, print_conjunction(self.expressions, &location.invariant)),
            (LabelKind::ExponentialRate, rate(self.expressions, &location.exponential_rate)),
        ];
        for (kind, text) in labels {
            let at = layout::label_position(&layout.labels, kind, position);
            self.label(kind, at, &text);
        }
        self.notes(&location.notes);
        match location.kind {
            LocationKind::Ordinary => {}
            LocationKind::Urgent => self.out.push_str("\t\t\t<urgent/>\n"),
            LocationKind::Committed => self.out.push_str("\t\t\t<committed/>\n"),
        }
        self.out.push_str("\t\t</location>\n");
    }

    fn label(&mut self, kind: LabelKind, at: Point, text: &str) {
        if !text.is_empty() {
            let attributes = format!(" kind=\"{}\"{}", label_name(kind), coordinates(at));
            self.element("\t\t\t", "label", &attributes, text);
        }
    }

    fn notes(&mut self, notes: &[(std::sync::Arc<str>, String)]) {
        for (kind, text) in notes {
            self.element("\t\t\t", "label", &format!(" kind=\"{}\"", escaped(kind)), text);
        }
    }

    fn edge(&mut self, edge: &Edge, ids: &NodeNames, positions: &NodePositions) {
        let controllable = if edge.controllable { "" } else { " controllable=\"false\"" };
        let colour = colour(edge.layout.colour.as_deref());
        let _ = writeln!(self.out, "\t\t<transition{controllable}{colour}>");
        for (which, end) in [("source", edge.source), ("target", edge.target)] {
            let name = escaped(ids.name(end.node));
            let _ = writeln!(self.out, "\t\t\t<{which} ref=\"{name}\"/>");
        }
        let expressions = self.expressions;
        let sync = edge.synchronisation.as_ref().map(|label| synchronisation(expressions, label));
        let weight = edge.probability.map(|id| print_expression(expressions, id));
        let labels = [
            (LabelKind::Select, binders(expressions, &edge.select)),
            (LabelKind::Guard, print_conjunction(expressions, &edge.guard)),
            (LabelKind::Synchronisation, sync.unwrap_or_default()),
            (LabelKind::Assignment, list(expressions, &edge.updates)),
            (LabelKind::Probability, weight.unwrap_or_default()),
        ];
        let middle = positions.middle(edge);
        for (kind, text) in labels {
            self.label(kind, layout::label_position(&edge.layout.labels, kind, middle), &text);
        }
        self.notes(&edge.notes);
        for nail in positions.nails(edge) {
            let _ = writeln!(self.out, "\t\t\t<nail{}/>", coordinates(nail));
        }
        self.out.push_str("\t\t</transition>\n");
    }

    fn query(&mut self, expressions: &Expressions, entry: &QueryEntry) {
        self.out.push_str("\t\t<query>\n");
        self.element("\t\t\t", "formula", "", &query::formula(expressions, entry));
        self.element("\t\t\t", "comment", "", &entry.comment);
        for (key, value) in &entry.options {
            let (key, value) = (escaped(key), escaped(value));
            let _ = writeln!(self.out, "\t\t\t<option key=\"{key}\" value=\"{value}\"/>");
        }
        if let Some(expect) = &entry.expect {
            let mut attributes = format!(" outcome=\"{}\"", escaped(&expect.outcome));
            for (name, value) in [("type", &expect.kind), ("value", &expect.value)] {
                if let Some(value) = value {
                    let _ = write!(attributes, " {name}=\"{}\"", escaped(value));
                }
            }
            let _ = writeln!(self.out, "\t\t\t<expect{attributes}/>");
        }
        self.out.push_str("\t\t</query>\n");
    }
}

fn label_name(kind: LabelKind) -> &'static str {
    match kind {
        LabelKind::Select => "select",
        LabelKind::Guard => "guard",
        LabelKind::Synchronisation => "synchronisation",
        LabelKind::Assignment => "assignment",
        LabelKind::Probability => "probability",
        LabelKind::Invariant => "invariant",
        LabelKind::ExponentialRate => "exponentialrate",
    }
}
