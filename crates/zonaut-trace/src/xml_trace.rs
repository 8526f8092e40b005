//! UPPAAL's XML traces: the system with the names of its parts, then states with full matrices of
//! bounds, and transitions between them.

use crate::labels::SourceLabels;
use crate::symbolic_trace::{Bound, SymbolicTrace, SymbolicTraceState, TakenEdge};
use std::io::{self, Write};
use zonaut_base::Id;
use zonaut_dbm::Row;
use zonaut_model::{Model, ProcessId};
use zonaut_syntax::xml_escaped as escaped;

/// Writes a run of a model as an XML trace.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write_xml_trace(
    labels: SourceLabels<'_>,
    trace: &SymbolicTrace,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<trace initial_node=\"State1\" trace_options=\"symbolic\">")?;
    let mut writer = Writer { labels, out };
    writer.system()?;
    for (position, state) in trace.states.iter().enumerate() {
        writer.state(position + 1, state)?;
    }
    for (position, edges) in trace.transitions.iter().enumerate() {
        writer.transition(position + 1, edges)?;
    }
    writeln!(writer.out, "</trace>")
}

struct Writer<'l, 'o> {
    labels: SourceLabels<'l>,
    out: &'o mut dyn Write,
}

impl Writer<'_, '_> {
    fn model(&self) -> &Model {
        self.labels.model
    }

    fn system(&mut self) -> io::Result<()> {
        let model = self.labels.model;
        writeln!(self.out, "<system>")?;
        writeln!(self.out, "<clock name=\"#t(0)\" id=\"sys.#t(0)\"/>")?;
        self.storage(None)?;
        for (process, definition) in model.processes.iter_enumerated() {
            let name = escaped(&definition.name);
            writeln!(self.out, "<process id=\"{name}\" name=\"{name}\">")?;
            self.storage(Some(process))?;
            self.locations(process, &name)?;
            self.edges(process, &name)?;
            writeln!(self.out, "</process>")?;
        }
        writeln!(self.out, "</system>")
    }

    /// Writes the clocks and variables of `owner`, or the global ones.
    fn storage(&mut self, owner: Option<ProcessId>) -> io::Result<()> {
        let model = self.labels.model;
        for clock in model.clocks.iter().filter(|clock| clock.owner == owner) {
            self.named("clock", owner, &clock.name)?;
        }
        for cell in model.cells.iter().filter(|cell| cell.owner == owner) {
            self.named("variable", owner, &cell.name)?;
        }
        Ok(())
    }

    fn named(&mut self, element: &str, owner: Option<ProcessId>, full: &str) -> io::Result<()> {
        let process = owner.map(|process| self.model().processes[process].name.as_str());
        let name = process.and_then(|p| full.strip_prefix(p)?.strip_prefix('.')).unwrap_or(full);
        let (name, id) = (escaped(name), id_of(owner, full));
        writeln!(self.out, "<{element} name=\"{name}\" id=\"{id}\"/>")
    }

    fn locations(&mut self, process: ProcessId, name: &str) -> io::Result<()> {
        let labels = self.labels;
        for (id, location) in labels.model.processes[process].locations.iter_enumerated() {
            let (text, own) = (labels.invariant(process, id), escaped(&location.name));
            // The text must not contain the end mark of a CDATA section.
            let text = text.replace("]]>", "]] >");
            writeln!(
                self.out,
                "<location id=\"{name}.{own}\" name=\"{own}\"><![CDATA[{text}]]></location>"
            )?;
        }
        Ok(())
    }

    fn edges(&mut self, process: ProcessId, name: &str) -> io::Result<()> {
        let labels = self.labels;
        let definition = &labels.model.processes[process];
        for (id, edge) in definition.edges.iter_enumerated() {
            let [from, to] = [edge.source, edge.target].map(|l| &definition.locations[l].name);
            let (from, to, number) = (escaped(from), escaped(to), id.index() + 1);
            let [guard, sync, update] = labels.edge(process, id).map(|text| escaped(&text));
            writeln!(
                self.out,
                "<edge id=\"{name}.Edge{number}\" from=\"{name}.{from}\" to=\"{name}.{to}\">\
                 <guard>{guard}</guard><sync>{sync}</sync><update>{update}</update></edge>"
            )?;
        }
        Ok(())
    }

    fn state(&mut self, number: usize, state: &SymbolicTraceState) -> io::Result<()> {
        let model = self.labels.model;
        let (locations, cells) = state.values.split_at(model.processes.len());
        write!(self.out, "<location_vector id=\"LocVec{number}\" locations=\"")?;
        for (process, &location) in model.processes.iter().zip(locations) {
            let location = &process.locations[Id::from_index(location as usize)];
            write!(self.out, "{}.{} ", escaped(&process.name), escaped(&location.name))?;
        }
        writeln!(self.out, "\"/>\n<variable_vector id=\"varvec.{number}\">")?;
        for (cell, value) in model.cells.iter().zip(cells) {
            let id = id_of(cell.owner, &cell.name);
            writeln!(self.out, "<variable_state variable=\"{id}\" value=\"{value}\"/>")?;
        }
        writeln!(
            self.out,
            "</variable_vector>\n<node id=\"State{number}\" location_vector=\"LocVec{number}\" \
             dbm_instance=\"DBM{number} \" variable_vector=\"varvec.{number}\"/>\n\
             <dbm_instance id=\"DBM{number}\">"
        )?;
        let rows = || (0..state.zone.dim()).map(Row::from_index);
        for (x, y) in rows().flat_map(|x| rows().map(move |y| (x, y))) {
            self.bound(x, y, state.zone.bound(x, y))?;
        }
        writeln!(self.out, "</dbm_instance>")
    }

    fn bound(&mut self, x: Row, y: Row, bound: Bound) -> io::Result<()> {
        let [x, y] = [x, y].map(|row| self.clock_id(row));
        let value = if bound.is_infinite() { "inf".to_owned() } else { bound.value().to_string() };
        let relation = if bound.is_strict() { "&lt;" } else { "&lt;=" };
        writeln!(
            self.out,
            "<clockbound clock1=\"{x}\" clock2=\"{y}\" bound=\"{value}\" comp=\"{relation}\"/>"
        )
    }

    fn clock_id(&self, row: Row) -> String {
        match row.index().checked_sub(1) {
            None => "sys.#t(0)".to_owned(),
            Some(clock) => {
                let clock = &self.model().clocks[Id::from_index(clock)];
                id_of(clock.owner, &clock.name)
            }
        }
    }

    fn transition(&mut self, number: usize, edges: &[TakenEdge]) -> io::Result<()> {
        let next = number + 1;
        write!(self.out, "<transition from=\"State{number}\" to=\"State{next}\" edges=\"")?;
        for edge in edges {
            let process = &self.labels.model.processes[Id::from_index(edge.process)].name;
            write!(self.out, "{}.Edge{} ", escaped(process), edge.edge + 1)?;
        }
        writeln!(self.out, "\"/>")
    }
}

/// The id of a clock or variable: its full name; global ones have an artificial process.
fn id_of(owner: Option<ProcessId>, full: &str) -> String {
    if owner.is_some() { escaped(full) } else { format!("sys.{}", escaped(full)) }
}
