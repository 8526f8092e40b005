//! Printing of XTA.

use super::declaration::{binders, list, parameters};
use super::expression::print_conjunction;
use super::names::NodeNames;
use super::{Printer, join, print_expression, query, spelled};
use crate::tree::{
    Direction, Document, Edge, ExpressionId, Expressions, GanttRow, Location, LocationKind, Node,
    Synchronisation, System, Template,
};

/// Free texts of a location or an edge, by kind.
type Notes<'n> = &'n [(std::sync::Arc<str>, String)];

/// The model as XTA, in the current language.
#[must_use]
pub fn print_xta(document: &Document) -> String {
    let mut printer = Printer::new(&document.expressions);
    printer.declarations(&document.declarations);
    for template in &document.templates {
        printer.line("");
        printer.process(template);
    }
    printer.line("");
    printer.system(&document.system);
    for entry in &document.queries.entries {
        printer.line("");
        printer.line("query {");
        printer.out.push_str(&query::print_entry(&document.queries.expressions, entry));
        printer.line("}");
    }
    printer.out
}

/// A synchronisation label.
pub(super) fn synchronisation(expressions: &Expressions, label: &Synchronisation) -> String {
    let direction = match label.direction {
        Direction::Send => "!",
        Direction::Receive => "?",
        Direction::Together => "",
    };
    let mut out = String::new();
    // Looser operators are bracketed, so that `?` can only denote the direction.
    let level = crate::parser::level::OR;
    super::expression::print_above(expressions, label.channel, level, &mut out);
    out + direction
}

/// An exponential rate.
pub(super) fn rate(expressions: &Expressions, rate: &[ExpressionId]) -> String {
    let parts: Vec<String> = rate.iter().map(|&id| print_expression(expressions, id)).collect();
    parts.join(" : ")
}

impl Printer<'_> {
    fn process(&mut self, template: &Template) {
        let names = NodeNames::of_text(template);
        let parameters = parameters(self.expressions, &template.parameters);
        self.line(&format!("process {}({parameters}) {{", spelled(&template.name.text)));
        self.indented(|printer| {
            printer.declarations(&template.declarations);
            printer.states(template, &names);
            if let Some(initial) = template.initial {
                printer.line(&format!("init {};", names.name(Some(Node::Location(initial)))));
            }
            printer.edges(&template.edges, &names);
        });
        self.line("}");
    }

    fn states(&mut self, template: &Template, names: &NodeNames) {
        let named = |id| names.name(Some(Node::Location(id))).to_owned();
        if !template.locations.is_empty() {
            let locations = template.locations.iter_enumerated();
            let states: Vec<_> = locations
                .map(|(id, it)| (&it.notes[..], named(id) + &self.state_labels(it)))
                .collect();
            self.line("state");
            self.indented(|printer| printer.line_list(&states));
        }
        let points = template.branchpoints.ids();
        let points = join(points.map(|id| names.name(Some(Node::Branchpoint(id))).to_owned()));
        if !points.is_empty() {
            self.line(&format!("branchpoint {points};"));
        }
        for (kind, word) in [(LocationKind::Committed, "commit"), (LocationKind::Urgent, "urgent")]
        {
            let marked = template.locations.iter_enumerated().filter(|(_, l)| l.kind == kind);
            let marked = join(marked.map(|(id, _)| named(id)));
            if !marked.is_empty() {
                self.line(&format!("{word} {marked};"));
            }
        }
    }

    fn state_labels(&self, location: &Location) -> String {
        let invariant = print_conjunction(self.expressions, &location.invariant);
        let rate = rate(self.expressions, &location.exponential_rate);
        match (invariant.is_empty(), rate.is_empty()) {
            (true, true) => String::new(),
            (false, true) => format!(" {{ {invariant} }}"),
            (true, false) => format!(" {{ ; {rate} }}"),
            (false, false) => format!(" {{ {invariant}; {rate} }}"),
        }
    }

    /// One item per line, separated by commas and ended by a semicolon, each after its comments.
    fn line_list(&mut self, items: &[(Notes<'_>, String)]) {
        for (index, (notes, item)) in items.iter().enumerate() {
            let comments = notes.iter().filter(|(kind, _)| **kind == *"comments");
            for line in comments.flat_map(|(_, text)| text.lines()) {
                self.line(format!("// {}", line.trim()).trim_end());
            }
            let end = if index + 1 == items.len() { ";" } else { "," };
            self.line(&format!("{item}{end}"));
        }
    }

    fn edges(&mut self, edges: &[Edge], names: &NodeNames) {
        let text = |edge: &Edge| {
            let (source, target) = (names.name(edge.source.node), names.name(edge.target.node));
            let arrow = if edge.controllable { "->" } else { "-u->" };
            format!("{source} {arrow} {target} {{ {}}}", self.edge_labels(edge))
        };
        let edges: Vec<_> = edges.iter().map(|edge| (&edge.notes[..], text(edge))).collect();
        if !edges.is_empty() {
            self.line("trans");
            self.indented(|printer| printer.line_list(&edges));
        }
    }

    fn edge_labels(&self, edge: &Edge) -> String {
        let expressions = self.expressions;
        let labels = [
            ("select", binders(expressions, &edge.select)),
            ("guard", print_conjunction(expressions, &edge.guard)),
            (
                "sync",
                edge.synchronisation
                    .as_ref()
                    .map_or_else(String::new, |label| synchronisation(expressions, label)),
            ),
            ("assign", list(expressions, &edge.updates)),
            (
                "probability",
                edge.probability.map_or_else(String::new, |id| print_expression(expressions, id)),
            ),
        ];
        let present = labels.iter().filter(|(_, text)| !text.is_empty());
        present.map(|(word, text)| format!("{word} {text}; ")).collect()
    }

    pub(super) fn system(&mut self, system: &System) {
        self.declarations(&system.declarations);
        let level = |level: &Vec<crate::tree::SystemProcess>| {
            join(level.iter().map(|process| spelled(&process.name.text).into_owned()))
        };
        let levels: Vec<String> = system.levels.iter().map(level).collect();
        self.line(&format!("system {};", levels.join(" < ")));
        if !system.progress.is_empty() {
            self.line("progress {");
            self.indented(|printer| {
                for entry in &system.progress {
                    let measure = print_expression(printer.expressions, entry.measure);
                    let guard =
                        entry.guard.map(|g| print_expression(printer.expressions, g) + " : ");
                    printer.line(&format!("{}{measure};", guard.unwrap_or_default()));
                }
            });
            self.line("}");
        }
        if !system.gantt.is_empty() {
            self.line("gantt {");
            self.indented(|printer| system.gantt.iter().for_each(|row| printer.gantt_row(row)));
            self.line("}");
        }
    }

    fn gantt_row(&mut self, row: &GanttRow) {
        let expressions = self.expressions;
        let mut head = spelled(&row.name.text).into_owned();
        if !row.binders.is_empty() {
            head += &format!("({})", binders(expressions, &row.binders));
        }
        let bars = row.bars.iter().map(|bar| {
            let condition = print_expression(expressions, bar.condition);
            let colour = print_expression(expressions, bar.colour);
            let prefix = match bar.binders.as_slice() {
                [] => String::new(),
                list => format!("for ({}) ", binders(expressions, list)),
            };
            format!("{prefix}{condition} -> {colour}")
        });
        self.line(&format!("{head}: {};", join(bars)));
    }
}
