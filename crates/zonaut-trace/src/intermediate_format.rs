//! UPPAAL's intermediate format, which gives names to the numbers in `.xtr` files.
//!
//! Six sections with an empty line between them. The numbers of the sections `layout` and
//! `expressions` are addresses; Zonaut has no machine code of this kind, so the section
//! `instructions` has a zero for every address of an expression, which suffices for readers that
//! need the names only.

use crate::labels::{SourceLabels, or_placeholder};
use std::collections::BTreeMap;
use std::io::{self, Write};
use zonaut_base::Id;
use zonaut_model::{LocationKind, ProcessId};

/// Writes a model in the intermediate format.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write_intermediate_format(labels: SourceLabels<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut texts = Texts::default();
    let locations = write_layout(labels, out)?;
    let rest = Rest { labels, locations };
    let places = rest.locations(&mut texts);
    let edges = rest.edges(&mut texts);
    writeln!(out, "\ninstructions")?;
    for address in 0..texts.all.len() {
        writeln!(out, "{address}:0")?;
    }
    writeln!(out, "\nprocesses")?;
    for (process, definition) in labels.model.processes.iter_enumerated() {
        let initial = rest.address(process, definition.initial.index());
        writeln!(out, "{}:{initial}:{}", process.index(), one_word(&definition.name))?;
    }
    writeln!(out, "\nlocations\n{places}\nedges\n{edges}\nexpressions")?;
    for (address, text) in texts.all.iter().enumerate() {
        writeln!(out, "{address}:::{text}")?;
    }
    Ok(())
}

/// Writes the section `layout`; returns the address of the first location of each process.
fn write_layout(labels: SourceLabels<'_>, out: &mut dyn Write) -> io::Result<Vec<usize>> {
    let model = labels.model;
    writeln!(out, "layout\n0:clock:0:t(0)")?;
    for (clock, declared) in model.clocks.iter_enumerated() {
        let number = clock.index() + 1;
        writeln!(out, "{number}:clock:{number}:{}", one_word(&declared.name))?;
    }
    let mut address = model.clocks.len() + 1;
    for (number, cell) in model.cells.iter().enumerate() {
        let kind = if cell.meta { "meta" } else { "var" };
        let (low, high, initial) = (cell.range.low, cell.range.high, cell.initial);
        let name = one_word(&cell.name);
        writeln!(out, "{address}:{kind}:{low}:{high}:{initial}:{number}:{name}")?;
        address += 1;
    }
    let mut first_locations = Vec::new();
    for process in &model.processes {
        first_locations.push(address);
        for location in &process.locations {
            let kind = match location.kind {
                LocationKind::Ordinary => "",
                LocationKind::Urgent => "urgent",
                LocationKind::Committed => "committed",
            };
            writeln!(out, "{address}:location:{kind}:{}", one_word(&location.name))?;
            address += 1;
        }
    }
    Ok(first_locations)
}

/// Texts by address, without duplicates.
#[derive(Default)]
struct Texts {
    all: Vec<String>,
    addresses: BTreeMap<String, usize>,
}

impl Texts {
    fn address(&mut self, text: &str) -> usize {
        let text: Vec<&str> = text.split_whitespace().collect();
        let text = text.join(" ");
        let next = self.all.len();
        let address = *self.addresses.entry(text.clone()).or_insert(next);
        if address == next {
            self.all.push(text);
        }
        address
    }
}

/// The sections about processes.
struct Rest<'l> {
    labels: SourceLabels<'l>,
    /// By process, the address of its first location.
    locations: Vec<usize>,
}

impl Rest<'_> {
    fn address(&self, process: ProcessId, location: usize) -> usize {
        self.locations[process.index()] + location
    }

    fn locations(&self, texts: &mut Texts) -> String {
        let mut section = String::new();
        for (process, definition) in self.labels.model.processes.iter_enumerated() {
            for location in definition.locations.ids() {
                let address = self.address(process, location.index());
                let invariant = or_placeholder(self.labels.invariant(process, location), "1");
                let invariant = texts.address(&invariant);
                section.push_str(&format!("{address}:{}:{invariant}\n", process.index()));
            }
        }
        section
    }

    fn edges(&self, texts: &mut Texts) -> String {
        let mut section = String::new();
        for (process, definition) in self.labels.model.processes.iter_enumerated() {
            for (id, edge) in definition.edges.iter_enumerated() {
                let source = self.address(process, edge.source.index());
                let target = self.address(process, edge.target.index());
                let labels = self.labels.edge(process, id);
                let [guard, sync, update] = labels.map(|text| texts.address(&text));
                let number = process.index();
                section.push_str(&format!("{number}:{source}:{target}:{guard}:{sync}:{update}\n"));
            }
        }
        section
    }
}

/// A name without blanks: readers of the format split lines at blanks.
fn one_word(name: &str) -> String {
    name.split_whitespace().collect()
}
